//! What can go wrong when a project is read, a measure is loaded or evidence is judged.
//!
//! One variant for each distinction the contract keeps apart in "Rechazos y forma de los errores". It holds
//! the parts, never the sentence: templates and codes belong to whoever shows them.

/// A failure of the core, with what its reader needs to act on it. Texts are Spanish, without a final stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Fallo {
    /// Structure, configuration, confinement or symlink of the project.
    ProyectoInvalido {
        /// What is wrong.
        motivo: String,
    },
    /// A selected source does not load, an id stands twice, or versions are incompatible.
    CatalogoInvalido {
        /// The source, relative to the project where it lies inside it.
        fuente: String,
        /// What is wrong.
        motivo: String,
    },
    /// The id is in no selected source.
    MedidaDesconocida {
        /// The id asked for.
        id: String,
    },
    /// The id exists, but its scope does not oblige this project.
    MedidaNoEfectiva {
        /// The id asked for.
        id: String,
        /// Logical origin, as `oracle_catalogo_efectivo` encodes it.
        origen: String,
        /// The declared scope.
        ambito: String,
    },
    /// The id exists and obliges, but the evidence lacks relations it reads.
    MedidaNoAplicable {
        /// The id asked for.
        id: String,
        /// The relations that are missing.
        relaciones: Vec<String>,
    },
    /// A text or canonical form is no measure.
    MedidaInvalida {
        /// The id, or `texto` when none could be read.
        sujeto: String,
        /// What is wrong.
        motivo: String,
        /// Line and column, or the path into the canonical form.
        donde: String,
    },
    /// A relation is no list of objects, or a row cannot be evaluated.
    EvidenciaInvalida {
        /// The relation.
        relacion: String,
        /// The row, from 0; absent when the relation itself is at fault.
        indice: Option<usize>,
        /// What is wrong.
        motivo: String,
    },
    /// Fixation could not be judged whole.
    EvidenciaIncompleta {
        /// What is missing.
        motivo: String,
    },
    /// Two cases share an id.
    CasoRepetido {
        /// The id.
        id: String,
        /// Where the first comes from.
        origen_1: String,
        /// Where the second comes from.
        origen_2: String,
    },
    /// `escalares.py` would have to run and nobody trusted it.
    EscalaresNoAutorizadas {
        /// The file.
        archivo: String,
    },
    /// A budget of `LimitesAlgebra` was exceeded.
    LimiteDeAlgebra {
        /// Which budget, by its field name.
        nombre: &'static str,
        /// What was observed.
        valor: String,
        /// The active limit.
        limite: usize,
    },
    /// A measure or a scalar failed in a way nothing above names.
    EvaluacionFallo {
        /// Kind of failure.
        tipo: String,
        /// What happened.
        mensaje: String,
    },
    /// What a call reads is not what it was when the call began.
    ProyectoCambio {
        /// Fingerprint of what was read.
        inicial: String,
        /// Fingerprint of what is there now.
        actual: String,
    },
    /// The caller asked to stop.
    Cancelado,
}

impl std::fmt::Display for Fallo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Fallo {}
