//! The rows of a pipeline and, at its end, the witnesses.
//!
//! Owns how rows are held: facts stay in their relation and a row is its indices, so no step copies a fact;
//! only `agrupar` makes new values. Knows no operator.

use super::evidencia::Filas;
use super::expression::{DERIVED, Row, Scope};
use super::key::Key;
use crate::valor::{Map, Text, Valor};
use std::sync::Arc;

/// The rows at one point of a pipeline.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// For each row, one index into each table.
    Facts { tables: Vec<Arc<Filas>>, at: Vec<u32> },
    /// For each group, its columns.
    Groups(Vec<Box<[Valor]>>),
}

impl Rows {
    /// Every row of one relation.
    pub(super) fn all_of(filas: &Arc<Filas>) -> Rows {
        let count = u32::try_from(filas.filas().len()).unwrap_or(u32::MAX);
        Rows::Facts { tables: vec![filas.clone()], at: (0..count).collect() }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Rows::Facts { tables, at } => at.len() / tables.len().max(1),
            Rows::Groups(groups) => groups.len(),
        }
    }

    /// The tables themselves, to share.
    pub(super) fn shared_tables(&self) -> Vec<Arc<Filas>> {
        match self {
            Rows::Facts { tables, .. } => tables.clone(),
            Rows::Groups(_) => Vec::new(),
        }
    }

    /// The facts of each table.
    pub(super) fn tables(&self) -> Vec<&[Map]> {
        match self {
            Rows::Facts { tables, .. } => tables.iter().map(|filas| filas.filas()).collect(),
            Rows::Groups(_) => Vec::new(),
        }
    }

    /// Which facts row `i` is made of.
    pub(super) fn at(&self, i: usize) -> &[u32] {
        match self {
            Rows::Facts { tables, at } => &at[i * tables.len()..(i + 1) * tables.len()],
            Rows::Groups(_) => &[],
        }
    }

    /// The columns of row `i`.
    pub(super) fn columns(&self, i: usize) -> &[Valor] {
        match self {
            Rows::Facts { .. } => &[],
            Rows::Groups(groups) => &groups[i],
        }
    }

    /// Row `i`, with the tables that [`Rows::tables`] gave.
    pub(super) fn row<'v, 'r>(&'v self, i: usize, tables: &'r [&'v [Map]]) -> Row<'v, 'r>
    where
        'v: 'r,
    {
        Row { tables, at: self.at(i), columns: self.columns(i) }
    }

    /// Drops the rows that `keep` marks `false`.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        match self {
            Rows::Facts { tables, at } => {
                let width = tables.len();
                let mut kept = 0;
                for i in (0..keep.len()).filter(|&i| keep[i]) {
                    at.copy_within(i * width..(i + 1) * width, kept * width);
                    kept += 1;
                }
                at.truncate(kept * width);
                at.shrink_to_fit();
            }
            Rows::Groups(groups) => {
                let mut marks = keep.iter();
                groups.retain(|_| marks.next().copied().unwrap_or(false));
            }
        }
    }
}

/// The rows a pipeline ended with: who the verdict is about. Facts are shared with the evidence.
#[derive(Clone, Debug)]
pub struct Testigos {
    rows: Rows,
    scope: Scope,
}

impl Testigos {
    pub(super) fn new(rows: Rows, scope: Scope) -> Testigos {
        Testigos { rows, scope }
    }

    /// No witness.
    pub fn none() -> Testigos {
        Testigos { rows: Rows::Groups(Vec::new()), scope: Scope::default() }
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first `n`, or all if fewer: maps from alias to fact in the order of the sources, or from `_` to
    /// the columns of a group.
    pub fn first(&self, n: usize) -> Vec<Valor> {
        let tables = self.rows.tables();
        (0..self.len().min(n)).map(|i| self.witness(self.rows.row(i, &tables))).collect()
    }

    fn witness(&self, row: Row<'_, '_>) -> Valor {
        let facts = self
            .scope
            .aliases
            .iter()
            .zip(row.tables)
            .zip(row.at)
            .map(|((alias, table), at)| (alias.clone(), Valor::Map(table[*at as usize].clone())));
        let columns = self.scope.columns.iter().map(|names| {
            let members = names.iter().cloned().zip(row.columns.iter().cloned()).collect();
            (Text::from(DERIVED), Valor::Map(members))
        });
        Valor::Map(columns.chain(facts).collect())
    }

    /// Whether both are the same rows as bags: the order of rows, aliases and fields does not count, how
    /// often each row comes does. Values are one when they are one key (`1`, `1.0` and `true` are).
    pub fn same_bag(&self, other: &Testigos) -> bool {
        self.same_facts(other) || self.len() == other.len() && self.bag() == other.bag()
    }

    /// Whether both are the same facts of the same evidence, row by row: enough to be one bag, and cheap.
    fn same_facts(&self, other: &Testigos) -> bool {
        match (&self.rows, &other.rows) {
            (Rows::Facts { tables, at }, Rows::Facts { tables: others, at: other_at }) => {
                self.scope.aliases == other.scope.aliases
                    && tables.iter().zip(others).all(|(a, b)| Arc::ptr_eq(a, b))
                    && at == other_at
            }
            _ => false,
        }
    }

    fn bag(&self) -> Vec<Key> {
        let tables = self.rows.tables();
        let mut bag: Vec<_> =
            (0..self.len()).map(|i| Key::of(&self.witness(self.rows.row(i, &tables)))).collect();
        bag.sort_unstable();
        bag
    }
}
