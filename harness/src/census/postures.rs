//! What was decided about each operation: a tool that stands for it, or a reason why none does.
//!
//! TOML. The table of codes is closed and stands in the same file, each code with its motive. Reads and checks the form;
//! whether operations and tools exist is [`super::judge`]'s.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::fault::{Code, Fault};

/// All that was decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Postures {
    /// Why an operation may have no tool: the motive of each code.
    pub codes: BTreeMap<String, String>,
    /// Operations of the system itself, which nobody would offer: they are left out before anything is counted.
    pub system: BTreeSet<String>,
    /// What was decided, in the order of the file.
    pub entries: Vec<Entry>,
}

/// One decision, about one operation or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The operations.
    pub operations: Vec<String>,
    /// What was decided.
    pub posture: Posture,
}

/// One of the two things that can be decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Posture {
    /// A tool stands for the operation.
    Offered(Offer),
    /// No tool does.
    Excluded(Exclusion),
}

/// A tool in an operation's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its name.
    pub tool: String,
    /// The tool's argument for a field that the operation names otherwise.
    pub renames: BTreeMap<String, String>,
    /// Fields that the server fills in itself.
    pub supplied: BTreeSet<String>,
    /// Arguments that choose this operation among those of the tool.
    pub fixed: BTreeMap<String, Value>,
}

/// A reason for no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Its code in the table.
    pub code: String,
    /// How else one does it.
    pub way: String,
    /// Where that was decided.
    pub reference: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    codes: BTreeMap<String, String>,
    #[serde(default)]
    system: BTreeSet<String>,
    #[serde(default)]
    posture: Vec<Raw>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    operations: Vec<String>,
    tool: Option<String>,
    renames: Option<BTreeMap<String, String>>,
    supplied: Option<BTreeSet<String>>,
    fixed: Option<BTreeMap<String, Value>>,
    code: Option<String>,
    way: Option<String>,
    reference: Option<String>,
}

/// Reads a file of postures.
///
/// # Errors
/// [`Code::BadPostures`]: no TOML, an unknown key, a text that is empty, a posture that is neither of the two or both.
pub fn read(text: &str) -> Result<Postures, Fault> {
    let file: File =
        toml::from_str(text).map_err(|error| Fault::new(Code::BadPostures, error.to_string().trim_end()))?;
    for (code, motive) in &file.codes {
        if motive.trim().is_empty() {
            return Err(Fault::new(Code::BadPostures, "its motive is empty").at(format!("code `{code}`")));
        }
    }
    let entries = file.posture.into_iter().enumerate().map(|(index, raw)| {
        let place = match raw.operations.first() {
            Some(operation) => format!("posture of `{operation}`"),
            None => format!("posture {}", index + 1),
        };
        entry(raw).map_err(|why| Fault::new(Code::BadPostures, why).at(place))
    });
    Ok(Postures { entries: entries.collect::<Result<_, _>>()?, codes: file.codes, system: file.system })
}

fn entry(raw: Raw) -> Result<Entry, String> {
    if raw.operations.is_empty() {
        return Err("it names no operation".to_owned());
    }
    let for_exclusions = raw.way.is_some() || raw.reference.is_some();
    let for_tools = raw.renames.is_some() || raw.supplied.is_some() || raw.fixed.is_some();
    let posture = match (raw.tool, raw.code) {
        (Some(_), Some(_)) => return Err("it has both a tool and a code".to_owned()),
        (None, None) => return Err("it has neither a tool nor a code".to_owned()),
        (Some(_), None) if for_exclusions => {
            return Err("`way` and `reference` are an exclusion's, and it has a tool".to_owned());
        }
        (None, Some(_)) if for_tools => {
            return Err("`renames`, `supplied` and `fixed` are a tool's, and it has none".to_owned());
        }
        (Some(tool), None) => Posture::Offered(Offer {
            tool,
            renames: raw.renames.unwrap_or_default(),
            supplied: raw.supplied.unwrap_or_default(),
            fixed: raw.fixed.unwrap_or_default(),
        }),
        (None, Some(code)) => {
            let text = |key: &str, value: Option<String>| {
                value.filter(|text| !text.trim().is_empty()).ok_or(format!("it has no `{key}`"))
            };
            let (way, reference) = (text("way", raw.way)?, text("reference", raw.reference)?);
            Posture::Excluded(Exclusion { code, way, reference })
        }
    };
    Ok(Entry { operations: raw.operations, posture })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_posture_is_a_tool_or_a_reason() {
        let text = r#"
            system = ["GET /health"]
            [codes]
            ESC = "it writes"
            [[posture]]
            operations = ["tarea ver"]
            tool = "oracle_tareas"
            renames = { tarea = "id" }
            supplied = ["proyecto"]
            fixed = { accion = "ver", git = true }
            [[posture]]
            operations = ["medida nueva", "caso nuevo"]
            code = "ESC"
            way = "an editor"
            reference = "the contract"
        "#;
        let read = read(text).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(read.codes, BTreeMap::from([("ESC".to_owned(), "it writes".to_owned())]));
        assert_eq!(read.system, BTreeSet::from(["GET /health".to_owned()]));
        let offer = Offer {
            tool: "oracle_tareas".to_owned(),
            renames: BTreeMap::from([("tarea".to_owned(), "id".to_owned())]),
            supplied: BTreeSet::from(["proyecto".to_owned()]),
            fixed: BTreeMap::from([("accion".to_owned(), json!("ver")), ("git".to_owned(), json!(true))]),
        };
        let exclusion = Exclusion {
            code: "ESC".to_owned(),
            way: "an editor".to_owned(),
            reference: "the contract".to_owned(),
        };
        let entries = [
            Entry { operations: vec!["tarea ver".to_owned()], posture: Posture::Offered(offer) },
            Entry {
                operations: vec!["medida nueva".to_owned(), "caso nuevo".to_owned()],
                posture: Posture::Excluded(exclusion),
            },
        ];
        assert_eq!(read.entries, entries);
        assert_eq!(super::read(""), Ok(Postures::default()));
    }

    #[test]
    fn a_posture_that_is_none_is_named() {
        let check = |text: &str, expect: &str| {
            let fault = read(text).expect_err(text).to_string();
            assert!(fault.starts_with("bad_postures: ") && fault.contains(expect), "{fault}");
        };
        let posture = |rest: &str| format!("[[posture]]\noperations = ['a']\n{rest}");
        check("[codes]\nX = ' '", "code `X`: its motive is empty");
        check("[[posture]]\noperations = []\ntool = 'x'", "posture 1: it names no operation");
        check(&posture(""), "posture of `a`: it has neither a tool nor a code");
        check(&posture("tool = 'x'\ncode = 'X'"), "it has both a tool and a code");
        check(&posture("tool = 'x'\nway = 'w'"), "`way` and `reference` are an exclusion's");
        check(&posture("tool = 'x'\nreference = 'w'"), "`way` and `reference` are an exclusion's");
        for key in ["renames = {}", "supplied = []", "fixed = {}"] {
            check(&posture(&format!("code = 'X'\n{key}")), "`renames`, `supplied` and `fixed` are a tool's");
        }
        check(&posture("code = 'X'\nreference = 'r'"), "it has no `way`");
        check(&posture("code = 'X'\nway = ' '\nreference = 'r'"), "it has no `way`");
        check(&posture("code = 'X'\nway = 'w'"), "it has no `reference`");
        check(&posture("tools = ['x']"), "unknown field `tools`");
        check("posture = 1", "invalid type");
        check("[", "TOML parse error at line 1");
    }
}
