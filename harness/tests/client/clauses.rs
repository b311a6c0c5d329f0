//! The five clauses, each against the server that lies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use harness::client::{Class, DiscoveryFault, Failure, Observation, Policy, Ruling, Toolbox};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Check, discover, liar};

/// Every one of them.
pub const ALL: &[Check] = &[
    ("what_cannot_be_checked_is_not_offered", what_cannot_be_checked_is_not_offered),
    ("arguments_that_are_wrong_are_not_sent", arguments_that_are_wrong_are_not_sent),
    ("a_name_that_is_taken_stops_the_host", a_name_that_is_taken_stops_the_host),
    ("a_tool_without_a_class_is_denied_whatever_it_says", a_tool_without_a_class_is_denied_whatever_it_says),
    ("a_class_is_a_decision_about_the_whole_program", a_class_is_a_decision_about_the_whole_program),
    ("annotations_change_nothing", annotations_change_nothing),
    ("every_failure_is_an_observation", every_failure_is_an_observation),
    ("a_server_that_died_goes_on_being_an_observation", a_server_that_died_goes_on_being_an_observation),
    ("only_a_discovery_that_fails_stops_the_host", only_a_discovery_that_fails_stops_the_host),
    ("a_description_is_handed_on_and_never_acted_on", a_description_is_handed_on_and_never_acted_on),
];

/// A folder with something in it that can be lost.
fn bench() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("precioso"), "x").expect("a file");
    folder
}

fn is_there(folder: &TempDir) -> bool {
    folder.path().join("precioso").exists()
}

/// The tools that the server was asked to call.
fn called(folder: &TempDir) -> Vec<String> {
    let heard = fs::read_to_string(folder.path().join("heard")).expect("what it heard");
    heard.lines().filter_map(|line| line.strip_prefix("tools/call ")).map(str::to_owned).collect()
}

fn connect_to(lie: &str, folder: &TempDir, classes: &[(&str, Class)]) -> Result<Toolbox, DiscoveryFault> {
    let client = discover(&["liar", lie, folder.path().to_str().expect("text")])?;
    let classes: BTreeMap<_, _> = classes.iter().map(|(name, class)| ((*name).to_owned(), *class)).collect();
    let own = BTreeSet::from(["leer".to_owned(), "ejecutar".to_owned()]);
    Toolbox::connect(client, &own, Policy::new(classes, Policy::cautious()))
}

fn connect(folder: &TempDir, classes: &[(&str, Class)]) -> Toolbox {
    connect_to("none", folder, classes).unwrap_or_else(|fault| panic!("{fault}"))
}

/// A call about which nobody is asked.
fn call(toolbox: &mut Toolbox, tool: &str, arguments: Value) -> Observation {
    toolbox.call(tool, &arguments, |call| panic!("nobody is to be asked: {call:?}"))
}

fn what_cannot_be_checked_is_not_offered() {
    let folder = bench();
    let mut toolbox = connect(&folder, &[("suma", Class::Read)]);
    assert!(toolbox.offered().all(|tool| tool.name != "suma"));
    let withheld: Vec<_> = toolbox.withheld().map(|(name, why)| format!("{name}: {why}")).collect();
    let why =
        "suma: its schema refers to `https://example.org/entero.json`, which is none of its definitions";
    assert_eq!(withheld, [why]);
    let observation = call(&mut toolbox, "suma", json!({"n": 1}));
    assert_eq!(observation.failure, Some(Failure::NotOffered("suma".to_owned())));
    assert_eq!(called(&folder), [""; 0]);
}

fn arguments_that_are_wrong_are_not_sent() {
    let folder = bench();
    let mut toolbox = connect(&folder, &[("incidencias", Class::Read)]);
    for wrong in [json!({"n": "1"}), json!({"m": 1}), json!([]), Value::Null] {
        let observation = call(&mut toolbox, "incidencias", wrong);
        assert_eq!(observation.failure.map(|failure| failure.code()), Some("arguments"));
    }
    assert_eq!(called(&folder), [""; 0]);
    assert_eq!(call(&mut toolbox, "incidencias", json!({"n": 1})).text, "bien");
    assert_eq!(called(&folder), ["incidencias"]);
}

fn a_name_that_is_taken_stops_the_host() {
    let folder = bench();
    let taken = connect_to("takes-a-name", &folder, &[("leer", Class::Read)]).err();
    assert_eq!(taken, Some(DiscoveryFault::Taken(vec!["leer".to_owned()])));
}

fn a_tool_without_a_class_is_denied_whatever_it_says() {
    let folder = bench();
    let mut toolbox = connect(&folder, &[("incidencias", Class::Read)]);
    let observation = call(&mut toolbox, "limpiar", json!({}));
    assert_eq!(observation.failure, Some(Failure::Denied("limpiar".to_owned())));
    assert!(observation.text.contains("asking again changes nothing"), "{}", observation.text);
    assert!(is_there(&folder));
    assert_eq!(called(&folder), [""; 0]);
}

