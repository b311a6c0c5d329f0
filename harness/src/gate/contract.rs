//! Contract mutants: hand-made changes of the server, each of which breaks a sentence of the contract.
//!
//! Owns the form of `mutantes/*.toml` and the finding of an entry's text. Must not build or replay anything.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Component, Path};

use serde::Deserialize;

/// What a contract mutant alters: the nine kinds the contract says a round has to kill, and the claims it calls
/// plausible and wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Which function answers a method or a tool.
    Despacho,
    /// How a member of an answer is called.
    NombreDeCampo,
    /// What a published schema says, or what is accepted under it.
    Esquema,
    /// Green, red, without evidence.
    Estado,
    /// Where a measure comes from.
    Origen,
    /// The loaded catalogue against the effective one.
    SelectorDeCatalogo,
    /// Detected, rejected, surviving.
    ClasificacionDeMutantes,
    /// What belongs on stdout and what on stderr.
    CanalStdoutStderr,
    /// An error that turns into an empty list, a green, nothing.
    SupresionDeErrores,
    /// A well-formed answer that says something else than the core did.
    Plausible,
}

impl Kind {
    /// Every kind, in the contract's order.
    pub const ALL: [Self; 10] = [
        Self::Despacho,
        Self::NombreDeCampo,
        Self::Esquema,
        Self::Estado,
        Self::Origen,
        Self::SelectorDeCatalogo,
        Self::ClasificacionDeMutantes,
        Self::CanalStdoutStderr,
        Self::SupresionDeErrores,
        Self::Plausible,
    ];

