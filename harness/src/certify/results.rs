//! Rules about results and errors: the marker, the metadata, the cache hints, the ranges of codes.
//!
//! Functions of one answer. Must not know which probe asked.

use serde_json::Value;

use super::envelope::Seen;
use super::era::{Era, SERVER_KEY, SUBSCRIPTION_KEY};
use super::notes::Notes;
use super::talk::Sent;

/// The methods whose complete results carry cache hints.
const CACHED: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// The methods that may ask the client for more.
const ASKING: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// The keys below `io.modelcontextprotocol/` that the revisions name.
const KNOWN_KEYS: [&str; 3] = [SERVER_KEY, SUBSCRIPTION_KEY, "io.modelcontextprotocol/related-task"];

/// Holds a result to the rules of all results.
pub fn result(seen: &Seen<'_>, result: &Value, notes: &mut Notes) {
    meta(seen, result, notes);
    if seen.era == Era::Legacy || seen.request.is_some_and(Sent::is_of_no_era) {
        return;
    }
    let method = seen.request.map(|sent| sent.method.as_str()).unwrap_or_default();
    marker(seen, result, method, notes);
    let named = &result["_meta"][SERVER_KEY];
    let holds =
        named.get("name").is_some_and(Value::is_string) && named.get("version").is_some_and(Value::is_string);
    let what = if holds {
        "every result says who answers".to_owned()
    } else {
        format!("{} has no {SERVER_KEY} with name and version", seen.about())
    };
    notes.judge("META-7", holds, what, || seen.lines());
    if CACHED.contains(&method) && result["resultType"] != "input_required" {
        cache(seen, result, notes);
    }
}

fn marker(seen: &Seen<'_>, result: &Value, method: &str, notes: &mut Notes) {
    let Some(kind) = result.get("resultType").and_then(Value::as_str) else {
        notes.broken("RPC-6", format!("{} has no \"resultType\"", seen.about()), seen.lines());
        return;
    };
    notes.holds("RPC-6", "every result has its \"resultType\"");
    let known = matches!(kind, "complete" | "input_required");
    let what = if known {
        "only values that the core knows".to_owned()
    } else {
        format!("\"resultType\":\"{kind}\"")
    };
    notes.judge("RPC-7", known, what, || seen.lines());
    if kind == "input_required" {
        let may = ASKING.contains(&method);
        notes.judge("TRES-12", may, format!("{} asks for more", seen.about()), || seen.lines());
        let holds = result.get("inputRequests").is_some() || result.get("requestState").is_some();
        notes.judge("MRTR-1", holds, "it says what it asks for, or its state", || seen.lines());
    } else {
        notes.holds("TRES-12", "no other method asks for more");
    }
}

fn cache(seen: &Seen<'_>, result: &Value, notes: &mut Notes) {
    let ttl = result.get("ttlMs");
    let scope = result.get("cacheScope");
    let both = ttl.is_some() && scope.is_some();
    let what = if both {
        "hints on every answer that can be kept".to_owned()
    } else {
        format!("{} lacks \"ttlMs\" or \"cacheScope\"", seen.about())
    };
    notes.judge("CACHE-1", both, what, || seen.lines());
    if let Some(ttl) = ttl {
        notes.judge("CACHE-2", ttl.is_u64(), format!("\"ttlMs\":{ttl}"), || seen.lines());
    }
    if let Some(scope) = scope {
        let known = scope == "public" || scope == "private";
        notes.judge("CACHE-3", known, format!("\"cacheScope\":{scope}"), || seen.lines());
    }
}

/// Holds the keys of every `_meta` in a result to their grammar.
fn meta(seen: &Seen<'_>, result: &Value, notes: &mut Notes) {
    let tools = result.get("tools").and_then(Value::as_array).into_iter().flatten();
    let metas = [result].into_iter().chain(tools).filter_map(|value| value.get("_meta")?.as_object());
    for key in metas.flat_map(|meta| meta.keys()) {
        notes.judge("META-9", is_key(key), format!("the key \"{key}\""), || seen.lines());
        let own = key.starts_with("io.modelcontextprotocol/") && !KNOWN_KEYS.contains(&key.as_str());
        let what =
            if own { format!("\"{key}\" under a reserved prefix") } else { "no own key under it".to_owned() };
        notes.judge("META-10", !own, what, || seen.lines());
    }
    notes.holds("META-9", "every key of a _meta is one");
    notes.holds("META-10", "no own key under a reserved prefix");
}

