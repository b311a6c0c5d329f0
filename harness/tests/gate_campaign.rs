//! The runner of contract mutants over a small workspace: what dies, what lives, and what makes a run worth nothing.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::gate::campaign::{Campaign, Event, Finished};
use harness::gate::contract::{ContractMutant, read_entries, read_folder};
use harness::gate::replay::{Replay, Replayed, Verdict, Which};
use harness::gate::results::{Fate, Results};
use harness::gate::verbs::{ContractArgs, Exit, Streams, contract};
use harness::suite::Built;
use tempfile::TempDir;

/// Replays the fixture's two-line conversations.
struct TwoLines;

impl Replay for TwoLines {
    fn replay(&self, workspace: &Path, server: &Built, which: Which<'_>) -> Result<Vec<Replayed>, String> {
        let mut files: Vec<PathBuf> = fs::read_dir(workspace.join("conversaciones"))
            .map_err(|error| error.to_string())?
            .filter_map(|item| item.ok().map(|item| item.path()))
            .collect();
        files.sort();
        let name = |file: &Path| file.file_stem().unwrap().to_string_lossy().into_owned();
        if let Which::Only(names) = which {
            files.retain(|file| names.contains(&name(file)));
        }
        let replayed = files.iter().map(|file| Replayed {
            conversation: name(file),
            verdict: two_lines(&fs::read_to_string(file).unwrap(), &server.executable),
        });
        Ok(replayed.collect())
    }
}

fn two_lines(conversation: &str, executable: &Path) -> Verdict {
    let (sent, expected) = conversation.split_once('\n').unwrap();
    let started = Command::new(executable).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut server) = started else { return Verdict::Void("harness error".to_owned()) };
    writeln!(server.stdin.take().unwrap(), "{sent}").unwrap();
    let output = server.wait_with_output().unwrap();
    if output.stdout == expected.as_bytes() {
        Verdict::Passed
    } else {
        Verdict::Failed("mismatch".to_owned())
    }
}

/// The fixture under its real names, in a folder that can be spoilt.
fn workspace() -> TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gate");
    let folder = tempfile::tempdir().unwrap();
    copy(&from, folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    for item in fs::read_dir(from).unwrap() {
        let item = item.unwrap();
        let name = item.file_name().to_string_lossy().into_owned();
        let target = to.join(name.strip_suffix(".fixture").unwrap_or(&name));
        if item.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&item.path(), &target);
        } else {
            fs::copy(item.path(), &target).unwrap();
        }
    }
}

fn run(workspace: &Path, mutants: &[ContractMutant], jobs: usize) -> Result<Finished, String> {
    Campaign { workspace, replay: &TwoLines, named_only: false, jobs }.run(mutants, &mut |_| {})
}

fn mutant(id: &str, find: &str, replace: &str, killers: &str) -> ContractMutant {
    let text = format!(
        "[[mutant]]\nid = '{id}'\nkind = 'estado'\nfile = 'server/src/main.rs'\nfind = '''{find}'''\n\
         replace = '''{replace}'''\nsentence = 's'\nkillers = [{killers}]\n"
    );
    read_entries(&text).unwrap().remove(0)
}

#[test]
fn a_run_names_every_killer_and_leaves_the_workspace_alone() {
    let folder = workspace();
    let mutants = read_folder(&folder.path().join("mutantes")).unwrap();
    let source = fs::read(folder.path().join("server/src/main.rs")).unwrap();
    let mut baselines = Vec::new();
    let mut seen = Vec::new();
    let campaign = Campaign { workspace: folder.path(), replay: &TwoLines, named_only: false, jobs: 2 };
    let finished = campaign
        .run(&mutants, &mut |event| match event {
            Event::Baseline(conversations) => baselines.push(conversations),
            Event::Judged { done, total, .. } => seen.push((done, total)),
        })
        .unwrap();
    assert_eq!(finished.conversations, ["green", "none", "red"]);
    let killers: Vec<Vec<_>> = finished
        .judged
        .iter()
        .map(|judged| judged.kills.iter().map(|kill| kill.conversation.as_str()).collect())
        .collect();
    assert_eq!(killers, [vec!["none"], vec!["none", "red"]]);
    assert!(finished.judged.iter().all(|judged| judged.fate == Fate::Killed));
    assert_eq!((baselines, seen), (vec![3, 3], vec![(1, 2), (2, 2)]));
    assert_eq!(fs::read(folder.path().join("server/src/main.rs")).unwrap(), source);
    assert!(!folder.path().join("target").exists());
}

