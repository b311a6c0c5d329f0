//! The published score and the fingerprints that pin it to what it was taken on.
//!
//! Owns the page `mutantes/marcador.md`. It holds no times: two green rounds over the same sources write the same page.

use std::fmt::Write;

use super::CARGO_MUTANTS_VERSION;
use super::fingerprint::Fingerprints;

/// Where the page lies, relative to the workspace.
pub const SCOREBOARD: &str = "mutantes/marcador.md";

/// What a green round came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// What it was taken on.
    pub fingerprints: Fingerprints,
    /// How many conversations there are.
    pub conversations: usize,
    /// How many mutants of cargo-mutants some conversation noticed.
    pub caught: usize,
    /// How many of them do not compile, each reviewed.
    pub unviable: usize,
    /// How many contract mutants were killed as their entries say.
    pub contract: usize,
}

impl Score {
    /// The page.
    #[must_use]
    pub fn render(&self) -> String {
        let Self { fingerprints, conversations, caught, unviable, contract } = self;
        let mut page = String::from("# Score\n\n");
        page.push_str(
            "Written by `cargo run -p harness -- gate check` after a green round, and by nothing else.\n",
        );
        page.push_str(
            "A test fails when what it was taken on is no longer what lies here; see `docs/gate.md`.\n\n",
        );
        page.push_str(&taken_on(fingerprints));
        page.push_str("\n| | total | caught | missed | timed out | unviable, reviewed |\n|---|---:|---:|---:|---:|---:|\n");
        let total = caught + unviable;
        // Writing into a string cannot fail.
        let _ = writeln!(
            page,
            "| mutants of cargo-mutants {CARGO_MUTANTS_VERSION} | {total} | {caught} | 0 | 0 | {unviable} |"
        );
        let _ = writeln!(page, "| contract mutants | {contract} | {contract} | 0 | 0 | 0 |");
        let _ = writeln!(page, "\nConversations: {conversations}.");
        page
    }
}

/// The rows that say what a page was taken on.
#[must_use]
pub fn taken_on(fingerprints: &Fingerprints) -> String {
    let Fingerprints { server, conversations, mutants } = fingerprints;
    format!(
        "| taken on | SHA-256 |\n|---|---|\n| `server/src` | `{server}` |\n\
         | `conversaciones` | `{conversations}` |\n| `mutantes/*.toml` | `{mutants}` |\n"
    )
}

/// Whether a page was taken on what these fingerprints say.
#[must_use]
pub fn is_current(page: &str, fingerprints: &Fingerprints) -> bool {
    page.replace("\r\n", "\n").contains(&taken_on(fingerprints))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprints(server: &str) -> Fingerprints {
        Fingerprints { server: server.into(), conversations: "2".into(), mutants: "3".into() }
    }

    #[test]
    fn a_page_is_current_for_its_own_fingerprints_only() {
        let score = Score {
            fingerprints: fingerprints("1"),
            conversations: 63,
            caught: 400,
            unviable: 12,
            contract: 44,
        };
        let page = score.render();
        assert!(is_current(&page, &fingerprints("1")));
        assert!(is_current(&page.replace('\n', "\r\n"), &fingerprints("1")));
        assert!(!is_current(&page, &fingerprints("0")));
        assert!(page.contains("| mutants of cargo-mutants 27.1.0 | 412 | 400 | 0 | 0 | 12 |"), "{page}");
        assert!(page.contains("| contract mutants | 44 | 44 | 0 | 0 | 0 |"), "{page}");
    }
}
