//! Differentials: their form, their freshness and the cases they give.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::diferencial;
use nucleo_fuzz::with_file;

/// What the fixtures that the fuzzer starts from were generated from, so that it finds them fresh.
const FILES: [(&str, &str); 4] = [
    (
        "catalogos/d.json",
        r#"["medida","d.uno",["desde",["de","item","a"]],["resumen","contar",1],["umbral","<=",0,"","contrato"],
        ["ambito","universal"],["alcance","no ve más"]]"#,
    ),
    ("src/em.py", "emite\n"),
    ("src/sub/a-b.py", "ayuda\n"),
    ("ref.py", "referencia\n"),
];

fuzz_target!(|bytes: &[u8]| {
    with_file("diferencial/x.json", bytes, &FILES, |lectura| {
        let macros = lectura.macros().expect("the standard macros load");
        let catalogo = lectura.catalogo(&macros).expect("one measure loads");
        for diferencial in diferencial::cargar(lectura, &catalogo).into_iter().flatten() {
            let _cases = diferencial.casos(&catalogo, &lectura.contexto());
        }
    });
});