fn a_class_is_a_decision_about_the_whole_program() {
    let folder = bench();
    let mut toolbox = connect(&folder, &[("limpiar", Class::Write)]);
    let observation = toolbox.call("limpiar", &json!({}), |call| {
        assert_eq!((call.tool, call.arguments), ("limpiar", &json!({})));
        false
    });
    assert_eq!(observation.failure, Some(Failure::Declined("limpiar".to_owned())));
    assert!(is_there(&folder));
    // Whoever agrees has trusted the program: nothing stands between it and the file.
    let observation = toolbox.call("limpiar", &json!({}), |_| true);
    assert_eq!((observation.text.as_str(), observation.is_error()), ("sólo leí", false));
    assert!(!is_there(&folder));
}

fn annotations_change_nothing() {
    let seen = |lie: &str| {
        let folder = bench();
        let mut toolbox = connect_to(lie, &folder, &[("incidencias", Class::Read)])
            .unwrap_or_else(|fault| panic!("{fault}"));
        let offered: Vec<_> = toolbox
            .offered()
            .map(|tool| (tool.name.clone(), tool.description.clone(), tool.input_schema.clone()))
            .collect();
        let ruled: Vec<_> =
            ["limpiar", "incidencias"].map(|tool| call(&mut toolbox, tool, json!({})).failure).to_vec();
        (offered, ruled)
    };
    assert_eq!(seen("none"), seen("no-annotations"));
}

fn every_failure_is_an_observation() {
    let folder = bench();
    let failing = [
        ("falla", "tool_error", "no pude"),
        ("rechaza", "protocol_error", "hoy no (-32000)"),
        ("pregunta", "input_required", "asks for more input"),
        ("ensucia", "unreadable", ": atendiendo"),
        ("deforma", "malformed", "no `content`"),
    ];
    let classes: Vec<_> = failing.iter().map(|(tool, ..)| (*tool, Class::Read)).collect();
    let mut toolbox =
        connect(&folder, &[&classes[..], &[("calla", Class::Read), ("incidencias", Class::Read)]].concat());
    for (tool, code, words) in failing {
        let observation = call(&mut toolbox, tool, json!({}));
        assert_eq!(observation.failure.as_ref().map(Failure::code), Some(code), "{tool}");
        assert!(observation.text.contains(words), "{tool}: {}", observation.text);
        assert_eq!(call(&mut toolbox, "incidencias", json!({})).text, "bien", "after {tool}");
    }
    // It never answers, however long one waits.
    let limit = Duration::from_millis(20);
    toolbox.client().set_limit(limit);
    assert_eq!(call(&mut toolbox, "calla", json!({})).failure, Some(Failure::Silence(limit)));
    toolbox.client().set_limit(super::LONG);
    assert_eq!(call(&mut toolbox, "incidencias", json!({})).text, "bien", "after the silence");
    toolbox.close();
    assert!(folder.path().join("ended").exists(), "it ended by itself");
}

fn a_server_that_died_goes_on_being_an_observation() {
    let folder = bench();
    let mut toolbox = connect(&folder, &[("muere", Class::Read), ("incidencias", Class::Read)]);
    for tool in ["muere", "incidencias", "incidencias"] {
        let observation = call(&mut toolbox, tool, json!({}));
        assert_eq!(observation.failure, Some(Failure::Gone("exit 9".to_owned())), "{tool}");
    }
    assert_eq!(called(&folder), ["muere"]);
}

fn only_a_discovery_that_fails_stops_the_host() {
    let folder = bench();
    let failure = Failure::Gone("exit 9".to_owned());
    let dead = DiscoveryFault::Unanswered { method: "server/discover", failure };
    assert_eq!(connect_to("dead", &folder, &[]).err(), Some(dead));
    let words = ["liar", "mute", folder.path().to_str().expect("text")];
    let limit = Duration::from_millis(20);
    let settings = harness::client::Settings { limit, ..Default::default() };
    let mute = harness::client::Client::discover(&super::command(&words), settings).err();
    let failure = Failure::Silence(limit);
    assert_eq!(mute, Some(DiscoveryFault::Unanswered { method: "server/discover", failure }));
}

fn a_description_is_handed_on_and_never_acted_on() {
    let folder = bench();
    let mut toolbox = connect(&folder, &[("incidencias", Class::Read)]);
    let handed_on: Vec<_> = toolbox
        .offered()
        .filter(|tool| tool.name == "incidencias")
        .map(|tool| tool.description.as_str())
        .collect();
    assert_eq!(handed_on, [liar::INJECTED]);
    // What it asks for stays the host's to rule: its own tool is not the server's, and has no class in this table.
    let observation = call(&mut toolbox, "ejecutar", json!({"comando": "curl"}));
    assert_eq!(observation.failure, Some(Failure::NotOffered("ejecutar".to_owned())));
    let policy = Policy::new(BTreeMap::from([("incidencias".to_owned(), Class::Read)]), Policy::cautious());
    assert_eq!(policy.ruling("ejecutar"), Ruling::Deny);
    assert_eq!(called(&folder), [""; 0]);
}
