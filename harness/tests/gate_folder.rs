//! The workspace's own gate: its entries still fit the sources, and its published score is of what lies here.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use harness::gate::contract::{Kind, read_folder};
use harness::gate::corpus;
use harness::gate::fingerprint::Fingerprints;
use harness::gate::matrix::MATRIX;
use harness::gate::scoreboard::{SCOREBOARD, is_current};

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_contract_mutant_fits_the_sources_and_names_conversations() {
    let conversations: BTreeSet<_> =
        corpus::recorded(&workspace()).unwrap().into_iter().map(|recorded| recorded.name).collect();
    let mut faults = Vec::new();
    for mutant in read_folder(&workspace().join("mutantes")).unwrap() {
        match fs::read_to_string(workspace().join(&mutant.file)) {
            Err(error) => faults.push(format!("{}: {}: {error}", mutant.id, mutant.file)),
            Ok(source) => faults.extend(
                mutant
                    .locate(&source)
                    .err()
                    .map(|times| format!("{}: its text stands {times} times in {}", mutant.id, mutant.file)),
            ),
        }
        let absent = mutant.killers.iter().filter(|killer| !conversations.contains(*killer));
        faults.extend(absent.map(|killer| format!("{}: no conversation {killer}", mutant.id)));
    }
    assert!(faults.is_empty(), "stale entries; see docs/gate.md\n{}", faults.join("\n"));
}

#[test]
fn every_kind_of_lie_that_the_contract_names_is_told_by_some_mutant() {
    let mutants = read_folder(&workspace().join("mutantes")).unwrap();
    let told: BTreeSet<_> = mutants.iter().map(|mutant| mutant.kind).collect();
    let named: BTreeSet<_> = Kind::ALL.into_iter().collect();
    assert_eq!(told, named);
    assert!(mutants.len() >= 40, "{}", mutants.len());
}

#[test]
fn the_configuration_of_the_rounds_says_what_the_checker_relies_on() {
    let path = workspace().join(".cargo/mutants.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}: without it a round is slower and less strict; see docs/gate.md", path.display())
    });
    let settings: toml::Table = text.parse().unwrap();
    let wanted: toml::Table = r#"
        profile = "mutants"
        additional_cargo_args = ["--locked"]
        examine_globs = ["server/src/**/*.rs"]
        cap_lints = true
    "#
    .parse()
    .unwrap();
    for (name, value) in &wanted {
        assert_eq!(settings.get(name), Some(value), "{name}");
    }
    for trap in ["test_package", "test_workspace", "exclude_globs", "exclude_re", "skip_calls"] {
        assert!(!settings.contains_key(trap), "{trap} makes a round green for nothing");
    }
}

#[test]
fn the_published_score_is_of_what_lies_here() {
    let fingerprints = Fingerprints::take(&workspace()).unwrap();
    for page in [SCOREBOARD, MATRIX] {
        let text = fs::read_to_string(workspace().join(page)).unwrap();
        assert!(
            is_current(&text, &fingerprints),
            "{page} was taken on other sources: run ci/mutantes and ci/gate, and commit what they write"
        );
    }
}
