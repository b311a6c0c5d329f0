//! A measure in canonical form and evidence under it: loading, judging, mutants, and every mutant judged.
//!
//! The input is two JSON values, the second after a line feed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nucleo::algebra::Evidencia;
use nucleo::macros::{Macros, expandir};
use nucleo::medida::Medida;
use nucleo::mutacion::mutantes;
use nucleo::valor::parse;
use nucleo_fuzz::{with_context, with_text};

fuzz_target!(|bytes: &[u8]| {
    with_text(bytes, |text| {
        let (form, facts) = text.split_once('\n').unwrap_or((text, "{}"));
        let Ok(datos) = parse(form) else { return };
        with_context(|contexto| {
            let Ok(expanded) = expandir(&datos, &Macros::estandar(), contexto) else { return };
            let Ok(medida) = Medida::from_datos(&expanded, contexto) else { return };
            let again = Medida::from_datos(&medida.datos(), contexto).expect("the canonical form loads");
            assert_eq!(again.datos(), medida.datos());
            let evidencia = parse(facts).ok().and_then(|facts| Evidencia::from_valor(facts).ok());
            let Some(evidencia) = evidencia else { return };
            let _verdict = medida.evaluar(&evidencia, contexto);
            for mutante in mutantes(&medida.datos()) {
                if let Ok(mutante) = Medida::from_datos(&mutante.datos, contexto) {
                    let _verdict = mutante.evaluar(&evidencia, contexto);
                }
            }
        });
    });
});
