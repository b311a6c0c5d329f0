//! The consequence of a verdict: what a shadow forgives, and whether a whole report holds.
//!
//! Owns the rule of the ceiling and of the whole report. Must not measure: verdicts come in as they were.

use crate::medida::{Estado, Veredicto};
use crate::proyecto::{Configuracion, EnSombra};
use crate::valor::{Integer, Text, Valor};
use std::cmp::Ordering;

/// A declared shadow over one verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Sombra<'a> {
    /// The declaration.
    pub declarada: &'a EnSombra,
    /// Whether it takes away the consequence: the verdict is red and within the ceiling.
    pub perdona: bool,
}

impl<'a> Sombra<'a> {
    /// The shadow that covers this verdict, if the project declares one. Contract: "oracle_evaluar".
    pub fn sobre(configuracion: &'a Configuracion, veredicto: &Veredicto) -> Option<Sombra<'a>> {
        let declarada = configuracion.sombra_de(&veredicto.medida)?;
        let rojo = veredicto.estado == Estado::Rojo;
        let perdona = rojo && !declarada.cota.as_ref().is_some_and(|cota| supera(&veredicto.valor, cota));
        Some(Sombra { declarada, perdona })
    }
}

/// Whether a value is over the ceiling. What is no number is over any ceiling: a debt without a size is not
/// within one.
fn supera(valor: &Valor, cota: &Integer) -> bool {
    match valor {
        Valor::Int(integer) => integer > cota,
        Valor::Float(float) => cota.cmp_f64(*float) == Ordering::Less,
        _ => true,
    }
}

/// What a whole judgement came to.
#[derive(Debug, Default)]
pub struct Informe {
    /// The verdicts, in the order in which they were judged.
    pub veredictos: Vec<Veredicto>,
    /// Measures that could not judge, with the reason.
    pub no_juzgaron: Vec<(Text, String)>,
    /// Measures of the project that did not apply, with the relations that the evidence lacks.
    pub no_aplicadas: Vec<(Text, Vec<Text>)>,
}

impl Informe {
    /// Whether the evidence complies: something was judged, everything could be, nothing of the project was
    /// left out, and each verdict is green or forgiven.
    pub fn ok(&self, configuracion: &Configuracion) -> bool {
        let holds = |v: &Veredicto| {
            v.estado == Estado::Verde || Sombra::sobre(configuracion, v).is_some_and(|sombra| sombra.perdona)
        };
        self.no_juzgaron.is_empty()
            && self.no_aplicadas.is_empty()
            && !self.veredictos.is_empty()
            && self.veredictos.iter().all(holds)
    }
}
