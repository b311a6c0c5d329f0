//! The macros that are known at one moment: the standard ones, and those a project adds.

use super::{Macro, MacroError};
use crate::forma;
use crate::valor::Text;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The texts of the standard macros, by name. They are data of the language, not of a project.
const STANDARD: [(&str, &str); 6] = [
    ("ninguno", include_str!("../../base/macros/ninguno.oracle")),
    ("ninguno-par", include_str!("../../base/macros/ninguno-par.oracle")),
    ("ninguno-par-requiere", include_str!("../../base/macros/ninguno-par-requiere.oracle")),
    ("ninguno-requiere", include_str!("../../base/macros/ninguno-requiere.oracle")),
    ("peor", include_str!("../../base/macros/peor.oracle")),
    ("peor-requiere", include_str!("../../base/macros/peor-requiere.oracle")),
];

/// Declared macros by name. A copy is cheap and independent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Macros {
    known: BTreeMap<Text, Arc<Macro>>,
}

impl Macros {
    /// No macro at all.
    pub fn new() -> Macros {
        Macros::default()
    }

    /// The standard macros of the language.
    pub fn estandar() -> Macros {
        static KNOWN: LazyLock<Macros> = LazyLock::new(|| {
            let mut macros = Macros::new();
            for (name, text) in STANDARD {
                macros.cargar(text).unwrap_or_else(|error| panic!("the embedded macro «{name}»: {error}"));
            }
            macros
        });
        KNOWN.clone()
    }

    /// The macro of that name.
    pub fn get(&self, nombre: &str) -> Option<&Macro> {
        self.known.get(nombre).map(Arc::as_ref)
    }

    /// The names, by code point.
    pub fn nombres(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(|name| &**name)
    }

    /// Adds a macro. A name that is already declared is an error, never an overwriting.
    pub fn declarar(&mut self, nueva: Macro) -> Result<(), MacroError> {
        let name = Text::from(nueva.nombre());
        if self.known.contains_key(&name) {
            return Err(MacroError::declaration(format!("la macro «{name}» ya está declarada")));
        }
        self.known.insert(name, Arc::new(nueva));
        Ok(())
    }

    /// Reads the text of a declaration, which must stand in its one printed form, and adds the macro. The text
    /// may use the macros declared before it.
    pub fn cargar(&mut self, texto: &str) -> Result<(), MacroError> {
        let read = forma::leer_oracle(texto, self).map_err(MacroError::Texto)?;
        self.declarar(Macro::from_datos(&read.datos)?)
    }
}
