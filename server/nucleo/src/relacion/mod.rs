//! Declarations of relations: which fields a sensor fills, of which type, in which unit, and what it does not
//! observe.
//!
//! Owns what a valid declaration is and its two forms, canonical and surface. Must not know files nor evidence.

mod print;
mod read;
mod validate;

pub use print::imprimir;
pub use read::leer;

use crate::sintaxis::tree::node;
use crate::valor::{Text, Valor};
use std::fmt;

/// The unit of a field that measures nothing.
pub const SIN_UNIDAD: &str = "sin_unidad";

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tipo {
    /// `texto`.
    Texto,
    /// `entero`.
    Entero,
    /// `flotante`.
    Flotante,
    /// `booleano`.
    Booleano,
}

impl Tipo {
    /// Every type, in the order of their names.
    pub const TODOS: [Tipo; 4] = [Tipo::Booleano, Tipo::Entero, Tipo::Flotante, Tipo::Texto];

    /// The word for the type.
    pub fn as_str(self) -> &'static str {
        match self {
            Tipo::Texto => "texto",
            Tipo::Entero => "entero",
            Tipo::Flotante => "flotante",
            Tipo::Booleano => "booleano",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Tipo> {
        Tipo::TODOS.into_iter().find(|tipo| tipo.as_str() == name)
    }

    /// Whether a field of this type may be in a unit.
    pub fn is_number(self) -> bool {
        matches!(self, Tipo::Entero | Tipo::Flotante)
    }
}

/// One declared field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campo {
    /// Its name.
    pub nombre: Text,
    /// What it holds.
    pub tipo: Tipo,
    /// Its unit, or [`SIN_UNIDAD`].
    pub unidad: Text,
}

/// The fields that rows have only where the discriminant holds one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variante {
    /// The value of the discriminant.
    pub valor: Text,
    /// The fields such rows add. There is at least one.
    pub campos: Vec<Campo>,
}

/// The variants of a relation and the field that tells them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variantes {
    /// A common field of type text.
    pub discriminante: Text,
    /// The variants. There is at least one.
    pub variantes: Vec<Variante>,
}

/// A valid declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relacion {
    nombre: Text,
    campos: Vec<Campo>,
    variantes: Option<Variantes>,
    alcance: Text,
}

impl Relacion {
    /// Checks a declaration in its canonical form:
    /// `["relacion", name, ["campos", …], (["variantes", field, …],) ["alcance", text]]`.
    pub fn from_datos(datos: &Valor) -> Result<Relacion, RelacionError> {
        validate::relation(datos)
    }

    /// The name evidence gives it.
    pub fn nombre(&self) -> &Text {
        &self.nombre
    }

    /// The fields every row has. There is at least one.
    pub fn campos(&self) -> &[Campo] {
        &self.campos
    }

    /// The variants, where there are some.
    pub fn variantes(&self) -> Option<&Variantes> {
        self.variantes.as_ref()
    }

    /// What its sensor observes and what it does not.
    pub fn alcance(&self) -> &Text {
        &self.alcance
    }

    /// The common fields, then those of the variants, each name once.
    pub fn todos_los_campos(&self) -> Vec<&Campo> {
        let mut found: Vec<&Campo> = Vec::new();
        let of_variants = self.variantes.iter().flat_map(|all| &all.variantes).flat_map(|one| &one.campos);
        for field in self.campos.iter().chain(of_variants) {
            if !found.iter().any(|known| known.nombre == field.nombre) {
                found.push(field);
            }
        }
        found
    }

    /// The declaration in its canonical form.
    pub fn datos(&self) -> Valor {
        let fields = |fields: &[Campo]| {
            let tree = |field: &Campo| {
                let Campo { nombre, tipo, unidad } = field;
                node("campo", [nombre.clone().into(), tipo.as_str().into(), unidad.clone().into()])
            };
            fields.iter().map(tree).collect::<Vec<_>>()
        };
        let mut items = vec![Valor::Text(self.nombre.clone()), node("campos", fields(&self.campos))];
        if let Some(all) = &self.variantes {
            let variants = all.variantes.iter().map(|one| {
                node("variante", std::iter::once(one.valor.clone().into()).chain(fields(&one.campos)))
            });
            items.push(node("variantes", std::iter::once(all.discriminante.clone().into()).chain(variants)));
        }
        items.push(node("alcance", [self.alcance.clone().into()]));
        node("relacion", items)
    }
}

/// Why a tree declares no relation. Spanish, lower case, without a final stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelacionError {
    /// What is wrong.
    pub mensaje: String,
}

impl RelacionError {
    fn new(mensaje: impl Into<String>) -> RelacionError {
        RelacionError { mensaje: mensaje.into() }
    }
}

impl fmt::Display for RelacionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mensaje)
    }
}

impl std::error::Error for RelacionError {}

#[cfg(test)]
mod tests;