/// `[prefix/]name` as the protocol spells it.
fn is_key(key: &str) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let alphanumeric = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let label = |label: &str| {
        label.starts_with(|c: char| c.is_ascii_alphabetic())
            && alphanumeric(label.chars().last())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    prefix.is_none_or(|prefix| prefix.split('.').all(label))
        && (name.is_empty()
            || alphanumeric(name.chars().next())
                && alphanumeric(name.chars().last())
                && name.chars().all(inside))
}

/// Holds an error to the rules of all errors.
pub fn error(seen: &Seen<'_>, error: &Value, notes: &mut Notes) {
    if let Some(message) = error.get("message").and_then(Value::as_str) {
        let holds = !message.trim().is_empty() && !message.contains('\n');
        notes.judge(
            "ERR-11",
            holds,
            if holds { "one line of text" } else { "no text, or several lines" },
            || seen.lines(),
        );
    }
    if seen.era == Era::Legacy {
        return;
    }
    let Some(code) = error.get("code").and_then(Value::as_i64) else { return };
    let broken = code_rule(code);
    for rule in ["ERR-6", "ERR-7", "ERR-8", "ERR-9"] {
        let holds = broken != Some(rule);
        let what = if holds { "no code of the range".to_owned() } else { format!("the code {code}") };
        notes.judge(rule, holds, what, || seen.lines());
    }
    match code {
        -32022 => {
            let data = &error["data"];
            let list = data["supported"].as_array();
            let holds =
                list.is_some_and(|list| list.iter().all(Value::is_string)) && data["requested"].is_string();
            let what =
                if holds { "data has supported and requested" } else { "data lacks supported or requested" };
            notes.judge("ERR-12", holds, what, || seen.lines());
        }
        -32021 => {
            let holds = error["data"]["requiredCapabilities"].is_object();
            let what =
                if holds { "data names the capabilities" } else { "data.requiredCapabilities is no object" };
            notes.judge("ERR-13", holds, what, || seen.lines());
        }
        _ => {}
    }
}

/// The rule that a code breaks by being sent at all.
fn code_rule(code: i64) -> Option<&'static str> {
    match code {
        -32700 | -32603..=-32600 | -32022..=-32020 => None,
        -32002 | -32042 => Some("ERR-8"),
        -32019..=-32000 => Some("ERR-7"),
        -32099..=-32023 => Some("ERR-6"),
        -32768..=-32100 => Some("ERR-9"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_a_grammar() {
        for key in [
            "a",
            "",
            "a-b_c.d",
            "io.modelcontextprotocol/serverInfo",
            "com.a-b/",
            "x/1",
            "progressToken",
            "a.b2/c",
        ] {
            assert!(is_key(key), "{key:?}");
        }
        for key in
            ["-a", "a-", "a b", "1.com/a", "com./a", "-c/a", "c-/a", "/a", "a/b/c", "é", "a/_b", "c_d/a"]
        {
            assert!(!is_key(key), "{key:?}");
        }
    }

    #[test]
    fn codes_have_owners() {
        let check = |codes: &[i64], expect: Option<&str>| {
            for code in codes {
                assert_eq!(code_rule(*code), expect, "{code}");
            }
        };
        check(&[-32700, -32600, -32603, -32020, -32022, 0, 7, -31999, -32769, -1], None);
        check(&[-32002, -32042], Some("ERR-8"));
        check(&[-32000, -32001, -32003, -32019], Some("ERR-7"));
        check(&[-32023, -32041, -32043, -32099], Some("ERR-6"));
        check(&[-32100, -32599, -32604, -32699, -32701, -32768], Some("ERR-9"));
    }
}
