//! Running a compiled pipeline over evidence.
//!
//! Owns the meaning of each operator, the budgets they spend, and the plan that answers `unir` followed by
//! an equality without going through the product. Every loop over rows can be cancelled.

use super::aggregate::Accumulator;
use super::compare::compare;
use super::context::Pulse;
use super::evidencia::Filas;
use super::expression::{ABSENT, Expression, Row};
use super::key::Key;
use super::pipeline::{Grouping, Pipeline, Source, Step, Summary};
use super::rows::{Rows, Testigos};
use super::{Agregado, AlgebraError, Comparador, Contexto, Evidencia};
use crate::valor::{Integer, Map, Valor};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a measure keeps its pipeline and its summary: the roots of the paths in errors.
const PIPELINE_AT: usize = 2;
const SUMMARY_AT: usize = 3;

/// One evaluation of one measure over validated evidence.
pub(crate) struct Run<'a> {
    evidencia: &'a Evidencia,
    contexto: &'a Contexto<'a>,
    pulse: Pulse<'a>,
    /// Whether `unir` and a following equality may be answered by index.
    pub(super) indexed: bool,
}

impl<'a> Run<'a> {
    /// An evaluation over evidence that [`Evidencia::validar`] accepted.
    pub(crate) fn new(evidencia: &'a Evidencia, contexto: &'a Contexto<'a>) -> Run<'a> {
        Run { evidencia, contexto, pulse: Pulse::new(contexto.cancellation), indexed: true }
    }

    /// The rows with which the pipeline ends.
    ///
    /// # Errors
    /// `Contract`, `Limit` or `Cancelled`, with paths from the root of the measure.
    pub(crate) fn pipeline(&mut self, pipeline: &Pipeline) -> Result<Testigos, AlgebraError> {
        let (mut rows, done) = self.open(pipeline)?;
        for (i, step) in pipeline.steps.iter().enumerate().skip(done) {
            rows = self.step(step, rows, &[PIPELINE_AT, i + 2])?;
        }
        Ok(Testigos::new(rows, pipeline.scope.clone()))
    }

    /// The value that the summary gives of the final rows.
    pub(crate) fn summary(&mut self, summary: &Summary, testigos: &Testigos) -> Result<Valor, AlgebraError> {
        let rows = testigos.rows();
        self.aggregate(summary, rows, 0..rows.len(), &[SUMMARY_AT, 2])
    }

    /// The rows of the source, and how many steps went into them: a filter right after `unir` is applied
    /// to each pair as it is made.
    fn open(&mut self, pipeline: &Pipeline) -> Result<(Rows, usize), AlgebraError> {
        let at = [PIPELINE_AT, 1];
        match (&pipeline.source, pipeline.steps.first()) {
            (source @ Source::Unir { .. }, Some(Step::Donde(condition))) => {
                let filter = Filter { condition, at: [PIPELINE_AT, 2, 1] };
                Ok((self.source(source, Some(&filter), &at)?, 1))
            }
            (source, _) => Ok((self.source(source, None, &at)?, 0)),
        }
    }

    fn source(
        &mut self,
        source: &Source,
        filter: Option<&Filter<'_>>,
        at: &[usize],
    ) -> Result<Rows, AlgebraError> {
        match source {
            Source::De { relacion } => Ok(Rows::all_of(self.relation(relacion, at)?)),
            Source::Unir { sides, repeated } => {
                let left = self.source(&sides[0], None, &[at, &[1]].concat())?;
                let right = self.source(&sides[1], None, &[at, &[2]].concat())?;
                if filter.is_none() {
                    self.within_product(left.len().saturating_mul(right.len()), at)?;
                }
                if let Some(alias) = repeated
                    && left.len() > 0
                    && right.len() > 0
                {
                    let motivo = format!("«unir» repite el alias «{alias}»");
                    return Err(AlgebraError::contract(motivo).at(at));
                }
                if let Some(filter) = filter
                    && self.indexed
                    && let Some(rows) = self.join(&left, &right, filter, at)?
                {
                    return Ok(rows);
                }
                self.product(&left, &right, filter, at)
            }
        }
    }

    fn relation(&self, relacion: &str, at: &[usize]) -> Result<&'a Arc<Filas>, AlgebraError> {
        self.evidencia.shared(relacion).ok_or_else(|| {
            let motivo =
                format!("la evidencia no trae la relación «{relacion}»; la que está vacía se declara con []");
            AlgebraError::contract(motivo).at(at)
        })
    }

