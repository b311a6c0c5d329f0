//! Measures, invocations and macros: what is accepted is its own one form, expands or is refused, and as a macro
//! can be declared and printed again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::catalogo::medida_de_texto;
use nucleo::forma;
use nucleo::macros::{Macro, Macros};
use nucleo::sintaxis::{imprimir, leer};
use nucleo_fuzz::{with_context, with_text, without_comments};

fuzz_target!(|bytes: &[u8]| {
    with_text(bytes, |text| {
        let mut macros = Macros::estandar();
        match leer(text, &macros) {
            Err(error) => assert!(error.linea >= 1 && error.columna >= 1),
            Ok(read) => {
                let _place = read.ubicar(&[2, 1, 1], &macros);
                // A declaration that is no valid macro may have holes that its own parameters do not know.
                let valid = read.datos.head() != Some("defmacro") || Macro::from_datos(&read.datos).is_ok();
                if let (true, Ok(printed)) = (valid, imprimir(&read.datos, &macros)) {
                    // Printing puts things in order, so it is the second printing that changes nothing.
                    let again = leer(&printed, &macros).expect("what is printed is read");
                    assert_eq!(imprimir(&again.datos, &macros).as_deref(), Ok(&*printed));
                }
            }
        }
        if let Ok(read) = forma::leer_oracle(text, &macros) {
            assert_eq!(imprimir(&read.datos, &macros).as_deref(), Ok(&*without_comments(text)));
            if let Ok(declared) = Macro::from_datos(&read.datos) {
                assert_eq!(declared.datos(), read.datos);
                let _taken = macros.declarar(declared);
            }
        }
        let _measure = with_context(|contexto| medida_de_texto(text, &macros, contexto));
    });
});
