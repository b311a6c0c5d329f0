//! Reading a measure from its canonical form.
//!
//! Owns every check between a list and a [`Medida`]: nothing that loads can turn out malformed later. The
//! form must already be expanded: macros are their own module's.

use super::{Ambito, Medida, Plan, Requiere, Umbral};
use crate::algebra::{
    AlgebraError, AlgebraErrorKind, Comparador, Contexto, Expression, Pipeline, Scope, Summary, is_blank,
    path_text,
};
use crate::fallo::Fallo;
use crate::valor::{Text, Valor};
use crate::vocabulario::{AMBITOS, ORIGENES_DE_UMBRAL, SIN_DECLARAR};
use std::fmt;

/// A budget that a measure exceeds by its form alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The budget, by its field name.
    pub nombre: &'static str,
    /// What was observed.
    pub valor: String,
    /// The active limit.
    pub limite: usize,
}

/// Why a canonical form is no measure.
#[derive(Clone, Debug, PartialEq)]
pub struct MedidaError {
    /// The id, when the form has one that reads as text.
    pub id: Option<String>,
    /// What is wrong, in Spanish, without a final stop.
    pub motivo: String,
    /// Indices from the root of the form to what is at fault.
    pub ruta: Vec<usize>,
    /// Set when what is wrong is a budget.
    pub limit: Option<LimitExceeded>,
}

impl fmt::Display for MedidaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = &self.id {
            write!(f, "«{id}»: ")?;
        }
        write!(f, "{} (en «{}» de la forma canónica)", self.motivo, path_text(&self.ruta))
    }
}

impl std::error::Error for MedidaError {}

impl From<MedidaError> for Fallo {
    fn from(error: MedidaError) -> Fallo {
        match error.limit {
            Some(LimitExceeded { nombre, valor, limite }) => Fallo::LimiteDeAlgebra { nombre, valor, limite },
            None => Fallo::MedidaInvalida {
                sujeto: error.id.unwrap_or_else(|| "texto".to_owned()),
                motivo: error.motivo,
                donde: format!("la ruta canónica «{}»", path_text(&error.ruta)),
            },
        }
    }
}

impl From<AlgebraError> for MedidaError {
    fn from(error: AlgebraError) -> MedidaError {
        let AlgebraError { kind, ruta } = error;
        let mut limit = None;
        let motivo = match kind {
            AlgebraErrorKind::Contract(motivo) => motivo,
            AlgebraErrorKind::Limit { nombre, valor, limite } => {
                let motivo = format!("{nombre}: se observó {valor} y el límite activo es {limite}");
                limit = Some(LimitExceeded { nombre, valor, limite });
                motivo
            }
            other => AlgebraError::from(other).to_string(),
        };
        MedidaError { id: None, motivo, ruta: ruta.unwrap_or_default(), limit }
    }
}

fn wrong(ruta: &[usize], motivo: impl Into<String>) -> MedidaError {
    MedidaError { id: None, motivo: motivo.into(), ruta: ruta.to_vec(), limit: None }
}

impl Medida {
    /// Reads `["medida", id, tubería, resumen, umbral, [requiere,] [ambito,] alcance]`, already expanded.
    ///
    /// # Errors
    /// [`MedidaError`] with the first thing that is wrong and its path.
    pub fn from_datos(datos: &Valor, contexto: &Contexto<'_>) -> Result<Medida, MedidaError> {
        read(datos, contexto).map_err(|mut error| {
            error.id = datos.as_list().and_then(|items| Some(items.get(1)?.as_str()?.to_owned()));
            error
        })
    }
}

