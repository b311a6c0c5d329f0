//! The checker over rounds that were never run: for every way to be green for nothing there is one, and it objects.

use std::fs;

use harness::gate::check::{Evidence, Objection, Purpose, objections};
use harness::gate::fingerprint::Fingerprints;
use harness::gate::replay::Kill;
use harness::gate::results::{Fate, Judged, Results};
use harness::gate::round::Round;
use serde_json::{Value, json};

/// A round on disk and everything it is held against; green until a test spoils it.
struct Scene {
    purpose: Purpose,
    listing: Vec<Value>,
    now: Vec<Value>,
    outcomes: Vec<Value>,
    logs: Vec<(String, String)>,
    version: &'static str,
    end_time: Option<&'static str>,
    conversations: Vec<String>,
    reviewed: Vec<String>,
    contract: Result<Results, String>,
    entries: Vec<String>,
    fingerprints: Fingerprints,
    idle: Vec<String>,
    untracked: Vec<String>,
}

const CAUGHT: &str = "server/src/a.rs:1:2: replace a with 0";
const UNVIABLE: &str = "server/src/a.rs:3:4: replace b with Default::default()";

fn fingerprints(server: &str) -> Fingerprints {
    Fingerprints { server: server.to_owned(), conversations: "c".to_owned(), mutants: "m".to_owned() }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn listed(name: &str) -> Value {
    let place = json!({"line": 1, "column": 2});
    json!({
        "name": name, "file": "server/src/a.rs", "genre": "FnValue", "replacement": "0", "package": "server",
        "diff": "", "function": null, "span": {"start": place, "end": place}
    })
}

fn outcome(scenario: Value, summary: &str, log_path: &str) -> Value {
    json!({
        "scenario": scenario, "summary": summary, "log_path": log_path, "diff_path": null,
        "phase_results": [{"phase": "Build", "duration": 0.5, "process_status": "Success", "argv": ["cargo", "test", "--profile=mutants", "--locked"]}]
    })
}

fn mutant(name: &str) -> Value {
    json!({"Mutant": listed(name)})
}

fn judged(id: &str) -> Judged {
    let kills = vec![Kill { conversation: "uno.conv".to_owned(), outcome: "mismatch".to_owned() }];
    Judged { id: id.to_owned(), fate: Fate::Killed, kills, detail: String::new(), millis: 1 }
}

impl Scene {
    fn green() -> Self {
        let fingerprints = fingerprints("s");
        let green = format!("{}\ntest uno.conv ... ok\ntest dos.conv ... ok\n", fingerprints.stamp());
        let red = "test uno.conv ... FAILED\ntest dos.conv ... ok\n\nfailures:\n\n---- uno.conv ----\nmismatch: a\n";
        Self {
            purpose: Purpose::Publish,
            listing: vec![listed(CAUGHT), listed(UNVIABLE)],
            now: vec![listed(CAUGHT), listed(UNVIABLE)],
            outcomes: vec![
                outcome(json!("Baseline"), "Success", "log/baseline.log"),
                outcome(mutant(CAUGHT), "CaughtMutant", "log/caught.log"),
                outcome(mutant(UNVIABLE), "Unviable", "log/unviable.log"),
            ],
            logs: vec![
                ("baseline".to_owned(), green),
                ("caught".to_owned(), red.to_owned()),
                ("unviable".to_owned(), "error: could not compile".to_owned()),
            ],
            version: "27.1.0",
            end_time: Some("2026-01-01T00:00:00Z"),
            conversations: strings(&["dos.conv", "uno.conv"]),
            reviewed: strings(&["server/src/a.rs: replace b with Default::default()"]),
            contract: Ok(Results {
                fingerprints: fingerprints.clone(),
                named_only: false,
                conversations: strings(&["dos.conv", "uno.conv"]),
                mutants: vec![judged("one"), judged("two")],
                millis: 2,
            }),
            entries: strings(&["one", "two"]),
            fingerprints,
            idle: Vec::new(),
            untracked: Vec::new(),
        }
    }

    fn read(&self) -> Result<Round, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("log")).unwrap();
        for (name, text) in &self.logs {
            fs::write(folder.path().join(format!("log/{name}.log")), text).unwrap();
        }
        let outcomes = json!({
            "outcomes": self.outcomes, "total_mutants": 2, "start_time": "2026-01-01T00:00:00Z",
            "end_time": self.end_time, "cargo_mutants_version": self.version
        });
        fs::write(folder.path().join("mutants.json"), json!(self.listing).to_string()).unwrap();
        fs::write(folder.path().join("outcomes.json"), outcomes.to_string()).unwrap();
        Round::read(folder.path())
    }

    fn objections(&self) -> Vec<Objection> {
        objections(&Evidence {
            purpose: self.purpose,
            round: &self.read().unwrap(),
            listing: &json!(self.now),
            conversations: &self.conversations,
            idle: &self.idle,
            reviewed: &self.reviewed,
            contract: self.contract.as_ref().map_err(String::as_str),
            entries: &self.entries,
            fingerprints: &self.fingerprints,
            untracked: &self.untracked,
        })
    }

    fn log(&mut self, name: &str, text: &str) {
        let log = self.logs.iter_mut().find(|(known, _)| known == name).unwrap();
        text.clone_into(&mut log.1);
    }

    fn summary(&mut self, index: usize, summary: &str) {
        self.outcomes[index]["summary"] = json!(summary);
    }

    fn contract(&mut self) -> &mut Results {
        self.contract.as_mut().unwrap()
    }
}

