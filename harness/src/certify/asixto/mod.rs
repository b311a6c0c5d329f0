//! The gateway's tool contract: what it asks of methods, definitions, metadata and answers.
//!
//! Owns the order of its probes. What other pages of the contract list is never invented: it is a parameter.

mod answers;
mod definition;
mod parameters;
mod words;

use std::io;

use serde_json::json;

use super::bench::Bench;
use super::rule::Rule;
use super::table;

pub use parameters::{Expects, Named, Parameters};

const TABLE: &str = include_str!("rules.md");

/// The rules, in the order of a report.
#[must_use]
pub fn rules() -> Vec<Rule> {
    table::read(TABLE, 0)
}

/// Runs every probe.
///
/// # Errors
/// The server cannot be started or reached, or the machine fails.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    if !discovered(bench)? || !listed(bench)? {
        return Ok(());
    }
    if !bench.is_stdio() {
        bench.notes.holds("AX-TRA-3", "every request went with both headers, and was served");
        if bench.endpoint()?.is_secure() {
            bench.notes.holds("AX-TRA-1", "one endpoint over HTTPS, and its certificate is trusted");
        } else {
            bench
                .notes
                .open("AX-TRA-1", "it was reached on this machine; what stands before it was not seen");
        }
    }
    let tools = bench.tools.clone();
    definition::judge(&tools, bench.options.parameters.as_ref(), &mut bench.notes);
    answers::probe(bench)
}

fn discovered(bench: &mut Bench<'_>) -> io::Result<bool> {
    let mut talk = bench.bare()?;
    let reply = talk.ask("server/discover", json!({}));
    let result = reply.result().cloned().unwrap_or_default();
    let server = &result["_meta"][super::era::SERVER_KEY]["name"];
    let whole =
        result["supportedVersions"].is_array() && result["capabilities"].is_object() && server.is_string();
    let what = if whole { "it says its versions, capabilities and name".to_owned() } else { reply.told() };
    bench.notes.judge("AX-MET-1", whole, format!("server/discover: {what}"), || reply.lines.clone());
    bench.identity = server.as_str().map(ToOwned::to_owned);
    bench.capabilities = result["capabilities"].clone();
    bench.close(talk)?;
    Ok(reply.result().is_some())
}

/// The tools, asked for without anything before it, once more, and in another process.
fn listed(bench: &mut Bench<'_>) -> io::Result<bool> {
    let mut orders = Vec::new();
    for times in [2, 1] {
        let mut talk = bench.bare()?;
        for _ in 0..times {
            let reply = talk.ask("tools/list", json!({}));
            let tools = reply.result().and_then(|result| result["tools"].as_array()).cloned();
            let what = format!("tools/list before anything else: {}", reply.told());
            for rule in ["AX-MET-2", "AX-TRA-2"] {
                bench.notes.judge(rule, tools.is_some(), &what, || reply.lines.clone());
            }
            if let Some(tools) = tools {
                orders.push(tools.iter().map(|tool| tool["name"].to_string()).collect::<Vec<_>>());
                bench.tools = tools;
            }
        }
        bench.close(talk)?;
    }
    let Some(first) = orders.first() else { return Ok(false) };
    let same = orders.iter().all(|order| order == first);
    let what = if same { "the same order each time" } else { "another order another time" };
    bench.notes.judge("AX-TRA-5", same, what, Vec::new);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_a_rule() {
        assert_eq!(table::fault(TABLE, 1), None);
        let rows = TABLE.lines().filter(|line| line.starts_with("| AX-")).count();
        assert_eq!(rules().len(), rows);
    }
}
