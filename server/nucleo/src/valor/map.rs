//! An ordered map with unique text keys: JSON's object as the language needs it.
//!
//! Owns how maps are held. Evidence is maps by the hundred thousand that repeat a few lists of keys, so keys are
//! a [`Shape`] that maps share, and the values of maps that were read together stand in one [`Block`].

use super::{Text, Valor};
use std::fmt;
use std::sync::Arc;

/// Members in the order they were written, each key once. A clone shares them.
#[derive(Clone, Default)]
pub struct Map {
    /// `None` when empty.
    held: Option<Held>,
}

/// Where the members of one map are.
#[derive(Clone)]
struct Held {
    block: Arc<Block>,
    /// Its first value within the block.
    start: u32,
    /// Which of the block's shapes it has.
    shape: u32,
}

/// The keys of maps, and their order.
pub(super) struct Shape {
    keys: Box<[Text]>,
    /// The places of the keys, sorted by code point; empty when that is the order they were written in.
    sorted: Box<[usize]>,
    /// Whether every key is written as it is, with no escape.
    plain: bool,
}

/// The values of maps that were made together, one map after the other.
struct Block {
    shapes: Shapes,
    values: Box<[Valor]>,
}

/// Most shapes that the maps of a block may have: each is looked for among them.
const MOST_SHAPES: usize = 16;

/// The shapes of the maps of one block, numbered from 0. Nearly always there is one.
#[derive(Default)]
pub(super) struct Shapes {
    first: Option<Arc<Shape>>,
    others: Vec<Arc<Shape>>,
}

impl Shape {
    /// The shape of maps with these keys, which are unique.
    pub(super) fn new(keys: Box<[Text]>) -> Shape {
        let mut sorted: Box<[usize]> =
            if keys.is_sorted() { Box::default() } else { (0..keys.len()).collect() };
        sorted.sort_unstable_by(|a, b| keys[*a].cmp(&keys[*b]));
        let escaped = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let plain = !keys.iter().any(|key| key.bytes().any(escaped));
        Shape { keys, sorted, plain }
    }

    /// The keys in the order they were written.
    pub(super) fn keys(&self) -> &[Text] {
        &self.keys
    }

    /// The keys, if each is the bytes that stand between its quotes in JSON.
    pub(super) fn written_keys(&self) -> &[Text] {
        if self.plain { &self.keys } else { &[] }
    }
}

impl Shapes {
    /// The number of a shape, which is added when it is new.
    pub(super) fn number(&mut self, shape: &Arc<Shape>) -> u32 {
        let Some(first) = &self.first else {
            self.first = Some(shape.clone());
            return 0;
        };
        if Arc::ptr_eq(first, shape) {
            return 0;
        }
        let known = self.others.iter().rposition(|other| Arc::ptr_eq(other, shape));
        let at = known.unwrap_or_else(|| {
            self.others.push(shape.clone());
            self.others.len() - 1
        });
        index(at + 1)
    }

    /// Whether no block should take another one.
    pub(super) fn are_many(&self) -> bool {
        self.others.len() + 1 >= MOST_SHAPES
    }

    fn get(&self, number: u32) -> Option<&Shape> {
        match number {
            0 => self.first.as_deref(),
            other => self.others.get(other as usize - 1).map(|shape| &**shape),
        }
    }
}

/// Blocks are closed long before they have so many members.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Past this many members a repeated key is looked for with a set, so that building stays linear.
const SCAN_LIMIT: usize = 16;

/// Whether some key comes twice.
pub(super) fn has_repeated(keys: &[Text]) -> bool {
    if keys.len() <= SCAN_LIMIT {
        return (1..keys.len()).any(|i| keys[..i].contains(&keys[i]));
    }
    let mut seen = std::collections::HashSet::with_capacity(keys.len());
    keys.iter().any(|key| !seen.insert(key))
}

/// Members with each key once: in the place where it came first, with the value that came last.
pub(super) fn without_repeated(members: impl Iterator<Item = (Text, Valor)>) -> (Vec<Text>, Vec<Valor>) {
    let mut places = std::collections::HashMap::new();
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for (key, value) in members {
        match places.get(&key) {
            Some(&at) => values[at] = value,
            None => {
                places.insert(key.clone(), values.len());
                keys.push(key);
                values.push(value);
            }
        }
    }
    (keys, values)
}