    fn within_product(&self, pairs: usize, at: &[usize]) -> Result<(), AlgebraError> {
        let limite = self.contexto.limites.producto_cartesiano;
        if pairs > limite {
            return Err(AlgebraError::limit("producto_cartesiano", pairs, limite).at(at));
        }
        Ok(())
    }

    /// Every pair that passes the filter, left rows first.
    fn product(
        &mut self,
        left: &Rows,
        right: &Rows,
        filter: Option<&Filter<'_>>,
        at: &[usize],
    ) -> Result<Rows, AlgebraError> {
        self.within_product(left.len().saturating_mul(right.len()), at)?;
        let mut pairs = Pairs::of(left, right);
        let facts = [left.tables(), right.tables()].concat();
        let mut pair = Vec::new();
        for a in 0..left.len() {
            for b in 0..right.len() {
                self.pulse.step()?;
                pair.clear();
                pair.extend_from_slice(left.at(a));
                pair.extend_from_slice(right.at(b));
                let row = Row { tables: &facts, at: &pair, columns: &[] };
                if filter.map_or(Ok(true), |filter| self.holds(filter.condition, row, "donde", &filter.at))? {
                    pairs.at.extend_from_slice(&pair);
                }
            }
        }
        Ok(pairs.into_rows())
    }

    /// What [`Run::product`] answers when the filter is one equality between a field of each side, found by
    /// index; `None` when it is not. Only pairs that are kept are made, so only they spend the budget.
    fn join(
        &mut self,
        left: &Rows,
        right: &Rows,
        filter: &Filter<'_>,
        at: &[usize],
    ) -> Result<Option<Rows>, AlgebraError> {
        let middle = left.tables().len();
        let Some(fields) = filter.condition.as_field_equality() else { return Ok(None) };
        let ((near, near_name), (far, far_name)) = match fields {
            [a, b] if a.0 < middle && b.0 >= middle => (a, b),
            [b, a] if a.0 < middle && b.0 >= middle => (a, b),
            _ => return Ok(None),
        };
        let near = Column { rows: left, tables: left.tables(), slot: near, nombre: near_name };
        let far = Column { rows: right, tables: right.tables(), slot: far - middle, nombre: far_name };
        // Whether a pair can be compared depends on the kinds of its values alone, so one value of each kind
        // stands for all, and no pair that the product would refuse is passed over.
        for a in near.kinds(&mut self.pulse)? {
            for b in far.kinds(&mut self.pulse)? {
                compare(Comparador::Equal, a, b).map_err(|error| error.rooted(&filter.at))?;
            }
        }
        let mut index: HashMap<JoinKey<'_>, Vec<usize>> = HashMap::new();
        for b in 0..right.len() {
            self.pulse.step()?;
            if let Some(key) = JoinKey::of(far.value(b)) {
                index.entry(key).or_default().push(b);
            }
        }
        let mut pairs = Pairs::of(left, right);
        let mut count = 0;
        for a in 0..left.len() {
            self.pulse.step()?;
            let matches = JoinKey::of(near.value(a)).and_then(|key| index.get(&key));
            for &b in matches.into_iter().flatten() {
                self.pulse.step()?;
                count += 1;
                self.within_product(count, at)?;
                pairs.at.extend_from_slice(left.at(a));
                pairs.at.extend_from_slice(right.at(b));
            }
        }
        Ok(Some(pairs.into_rows()))
    }

