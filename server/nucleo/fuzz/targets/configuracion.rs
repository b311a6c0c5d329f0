//! `oracle.json`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo_fuzz::with_file;

fuzz_target!(|bytes: &[u8]| {
    with_file("oracle.json", bytes, &[], |lectura| {
        if let Ok(configuracion) = lectura.configuracion() {
            for entry in &configuracion.sombra {
                assert_eq!(configuracion.sombra_de(&entry.medida), Some(entry));
            }
        }
    });
});
