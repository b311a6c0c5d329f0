//! A measure: what is looked at, how it is summed up, which threshold decides, and what it does not see.
//!
//! Owns the typed measure and its canonical form. Reading the form is `read`'s, judging evidence
//! `verdict`'s. Must not expand macros, read files or know catalogues.

mod read;
mod verdict;

pub use read::{LimitExceeded, MedidaError, is_medida_id};
pub use verdict::{Estado, Veredicto};

use crate::algebra::{Comparador, Expression, Pipeline, Summary};
use crate::valor::{Text, Valor};
use crate::vocabulario::SIN_DECLARAR;

/// The number that decides, and what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Umbral {
    /// How the value is compared with the limit.
    pub operador: Comparador,
    /// The limit: text, number or boolean.
    pub valor: Valor,
    /// Why this one and no other; may be empty.
    pub porque: Text,
    /// Where it comes from; `sin_declarar` when the measure does not say.
    pub segun: Text,
}

/// Whom a measure may oblige.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ambito {
    /// Every project that selects its catalogue.
    Universal,
    /// Only the project that owns its source.
    DelOrigen,
    /// The measure does not say.
    SinDeclarar,
}

impl Ambito {
    /// The scope as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Ambito::Universal => "universal",
            Ambito::DelOrigen => "del_origen",
            Ambito::SinDeclarar => SIN_DECLARAR,
        }
    }

    /// The scope that is written `text`.
    pub fn parse(text: &str) -> Option<Ambito> {
        [Ambito::Universal, Ambito::DelOrigen, Ambito::SinDeclarar]
            .into_iter()
            .find(|ambito| ambito.as_str() == text)
    }
}

/// What a measure needs to see before it may judge.
#[derive(Clone, Debug, PartialEq)]
pub enum Requiere {
    /// The relation has at least one row.
    Relacion(Text),
    /// At least one row of the relation meets a condition.
    Filas {
        /// The relation.
        relacion: Text,
        /// The one alias that the condition uses.
        alias: Text,
        /// The condition in canonical form.
        condicion: Valor,
    },
}

impl Requiere {
    /// The relation it is about.
    pub fn relacion(&self) -> &Text {
        match self {
            Requiere::Relacion(relacion) | Requiere::Filas { relacion, .. } => relacion,
        }
    }

    /// Its canonical form: the name, or `["filas", relación, alias, condición]`.
    pub fn datos(&self) -> Valor {
        match self {
            Requiere::Relacion(relacion) => Valor::Text(relacion.clone()),
            Requiere::Filas { relacion, alias, condicion } => Valor::list([
                Valor::from("filas"),
                Valor::Text(relacion.clone()),
                Valor::Text(alias.clone()),
                condicion.clone(),
            ]),
        }
    }
}

/// A measure that loaded.
#[derive(Clone, Debug)]
pub struct Medida {
    id: Text,
    tuberia: Valor,
    resumen: Valor,
    umbral: Umbral,
    requiere: Vec<Requiere>,
    ambito: Ambito,
    alcance: Text,
    relaciones: Vec<Text>,
    plan: Plan,
}

/// What the canonical form was compiled to.
#[derive(Clone, Debug)]
struct Plan {
    pipeline: Pipeline,
    summary: Summary,
    /// For each entry of `requiere`, its condition if it has one.
    conditions: Vec<Option<Expression>>,
}

impl Medida {
    /// `dominio.nombre`.
    pub fn id(&self) -> &Text {
        &self.id
    }

    /// The pipeline in canonical form.
    pub fn tuberia(&self) -> &Valor {
        &self.tuberia
    }

    /// The summary in canonical form.
    pub fn resumen(&self) -> &Valor {
        &self.resumen
    }

    /// The threshold.
    pub fn umbral(&self) -> &Umbral {
        &self.umbral
    }

    /// What it needs to see, in the order declared.
    pub fn requiere(&self) -> &[Requiere] {
        &self.requiere
    }

    /// Whom it may oblige.
    pub fn ambito(&self) -> Ambito {
        self.ambito
    }

    /// What it does not see.
    pub fn alcance(&self) -> &Text {
        &self.alcance
    }

    /// The relations it reads, each once: those of the source, then those of each `sin`.
    pub fn relaciones(&self) -> &[Text] {
        &self.relaciones
    }

    /// The canonical form, whatever it was written as: what is fingerprinted, mutated and measured.
    pub fn datos(&self) -> Valor {
        let text = |text: &Text| Valor::Text(text.clone());
        let mut datos = vec![
            Valor::from("medida"),
            text(&self.id),
            self.tuberia.clone(),
            self.resumen.clone(),
            Valor::list([
                Valor::from("umbral"),
                Valor::from(self.umbral.operador.as_str()),
                self.umbral.valor.clone(),
                text(&self.umbral.porque),
                text(&self.umbral.segun),
            ]),
        ];
        if !self.requiere.is_empty() {
            let entries = self.requiere.iter().map(Requiere::datos);
            datos.push(Valor::list([Valor::from("requiere")].into_iter().chain(entries)));
        }
        if self.ambito != Ambito::SinDeclarar {
            datos.push(Valor::list(["ambito", self.ambito.as_str()].map(Valor::from)));
        }
        datos.push(Valor::list([Valor::from("alcance"), text(&self.alcance)]));
        Valor::List(datos)
    }
}

/// Equal when their canonical forms are: the rest follows from it.
impl PartialEq for Medida {
    fn eq(&self, other: &Medida) -> bool {
        self.datos() == other.datos()
    }
}