/// Spoils a green scene and expects exactly these objections.
fn check(spoil: impl FnOnce(&mut Scene), expect: &[Objection]) {
    let mut scene = Scene::green();
    spoil(&mut scene);
    let found = scene.objections();
    assert_eq!(found, expect);
    assert!(found.iter().all(|objection| !objection.to_string().is_empty()));
}

#[test]
fn a_round_that_shows_what_it_says_is_green() {
    check(|_| {}, &[]);
}

#[test]
fn another_tool_or_half_a_round_is_not_believed() {
    check(|scene| scene.version = "27.0.0", &[Objection::OtherVersion("27.0.0".to_owned())]);
    check(|scene| scene.end_time = None, &[Objection::BrokenOff]);
}

#[test]
fn a_round_without_a_green_baseline_is_not_believed() {
    check(|scene| drop(scene.outcomes.remove(0)), &[Objection::NoBaseline]);
    check(|scene| scene.summary(0, "Failure"), &[Objection::BaselineNotGreen("Failure".to_owned())]);
}

#[test]
fn a_round_without_its_configuration_is_not_believed() {
    for bare in [json!(["cargo", "test", "--locked"]), json!(["cargo", "test", "--profile=mutants"])] {
        check(|scene| scene.outcomes[0]["phase_results"][0]["argv"] = bare, &[Objection::NotConfigured]);
    }
}

#[test]
fn a_baseline_has_to_run_every_conversation() {
    let stamped = |rest: &str| format!("{}\n{rest}", fingerprints("s").stamp());
    let absent = |name: &str| Objection::NotInBaseline(name.to_owned());
    // The wiring without a test target: everything "succeeds", nothing runs.
    check(
        |scene| scene.log("baseline", &stamped("running 0 tests\n")),
        &[absent("dos.conv"), absent("uno.conv")],
    );
    check(|scene| scene.log("baseline", &stamped("test uno.conv ... ok\n")), &[absent("dos.conv")]);
    for word in ["ignored, needs python3", "FAILED"] {
        let log = stamped(&format!("test uno.conv ... ok\ntest dos.conv ... {word}\n"));
        check(|scene| scene.log("baseline", &log), &[absent("dos.conv")]);
    }
    check(
        |scene| scene.conversations.clear(),
        &[Objection::NoConversation, Objection::KillWithoutConversation(CAUGHT.to_owned())],
    );
}

#[test]
fn a_round_over_other_sources_is_not_believed() {
    check(
        |scene| scene.log("baseline", "test uno.conv ... ok\ntest dos.conv ... ok\n"),
        &[Objection::BaselineOfOtherSources],
    );
    check(
        |scene| {
            scene.fingerprints = fingerprints("edited");
            scene.contract().fingerprints = fingerprints("edited");
        },
        &[Objection::BaselineOfOtherSources],
    );
    check(|scene| scene.now.push(listed("server/src/b.rs:1:1: new")), &[Objection::StaleList]);
    check(|scene| scene.now[0]["diff"] = json!("other"), &[Objection::StaleList]);
}

#[test]
fn every_listed_mutant_needs_one_verdict() {
    check(|scene| drop(scene.outcomes.remove(1)), &[Objection::NoVerdict(CAUGHT.to_owned())]);
    check(
        |scene| {
            let twice = scene.outcomes[1].clone();
            scene.outcomes.push(twice);
        },
        &[Objection::UnaskedVerdict(CAUGHT.to_owned())],
    );
    check(
        |scene| {
            scene.listing.clear();
            scene.now.clear();
        },
        &[
            Objection::NoMutant,
            Objection::UnaskedVerdict(CAUGHT.to_owned()),
            Objection::UnaskedVerdict(UNVIABLE.to_owned()),
        ],
    );
}

#[test]
fn only_caught_and_reviewed_unviable_are_verdicts_to_pass_with() {
    check(|scene| scene.summary(1, "MissedMutant"), &[Objection::Missed(CAUGHT.to_owned())]);
    check(|scene| scene.summary(1, "Timeout"), &[Objection::TimedOut(CAUGHT.to_owned())]);
    check(
        |scene| scene.summary(1, "Success"),
        &[Objection::UnknownSummary(CAUGHT.to_owned(), "Success".to_owned())],
    );
}

