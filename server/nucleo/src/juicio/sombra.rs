//! What a declared shadow takes away from a verdict.
//!
//! Owns the rule of the ceiling. A shadow never changes what was measured, only its consequence.

use crate::medida::{Estado, Veredicto};
use crate::proyecto::{Configuracion, EnSombra};
use crate::valor::{Integer, Valor};
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Testigos;
    use crate::medida::Requiere;
    use crate::valor::{Text, parse};

    fn veredicto(estado: Estado, valor: &str) -> Veredicto {
        let (medida, valor) = (Text::from("a.b"), parse(valor).unwrap());
        Veredicto { medida, estado, valor, testigos: Testigos::none() }
    }

    fn en_sombra(cota: Option<&str>) -> Configuracion {
        let text = |text: &str| Text::from(text);
        let cota = cota.map(|digits| Integer::parse(digits).unwrap());
        let entry = EnSombra { medida: text("a.b"), desde: text("2026-01-01"), porque: text("x"), cota };
        Configuracion { sombra: vec![entry], ..Configuracion::default() }
    }

    fn sin_evidencia() -> Estado {
        Estado::SinEvidencia { falta: Requiere::Relacion("item".into()) }
    }

    #[track_caller]
    fn check(cota: Option<&str>, estado: Estado, valor: &str, perdona: bool) {
        let configuracion = en_sombra(cota);
        let veredicto = veredicto(estado, valor);
        assert_eq!(Sombra::sobre(&configuracion, &veredicto).unwrap().perdona, perdona);
    }

    #[test]
    fn a_shadow_forgives_red_within_its_ceiling_and_nothing_else() {
        check(None, Estado::Rojo, "1000000", true);
        check(None, Estado::Rojo, "\"texto\"", true);
        check(None, Estado::Verde, "0", false);
        check(None, sin_evidencia(), "0", false);
        check(Some("3"), Estado::Rojo, "3", true);
        check(Some("3"), Estado::Rojo, "3.0", true);
        check(Some("3"), Estado::Rojo, "4", false);
        check(Some("3"), Estado::Rojo, "3.0000000001", false);
        check(Some("3"), Estado::Rojo, "-7", true);
        check(Some("3"), Estado::Rojo, "true", false);
        check(Some("3"), Estado::Rojo, "\"1\"", false);
        check(Some("0"), Estado::Rojo, "1", false);
        check(Some("0"), Estado::Rojo, "0.5", false);
        check(Some("3"), Estado::Verde, "1", false);
        check(Some("3"), sin_evidencia(), "0", false);
        // Exactly, also where a double could not tell the two apart.
        check(Some("9007199254740993"), Estado::Rojo, "9007199254740994", false);
        check(Some("9007199254740993"), Estado::Rojo, "9007199254740992.0", true);
        check(Some("99999999999999999999"), Estado::Rojo, "1e300", false);
    }

    #[test]
    fn only_the_measure_in_shadow_is_covered() {
        let mut other = veredicto(Estado::Rojo, "1");
        other.medida = "a.c".into();
        assert_eq!(Sombra::sobre(&en_sombra(None), &other), None);
        assert_eq!(Sombra::sobre(&Configuracion::default(), &veredicto(Estado::Rojo, "1")), None);
    }
}