impl Map {
    /// An empty map.
    pub fn new() -> Map {
        Map::default()
    }

    /// A map by itself.
    pub(super) fn alone(shape: &Arc<Shape>, values: Box<[Valor]>) -> Map {
        let mut shapes = Shapes::default();
        let number = shapes.number(shape);
        Map::together(shapes, values, std::iter::once((0, number))).next().unwrap_or_default()
    }

    /// The maps of one block: for each the place of its first value and the number of its shape.
    pub(super) fn together(
        shapes: Shapes,
        values: Box<[Valor]>,
        maps: impl Iterator<Item = (usize, u32)>,
    ) -> impl Iterator<Item = Map> {
        let block = Arc::new(Block { shapes, values });
        maps.map(move |(start, shape)| Map {
            held: Some(Held { block: block.clone(), start: index(start), shape }),
        })
    }

    fn of_unique(keys: Vec<Text>, values: Vec<Valor>) -> Map {
        Map::alone(&Arc::new(Shape::new(keys.into())), values.into())
    }

    fn shape(&self) -> Option<&Shape> {
        self.held.as_ref().and_then(|held| held.block.shapes.get(held.shape))
    }

    fn names(&self) -> &[Text] {
        self.shape().map_or(&[], Shape::keys)
    }

    fn contents(&self) -> &[Valor] {
        match &self.held {
            Some(held) => &held.block.values[held.start as usize..][..self.names().len()],
            None => &[],
        }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.names().len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&Valor> {
        self.names().iter().position(|known| &**known == key).map(|at| &self.contents()[at])
    }

    /// Whether `key` is present.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Takes the value under `key` out, keeping the order of the rest. Moves it when nobody shares the members.
    pub fn remove(&mut self, key: &str) -> Option<Valor> {
        let at = self.names().iter().position(|known| &**known == key)?;
        let (mut keys, mut values) = std::mem::take(self).into_parts();
        keys.remove(at);
        let value = values.remove(at);
        *self = Map::of_unique(keys, values);
        Some(value)
    }

    /// Puts `value` under `key`: in the place the key already has, else at the end.
    pub fn insert(&mut self, key: Text, value: Valor) {
        let (mut keys, mut values) = std::mem::take(self).into_parts();
        match keys.iter().position(|known| *known == key) {
            Some(at) => values[at] = value,
            None => {
                keys.push(key);
                values.push(value);
            }
        }
        *self = Map::of_unique(keys, values);
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Valor)> {
        self.names().iter().zip(self.contents())
    }

    /// The members sorted by key, by code point.
    pub(super) fn iter_sorted(&self) -> impl Iterator<Item = (&Text, &Valor)> {
        let (keys, values) = (self.names(), self.contents());
        let sorted = self.shape().map_or(&[][..], |shape| &shape.sorted);
        (0..keys.len()).map(move |i| {
            let at = sorted.get(i).map_or(i, |at| *at);
            (&keys[at], &values[at])
        })
    }

    /// The keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.names().iter()
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Valor> {
        self.contents().iter()
    }

    /// Keys and values, moved when nobody shares them.
    fn into_parts(self) -> (Vec<Text>, Vec<Valor>) {
        let keys = self.names().to_vec();
        let Some(held) = self.held else { return (keys, Vec::new()) };
        let (start, end) = (held.start as usize, held.start as usize + keys.len());
        let values = match Arc::try_unwrap(held.block) {
            Ok(block) => {
                let mut values = block.values.into_vec();
                values.truncate(end);
                values.drain(..start);
                values
            }
            Err(shared) => shared.values[start..end].to_vec(),
        };
        (keys, values)
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.names() == other.names() && self.contents() == other.contents()
    }
}

impl FromIterator<(Text, Valor)> for Map {
    /// A repeated key keeps its first place and its last value, as the reference reads JSON.
    fn from_iter<T: IntoIterator<Item = (Text, Valor)>>(iter: T) -> Map {
        let (keys, values): (Vec<_>, Vec<_>) = iter.into_iter().unzip();
        if has_repeated(&keys) {
            let (keys, values) = without_repeated(keys.into_iter().zip(values));
            return Map::of_unique(keys, values);
        }
        Map::of_unique(keys, values)
    }
}

impl IntoIterator for Map {
    type Item = (Text, Valor);
    type IntoIter = std::iter::Zip<std::vec::IntoIter<Text>, std::vec::IntoIter<Valor>>;

