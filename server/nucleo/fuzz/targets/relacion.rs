//! Declarations of relations, on the surface and in canonical form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::relacion::{self, Relacion};
use nucleo::{forma, valor};
use nucleo_fuzz::{with_text, without_comments};

fuzz_target!(|bytes: &[u8]| {
    with_text(bytes, |text| {
        let canonical = valor::parse(text).ok().and_then(|datos| Relacion::from_datos(&datos).ok());
        for declared in [relacion::leer(text).ok(), canonical].into_iter().flatten() {
            assert_eq!(Relacion::from_datos(&declared.datos()).as_ref(), Ok(&declared));
            if let Ok(printed) = relacion::imprimir(&declared) {
                assert_eq!(relacion::leer(&printed).as_ref(), Ok(&declared));
            }
        }
        if let Ok(read) = forma::leer_relacion(text) {
            assert_eq!(relacion::imprimir(&read).as_deref(), Ok(&*without_comments(text)));
        }
    });
});