fn read(datos: &Valor, contexto: &Contexto<'_>) -> Result<Medida, MedidaError> {
    const FORM: &str = "una medida se escribe [\"medida\", id, tubería, resumen, umbral, [requiere,] [ambito,] \
                        alcance]";
    let Some([head, id, tuberia, resumen, umbral, optional @ .., alcance]) = datos.as_list() else {
        return Err(wrong(&[], FORM));
    };
    if head.as_str() != Some("medida") || optional.len() > 2 {
        return Err(wrong(&[], FORM));
    }
    let (requiere, rest) = match optional {
        [node, rest @ ..] if node.head() == Some("requiere") => (Some(node), rest),
        rest => (None, rest),
    };
    let (ambito, rest) = match rest {
        [node, rest @ ..] if node.head() == Some("ambito") => (Some(node), rest),
        rest => (None, rest),
    };
    let ambito_at = if requiere.is_some() { 6 } else { 5 };
    if !rest.is_empty() {
        let at = datos.as_list().map_or(0, <[Valor]>::len) - 1 - rest.len();
        return Err(wrong(&[at], "tras el umbral van, en este orden, «requiere», «ambito» y «alcance»"));
    }
    let id = match id {
        Valor::Text(id) if is_medida_id(id) => id.clone(),
        _ => {
            let motivo = "el id se escribe dominio.nombre, con minúsculas ASCII, dígitos y «_»";
            return Err(wrong(&[1], motivo));
        }
    };
    let pipeline = Pipeline::compile(tuberia, contexto).map_err(|error| error.under(2))?;
    let summary = Summary::compile(resumen, &pipeline.scope, contexto).map_err(|error| error.under(3))?;
    let umbral = read_umbral(umbral)?;
    let alcance_at = datos.as_list().map_or(0, <[Valor]>::len) - 1;
    let alcance = match alcance.as_list() {
        Some([head, Valor::Text(alcance)]) if head.as_str() == Some("alcance") && !is_blank(alcance) => {
            alcance.clone()
        }
        _ => return Err(wrong(&[alcance_at], "falta «alcance»: qué no ve la medida, en un texto no vacío")),
    };
    let ambito = ambito.map_or(Ok(Ambito::SinDeclarar), |node| read_ambito(node, ambito_at))?;
    let (requiere, conditions) = requiere.map_or(Ok(Default::default()), |node| {
        read_requiere(&node.as_list().unwrap_or_default()[1..], contexto)
    })?;
    let relaciones = pipeline.relaciones();
    Ok(Medida {
        id,
        tuberia: tuberia.clone(),
        resumen: resumen.clone(),
        umbral,
        requiere,
        ambito,
        alcance,
        relaciones,
        plan: Plan { pipeline, summary, conditions },
    })
}

/// Lower-case ASCII words of letters, digits and `_`, each opening with a letter.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Whether `id` is `dominio.nombre`: two or more words joined by dots.
pub fn is_medida_id(id: &str) -> bool {
    id.contains('.') && id.split('.').all(is_word)
}

fn read_umbral(umbral: &Valor) -> Result<Umbral, MedidaError> {
    let (operador, valor, porque, segun) = match umbral.as_list() {
        Some([head, operador, valor, porque, rest @ ..])
            if head.as_str() == Some("umbral") && rest.len() <= 1 =>
        {
            (operador, valor, porque, rest.first())
        }
        _ => {
            let motivo = "un umbral se escribe [\"umbral\", operador, valor, porque, segun]";
            return Err(wrong(&[4], motivo));
        }
    };
    let segun = match segun {
        None => Text::from(SIN_DECLARAR),
        Some(Valor::Text(segun)) if &**segun == SIN_DECLARAR || ORIGENES_DE_UMBRAL.contains(&&**segun) => {
            segun.clone()
        }
        Some(other) => {
            let origins = ORIGENES_DE_UMBRAL.join(", ");
            let motivo = format!("«segun» es uno de {origins}, no {}", other.to_compact());
            return Err(wrong(&[4, 4], motivo));
        }
    };
    let Some(operador) = operador.as_str().and_then(Comparador::parse) else {
        let known: Vec<_> = Comparador::ALL.iter().map(|operator| operator.as_str()).collect();
        let motivo = format!("{} no es un operador: hay {}", operador.to_compact(), known.join(" "));
        return Err(wrong(&[4, 1], motivo));
    };
    if matches!(valor, Valor::Null | Valor::List(_) | Valor::Map(_)) {
        return Err(wrong(&[4, 2], "el valor de un umbral es un texto, un número o un booleano"));
    }
    let Valor::Text(porque) = porque else {
        return Err(wrong(&[4, 3], "la defensa de un umbral es un texto"));
    };
    Ok(Umbral { operador, valor: valor.clone(), porque: porque.clone(), segun })
}

fn read_ambito(node: &Valor, at: usize) -> Result<Ambito, MedidaError> {
    match node.as_list() {
        Some([_, value]) => value.as_str().and_then(Ambito::parse).ok_or_else(|| {
            let known = AMBITOS.join(", ");
            wrong(&[at, 1], format!("«ambito» es uno de {known}, no {}", value.to_compact()))
        }),
        _ => Err(wrong(&[at], "«ambito» se escribe [\"ambito\", valor]")),
    }
}

