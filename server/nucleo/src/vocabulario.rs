//! The closed vocabularies of the language, as identifiers.
//!
//! Owns which words are options; what each means to a person is documentation's. Depends on nothing of the
//! core, so that measures, cases and projects can share it.

/// Where the number of a threshold may come from, in the order documentation lists them.
pub const ORIGENES_DE_UMBRAL: [&str; 4] = ["contrato", "convencion", "medicion", "tanteo"];

/// What a threshold without a declared origin, or a measure without a declared scope, carries.
pub const SIN_DECLARAR: &str = "sin_declarar";

/// Whom a measure may oblige.
pub const AMBITOS: [&str; 2] = ["del_origen", "universal"];

/// What a case of the corpus shows.
pub const ETIQUETAS: [&str; 5] =
    ["deuda_de_diseño", "falso_rojo", "falso_verde", "medida_correcta_conclusion_errada", "verde_correcto"];

/// The one label whose case expects green.
pub const ETIQUETA_VERDE: &str = "verde_correcto";

/// How the evidence of a case came to be.
pub const PROCEDENCIAS: [&str; 3] = ["construida", "generada", "observada"];

/// How what a case shows was noticed.
pub const DETECCIONES: [&str; 5] = ["accidente", "herramienta_ajena", "mutacion", "observacion", "persona"];

/// What a case may expect besides what its label says.
pub const ESPERAS: [&str; 1] = ["sin_evidencia"];

/// The operators of a pipeline, with the word that opens one and the one that closes it.
pub const OPERADORES: [&str; 7] = ["agrupar", "de", "desde", "donde", "resumen", "sin", "unir"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vocabulary_is_sorted_and_without_repeats() {
        for words in [
            &ORIGENES_DE_UMBRAL[..],
            &AMBITOS,
            &ETIQUETAS,
            &PROCEDENCIAS,
            &DETECCIONES,
            &ESPERAS,
            &OPERADORES,
        ] {
            assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
        }
    }
}