    /// Its word in an entry.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Despacho => "despacho",
            Self::NombreDeCampo => "nombre-de-campo",
            Self::Esquema => "esquema",
            Self::Estado => "estado",
            Self::Origen => "origen",
            Self::SelectorDeCatalogo => "selector-de-catalogo",
            Self::ClasificacionDeMutantes => "clasificacion-de-mutantes",
            Self::CanalStdoutStderr => "canal-stdout-stderr",
            Self::SupresionDeErrores => "supresion-de-errores",
            Self::Plausible => "plausible",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One entry of `mutantes/*.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractMutant {
    /// Its name, one in the whole folder, in lower-case kebab.
    pub id: String,
    /// What it alters.
    pub kind: Kind,
    /// The file it changes, relative to the workspace.
    pub file: String,
    /// The text it takes away: it stands in the file exactly once.
    pub find: String,
    /// The text it puts there.
    pub replace: String,
    /// The sentence of the contract that no longer holds.
    pub sentence: String,
    /// Conversations that must notice, each of them.
    pub killers: Vec<String>,
}

impl ContractMutant {
    /// Where the text to take away stands in `source`: its byte offset.
    ///
    /// # Errors
    /// How often it stands there, when that is not once: the entry is stale.
    pub fn locate(&self, source: &str) -> Result<usize, usize> {
        let mut found = source.match_indices(&self.find);
        match (found.next(), found.next()) {
            (Some((offset, _)), None) => Ok(offset),
            (None, _) => Err(0),
            (Some(_), Some(_)) => Err(2 + found.count()),
        }
    }

    /// `source` with the mutant in it.
    ///
    /// # Errors
    /// As [`ContractMutant::locate`].
    pub fn apply(&self, source: &str) -> Result<String, usize> {
        let offset = self.locate(source)?;
        let rest = &source[offset + self.find.len()..];
        Ok([&source[..offset], &self.replace, rest].concat())
    }
}

/// One file of entries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    mutant: Vec<ContractMutant>,
}

/// Reads every entry of a folder, in order of file name and then as written.
///
/// # Errors
/// A folder or file that cannot be read, a file that is not of the form, an entry that says nothing (equal texts, no
/// killer, no sentence), a name used twice, a path that leaves the workspace, a folder without an entry.
pub fn read_folder(folder: &Path) -> Result<Vec<ContractMutant>, String> {
    let listing = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for item in listing {
        let path = item.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let mut mutants = Vec::new();
    let mut seen = BTreeMap::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for mutant in read_entries(&text).map_err(|error| format!("{}: {error}", path.display()))? {
            if let Some(first) = seen.insert(mutant.id.clone(), path.clone()) {
                return Err(format!(
                    "{}: id {:?} is taken in {}",
                    path.display(),
                    mutant.id,
                    first.display()
                ));
            }
            mutants.push(mutant);
        }
    }
    if mutants.is_empty() {
        return Err(format!("{}: no contract mutant in it", folder.display()));
    }
    Ok(mutants)
}

/// Reads the entries of one file.
///
/// # Errors
/// As [`read_folder`], but for what concerns other files.
pub fn read_entries(text: &str) -> Result<Vec<ContractMutant>, String> {
    let file: EntryFile = toml::from_str(text).map_err(|error| error.to_string())?;
    for mutant in &file.mutant {
        if let Some(fault) = fault_of(mutant) {
            return Err(format!("contract mutant {:?}: {fault}", mutant.id));
        }
    }
    Ok(file.mutant)
}

fn fault_of(mutant: &ContractMutant) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let mut killers = mutant.killers.clone();
    killers.sort();
    killers.dedup();
    if mutant.id.is_empty() || !mutant.id.chars().all(plain) {
        Some("its id is not lower-case kebab")
    } else if mutant.find.is_empty() {
        Some("it finds nothing")
    } else if mutant.find == mutant.replace {
        Some("it changes nothing")
    } else if mutant.sentence.trim().is_empty() {
        Some("it names no sentence of the contract")
    } else if mutant.killers.is_empty() {
        Some("it names no killer")
    } else if killers.len() != mutant.killers.len() {
        Some("it names a killer twice")
    } else if !stays_inside(&mutant.file) {
        Some("its file is not a path inside the workspace")
    } else {
        None
    }
}

fn stays_inside(file: &str) -> bool {
    !file.is_empty() && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "[[mutant]]\nid = 'sin-orden'\nkind = 'plausible'\nfile = 'server/src/a.rs'\n\
                         find = 'sort()'\nreplace = ''\nsentence = 'ids go by code point'\nkillers = ['a']\n";

    fn entry() -> ContractMutant {
        read_entries(ENTRY).unwrap().remove(0)
    }

    #[test]
    fn every_kind_reads_back_from_its_word() {
        for kind in Kind::ALL {
            let text = ENTRY.replace("plausible", kind.word());
            assert_eq!(read_entries(&text).unwrap()[0].kind, kind);
        }
    }

    #[test]
    fn an_entry_that_says_nothing_is_refused() {
        for (from, to, expect) in [
            ("'sin-orden'", "'Sin orden'", "kebab"),
            ("'sort()'", "''", "finds nothing"),
            ("replace = ''", "replace = 'sort()'", "changes nothing"),
            ("'ids go by code point'", "' '", "no sentence"),
            ("['a']", "[]", "no killer"),
            ("['a']", "['a', 'a']", "twice"),
            ("'server/src/a.rs'", "'../a.rs'", "inside the workspace"),
            ("'server/src/a.rs'", "'/a.rs'", "inside the workspace"),
            ("'plausible'", "'other'", "unknown variant"),
            ("id =", "name = 'x'\nid =", "unknown field"),
            ("killers = ['a']\n", "", "missing field"),
        ] {
            let error = read_entries(&ENTRY.replace(from, to)).unwrap_err();
            assert!(error.contains(expect), "{to}: {error}");
        }
    }

    #[test]
    fn a_text_is_found_exactly_once_or_the_entry_is_stale() {
        assert_eq!(entry().locate("v.sort();"), Ok(2));
        assert_eq!(entry().locate("v.len();"), Err(0));
        assert_eq!(entry().locate("v.sort(); w.sort();"), Err(2));
        assert_eq!(entry().locate("sort() sort() sort()"), Err(3));
        assert_eq!(entry().apply("v.sort();").as_deref(), Ok("v.;"));
    }

    #[test]
    fn a_folder_is_read_in_order_and_an_id_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_folder(folder.path()).unwrap_err().contains("no contract mutant"));
        fs::write(folder.path().join("b.toml"), ENTRY).unwrap();
        fs::write(folder.path().join("a.toml"), ENTRY.replace("sin-orden", "otro")).unwrap();
        fs::write(folder.path().join("unviable.txt"), "not an entry").unwrap();
        let ids: Vec<_> = read_folder(folder.path()).unwrap().into_iter().map(|mutant| mutant.id).collect();
        assert_eq!(ids, ["otro", "sin-orden"]);
        fs::write(folder.path().join("c.toml"), ENTRY).unwrap();
        assert!(read_folder(folder.path()).unwrap_err().contains("is taken in"));
    }
}
