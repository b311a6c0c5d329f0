//! `RECORD`: what a distribution installed, and the digest that each file of it had then.
//!
//! Owns reading the list and holding bytes against it. Must not read files.

use crate::sintaxis::fragment::{is_line_break, lines_with_ends};
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::collections::BTreeMap;

/// The files of one distribution, by path from the folder where distributions are installed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Registro {
    /// Digest as written; empty where the list has none.
    digests: BTreeMap<String, String>,
}

impl Registro {
    /// Reads the list: one file a line, with its digest and its size, as CSV. The error says the line and why.
    pub(super) fn parse(texto: &str) -> Result<Registro, String> {
        let mut digests = BTreeMap::new();
        for (at, line) in lines_with_ends(texto).enumerate() {
            let (path, digest) = row(line.trim_end_matches(is_line_break))
                .map_err(|why| format!("línea {}: {why}", at + 1))?;
            if let Some(other) = digests.insert(path.clone(), digest.clone())
                && other != digest
            {
                return Err(format!("línea {}: «{path}» está dos veces, con huellas distintas", at + 1));
            }
        }
        Ok(Registro { digests })
    }

    /// The paths, by code point.
    pub(super) fn rutas(&self) -> impl Iterator<Item = &str> {
        self.digests.keys().map(|path| &**path)
    }

    /// Whether the distribution installed that file.
    pub(super) fn incluye(&self, ruta: &str) -> bool {
        self.digests.contains_key(ruta)
    }

    /// Holds the bytes of a file against its digest. The error is the end of a sentence that names the file.
    pub(super) fn verificar(&self, ruta: &str, bytes: &[u8]) -> Result<(), String> {
        let declared = self.digests.get(ruta).ok_or("no figura en RECORD")?;
        let (algorithm, digest) = declared.split_once('=').ok_or("no tiene huella en RECORD")?;
        let actual = match algorithm {
            "sha256" => base64_url(&Sha256::digest(bytes)),
            "sha384" => base64_url(&Sha384::digest(bytes)),
            "sha512" => base64_url(&Sha512::digest(bytes)),
            other => return Err(format!("tiene en RECORD una huella «{other}», que no se sabe comprobar")),
        };
        if actual == digest { Ok(()) } else { Err("no coincide con su huella en RECORD".to_owned()) }
    }
}

fn row(line: &str) -> Result<(String, String), String> {
    let fields = fields(line)?;
    match &fields[..] {
        [path, rest @ ..] if !path.is_empty() && rest.len() <= 2 => {
            let size = rest.get(1).map_or("", String::as_str);
            if !size.bytes().all(|b| b.is_ascii_digit()) {
                return Err(format!("el tamaño «{size}» no es un número"));
            }
            Ok((normalizar(path), rest.first().cloned().unwrap_or_default()))
        }
        _ => Err("no es «ruta,huella,tamaño»".to_owned()),
    }
}

/// The fields of one line of CSV.
fn fields(line: &str) -> Result<Vec<String>, String> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let field = found.last_mut().expect("there is always a field");
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            ',' if !quoted => found.push(String::new()),
            c => field.push(c),
        }
    }
    if quoted { Err("tiene una comilla sin cerrar".to_owned()) } else { Ok(found) }
}

/// A path of the list without the parts that say nothing.
fn normalizar(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    format!("{root}{}", parts.join("/"))
}

/// Base64 with the alphabet of URLs and no padding, as the list writes digests.
pub(super) fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * place) & 63) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row that a file of these bytes has in the list of what was installed.
    const ABC: &str = "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";

    #[track_caller]
    fn refused(texto: &str, why: &str) {
        let told = Registro::parse(texto).unwrap_err();
        assert!(told.contains(why), "{texto:?}: {told}");
    }

    #[test]
    fn a_list_gives_paths_without_the_parts_that_say_nothing() {
        let registro =
            Registro::parse("./a//b,sha256=x,3\r\n\"c,\"\"d\"\"\",,\ne\n../bin/f,sha256=y,\n").unwrap();
        assert_eq!(registro.rutas().collect::<Vec<_>>(), ["../bin/f", "a/b", "c,\"d\"", "e"]);
        assert!(registro.incluye("a/b") && !registro.incluye("./a//b"));
    }

    #[test]
    fn a_list_that_is_none_says_in_which_line() {
        refused("a,,\n\nb,,\n", "línea 2");
        refused("a,b,c,d\n", "línea 1");
        refused("a,,x\n", "«x»");
        refused(",,\n", "línea 1");
        refused("\"a,,\n", "comilla");
        refused("a,sha256=x,\n./a,sha256=y,\n", "dos veces");
    }

    #[test]
    fn the_same_row_twice_says_the_same() {
        assert!(Registro::parse("a,sha256=x,\na,sha256=x,1\n").is_ok());
    }

    #[test]
    fn bytes_are_held_against_their_digest() {
        let registro = |digest: &str| Registro::parse(&format!("a,{digest},3\n")).unwrap();
        let check = |digest: &str, why: &str| match registro(digest).verificar("a", b"abc") {
            Ok(()) => assert_eq!(why, "", "{digest}"),
            Err(told) => assert!(!why.is_empty() && told.contains(why), "{digest}: {told}"),
        };
        check(ABC, "");
        check("sha384=ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP_W-2AhgcroefMI1i67KE0yCWn", "");
        check(
            "sha512=3a81oZNherrMQXNJriBBMRLm-k6JqX6iCp7u5ktV05ohkpkqJ0_BqDa6PCOj_uu9RU1EI2Q86A4qmslPpUyknw",
            "",
        );
        check(&ABC.replace('u', "v"), "no coincide");
        check(&format!("{ABC}="), "no coincide");
        check("md5=kAFQmDzST7DWlj99KOF_cg", "«md5»");
        check("", "no tiene huella");
        assert_eq!(registro(ABC).verificar("b", b"abc").unwrap_err(), "no figura en RECORD");
    }
}
