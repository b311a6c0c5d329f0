//! The postures against the surface and the tools: how many operations have what, and everything that does not add up.
//!
//! A function of values.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::catalogue::{Catalogue, Drift, argument};
use super::operations::Operation;
use super::postures::{Offer, Posture, Postures};
use crate::client::Definition;

/// Something that makes the census red.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// An operation has neither a tool nor a reason.
    Gap(String),
    /// Something was decided about an operation that is not there.
    Stale(String),
    /// Two postures name one operation.
    Twice(String),
    /// An exclusion's code is not in the table; the operation and the code.
    UnknownCode(String, String),
    /// A tool does not exist; the operation and the tool.
    UnknownTool(String, String),
    /// A tool does not take a field that its operation requires; the operation, the tool and the field.
    MissingField(String, String, String),
    /// A posture names an argument that its tool does not take; the operation, the tool and the argument.
    UnknownArgument(String, String, String),
    /// A posture fixes an argument to a value that its tool does not take; the operation, the tool and the argument.
    WrongValue(String, String, String),
    /// A posture renames or supplies a field that its operation does not require; the operation and the field.
    Needless(String, String),
    /// Another source of the same operations does not have this one.
    OnlyHere(String),
    /// Only another source of the same operations has this one.
    OnlyThere(String),
    /// The server lists the same tools in another order when it is asked again.
    UnstableOrder,
    /// The server lists other tools when it is asked again.
    UnstableTools,
}

impl Finding {
    /// One word for the kind.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Gap(_) => "gap",
            Self::Stale(_) => "stale",
            Self::Twice(_) => "twice",
            Self::UnknownCode(..) => "unknown_code",
            Self::UnknownTool(..) => "unknown_tool",
            Self::MissingField(..) => "missing_field",
            Self::UnknownArgument(..) => "unknown_argument",
            Self::WrongValue(..) => "wrong_value",
            Self::Needless(..) => "needless",
            Self::OnlyHere(_) => "only_here",
            Self::OnlyThere(_) => "only_there",
            Self::UnstableOrder => "unstable_order",
            Self::UnstableTools => "unstable_tools",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gap(operation) => write!(f, "`{operation}` has neither a tool nor a reason"),
            Self::Stale(operation) => write!(f, "`{operation}` is decided about and not there"),
            Self::Twice(operation) => write!(f, "`{operation}` is decided about twice"),
            Self::UnknownCode(operation, code) => write!(f, "`{operation}`: the table has no code `{code}`"),
            Self::UnknownTool(operation, tool) => write!(f, "`{operation}`: there is no tool `{tool}`"),
            Self::MissingField(operation, tool, field) => {
                write!(f, "`{operation}` requires `{field}`, which `{tool}` does not take")
            }
            Self::UnknownArgument(operation, tool, argument) => {
                write!(f, "`{operation}`: `{tool}` takes no argument `{argument}`")
            }
            Self::WrongValue(operation, tool, argument) => {
                write!(f, "`{operation}`: `{tool}` does not take this value for `{argument}`")
            }
            Self::Needless(operation, field) => write!(f, "`{operation}` does not require `{field}`"),
            Self::OnlyHere(operation) => write!(f, "`{operation}` is missing in the other source"),
            Self::OnlyThere(operation) => write!(f, "`{operation}` stands only in the other source"),
            Self::UnstableOrder => f.write_str("asked again, the server lists its tools in another order"),
            Self::UnstableTools => f.write_str("asked again, the server lists other tools"),
        }
    }
}

/// How many operations have what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Those that have a tool, by its name.
    pub offered: BTreeMap<String, Vec<String>>,
    /// Those that have a reason, by its code.
    pub excluded: BTreeMap<String, Vec<String>>,
    /// Those that have neither.
    pub gaps: Vec<String>,
}

impl Coverage {
    /// How many have a tool.
    #[must_use]
    pub fn with_tool(&self) -> usize {
        self.offered.values().map(Vec::len).sum()
    }

