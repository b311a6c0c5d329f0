//! The report as one JSON object.

use serde_json::{Value, json};

use super::super::certificate::{Certificate, Counts, Judged};

/// The report as a JSON value.
#[must_use]
pub fn json(certificate: &Certificate) -> Value {
    let Counts { failed, warned, accepted, held, inconclusive, not_applicable, not_observed } =
        certificate.counts();
    let stale: Vec<_> = certificate
        .stale
        .iter()
        .map(|(rule, verdict)| json!({"rule": rule, "verdict": verdict.word()}))
        .collect();
    json!({
        "profile": certificate.profile.name(),
        "server": certificate.server,
        "identity": certificate.identity,
        "green": certificate.is_green(),
        "strict": certificate.strict,
        "summary": {
            "held": held, "broken": failed, "told": warned, "accepted": accepted, "inconclusive": inconclusive,
            "not_applicable": not_applicable, "not_observed": not_observed, "stale": stale.len(),
        },
        "stale": stale,
        "rules": certificate.rules.iter().map(|judged| rule(judged, certificate.strict)).collect::<Vec<_>>(),
    })
}

fn rule(judged: &Judged, strict: bool) -> Value {
    let notes: Vec<_> =
        judged.notes.iter().map(|note| json!({"what": note.what, "lines": note.lines})).collect();
    json!({
        "rule": judged.rule.id,
        "level": judged.rule.level.word(),
        "source": judged.rule.source,
        "says": judged.rule.says,
        "verdict": judged.verdict.word(),
        "red": judged.is_red(strict),
        "accepted": judged.accepted,
        "notes": notes,
    })
}
