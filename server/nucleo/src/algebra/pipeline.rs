//! The pipeline `desde` and the closing `resumen`, checked and compiled.
//!
//! Owns their form and the scope each expression is resolved in. Runs nothing.

use super::context::Contexto;
use super::expression::{DERIVED, Expression, Scope};
use super::{Agregado, AlgebraError};
use crate::valor::{Text, Valor};

/// A source of rows.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    De {
        relacion: Text,
    },
    Unir {
        sides: Box<[Source; 2]>,
        /// An alias that both sides introduce: an error once both have rows.
        repeated: Option<Text>,
    },
}

/// One step after the source.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Donde(Expression),
    Sin {
        relacion: Text,
        condition: Expression,
        /// The alias is one that the rows already have.
        clash: bool,
    },
    Agrupar(Grouping),
}

/// What `agrupar` computes. `place` is the column a result goes to: a repeated name takes the value that
/// comes last in the place that came first.
#[derive(Clone, Debug)]
pub(crate) struct Grouping {
    pub(crate) columns: Vec<Text>,
    pub(crate) keys: Vec<(usize, Expression)>,
    pub(crate) aggregates: Vec<(usize, Summary)>,
}

/// An aggregate over an expression.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) aggregate: Agregado,
    pub(crate) expression: Expression,
}

/// A compiled `desde`.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub(crate) source: Source,
    pub(crate) steps: Vec<Step>,
    /// The names that the rows of the end have.
    pub(crate) scope: Scope,
}

/// Whether a text has nothing but white space, the separators U+001C to U+001F included.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

fn wrong(motivo: impl Into<String>) -> AlgebraError {
    AlgebraError::contract(motivo).at(&[])
}

/// The name at `items[at]`.
fn name(items: &[Valor], at: usize, what: &str) -> Result<Text, AlgebraError> {
    match &items[at] {
        Valor::Text(name) if !is_blank(name) => Ok(name.clone()),
        _ => Err(wrong(format!("{what} es un texto no vacío")).under(at)),
    }
}

/// The items of a node whose head is text that is not blank, and that head.
fn node<'n>(node: &'n Valor, what: &str) -> Result<(&'n str, &'n [Valor]), AlgebraError> {
    match node.as_list() {
        Some(items @ [Valor::Text(head), ..]) if !is_blank(head) => Ok((head, items)),
        _ => Err(wrong(format!("{what} es una lista que empieza con su nombre"))),
    }
}

impl Pipeline {
    /// Checks `["desde", fuente, paso, ...]` and compiles it.
    ///
    /// # Errors
    /// `Contract` or `Limit`, with the path from `tuberia`.
    pub(crate) fn compile(tuberia: &Valor, contexto: &Contexto<'_>) -> Result<Pipeline, AlgebraError> {
        let (source, steps) = match tuberia.as_list() {
            Some([Valor::Text(head), source, steps @ ..]) if &**head == "desde" => (source, steps),
            Some([Valor::Text(head)]) if &**head == "desde" => {
                return Err(wrong("«desde» lleva una fuente"));
            }
            _ => return Err(wrong("una tubería empieza con «desde»")),
        };
        let mut aliases = Vec::new();
        let source = compile_source(source, &mut aliases).map_err(|error| error.under(1))?;
        let mut scope = Scope { aliases, columns: None };
        let steps = steps
            .iter()
            .enumerate()
            .map(|(i, step)| compile_step(step, &mut scope, contexto).map_err(|error| error.under(i + 2)))
            .collect::<Result<_, _>>()?;
        Ok(Pipeline { source, steps, scope })
    }
}

impl Pipeline {
    /// The relations it reads, each once: those of the source, then those of each `sin`.
    pub(crate) fn relaciones(&self) -> Vec<Text> {
        let mut relaciones = Vec::new();
        self.source.relaciones(&mut relaciones);
        for step in &self.steps {
            if let Step::Sin { relacion, .. } = step {
                relaciones.push(relacion.clone());
            }
        }
        let mut seen = std::collections::HashSet::new();
        relaciones.retain(|relacion| seen.insert(relacion.clone()));
        relaciones
    }
}

impl Source {
    fn relaciones(&self, out: &mut Vec<Text>) {
        match self {
            Source::De { relacion } => out.push(relacion.clone()),
            Source::Unir { sides, .. } => sides.iter().for_each(|side| side.relaciones(out)),
        }
    }
}

fn compile_source(source: &Valor, aliases: &mut Vec<Text>) -> Result<Source, AlgebraError> {
    let (head, items) = node(source, "una fuente")?;
    match (head, items.len()) {
        ("de", 3) => {
            let relacion = name(items, 1, "el nombre de la relación de «de»")?;
            aliases.push(name(items, 2, "el alias de «de»")?);
            Ok(Source::De { relacion })
        }
        ("unir", 3) => {
            let start = aliases.len();
            let left = compile_source(&items[1], aliases).map_err(|error| error.under(1))?;
            let middle = aliases.len();
            let right = compile_source(&items[2], aliases).map_err(|error| error.under(2))?;
            let repeated =
                aliases[middle..].iter().find(|alias| aliases[start..middle].contains(alias)).cloned();
            Ok(Source::Unir { sides: Box::new([left, right]), repeated })
        }
        ("de", _) => Err(wrong("«de» se escribe [\"de\", relación, alias]")),
        ("unir", _) => Err(wrong("«unir» se escribe [\"unir\", fuente, fuente]")),
        _ => Err(wrong(format!("«{head}» no es una fuente: hay «de» y «unir»"))),
    }
}

