//! An ordered map with unique text keys: JSON's object as the language needs it.

use super::{Text, Valor};

/// Members in the order they were written, each key once.
///
/// Held without spare room: evidence is maps by the hundred thousand, read once and never grown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    members: Box<[(Text, Valor)]>,
}

/// Past this many members a repeated key is looked for with a set, so that building stays linear.
const SCAN_LIMIT: usize = 16;

impl Map {
    /// An empty map.
    pub fn new() -> Map {
        Map::default()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&Valor> {
        self.members.iter().find(|(k, _)| &**k == key).map(|(_, v)| v)
    }

    /// Whether `key` is present.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Takes the value under `key` out, keeping the order of the rest.
    pub fn remove(&mut self, key: &str) -> Option<Valor> {
        let at = self.members.iter().position(|(k, _)| &**k == key)?;
        let mut members = std::mem::take(&mut self.members).into_vec();
        let (_, value) = members.remove(at);
        self.members = members.into_boxed_slice();
        Some(value)
    }

    /// Puts `value` under `key`: in the place the key already has, else at the end.
    pub fn insert(&mut self, key: Text, value: Valor) {
        match self.members.iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => *old = value,
            None => {
                let mut members = std::mem::take(&mut self.members).into_vec();
                members.push((key, value));
                self.members = members.into_boxed_slice();
            }
        }
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Valor)> {
        self.members.iter().map(|(k, v)| (k, v))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.members.iter().map(|(k, _)| k)
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Valor> {
        self.members.iter().map(|(_, v)| v)
    }

    /// Builds a map from members as they were read: a repeated key keeps its first place and its last
    /// value, as the reference reads JSON.
    pub(super) fn from_members(mut members: Vec<(Text, Valor)>) -> Map {
        let repeated = if members.len() <= SCAN_LIMIT {
            (1..members.len()).any(|i| members[..i].iter().any(|(k, _)| *k == members[i].0))
        } else {
            let mut seen = std::collections::HashSet::with_capacity(members.len());
            members.iter().any(|(k, _)| !seen.insert(k.clone()))
        };
        if repeated {
            let mut places = std::collections::HashMap::new();
            let mut unique: Vec<(Text, Valor)> = Vec::new();
            for (key, value) in members {
                match places.get(&key) {
                    Some(&at) => {
                        let (_, old): &mut (Text, Valor) = &mut unique[at];
                        *old = value;
                    }
                    None => {
                        places.insert(key.clone(), unique.len());
                        unique.push((key, value));
                    }
                }
            }
            members = unique;
        }
        Map { members: members.into_boxed_slice() }
    }
}

impl FromIterator<(Text, Valor)> for Map {
    fn from_iter<T: IntoIterator<Item = (Text, Valor)>>(iter: T) -> Map {
        Map::from_members(iter.into_iter().collect())
    }
}

impl IntoIterator for Map {
    type Item = (Text, Valor);
    type IntoIter = std::vec::IntoIter<(Text, Valor)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_vec().into_iter()
    }
}
