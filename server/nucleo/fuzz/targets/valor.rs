//! JSON: what is read prints back to itself, in both printings, and its members are those that were read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::valor::{members, parse, prefix};
use nucleo_fuzz::with_text;

fuzz_target!(|bytes: &[u8]| {
    with_text(bytes, |text| {
        let outer = members(text);
        let _first = prefix(text);
        match parse(text) {
            Err(error) => {
                assert!(error.line >= 1 && error.column >= 1);
                assert!(outer.is_err());
            }
            Ok(value) => {
                assert_eq!(
                    outer.expect("a value has members or is no map").is_some(),
                    value.as_map().is_some()
                );
                assert_eq!(parse(&value.to_compact()).as_ref(), Ok(&value));
                let canonical = value.to_canonical();
                assert_eq!(parse(&canonical).expect("it was printed").to_canonical(), canonical);
            }
        }
    });
});
