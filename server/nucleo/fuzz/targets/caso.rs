//! Cases of the corpus: what is accepted is its own one form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::{caso, forma};
use nucleo_fuzz::{with_text, without_comments};

fuzz_target!(|bytes: &[u8]| {
    with_text(bytes, |text| {
        match caso::leer(text) {
            Err(error) => assert!(error.linea >= 1 && error.columna >= 1),
            Ok(datos) => {
                if let Ok(printed) = caso::imprimir(&datos) {
                    let again = caso::leer(&printed).expect("what is printed is read");
                    assert_eq!(again.to_canonical(), datos.to_canonical());
                }
            }
        }
        if let Ok(read) = forma::leer_caso(text) {
            assert_eq!(caso::imprimir(read.datos()).as_deref(), Ok(&*without_comments(text)));
        }
    });
});
