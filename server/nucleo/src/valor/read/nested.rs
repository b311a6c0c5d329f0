//! Lists and maps, and how the maps of a list come to share their keys and a block. Reads no scalar.

use super::super::map::{Map, Shape, Shapes, has_repeated, without_repeated};
use super::super::{Text, Valor};
use super::{Fault, MAX_DEPTH, Reader};
use std::sync::Arc;

/// Most distinct lists of keys that are shared.
const SHARED_SHAPES: usize = 1024;

/// How many values, or maps, of a list make a block.
const BLOCK: usize = 1024;

/// The maps of a list that wait for their block.
struct Rows {
    /// Where their values start among the open ones.
    first: usize,
    /// Where they start among those that wait.
    waiting: usize,
    shapes: Shapes,
}

/// Whether taking a value out of a map that others share would copy a list of maps.
fn is_heavy(value: &Valor) -> bool {
    match value {
        Valor::List(items) => matches!(items.first(), Some(Valor::Map(_))),
        Valor::Map(map) => map.values().any(is_heavy),
        _ => false,
    }
}

impl<'a> Reader<'a> {
    pub(super) fn list(&mut self, depth: usize) -> Result<Valor, Fault> {
        self.enter(depth)?;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Valor::List(items));
        }
        let mut rows =
            Rows { first: self.open.len(), waiting: self.waiting.len(), shapes: Shapes::default() };
        loop {
            self.space();
            if self.peek() == Some(b'{') {
                self.row(depth + 1, &mut rows, &mut items)?;
            } else {
                self.close_block(&mut rows, &mut items);
                items.push(self.value(depth + 1)?);
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                None => return Err("el texto termina antes de tiempo"),
                Some(_) => return Err("se esperaba «,» o «]»"),
            }
        }
        self.at += 1;
        self.close_block(&mut rows, &mut items);
        items.shrink_to_fit();
        Ok(Valor::List(items))
    }

    /// Reads a map that is an item of a list. It waits for others to share a block with, unless what it holds
    /// will be taken out of it.
    fn row(&mut self, depth: usize, rows: &mut Rows, items: &mut Vec<Valor>) -> Result<(), Fault> {
        let start = self.open.len();
        self.map(depth)?;
        if self.open[start..].iter().any(is_heavy) {
            let map = self.alone(depth, start);
            self.close_block(rows, items);
            items.push(Valor::Map(map));
            return Ok(());
        }
        if let Some(shape) = &self.recent[depth] {
            self.waiting.push((start - rows.first, rows.shapes.number(shape)));
        }
        let size = (self.open.len() - rows.first).max(self.waiting.len() - rows.waiting);
        if size >= BLOCK || rows.shapes.are_many() {
            self.close_block(rows, items);
        }
        Ok(())
    }

    /// Makes one block of the maps that wait for it.
    fn close_block(&mut self, rows: &mut Rows, items: &mut Vec<Valor>) {
        if self.waiting.len() > rows.waiting {
            let values = self.open.drain(rows.first..).collect();
            let shapes = std::mem::take(&mut rows.shapes);
            items.extend(Map::together(shapes, values, self.waiting.drain(rows.waiting..)).map(Valor::Map));
        }
    }

    /// The map that [`Reader::map`] just read at that depth, its values from `first` on, in a block of its own.
    pub(super) fn alone(&mut self, depth: usize, first: usize) -> Map {
        let values = self.open.drain(first..).collect();
        self.recent[depth].as_ref().map_or_else(Map::new, |shape| Map::alone(shape, values))
    }

    /// Reads a map: its values are left open, its shape is the most recent one of that depth.
    pub(super) fn map(&mut self, depth: usize) -> Result<(), Fault> {
        if self.recent.len() <= depth {
            self.recent.resize(depth + 1, None);
        }
        let recent = self.recent[depth].take();
        let likely = recent.as_ref().map_or(&[][..], |shape| shape.written_keys());
        let (first_value, first_name, mut as_before) = (self.open.len(), self.names.len(), 0);
        self.map_members(depth, likely, |reader, key, _, value| {
            match key {
                Some(key) => reader.names.push(key),
                None => as_before += 1,
            }
            reader.open.push(value);
        })?;
        let read = first_name..self.names.len();
        let same = recent.as_ref().is_some_and(|shape| read.is_empty() && as_before == shape.keys().len());
        self.recent[depth] = if same {
            recent
        } else {
            let keys = likely[..as_before].iter().cloned().chain(self.names.drain(read)).collect();
            Some(self.shape_of(keys, first_value))
        };
        Ok(())
    }

    /// The shape of a map with these keys, whose values are open from `first` on. A repeated key keeps its first
    /// place and its last value, as the reference reads JSON.
    fn shape_of(&mut self, keys: Vec<Text>, first: usize) -> Arc<Shape> {
        if let Some(known) = self.shapes.get(&keys[..]) {
            return known.clone();
        }
        if has_repeated(&keys) {
            let (keys, values) = without_repeated(keys.into_iter().zip(self.open.drain(first..)));
            self.open.extend(values);
            return self.shape_of(keys, first);
        }
        let keys = keys.into_boxed_slice();
        let shape = Arc::new(Shape::new(keys.clone()));
        if self.shapes.len() < SHARED_SHAPES {
            self.shapes.insert(keys, shape.clone());
        }
        shape
    }

    /// Reads a map and hands each member over with its raw text. As long as its keys are the `likely` ones they
    /// are not read again: `None` stands for the next of them.
    pub(super) fn map_members(
        &mut self,
        depth: usize,
        mut likely: &[Text],
        mut take: impl FnMut(&mut Self, Option<Text>, &'a str, Valor),
    ) -> Result<(), Fault> {
        self.enter(depth)?;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(if self.at < self.text.len() {
                    "se esperaba una clave entre comillas"
                } else {
                    "el texto termina antes de tiempo"
                });
            }
            let key = match likely.split_first() {
                Some((next, rest)) if self.skip_key(next) => {
                    likely = rest;
                    None
                }
                _ => {
                    likely = &[];
                    let key = self.string()?;
                    Some(self.key_text(key))
                }
            };
            self.space();
            if self.peek() != Some(b':') {
                return Err("se esperaba «:»");
            }
            self.at += 1;
            self.space();
            let start = self.at;
            let value = self.value(depth + 1)?;
            let raw = &self.text[start..self.at];
            take(self, key, raw, value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                None => return Err("el texto termina antes de tiempo"),
                Some(_) => return Err("se esperaba «,» o «}»"),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Skips the string at the quote here when it is `key`, which is written as it is.
    fn skip_key(&mut self, key: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let same = rest.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'"'));
        if same {
            self.at += key.len() + 2;
        }
        same
    }

    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= MAX_DEPTH {
            return Err("hay demasiados niveles de anidamiento");
        }
        self.at += 1;
        Ok(())
    }
}
