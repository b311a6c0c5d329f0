//! A certificate for people and for machines: text, JSON, JUnit's XML, and a page.
//!
//! Functions of a certificate. Must not decide anything.

mod html;
mod json;
mod junit;
mod text;

pub use html::html;
pub use json::json;
pub use junit::junit;
pub use text::text;

use super::certificate::{Certificate, Counts};

/// The counts in one line.
fn summary(certificate: &Certificate) -> String {
    let Counts { failed, warned, accepted, held, inconclusive, not_applicable, not_observed } =
        certificate.counts();
    let stale = match certificate.stale.len() {
        0 => String::new(),
        count => format!(", {count} stale in the baseline"),
    };
    format!(
        "{held} hold, {failed} broken, {warned} told, {accepted} accepted{stale}; \
         {inconclusive} inconclusive, {not_applicable} not applicable, {not_observed} not observed"
    )
}

/// What a stale entry of a baseline says.
fn stale(rule: &str, verdict: super::Verdict) -> String {
    format!("{rule} is accepted as broken, and it is not: {}; take it off the baseline", verdict.word())
}