/// The entries of a `requiere` and, beside each, its compiled condition.
type Requirements = (Vec<Requiere>, Vec<Option<Expression>>);

fn read_requiere(entries: &[Valor], contexto: &Contexto<'_>) -> Result<Requirements, MedidaError> {
    let mut requirements = Requirements::default();
    for (i, entry) in entries.iter().enumerate() {
        let at = [5, i + 1];
        let (requiere, condition) = match entry {
            Valor::Text(relacion) if !is_blank(relacion) => (Requiere::Relacion(relacion.clone()), None),
            Valor::Text(_) => return Err(wrong(&at, "una relación de «requiere» es un texto no vacío")),
            entry => read_condition(entry, &at)?,
        };
        if requirements.0.iter().any(|known| known.relacion() == requiere.relacion()) {
            return Err(wrong(&at, format!("«requiere» repite la relación «{}»", requiere.relacion())));
        }
        let condition = condition.map(|alias| compile_condition(&requiere, alias, contexto)).transpose();
        requirements.1.push(condition.map_err(|mut error| {
            error.ruta = [&at[..], &[3], &error.ruta].concat();
            error
        })?);
        requirements.0.push(requiere);
    }
    Ok(requirements)
}

fn read_condition(entry: &Valor, at: &[usize; 2]) -> Result<(Requiere, Option<Text>), MedidaError> {
    let Some([head, relacion, alias, condicion]) = entry.as_list() else {
        return Err(wrong(at, CONDITION_FORM));
    };
    if head.as_str() != Some("filas") {
        return Err(wrong(at, CONDITION_FORM));
    }
    let word = |value: &Valor, index: usize, what: &str| match value {
        Valor::Text(text) if is_word(text) => Ok(text.clone()),
        other => {
            let motivo = format!("{what} usa minúsculas ASCII, dígitos y «_», no {}", other.to_compact());
            Err(wrong(&[at[0], at[1], index], motivo))
        }
    };
    let relacion = word(relacion, 1, "la relación de «requiere»")?;
    let alias = word(alias, 2, "el alias de «requiere»")?;
    let requiere = Requiere::Filas { relacion, alias: alias.clone(), condicion: condicion.clone() };
    Ok((requiere, Some(alias)))
}

const CONDITION_FORM: &str =
    "una entrada de «requiere» es una relación o [\"filas\", relación, alias, condición]";

fn compile_condition(
    requiere: &Requiere,
    alias: Text,
    contexto: &Contexto<'_>,
) -> Result<Expression, MedidaError> {
    let Requiere::Filas { condicion, .. } = requiere else {
        return Err(wrong(&[], CONDITION_FORM));
    };
    let condition = Expression::compile(condicion, &Scope::of_alias(alias.clone()), contexto)?;
    if !is_boolean(condicion) {
        return Err(wrong(&[], "la condición de «requiere» es una comparación o lógica sobre comparaciones"));
    }
    only_alias(condicion, &alias)?;
    Ok(condition)
}

/// Whether an expression gives a boolean, by its form alone: a function may give anything, so what it gives is
/// compared first.
fn is_boolean(node: &Valor) -> bool {
    let Some([head, operands @ ..]) = node.as_list() else {
        return matches!(node, Valor::Bool(_));
    };
    match head.as_str() {
        Some("y" | "o" | "no") => operands.iter().all(is_boolean),
        Some(head) => Comparador::parse(head).is_some(),
        None => false,
    }
}

/// Checks that an expression uses no alias but `alias` and no column.
fn only_alias(node: &Valor, alias: &Text) -> Result<(), MedidaError> {
    let Some([head, operands @ ..]) = node.as_list() else { return Ok(()) };
    match head.as_str() {
        Some("campo" | "hecho") if operands.first().and_then(Valor::as_str) != Some(alias) => {
            Err(wrong(&[1], format!("la condición de «requiere» usa sólo el alias «{alias}»")))
        }
        Some("col") => Err(wrong(&[], "la condición de «requiere» no usa columnas")),
        _ => operands.iter().enumerate().try_for_each(|(i, operand)| {
            only_alias(operand, alias).map_err(|mut error| {
                error.ruta.insert(0, i + 1);
                error
            })
        }),
    }
}
