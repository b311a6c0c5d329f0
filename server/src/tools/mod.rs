//! The one table of tools: name, definition, function. The dispatcher and `tools/list` read it.
//!
//! Each tool lives in its own file and calls one function of the core per statement. None compares, filters
//! or counts meaning.

mod catalogo;
mod desafiar;
mod evaluar;
mod juzgar;
mod tareas;

use crate::fault::Fault;
use crate::wire::Members;
use nucleo::algebra::{Cancellation, LimitesAlgebra};
use nucleo::proyecto::{Lectura, Opciones, Proyecto};
use nucleo::valor::{Map, Valor, parse};

/// What a running call knows besides its arguments.
pub struct Call {
    /// The project, fixed when the process started.
    pub proyecto: Proyecto,
    /// Seen by the core while it computes.
    pub cancellation: Cancellation,
}

impl Call {
    /// A fresh view of the project: nothing that another call read is in it.
    fn lectura(&self) -> Lectura {
        let limites = LimitesAlgebra::default();
        self.proyecto.lectura(Opciones { limites, cancellation: self.cancellation.clone() })
    }
}

/// One tool.
pub struct Tool {
    /// The name it is called by.
    name: &'static str,
    /// Its entry of `tools/list`, word for word as the contract has it.
    definition: &'static str,
    /// What it does with its arguments: the structured content, or why there is none.
    pub run: fn(&Call, Map) -> Result<Valor, Fault>,
}

/// Every tool, in the order of the contract.
static TOOLS: [Tool; 5] = [
    Tool {
        name: "oracle_catalogo_efectivo",
        definition: include_str!("definitions/oracle_catalogo_efectivo.json"),
        run: catalogo::run,
    },
    Tool {
        name: "oracle_evaluar",
        definition: include_str!("definitions/oracle_evaluar.json"),
        run: evaluar::run,
    },
    Tool {
        name: "oracle_desafiar",
        definition: include_str!("definitions/oracle_desafiar.json"),
        run: desafiar::run,
    },
    Tool {
        name: "oracle_juzgar",
        definition: include_str!("definitions/oracle_juzgar.json"),
        run: juzgar::run,
    },
    Tool {
        name: "oracle_tareas",
        definition: include_str!("definitions/oracle_tareas.json"),
        run: tareas::run,
    },
];

/// The tool of that name.
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The `tools` of `tools/list`.
pub fn definitions() -> Valor {
    Valor::list(TOOLS.iter().map(|tool| parse(tool.definition).expect("definitions are JSON")))
}

/// The members of a `tools/call` result. Success carries its content twice, as structure and as text;
/// failure only as text, for the published schemas describe success.
pub fn result(outcome: Result<Valor, Fault>) -> Members {
    let (text, structured) = match outcome {
        Ok(content) => (content.to_compact(), Some(content)),
        Err(fault) => (fault.text(), None),
    };
    let block = Valor::map([("type", Valor::from("text")), ("text", Valor::from(text))]);
    let failed = structured.is_none();
    let mut members = vec![("content", Valor::list([block]))];
    members.extend(structured.map(|content| ("structuredContent", content)));
    members.push(("isError", Valor::from(failed)));
    members
}

/// What a call whose tool panicked answers.
pub fn panicked() -> Fault {
    let message = "la herramienta se interrumpió por una falla propia";
    Fault::evaluation("Panico", message, "name", "informá esta llamada: la falla es del servidor.")
}