    /// How many have a reason.
    #[must_use]
    pub fn without(&self) -> usize {
        self.excluded.values().map(Vec::len).sum()
    }

    /// How many there are that could have a tool.
    #[must_use]
    pub fn offerable(&self) -> usize {
        self.with_tool() + self.gaps.len()
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.offerable() + self.without()
    }
}

/// Holds the postures against operations and tools. Gives the coverage and every finding, by kind and then by name.
#[must_use]
pub fn judge(
    operations: &BTreeMap<String, Operation>,
    postures: &Postures,
    catalogue: &Catalogue,
) -> (Coverage, Vec<Finding>) {
    let mut findings: Vec<Finding> = catalogue.drift.map(unstable).into_iter().collect();
    let stale = postures.system.iter().filter(|name| !operations.contains_key(*name));
    findings.extend(stale.cloned().map(Finding::Stale));
    let mut decided: BTreeMap<&str, &Posture> = BTreeMap::new();
    for entry in &postures.entries {
        for name in &entry.operations {
            if !operations.contains_key(name) || postures.system.contains(name) {
                findings.push(Finding::Stale(name.clone()));
            } else if decided.insert(name, &entry.posture).is_some() {
                findings.push(Finding::Twice(name.clone()));
            }
        }
    }
    let mut coverage = Coverage::default();
    for operation in operations.values().filter(|operation| !postures.system.contains(&operation.name)) {
        let name = operation.name.clone();
        match decided.get(name.as_str()) {
            None => {
                findings.push(Finding::Gap(name.clone()));
                coverage.gaps.push(name);
            }
            Some(Posture::Excluded(exclusion)) => {
                if !postures.codes.contains_key(&exclusion.code) {
                    findings.push(Finding::UnknownCode(name.clone(), exclusion.code.clone()));
                }
                coverage.excluded.entry(exclusion.code.clone()).or_default().push(name);
            }
            Some(Posture::Offered(offer)) => {
                findings.extend(held(operation, offer, &catalogue.tools));
                coverage.offered.entry(offer.tool.clone()).or_default().push(name);
            }
        }
    }
    findings.sort();
    (coverage, findings)
}

fn unstable(drift: Drift) -> Finding {
    match drift {
        Drift::Order => Finding::UnstableOrder,
        Drift::Content => Finding::UnstableTools,
    }
}

/// What is wrong with a tool in an operation's place.
fn held(operation: &Operation, offer: &Offer, tools: &[Definition]) -> Vec<Finding> {
    let name = || operation.name.clone();
    let tool_name = || offer.tool.clone();
    let Some(tool) = tools.iter().find(|tool| tool.name == offer.tool) else {
        return vec![Finding::UnknownTool(name(), tool_name())];
    };
    let mut findings = Vec::new();
    for field in &operation.requires {
        let supplied = offer.supplied.contains(field);
        let taken = argument(tool, offer.renames.get(field).unwrap_or(field)).is_some();
        if !supplied && !taken {
            findings.push(Finding::MissingField(name(), tool_name(), field.clone()));
        }
    }
    let needless =
        offer.renames.keys().chain(&offer.supplied).filter(|field| !operation.requires.contains(*field));
    findings.extend(needless.map(|field| Finding::Needless(name(), field.clone())));
    for (name_of, value) in &offer.fixed {
        match argument(tool, name_of) {
            None => findings.push(Finding::UnknownArgument(name(), tool_name(), name_of.clone())),
            Some(schema) if !takes(schema, value) => {
                findings.push(Finding::WrongValue(name(), tool_name(), name_of.clone()));
            }
            Some(_) => {}
        }
    }
    findings
}

/// Whether an argument's own list of values, if it has one, holds this value.
fn takes(schema: &Value, value: &Value) -> bool {
    let listed = schema.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(value));
    listed && schema.get("const").is_none_or(|only| only == value)
}