#[test]
fn every_way_not_to_be_killed_has_its_fate() {
    let folder = workspace();
    let mutants = [
        mutant("alive", "value if value < 0", "value if value < -2", "'none'"),
        mutant("no-change", "//! Answers", "//! Replies to", "'none'"),
        mutant("others", "\"verde\"", "\"rojo\"", "'green', 'red'"),
        mutant("gone", "\"azul\"", "\"rojo\"", "'green'"),
        mutant("twice", "sin_evidencia", "rojo", "'none'"),
        mutant("unviable", "\"verde\"", "7", "'green'"),
        mutant("killed", "\"verde\"", "\"rojo\"", "'green'"),
    ];
    let finished = run(folder.path(), &mutants, 1).unwrap();
    let expect = [
        ("alive", Fate::Survived, "not noticed by none"),
        ("no-change", Fate::Survived, "not noticed by none; its binary is the one without it"),
        ("others", Fate::OtherKillers, "not noticed by red"),
        ("gone", Fate::Stale, "0 times"),
        ("twice", Fate::Stale, "2 times"),
        ("unviable", Fate::Unviable, "mismatched types"),
        ("killed", Fate::Killed, ""),
    ];
    for (judged, (id, fate, detail)) in finished.judged.iter().zip(expect) {
        assert_eq!((judged.id.as_str(), judged.fate), (id, fate), "{judged:?}");
        assert!(judged.detail.contains(detail), "{judged:?}");
    }
}

#[test]
fn a_mutant_may_be_shown_to_those_it_names_alone_and_to_all_if_one_of_them_is_blind() {
    let folder = workspace();
    let mutants = [
        mutant("enough", "numbers.iter().sum()", "numbers.iter().skip(1).sum()", "'red'"),
        mutant("blind", "numbers.iter().sum()", "numbers.iter().skip(1).sum()", "'green', 'red'"),
    ];
    let campaign = Campaign { workspace: folder.path(), replay: &TwoLines, named_only: true, jobs: 1 };
    let judged = campaign.run(&mutants, &mut |_| {}).unwrap().judged;
    let found: Vec<_> = judged
        .iter()
        .map(|judged| (judged.fate, judged.kills.iter().map(|kill| kill.conversation.as_str()).collect()))
        .collect();
    assert_eq!(found, [(Fate::Killed, vec!["red"]), (Fate::OtherKillers, vec!["none", "red"])]);
}

#[test]
fn a_run_without_a_green_baseline_is_no_run() {
    let mutants = [mutant("killed", "\"verde\"", "\"rojo\"", "'green'")];
    type Spoil = fn(&Path);
    let spoils: [(&str, Spoil, &str); 4] = [
        (
            "a spoilt answer",
            |root| fs::write(root.join("conversaciones/red.txt"), "3 2\n5 verde\n").unwrap(),
            "red",
        ),
        (
            "no conversation",
            |root| {
                fs::remove_dir_all(root.join("conversaciones")).unwrap();
                fs::create_dir(root.join("conversaciones")).unwrap();
            },
            "it ran no conversation",
        ),
        (
            "a killer that is gone",
            |root| fs::remove_file(root.join("conversaciones/green.txt")).unwrap(),
            "green",
        ),
        (
            "no server",
            |root| fs::write(root.join("server/src/main.rs"), "fn main() { x }").unwrap(),
            "compile",
        ),
    ];
    for (what, spoil, expect) in spoils {
        let folder = workspace();
        spoil(folder.path());
        let error = run(folder.path(), &mutants, 1).unwrap_err();
        assert!(error.contains(expect), "{what}: {error}");
    }
}

