//! One evidence judged by many measures.
//!
//! Owns which measures apply, what becomes of each that does not or that fails, and what "complies" means.

use super::Sombra;
use crate::algebra::{AlgebraError, Contexto, Evidencia};
use crate::catalogo::{Catalogo, Entrada, Origen};
use crate::cores;
use crate::fallo::Fallo;
use crate::medida::{Estado, Medida, Veredicto};
use crate::proyecto::Configuracion;
use crate::valor::{Text, Valor};

/// What a whole judgement came to: every measure that the answer speaks of, in order, with its one outcome.
#[derive(Debug, Default)]
pub struct Informe<'a> {
    /// The measures, in the order they loaded; those asked for, in the order of the request.
    pub juzgadas: Vec<Juzgada<'a>>,
}

/// One measure and what came of it.
#[derive(Debug)]
pub struct Juzgada<'a> {
    /// The measure.
    pub medida: &'a Medida,
    /// What came of it.
    pub dictamen: Dictamen<'a>,
}

/// What came of a measure.
#[derive(Debug)]
pub enum Dictamen<'a> {
    /// A verdict whose value is a number, and the shadow over it if one is declared.
    Veredicto(Veredicto, Option<Sombra<'a>>),
    /// It applied and could not judge; why, in Spanish.
    NoJuzgo(String),
    /// It belongs to the project and the evidence lacks these relations, which it reads.
    NoAplicada(Vec<Text>),
}

impl Informe<'_> {
    /// Whether the evidence complies: something was judged, everything could be, nothing of the project was
    /// left out, and each verdict is green or forgiven. Contract: "oracle_juzgar".
    pub fn ok(&self) -> bool {
        !self.juzgadas.is_empty() && self.juzgadas.iter().all(|juzgada| juzgada.dictamen.holds())
    }

    /// Whether any measure applied, whatever came of it.
    pub fn aplico_alguna(&self) -> bool {
        self.juzgadas.iter().any(|juzgada| !matches!(juzgada.dictamen, Dictamen::NoAplicada(_)))
    }
}

impl Dictamen<'_> {
    fn holds(&self) -> bool {
        match self {
            Dictamen::Veredicto(veredicto, sombra) => {
                veredicto.estado == Estado::Verde || sombra.as_ref().is_some_and(|sombra| sombra.perdona)
            }
            Dictamen::NoJuzgo(_) | Dictamen::NoAplicada(_) => false,
        }
    }
}

/// Judges `evidencia` by the measures of `ids`, or by everything that obliges the project. A measure applies
/// when the evidence brings every relation it reads, be it without rows. Contract: "oracle_juzgar".
///
/// # Errors
/// For the first id at fault, [`Fallo::MedidaDesconocida`], [`Fallo::MedidaNoEfectiva`] or
/// [`Fallo::MedidaNoAplicable`]; then [`Fallo::EvidenciaInvalida`] or [`Fallo::LimiteDeAlgebra`] when the
/// evidence as a whole is not evaluable; [`Fallo::Cancelado`].
pub fn informe<'a>(
    catalogo: &'a Catalogo,
    configuracion: &'a Configuracion,
    ids: Option<&[Text]>,
    evidencia: &Evidencia,
    contexto: &Contexto<'_>,
) -> Result<Informe<'a>, Fallo> {
    let selected = match ids {
        Some(ids) => asked(catalogo, ids, evidencia)?,
        None => spoken_of(catalogo, evidencia),
    };
    evidencia.validar(contexto)?;
    let trabajo = evidencia.trabajo().saturating_mul(selected.len());
    let dictamenes = cores::map(selected.len(), trabajo, contexto.cancellation, |at| {
        let (medida, missing) = &selected[at];
        if missing.is_empty() {
            judged(medida.evaluar_validada(evidencia, contexto), configuracion)
        } else {
            Dictamen::NoAplicada(missing.clone())
        }
    })?;
    let juzgadas = selected.iter().zip(dictamenes);
    let juzgadas = juzgadas.map(|((medida, _), dictamen)| Juzgada { medida, dictamen }).collect();
    Ok(Informe { juzgadas })
}

/// A measure and the relations that it reads and the evidence does not bring.
type Selected<'a> = (&'a Medida, Vec<Text>);

fn select<'a>(medida: &'a Medida, evidencia: &Evidencia) -> Selected<'a> {
    let missing = medida.relaciones().iter().filter(|relacion| evidencia.get(relacion).is_none());
    (medida, missing.cloned().collect())
}

/// The measures that were asked for: each of them exists, obliges and applies.
fn asked<'a>(
    catalogo: &'a Catalogo,
    ids: &[Text],
    evidencia: &Evidencia,
) -> Result<Vec<Selected<'a>>, Fallo> {
    let applicable = |id: &Text| {
        let (medida, missing) = select(&catalogo.efectiva(id)?.medida, evidencia);
        if missing.is_empty() {
            return Ok((medida, missing));
        }
        let relaciones = missing.iter().map(Text::to_string).collect();
        Err(Fallo::MedidaNoAplicable { id: id.to_string(), relaciones })
    };
    ids.iter().map(applicable).collect()
}

/// Everything that obliges, but what others publish and does not apply: their rules are about other evidence,
/// and naming them each time would hide the measure of the project that was left out.
fn spoken_of<'a>(catalogo: &'a Catalogo, evidencia: &Evidencia) -> Vec<Selected<'a>> {
    let speaks = |entrada: &'a Entrada| {
        let (medida, missing) = select(&entrada.medida, evidencia);
        (missing.is_empty() || entrada.origen == Origen::Proyecto).then_some((medida, missing))
    };
    catalogo.efectivas().filter_map(speaks).collect()
}

fn judged<'a>(outcome: Result<Veredicto, AlgebraError>, configuracion: &'a Configuracion) -> Dictamen<'a> {
    let veredicto = match outcome {
        Ok(veredicto) => veredicto,
        Err(error) => return Dictamen::NoJuzgo(error.to_string()),
    };
    let family = match veredicto.valor {
        Valor::Int(_) | Valor::Float(_) => {
            let sombra = Sombra::sobre(configuracion, &veredicto);
            return Dictamen::Veredicto(veredicto, sombra);
        }
        Valor::Bool(_) => "un booleano",
        Valor::Text(_) => "un texto",
        Valor::Null | Valor::List(_) | Valor::Map(_) => "algo que no es un escalar",
    };
    Dictamen::NoJuzgo(format!("el resumen dio {family}, y el valor de un veredicto es un número"))
}
