//! One installed distribution: the name and the version that its metadata give it.
//!
//! Owns reading `METADATA` and how a name becomes part of a path. Must not know what a distribution holds.

use crate::sintaxis::fragment::{is_line_break, lines_with_ends};

/// What the metadata of a distribution say; an absent field is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Metadatos {
    pub(super) nombre: Option<String>,
    pub(super) version: Option<String>,
}

impl Metadatos {
    /// Reads the header fields up to the first line that is none. The first of a name counts.
    pub(super) fn parse(texto: &str) -> Metadatos {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in lines_with_ends(texto) {
            let line = line.trim_end_matches(is_line_break);
            if line.starts_with([' ', '\t']) {
                // It goes on with the field above it.
                if let Some((_, value)) = fields.last_mut() {
                    value.push('\n');
                    value.push_str(line);
                }
                continue;
            }
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_field_name(name)) else {
                break;
            };
            fields.push((name.to_ascii_lowercase(), value.trim_start_matches([' ', '\t']).to_owned()));
        }
        let first =
            |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
        Metadatos { nombre: first("name"), version: first("version") }
    }
}

fn is_field_name(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_graphic())
}

/// A distribution's name as one part of a path: lower case, each run of `-`, `_` and `.` one `_`. None when what
/// comes out is no name.
pub(super) fn normalizar(nombre: &str) -> Option<String> {
    let mut normal = String::new();
    for c in nombre.to_lowercase().chars() {
        match c {
            '-' | '_' | '.' if normal.ends_with('_') => {}
            '-' | '_' | '.' => normal.push('_'),
            c => normal.push(c),
        }
    }
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    normal.split('_').all(is_word).then_some(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texto: &str, nombre: Option<&str>, version: Option<&str>) {
        let read = Metadatos::parse(texto);
        assert_eq!((read.nombre.as_deref(), read.version.as_deref()), (nombre, version), "{texto:?}");
    }

    #[test]
    fn fields_are_read_up_to_the_body() {
        check("Metadata-Version: 2.1\nName: a-b\nVersion: 1.0\n\nVersion: 2.0\n", Some("a-b"), Some("1.0"));
        check("name:a\r\nVERSION: \t1 \r\n", Some("a"), Some("1 "));
        check("Name: a\nName: b\n", Some("a"), None);
        check("Name: a\nqué es esto\nVersion: 1\n", Some("a"), None);
        check("Name: a\n b\nVersion: 1\n", Some("a\n b"), Some("1"));
        check("Summary: x\n Name: y\nName: z\n", Some("z"), None);
        check("", None, None);
        check("\nName: a\n", None, None);
    }

    #[test]
    fn a_name_becomes_one_part_of_a_path() {
        for (nombre, normal) in [
            ("Oracle-Biblioteca.X", Some("oracle_biblioteca_x")),
            ("a-_.b", Some("a_b")),
            ("a1", Some("a1")),
            ("-a", None),
            ("a-", None),
            ("a b", None),
            ("ñ", None),
            ("../a", None),
            ("", None),
        ] {
            assert_eq!(normalizar(nombre).as_deref(), normal, "{nombre}");
        }
    }
}