    fn step(&mut self, step: &Step, rows: Rows, at: &[usize; 2]) -> Result<Rows, AlgebraError> {
        match step {
            Step::Donde(condition) => self.filter(condition, rows, &[at[0], at[1], 1]),
            Step::Sin { relacion, condition, clash } => {
                let absent = self.relation(relacion, &[at[0], at[1], 1])?;
                if *clash && rows.len() > 0 {
                    return Err(AlgebraError::contract("«sin» repite el alias «_»").at(at));
                }
                self.without(absent, condition, rows, at)
            }
            Step::Agrupar(grouping) => self.group(grouping, &rows, at),
        }
    }

    fn holds(
        &self,
        condition: &Expression,
        row: Row<'_, '_>,
        who: &str,
        at: &[usize],
    ) -> Result<bool, AlgebraError> {
        condition.holds(row, self.contexto.escalares, who).map_err(|error| error.rooted(at))
    }

    fn filter(&mut self, condition: &Expression, mut rows: Rows, at: &[usize]) -> Result<Rows, AlgebraError> {
        let tables = rows.tables();
        let mut keep = Vec::with_capacity(rows.len());
        for i in 0..rows.len() {
            self.pulse.step()?;
            keep.push(self.holds(condition, rows.row(i, &tables), "donde", at)?);
        }
        drop(tables);
        rows.retain(&keep);
        Ok(rows)
    }

    /// The rows for which no fact of `absent` meets the condition. Every pair is evaluated: a match does not
    /// hide an error in a later one.
    fn without(
        &mut self,
        absent: &Arc<Filas>,
        condition: &Expression,
        mut rows: Rows,
        at: &[usize; 2],
    ) -> Result<Rows, AlgebraError> {
        self.within_product(rows.len().saturating_mul(absent.filas().len()), at)?;
        let mut tables = rows.tables();
        tables.push(absent.filas());
        let mut keep = Vec::with_capacity(rows.len());
        let mut combined = Vec::new();
        let path = [at[0], at[1], 2];
        for i in 0..rows.len() {
            let mut matched = false;
            for b in 0..absent.filas().len() {
                self.pulse.step()?;
                combined.clear();
                combined.extend_from_slice(rows.at(i));
                combined.push(row_index(b));
                let row = Row { tables: &tables, at: &combined, columns: rows.columns(i) };
                matched |= self.holds(condition, row, "sin", &path)?;
            }
            keep.push(!matched);
        }
        drop(tables);
        rows.retain(&keep);
        Ok(rows)
    }

