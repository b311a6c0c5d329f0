//! The catalogue: what the selected sources load, and which of it obliges this project.
//!
//! Owns the origin of each measure, the rule of scope, and the difference between an id that no source has
//! and one whose scope does not reach here. Must not evaluate anything.

mod carga;
mod texto;

pub use texto::medida_de_texto;

pub(crate) use carga::medida_de_fuente;

use crate::fallo::Fallo;
use crate::medida::{Ambito, Medida};
use crate::proyecto::Fuente;
use crate::valor::Text;
use std::collections::BTreeMap;
use std::fmt;

/// Who publishes a measure, wherever its file lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origen {
    /// The base catalogue.
    CatalogoBase,
    /// The profile of that name.
    Perfil(Text),
    /// The library of that id.
    Biblioteca(Text),
    /// The project itself.
    Proyecto,
}

impl fmt::Display for Origen {
    /// As the contract encodes it in `origen`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origen::CatalogoBase => f.write_str("catalogo_base:oracle"),
            Origen::Perfil(nombre) => write!(f, "perfil:{nombre}"),
            Origen::Biblioteca(id) => write!(f, "biblioteca:{id}"),
            Origen::Proyecto => f.write_str("proyecto"),
        }
    }
}

/// One loaded measure with where it comes from.
#[derive(Debug)]
pub struct Entrada {
    /// The measure.
    pub medida: Medida,
    /// Who publishes it.
    pub origen: Origen,
    /// Its file.
    pub fuente: Fuente,
}

impl Entrada {
    /// Whether it obliges the project: `del_origen` only where the project is its origin. A measure that
    /// declares no scope obliges, since leaving it out would turn a missing declaration into silence.
    pub fn es_efectiva(&self) -> bool {
        match self.medida.ambito() {
            Ambito::Universal | Ambito::SinDeclarar => true,
            Ambito::DelOrigen => self.origen == Origen::Proyecto,
        }
    }
}

/// Everything that the selected sources load.
#[derive(Debug)]
pub struct Catalogo {
    /// In the order they loaded.
    entradas: Vec<Entrada>,
    by_id: BTreeMap<Text, usize>,
}

impl Catalogo {
    /// Every loaded measure, in the order of the sources and, inside each, of its paths.
    pub fn cargadas(&self) -> &[Entrada] {
        &self.entradas
    }

    /// The measures that oblige the project, in the order they loaded.
    pub fn efectivas(&self) -> impl Iterator<Item = &Entrada> {
        self.entradas.iter().filter(|entrada| entrada.es_efectiva())
    }

    /// The measures that oblige the project, ordered by id.
    pub fn efectivas_por_id(&self) -> impl Iterator<Item = &Entrada> {
        self.by_id.values().map(|&at| &self.entradas[at]).filter(|entrada| entrada.es_efectiva())
    }

    /// The loaded measure with this id, whether it obliges or not.
    pub fn cargada(&self, id: &str) -> Option<&Entrada> {
        self.by_id.get(id).map(|&at| &self.entradas[at])
    }

    /// The measure with this id, which must oblige the project.
    ///
    /// Errors: [`Fallo::MedidaDesconocida`] when no selected source has it, [`Fallo::MedidaNoEfectiva`] when
    /// one has it and its scope does not reach here. Contract: "oracle_catalogo_efectivo".
    pub fn efectiva(&self, id: &str) -> Result<&Entrada, Fallo> {
        let entrada = self.cargada(id).ok_or_else(|| Fallo::MedidaDesconocida { id: id.to_owned() })?;
        if entrada.es_efectiva() {
            return Ok(entrada);
        }
        Err(Fallo::MedidaNoEfectiva {
            id: id.to_owned(),
            origen: entrada.origen.to_string(),
            ambito: entrada.medida.ambito().as_str().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