/// What only one of two sources of the same operations has.
#[must_use]
pub fn contrast(here: &BTreeMap<String, Operation>, there: &BTreeMap<String, Operation>) -> Vec<Finding> {
    let only = |one: &BTreeMap<String, Operation>, other: &BTreeMap<String, Operation>| {
        one.keys().filter(|name| !other.contains_key(*name)).cloned().collect::<Vec<_>>()
    };
    let here_only = only(here, there).into_iter().map(Finding::OnlyHere);
    here_only.chain(only(there, here).into_iter().map(Finding::OnlyThere)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{catalogue, operations, postures};
    use super::*;

    const TOOLS: &str = r#"[{"name":"t","inputSchema":{"type":"object","properties":{
        "id":{},"accion":{"enum":["ver","listar"]},"git":{"const":true}}}}]"#;

    fn surface(list: &str) -> BTreeMap<String, Operation> {
        operations::together(vec![operations::read(list).expect("a list")]).expect("operations")
    }

    fn of(list: &str, decided: &str) -> (Coverage, Vec<Finding>) {
        let postures = postures::read(decided).unwrap_or_else(|fault| panic!("{fault}"));
        judge(&surface(list), &postures, &catalogue::read(TOOLS).expect("tools"))
    }

    fn offer(operation: &str, rest: &str) -> String {
        format!("[[posture]]\noperations = ['{operation}']\ntool = 't'\n{rest}\n")
    }

    fn exclude(operation: &str, code: &str) -> String {
        format!("[[posture]]\noperations = ['{operation}']\ncode = '{code}'\nway = 'w'\nreference = 'r'\n")
    }

    fn check(list: &str, decided: &str, expect: &[(&str, &str)]) {
        let (_, findings) = of(list, decided);
        let found: Vec<_> = findings.iter().map(|it| (it.code(), it.to_string())).collect();
        let expect: Vec<_> = expect.iter().map(|(code, words)| (*code, (*words).to_owned())).collect();
        assert_eq!(found, expect, "{list}\n{decided}");
    }

    #[test]
    fn operations_are_counted() {
        let decided = "[codes]\nX = 'm'\nY = 'm'\n".to_owned()
            + &exclude("a", "X")
            + &exclude("b", "Y")
            + &exclude("c", "X")
            + &offer("d", "")
            + &offer("e", "");
        let (coverage, findings) = of("a\nb\nc\nd\ne\nf", &decided);
        assert_eq!(findings, [Finding::Gap("f".to_owned())]);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let expect = Coverage {
            offered: BTreeMap::from([("t".to_owned(), names(&["d", "e"]))]),
            excluded: BTreeMap::from([("X".to_owned(), names(&["a", "c"])), ("Y".to_owned(), names(&["b"]))]),
            gaps: names(&["f"]),
        };
        assert_eq!(coverage, expect);
        let counts = (coverage.with_tool(), coverage.without(), coverage.offerable(), coverage.total());
        assert_eq!(counts, (2, 3, 3, 6));
    }

    #[test]
    fn what_does_not_add_up_is_found() {
        check("a", "", &[("gap", "`a` has neither a tool nor a reason")]);
        check("a", &(offer("a", "") + &offer("b", "")), &[("stale", "`b` is decided about and not there")]);
        check("a", &offer("a", "").repeat(2), &[("twice", "`a` is decided about twice")]);
        check("a", &exclude("a", "X"), &[("unknown_code", "`a`: the table has no code `X`")]);
        let other = offer("a", "").replace("'t'", "'u'");
        check("a | x", &other, &[("unknown_tool", "`a`: there is no tool `u`")]);
    }

    #[test]
    fn a_tool_takes_what_its_operation_requires() {
        check("a | id", &offer("a", ""), &[]);
        check(
            "a | x, id",
            &offer("a", ""),
            &[("missing_field", "`a` requires `x`, which `t` does not take")],
        );
        check("a | x", &offer("a", "renames = { x = 'id' }"), &[]);
        check(
            "a | x",
            &offer("a", "renames = { x = 'y' }"),
            &[("missing_field", "`a` requires `x`, which `t` does not take")],
        );
        check("a | x", &offer("a", "supplied = ['x']"), &[]);
        check("a | id", &offer("a", "supplied = ['x']"), &[("needless", "`a` does not require `x`")]);
        check("a", &offer("a", "renames = { x = 'id' }"), &[("needless", "`a` does not require `x`")]);
    }

    #[test]
    fn a_fixed_argument_is_one_that_the_tool_takes() {
        check("a", &offer("a", "fixed = { accion = 'ver', git = true, id = 7 }"), &[]);
        let wrong = |argument: &str| format!("`a`: `t` does not take this value for `{argument}`");
        check("a", &offer("a", "fixed = { accion = 'cerrar' }"), &[("wrong_value", &wrong("accion"))]);
        check("a", &offer("a", "fixed = { git = false }"), &[("wrong_value", &wrong("git"))]);
        check(
            "a",
            &offer("a", "fixed = { x = 1 }"),
            &[("unknown_argument", "`a`: `t` takes no argument `x`")],
        );
    }

    #[test]
    fn what_is_the_systems_is_not_counted() {
        let (coverage, findings) = of("a\nhealth", &format!("system = ['health']\n{}", offer("a", "")));
        assert_eq!((coverage.total(), findings), (1, vec![]));
        check(
            "a",
            &format!("system = ['health']\n{}", offer("a", "")),
            &[("stale", "`health` is decided about and not there")],
        );
        let both = format!("system = ['health']\n{}{}", offer("a", ""), offer("health", ""));
        check("a\nhealth", &both, &[("stale", "`health` is decided about and not there")]);
    }

    #[test]
    fn a_server_that_changes_its_list_is_found() {
        let with = |drift| Catalogue { drift: Some(drift), ..catalogue::read(TOOLS).expect("tools") };
        let postures = postures::read(&offer("a", "")).expect("postures");
        let found = |drift| judge(&surface("a"), &postures, &with(drift)).1;
        assert_eq!(found(Drift::Order), [Finding::UnstableOrder]);
        assert_eq!(found(Drift::Content), [Finding::UnstableTools]);
        let words = "asked again, the server lists its tools in another order";
        assert_eq!(
            (Finding::UnstableOrder.code(), Finding::UnstableOrder.to_string().as_str()),
            ("unstable_order", words)
        );
        let words = "asked again, the server lists other tools";
        assert_eq!(
            (Finding::UnstableTools.code(), Finding::UnstableTools.to_string().as_str()),
            ("unstable_tools", words)
        );
    }

    #[test]
    fn two_sources_are_held_against_each_other() {
        let found = contrast(&surface("a\nb"), &surface("b\nc\nd"));
        let found: Vec<_> = found.iter().map(|it| (it.code(), it.to_string())).collect();
        let expect = [
            ("only_here", "`a` is missing in the other source"),
            ("only_there", "`c` stands only in the other source"),
            ("only_there", "`d` stands only in the other source"),
        ];
        assert_eq!(found, expect.map(|(code, words)| (code, words.to_owned())));
        assert_eq!(contrast(&surface("a"), &surface("a | x")), []);
    }

    #[test]
    fn findings_go_by_kind_and_name() {
        let decided = offer("z", "") + &exclude("b", "X");
        let (_, findings) = of("b\nd\nc", &decided);
        let expect = [
            Finding::Gap("c".to_owned()),
            Finding::Gap("d".to_owned()),
            Finding::Stale("z".to_owned()),
            Finding::UnknownCode("b".to_owned(), "X".to_owned()),
        ];
        assert_eq!(findings, expect);
    }
}