    /// One row per key, in the order in which keys appear first.
    fn group(&mut self, grouping: &Grouping, rows: &Rows, at: &[usize; 2]) -> Result<Rows, AlgebraError> {
        let tables = rows.tables();
        let mut places: HashMap<Vec<Key>, usize> = HashMap::new();
        let mut groups: Vec<(Vec<Valor>, Vec<u32>)> = Vec::new();
        for i in 0..rows.len() {
            self.pulse.step()?;
            let row = rows.row(i, &tables);
            let mut values = Vec::with_capacity(grouping.keys.len());
            let mut identity = Vec::with_capacity(grouping.keys.len());
            for (k, (_, expression)) in grouping.keys.iter().enumerate() {
                let path = [at[0], at[1], 1, k, 1];
                let value =
                    expression.evaluate(row, self.contexto.escalares).map_err(|error| error.rooted(&path))?;
                let key = Key::of_scalar(&value).ok_or_else(|| {
                    AlgebraError::contract("una clave de «agrupar» es un escalar").at(&path)
                })?;
                identity.push(key);
                values.push(value);
            }
            let place = *places.entry(identity).or_insert_with(|| {
                groups.push((values.into_iter().map(|value| value.into_owned()).collect(), Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(row_index(i));
        }
        let mut out = Vec::with_capacity(groups.len());
        for (values, members) in groups {
            let mut columns = vec![Valor::Null; grouping.columns.len()].into_boxed_slice();
            for ((place, _), value) in grouping.keys.iter().zip(values) {
                columns[*place] = value;
            }
            for (k, (place, summary)) in grouping.aggregates.iter().enumerate() {
                let members = members.iter().map(|i| *i as usize);
                columns[*place] = self.aggregate(summary, rows, members, &[at[0], at[1], 2, k, 2])?;
            }
            out.push(columns);
        }
        Ok(Rows::Groups(out))
    }

    fn aggregate(
        &mut self,
        summary: &Summary,
        rows: &Rows,
        members: impl ExactSizeIterator<Item = usize>,
        at: &[usize],
    ) -> Result<Valor, AlgebraError> {
        if summary.aggregate == Agregado::Contar {
            return Ok(Valor::from(members.len()));
        }
        let tables = rows.tables();
        let mut accumulator = Accumulator::new(summary.aggregate);
        for i in members {
            self.pulse.step()?;
            let value = summary
                .expression
                .evaluate(rows.row(i, &tables), self.contexto.escalares)
                .map_err(|error| error.rooted(at))?;
            accumulator.add(value).map_err(|error| error.at(at))?;
        }
        accumulator.finish().map_err(|error| error.at(at))
    }
}

/// A `donde` and where its condition stands.
struct Filter<'p> {
    condition: &'p Expression,
    at: [usize; 3],
}

/// Whether a fact of `relacion` meets `condition`. Every fact is evaluated; a relation that is not there has
/// none.
///
/// # Errors
/// `Contract` or `Cancelled`, with the path from `at`.
pub(crate) fn condition_holds(
    relacion: &str,
    condition: &Expression,
    evidencia: &Evidencia,
    contexto: &Contexto<'_>,
    at: &[usize],
) -> Result<bool, AlgebraError> {
    let facts = evidencia.get(relacion).map_or(&[][..], Filas::filas);
    let mut pulse = Pulse::new(contexto.cancellation);
    let mut met = false;
    for i in 0..facts.len() {
        pulse.step()?;
        let row = Row { tables: &[facts], at: &[row_index(i)], columns: &[] };
        met |= condition.holds(row, contexto.escalares, "requiere").map_err(|error| error.rooted(at))?;
    }
    Ok(met)
}

/// Rows are counted in 32 bits: the budgets keep relations far below.
fn row_index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

/// Pairs of rows of two sides while they are gathered.
struct Pairs {
    tables: Vec<Arc<Filas>>,
    at: Vec<u32>,
}

impl Pairs {
    fn of(left: &Rows, right: &Rows) -> Pairs {
        Pairs { tables: [left.shared_tables(), right.shared_tables()].concat(), at: Vec::new() }
    }

    fn into_rows(self) -> Rows {
        Rows::Facts { tables: self.tables, at: self.at }
    }
}

/// One field of one slot over all rows of a side.
struct Column<'v> {
    rows: &'v Rows,
    tables: Vec<&'v [Map]>,
    slot: usize,
    nombre: &'v str,
}

impl<'v> Column<'v> {
    fn value(&self, i: usize) -> &'v Valor {
        let fact = &self.tables[self.slot][self.rows.at(i)[self.slot] as usize];
        fact.get(self.nombre).unwrap_or(&ABSENT)
    }

    /// The first value of each kind, in order of appearance.
    fn kinds(&self, pulse: &mut Pulse<'_>) -> Result<Vec<&'v Valor>, AlgebraError> {
        let mut kinds: Vec<&Valor> = Vec::new();
        for i in 0..self.rows.len() {
            pulse.step()?;
            let value = self.value(i);
            let kind = std::mem::discriminant(value);
            if kinds.iter().all(|known| std::mem::discriminant(*known) != kind) {
                kinds.push(value);
            }
        }
        Ok(kinds)
    }
}

/// A value that `==` compares, for hashing. Kinds never meet: the comparison of kinds came first.
#[derive(PartialEq, Eq, Hash)]
enum JoinKey<'v> {
    Int(&'v Integer),
    Bool(bool),
    Text(&'v str),
}

impl<'v> JoinKey<'v> {
    fn of(value: &'v Valor) -> Option<JoinKey<'v>> {
        match value {
            Valor::Int(integer) => Some(JoinKey::Int(integer)),
            Valor::Bool(value) => Some(JoinKey::Bool(*value)),
            Valor::Text(text) => Some(JoinKey::Text(text)),
            _ => None,
        }
    }
}