fn compile_step(step: &Valor, scope: &mut Scope, contexto: &Contexto<'_>) -> Result<Step, AlgebraError> {
    let (head, items) = node(step, "un paso")?;
    match (head, items.len()) {
        ("donde", 2) => {
            let condition = Expression::compile(&items[1], scope, contexto);
            Ok(Step::Donde(condition.map_err(|error| error.under(1))?))
        }
        ("donde", _) => Err(wrong("«donde» se escribe [\"donde\", condición]")),
        ("sin", 3) => compile_sin(items, scope, contexto),
        ("sin", _) => Err(wrong("«sin» se escribe [\"sin\", [\"de\", relación, alias], condición]")),
        ("agrupar", 3) => {
            let grouping = compile_grouping(items, scope, contexto)?;
            *scope = Scope { aliases: Vec::new(), columns: Some(grouping.columns.clone()) };
            Ok(Step::Agrupar(grouping))
        }
        ("agrupar", _) => Err(wrong("«agrupar» se escribe [\"agrupar\", claves, agregados]")),
        ("de" | "unir", _) => Err(wrong(format!("«{head}» es una fuente: sólo abre la tubería"))),
        _ => Err(wrong(format!("«{head}» no es un paso: hay «donde», «sin» y «agrupar»"))),
    }
}

fn compile_sin(items: &[Valor], scope: &Scope, contexto: &Contexto<'_>) -> Result<Step, AlgebraError> {
    if items[1].head() != Some("de") {
        return Err(wrong("«sin» toma una relación con su alias: [\"de\", relación, alias]").under(1));
    }
    let mut inner = Scope::default();
    let source = compile_source(&items[1], &mut inner.aliases).map_err(|error| error.under(1))?;
    let (Source::De { relacion }, [alias]) = (source, &inner.aliases[..]) else {
        return Err(wrong("«sin» toma una sola relación").under(1));
    };
    if scope.aliases.contains(alias) {
        return Err(wrong(format!("«sin» repite el alias «{alias}»")).under(1));
    }
    let clash = scope.columns.is_some() && &**alias == DERIVED;
    let mut inside = scope.clone();
    inside.aliases.push(alias.clone());
    let condition = Expression::compile(&items[2], &inside, contexto).map_err(|error| error.under(2))?;
    Ok(Step::Sin { relacion, condition, clash })
}

/// The items of each entry of a list of entries that all have `len` items.
fn entries(list: &Valor, len: usize) -> Option<Vec<&[Valor]>> {
    list.as_list()?.iter().map(|entry| entry.as_list().filter(|items| items.len() == len)).collect()
}

fn compile_grouping(
    items: &[Valor],
    scope: &Scope,
    contexto: &Contexto<'_>,
) -> Result<Grouping, AlgebraError> {
    let keys = entries(&items[1], 2)
        .ok_or_else(|| wrong("las claves de «agrupar» se escriben [[nombre, expresión], ...]").under(1))?;
    let aggregates = entries(&items[2], 3).ok_or_else(|| {
        wrong("los agregados de «agrupar» se escriben [[nombre, agregado, expresión], ...]").under(2)
    })?;
    let mut grouping = Grouping { columns: Vec::new(), keys: Vec::new(), aggregates: Vec::new() };
    for (i, entry) in keys.into_iter().enumerate() {
        let compiled = name(entry, 0, "el nombre de una clave de «agrupar»").and_then(|nombre| {
            let key = Expression::compile(&entry[1], scope, contexto).map_err(|error| error.under(1))?;
            Ok((nombre, key))
        });
        let (nombre, key) = compiled.map_err(|error| error.under(i).under(1))?;
        let place = grouping.place(nombre);
        grouping.keys.push((place, key));
    }
    for (i, entry) in aggregates.into_iter().enumerate() {
        let compiled = name(entry, 0, "el nombre de un agregado de «agrupar»")
            .and_then(|nombre| Ok((nombre, compile_summary(entry, scope, contexto)?)));
        let (nombre, summary) = compiled.map_err(|error| error.under(i).under(2))?;
        let place = grouping.place(nombre);
        grouping.aggregates.push((place, summary));
    }
    Ok(grouping)
}

impl Grouping {
    fn place(&mut self, nombre: Text) -> usize {
        match self.columns.iter().position(|known| *known == nombre) {
            Some(place) => place,
            None => {
                self.columns.push(nombre);
                self.columns.len() - 1
            }
        }
    }
}

/// Compiles `[_, agregado, expresión]`.
fn compile_summary(items: &[Valor], scope: &Scope, contexto: &Contexto<'_>) -> Result<Summary, AlgebraError> {
    let aggregate = items[1].as_str().and_then(Agregado::parse).ok_or_else(|| {
        let known: Vec<_> = Agregado::ALL.iter().map(|aggregate| aggregate.as_str()).collect();
        wrong(format!("{} no es un agregado: hay {}", items[1].to_compact(), known.join(", "))).under(1)
    })?;
    let expression = Expression::compile(&items[2], scope, contexto).map_err(|error| error.under(2))?;
    Ok(Summary { aggregate, expression })
}

impl Summary {
    /// Checks `["resumen", agregado, expresión]` and compiles it for rows of `scope`.
    ///
    /// # Errors
    /// `Contract` or `Limit`, with the path from `resumen`.
    pub(crate) fn compile(
        resumen: &Valor,
        scope: &Scope,
        contexto: &Contexto<'_>,
    ) -> Result<Summary, AlgebraError> {
        match resumen.as_list() {
            Some(items @ [head, _, _]) if head.as_str() == Some("resumen") => {
                compile_summary(items, scope, contexto)
            }
            _ => Err(wrong("un resumen se escribe [\"resumen\", agregado, expresión]")),
        }
    }
}