#[test]
fn a_server_that_cannot_be_started_kills_nothing() {
    /// Green over the first build, void over every other.
    struct Vanishing(std::sync::atomic::AtomicUsize);
    impl Replay for Vanishing {
        fn replay(
            &self,
            workspace: &Path,
            server: &Built,
            which: Which<'_>,
        ) -> Result<Vec<Replayed>, String> {
            let turn = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let mut server = server.clone();
            if turn == 1 {
                server.executable.set_extension("gone");
            }
            TwoLines.replay(workspace, &server, which)
        }
    }
    let folder = workspace();
    let replay = Vanishing(std::sync::atomic::AtomicUsize::new(0));
    let campaign = Campaign { workspace: folder.path(), replay: &replay, named_only: false, jobs: 1 };
    let mutants = [mutant("killed", "\"verde\"", "\"rojo\"", "'green'")];
    let finished = campaign.run(&mutants, &mut |_| {}).unwrap();
    assert_eq!(finished.judged[0].fate, Fate::Void);
}

/// Runs the verb; its exit code and what it printed.
fn verb(workspace: &Path, only: &[&str], json: bool) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args =
        ContractArgs { only: only.iter().map(|id| (*id).to_owned()).collect(), named: false, jobs: 1, json };
    let mut streams = Streams { out: &mut out, err: &mut err, terminal: false };
    let exit = contract(workspace, &args, &TwoLines, &mut streams);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn the_verb_keeps_the_results_of_a_whole_run_alone() {
    let folder = workspace();
    let (exit, out, err) = verb(folder.path(), &["suma-de-menos"], false);
    assert_eq!(exit, Exit::Green, "{err}");
    assert!(out.ends_with("1 killed, 0 not\n"), "{out}");
    assert!(Results::read(folder.path()).is_err());
    let (exit, out, err) = verb(folder.path(), &[], true);
    assert_eq!(exit, Exit::Green, "{err}");
    let kept = Results::read(folder.path()).unwrap();
    assert_eq!(serde_json::from_str::<Results>(&out).unwrap(), kept);
    assert!(kept.green());
    let (exit, _, err) = verb(folder.path(), &["absent"], false);
    assert_eq!(exit, Exit::Void);
    assert!(err.contains("no contract mutant \"absent\""), "{err}");
}

#[test]
fn the_verb_tells_a_survivor_from_an_entry_that_shows_nothing() {
    let folder = workspace();
    let entries = folder.path().join("mutantes/contract.toml");
    let text = fs::read_to_string(&entries).unwrap();
    for (from, to, expect, word) in [
        ("value < 0 => \"rojo\"", "value <= -1 => \"sin_evidencia\"", Exit::Red, "SURVIVED"),
        ("[\"none\"]", "[\"none\", \"red\"]", Exit::Red, "OTHER KILLERS"),
        ("find = 'value < 0", "find = 'value < 7", Exit::Void, "STALE"),
        ("replace = 'value < 0", "replace = 'valor < 0", Exit::Void, "DOES NOT COMPILE"),
    ] {
        fs::write(&entries, text.replacen(from, to, 1)).unwrap();
        let (exit, out, err) = verb(folder.path(), &["sin-evidencia-rojo"], false);
        assert_eq!(exit, expect, "{out}{err}");
        assert!(out.contains(word) && out.contains("--only sin-evidencia-rojo"), "{out}");
    }
}

#[test]
fn a_run_that_breaks_off_leaves_no_results_behind() {
    let folder = workspace();
    assert_eq!(verb(folder.path(), &[], false).0, Exit::Green);
    fs::write(folder.path().join("conversaciones/red.txt"), "3 2\n5 verde\n").unwrap();
    assert_eq!(verb(folder.path(), &[], false).0, Exit::Void);
    assert!(Results::read(folder.path()).is_err());
}