    fn into_iter(self) -> Self::IntoIter {
        let (keys, values) = self.into_parts();
        keys.into_iter().zip(values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn map(text: &str) -> Map {
        parse(text).unwrap().as_map().unwrap().clone()
    }

    #[track_caller]
    fn check(map: &Map, expect: &str) {
        assert_eq!(Valor::Map(map.clone()).to_compact(), expect);
        assert_eq!(map.len(), map.iter().len());
        assert_eq!(map.is_empty(), expect == "{}");
    }

    #[test]
    fn a_change_of_one_map_is_none_of_what_shares_its_members() {
        let before = map(r#"{"a":1,"b":[2],"c":3}"#);
        let mut after = before.clone();
        assert_eq!(after.remove("b"), Some(parse("[2]").unwrap()));
        assert_eq!(after.remove("b"), None);
        check(&after, r#"{"a":1,"c":3}"#);
        after.insert(Text::from("a"), Valor::from(true));
        after.insert(Text::from("d"), Valor::Null);
        check(&after, r#"{"a":true,"c":3,"d":null}"#);
        check(&before, r#"{"a":1,"b":[2],"c":3}"#);
    }

    #[test]
    fn maps_read_together_are_maps_of_their_own() {
        let text = r#"[{"a":1,"b":2},{"b":3},{},{"a":4,"b":5},{"c":{"a":6}},7,{"a":8,"b":9}]"#;
        let Valor::List(mut rows) = parse(text).unwrap() else { panic!("a list") };
        assert_eq!(Valor::List(rows.clone()).to_compact(), text);
        let Valor::Map(mut last) = rows.pop().unwrap() else { panic!("a map") };
        last.insert(Text::from("a"), Valor::from(0i64));
        check(&last, r#"{"a":0,"b":9}"#);
        let Valor::Map(fourth) = rows.swap_remove(3) else { panic!("a map") };
        drop(rows);
        assert_eq!(
            fourth.into_iter().map(|(_, value)| value).collect::<Vec<_>>(),
            [4i64.into(), 5i64.into()]
        );
    }

    #[test]
    fn equality_is_of_keys_in_order_and_values() {
        let one = map(r#"{"a":1,"b":2}"#);
        assert_eq!(one, map(r#"{"a":1,"b":2}"#));
        assert_eq!(
            one,
            [("a", 1i64), ("b", 2)].map(|(k, v)| (Text::from(k), v.into())).into_iter().collect()
        );
        assert_ne!(one, map(r#"{"b":2,"a":1}"#));
        assert_ne!(one, map(r#"{"a":1,"b":3}"#));
        assert_ne!(one, map(r#"{"a":1,"c":2}"#));
        assert_ne!(one, map(r#"{"a":1}"#));
        assert_eq!(Map::new(), map("{}"));
        let mut emptied = map(r#"{"a":1}"#);
        emptied.remove("a");
        assert_eq!(emptied, Map::new());
        check(&emptied, "{}");
    }

    #[test]
    fn many_maps_of_many_shapes_keep_their_members() {
        let row = |i: usize| {
            let members: Vec<_> =
                (0..i % 7).map(|k| format!("\"k{}\":{}", (k * (i % 5 + 1)) % 7, i + k)).collect();
            format!("{{{}}}", members.join(","))
        };
        let rows: Vec<_> = (0..5_000).map(row).collect();
        let read = parse(&format!("[{}]", rows.join(","))).unwrap();
        for (row, text) in read.as_list().unwrap().iter().zip(&rows) {
            assert_eq!(*row, parse(text).unwrap());
            assert_eq!(row.to_canonical(), parse(text).unwrap().to_canonical());
        }
    }
}