#[test]
fn a_kill_needs_a_conversation_that_failed_over_a_running_server() {
    let without = [Objection::KillWithoutConversation(CAUGHT.to_owned())];
    check(|scene| scene.log("caught", "error: could not compile `server`\n"), &without);
    check(|scene| scene.log("caught", "test uno.conv ... ok\ntest dos.conv ... ok\n"), &without);
    check(|scene| scene.log("caught", "test unit::of_the_server ... FAILED\n"), &without);
    for words in
        ["harness error: it could not be started", "bad fixture: line 3", "not applicable: no python3", ""]
    {
        let log = format!(
            "test uno.conv ... FAILED\ntest dos.conv ... ok\n\nfailures:\n\n---- uno.conv ----\n{words}\n\nfailures:\n"
        );
        check(|scene| scene.log("caught", &log), &[Objection::VoidKill(CAUGHT.to_owned())]);
    }
}

#[test]
fn the_unviable_mutants_are_the_reviewed_ones_wherever_they_stand() {
    let name = "server/src/a.rs: replace b with Default::default()";
    check(|scene| scene.reviewed.clear(), &[Objection::UnviableNotReviewed(name.to_owned())]);
    check(|scene| scene.reviewed.push(name.to_owned()), &[Objection::ReviewedButViable(name.to_owned())]);
    check(
        |scene| scene.reviewed = strings(&["server/src/a.rs: gone"]),
        &[
            Objection::ReviewedButViable("server/src/a.rs: gone".to_owned()),
            Objection::UnviableNotReviewed(name.to_owned()),
        ],
    );
    check(
        |scene| {
            let moved = "server/src/a.rs:99:1: replace b with Default::default()";
            scene.listing[1] = listed(moved);
            scene.now[1] = listed(moved);
            scene.outcomes[2]["scenario"] = mutant(moved);
        },
        &[],
    );
}

#[test]
fn the_contract_mutants_have_to_be_run_whole_here_and_green() {
    check(
        |scene| scene.contract = Err("no file".to_owned()),
        &[Objection::NoContractRun("no file".to_owned())],
    );
    check(|scene| scene.contract().fingerprints = fingerprints("old"), &[Objection::StaleContractRun]);
    check(|scene| scene.contract().mutants.clear(), &[Objection::OtherContractMutants]);
    check(|scene| scene.entries.push("three".to_owned()), &[Objection::OtherContractMutants]);
    check(|scene| drop(scene.entries.pop()), &[Objection::OtherContractMutants]);
    for fate in [Fate::Survived, Fate::OtherKillers, Fate::Stale, Fate::Unviable, Fate::Void] {
        let expect = [Objection::ContractMutant("two".to_owned(), fate, "why".to_owned())];
        check(
            |scene| {
                scene.contract().mutants[1].fate = fate;
                "why".clone_into(&mut scene.contract().mutants[1].detail);
            },
            &expect,
        );
    }
}

#[test]
fn idle_conversations_and_untracked_files_are_named() {
    check(|scene| scene.idle = strings(&["uno.conv"]), &[Objection::Idle("uno.conv".to_owned())]);
    check(|scene| scene.untracked = strings(&["x"]), &[Objection::Untracked("x".to_owned())]);
}

#[test]
fn a_part_of_a_round_answers_for_itself_alone() {
    let part = |spoil: fn(&mut Scene), expect: &[Objection]| {
        check(
            |scene| {
                scene.purpose = Purpose::Part;
                spoil(scene);
            },
            expect,
        );
    };
    part(|scene| scene.now.push(listed("server/src/b.rs:1:1: another part")), &[]);
    part(|scene| scene.contract = Err("not run".to_owned()), &[]);
    part(|scene| scene.idle = strings(&["uno.conv"]), &[]);
    part(|scene| scene.reviewed.push("server/src/b.rs: in another part".to_owned()), &[]);
    part(|scene| drop(scene.now.remove(0)), &[Objection::StaleList]);
    part(|scene| scene.summary(1, "MissedMutant"), &[Objection::Missed(CAUGHT.to_owned())]);
    part(
        |scene| scene.reviewed.clear(),
        &[Objection::UnviableNotReviewed("server/src/a.rs: replace b with Default::default()".to_owned())],
    );
}

#[test]
fn a_score_is_not_taken_from_a_round_that_was_cut_short() {
    let cut = "test uno.conv ... FAILED\ntest dos.conv ... FAILED\n\nfailures:\n\n---- uno.conv ----\nmismatch: a\n\n\
               ---- dos.conv ----\nharness error: not run, for enough conversations had failed\n";
    check(|scene| scene.log("caught", cut), &[Objection::CutShort]);
    check(|scene| scene.contract().named_only = true, &[Objection::CutShort]);
    check(
        |scene| {
            scene.purpose = Purpose::Compare;
            scene.log("caught", cut);
            scene.contract().named_only = true;
            scene.idle = strings(&["dos.conv"]);
        },
        &[],
    );
    check(
        |scene| {
            scene.purpose = Purpose::Compare;
            scene.contract = Err("not run".to_owned());
        },
        &[Objection::NoContractRun("not run".to_owned())],
    );
}

#[test]
fn a_folder_that_is_no_round_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Round::read(folder.path()).unwrap_err().contains("mutants.json"));
    let mut scene = Scene::green();
    scene.logs.remove(1);
    assert!(scene.read().unwrap_err().contains("caught.log"));
    scene = Scene::green();
    scene.outcomes[0]["scenario"] = json!("Other");
    assert!(scene.read().is_err());
}
