//! The tracker: a document of a task, and what the four queries say of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::tareas::{Estado, Termino, consultar};
use nucleo_fuzz::with_file;

fuzz_target!(|bytes: &[u8]| {
    with_file("tareas/20260101-000000-una/TAREA.md", bytes, &[], |lectura| {
        let word: String = String::from_utf8_lossy(bytes).chars().take(3).collect();
        let _answer = consultar(lectura, |tracker| {
            let listed = [Estado::Abierta, Estado::Cerrada].map(|estado| tracker.listar(estado, None).len());
            assert_eq!(listed[0] + listed[1], 1);
            let _facts = tracker.hechos(false)?;
            Termino::parse(&word).map(|term| tracker.buscar(&term)).transpose()
        });
    });
});
