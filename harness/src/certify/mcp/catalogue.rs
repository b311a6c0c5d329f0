//! `tools/list`: pages, definitions, and whether the list stays the same.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::definitions;
use super::super::era::Era;
use super::super::talk::{Reply, Talk};

/// How many pages are asked for; a list that never ends is stopped here.
const PAGES: usize = 50;

/// Lists the tools and holds them to the rules of definitions.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    if bench.has("tools") {
        let tools = list(bench, &mut talk);
        bench.notes.holds("TOOL-1", "tools are declared");
        if let Some(tools) = tools {
            definitions::judge(&tools, bench.era, &mut bench.notes);
            bench.tools = tools;
            again(bench, &mut talk);
        }
    } else {
        undeclared(bench, &mut talk);
    }
    bench.close(talk)?;
    if bench.era == Era::Modern && bench.has("tools") {
        let mut other = bench.open()?;
        if let Some(tools) = list(bench, &mut other) {
            same(bench, &tools, "in another process");
        }
        bench.close(other)?;
    }
    Ok(())
}

/// All pages of the list; none where a page is none.
fn list(bench: &mut Bench<'_>, talk: &mut Talk) -> Option<Vec<Value>> {
    let mut tools = Vec::new();
    let mut scopes: Vec<Value> = Vec::new();
    let mut cursor: Option<Value> = None;
    for _ in 0..PAGES {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let reply = talk.ask("tools/list", params);
        if !bench.answered(&reply) {
            return None;
        }
        let page = reply.result().and_then(|result| result["tools"].as_array());
        let what = format!("tools/list: {}", if page.is_some() { "a list".to_owned() } else { reply.told() });
        bench.notes.judge("TOOL-4", page.is_some(), what, || reply.lines.clone());
        let result = reply.result()?;
        tools.extend(page?.iter().cloned());
        scopes.push(result["cacheScope"].clone());
        match result.get("nextCursor") {
            None => {
                bench.notes.holds("PAGE-1", "the pages end");
                one_scope(bench, &scopes, &reply);
                return Some(tools);
            }
            Some(next @ Value::String(_)) => cursor = Some(next.clone()),
            Some(next) => {
                bench.notes.broken("PAGE-1", format!("\"nextCursor\":{next}"), reply.lines.clone());
                return Some(tools);
            }
        }
    }
    bench.notes.broken("PAGE-1", format!("more than {PAGES} pages"), Vec::new());
    None
}

fn one_scope(bench: &mut Bench<'_>, scopes: &[Value], reply: &Reply) {
    if bench.era == Era::Modern && scopes.len() > 1 {
        let holds = scopes.windows(2).all(|pair| pair[0] == pair[1]);
        let what = format!("{} pages", scopes.len());
        bench.notes.judge("CACHE-4", holds, what, || reply.lines.clone());
    }
}

/// The list after other requests of the same process.
fn again(bench: &mut Bench<'_>, talk: &mut Talk) {
    if bench.era == Era::Legacy {
        return;
    }
    talk.ask("certify/no-such-method", json!({}));
    if let Some(tools) = list(bench, talk) {
        same(bench, &tools, "after other requests");
    }
}

fn same(bench: &mut Bench<'_>, tools: &[Value], when: &str) {
    let sorted = |tools: &[Value]| {
        let mut texts: Vec<_> = tools.iter().map(ToString::to_string).collect();
        texts.sort();
        texts
    };
    let order =
        |tools: &[Value]| tools.iter().map(|tool| tool["name"].to_string()).collect::<Vec<_>>().join(", ");
    let lines = || vec![format!("first: {}", order(&bench.tools)), format!("then: {}", order(tools))];
    let same = sorted(tools) == sorted(&bench.tools);
    let what = format!("{when}: {}", if same { "the same tools" } else { "other tools" });
    let ordered = order(tools) == order(&bench.tools);
    let shown = lines();
    bench.notes.judge("TOOL-2", same, what, || shown.clone());
    if same {
        let what = format!("{when}: {}", if ordered { "the same order" } else { "another order" });
        bench.notes.judge("TOOL-3", ordered, what, || shown);
    }
}

/// A server that declares no tools has none.
fn undeclared(bench: &mut Bench<'_>, talk: &mut Talk) {
    let reply = talk.ask("tools/list", json!({}));
    let listed =
        reply.result().and_then(|result| result["tools"].as_array()).is_some_and(|list| !list.is_empty());
    if listed {
        bench.notes.broken("TOOL-1", "tools are listed and not declared", reply.lines.clone());
    } else {
        bench.notes.absent("TOOL-1", "the server has no tools");
    }
    let rule = super::methods::truth(bench.era);
    bench.expect_code(rule, "tools/list without capabilities.tools", &reply, &[-32601]);
    for rule in [
        "TOOL-2", "TOOL-3", "TOOL-4", "TOOL-5", "TOOL-6", "TOOL-7", "TOOL-8", "SCH-1", "SCH-2", "PAGE-1",
        "PAGE-3",
    ] {
        bench.notes.absent(rule, "the server has no tools");
    }
}
