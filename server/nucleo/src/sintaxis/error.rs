//! What reading a surface can answer besides a tree: where things stand and what is wrong with the text.
//!
//! Columns count characters, from 1. Owns no rule of the language.

use std::collections::BTreeMap;
use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posicion {
    /// Line, from 1.
    pub linea: usize,
    /// Column in characters, from 1.
    pub columna: usize,
}

impl fmt::Display for Posicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "línea {}, columna {}", self.linea, self.columna)
    }
}

/// Why a text is not read. The sentence is Spanish, lower case, without a final stop and without the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub mensaje: String,
    /// Line of the offence, from 1.
    pub linea: usize,
    /// Column of the offence in characters, from 1.
    pub columna: usize,
}

impl SyntaxError {
    pub(crate) fn new(linea: usize, columna: usize, mensaje: impl Into<String>) -> SyntaxError {
        SyntaxError { mensaje: mensaje.into(), linea, columna }
    }

    /// The place of the offence.
    pub fn posicion(&self) -> Posicion {
        Posicion { linea: self.linea, columna: self.columna }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.posicion(), self.mensaje)
    }
}

impl std::error::Error for SyntaxError {}

/// Why a tree has no surface text: the surface could not write it without changing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintError {
    /// What cannot be written, in Spanish, lower case, without a final stop.
    pub mensaje: String,
}

impl PrintError {
    pub(crate) fn new(mensaje: impl Into<String>) -> PrintError {
        PrintError { mensaje: mensaje.into() }
    }
}

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mensaje)
    }
}

impl std::error::Error for PrintError {}

/// Where each node of a read tree stands in its text, by the path of indices that leads to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posiciones {
    places: BTreeMap<Vec<usize>, Posicion>,
}

impl Posiciones {
    /// The place of exactly that node.
    pub fn exacta(&self, ruta: &[usize]) -> Option<Posicion> {
        self.places.get(ruta).copied()
    }

    /// The place of that node or of the nearest one around it; the start of the text when none is known.
    pub fn cercana(&self, ruta: &[usize]) -> Posicion {
        (0..=ruta.len())
            .rev()
            .find_map(|length| self.exacta(&ruta[..length]))
            .unwrap_or(Posicion { linea: 1, columna: 1 })
    }

    /// Every known path with its place, in order of path.
    pub fn iter(&self) -> impl Iterator<Item = (&[usize], Posicion)> {
        self.places.iter().map(|(path, place)| (path.as_slice(), *place))
    }

    pub(crate) fn record(&mut self, path: &[usize], linea: usize, columna: usize) {
        self.places.insert(path.to_vec(), Posicion { linea, columna });
    }

    /// Copies what `other` knows of the node at `from` and below it to the node at `to`.
    pub(crate) fn copy_under(&mut self, to: &[usize], other: &Posiciones, from: &[usize]) {
        for (path, place) in other.places.range(from.to_vec()..) {
            let Some(rest) = path.strip_prefix(from) else { break };
            self.places.insert([to, rest].concat(), *place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_climbs_towards_the_root() {
        let mut places = Posiciones::default();
        places.record(&[2, 1], 3, 5);
        assert_eq!(places.cercana(&[2, 1, 0, 4]), Posicion { linea: 3, columna: 5 });
        assert_eq!(places.cercana(&[2, 2]), Posicion { linea: 1, columna: 1 });
        places.record(&[], 2, 1);
        assert_eq!(places.cercana(&[2, 2]), Posicion { linea: 2, columna: 1 });
    }

    #[test]
    fn copying_takes_the_node_and_what_hangs_from_it() {
        let mut from = Posiciones::default();
        from.record(&[1], 1, 1);
        from.record(&[1, 0], 1, 2);
        from.record(&[10], 9, 9);
        from.record(&[2], 9, 9);
        let mut to = Posiciones::default();
        to.copy_under(&[7], &from, &[1]);
        let found: Vec<_> = to.iter().map(|(path, place)| (path.to_vec(), place.columna)).collect();
        assert_eq!(found, [(vec![7], 1), (vec![7, 0], 2)]);
    }
}
