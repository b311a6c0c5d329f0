//! One flaw, the rules it breaks in each revision, and no other rule.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Duration;

use harness::certify::{Certificate, Options, Parameters, Profile, Subject, Verdict, certify};
use serde_json::json;

/// How long an answer may take where nothing is meant to run out of time.
const PATIENT: Duration = Duration::from_secs(300);

/// How long one may take where it is: many times what a process needs to start.
const HURRIED: Duration = Duration::from_secs(4);

/// A flaw in one profile.
pub struct Case {
    flaw: &'static str,
    profile: Profile,
    /// The rules that it breaks, and no other.
    broken: &'static [&'static str],
    hurried: bool,
}

impl Case {
    /// The name of its test.
    pub fn name(&self) -> String {
        format!("{}: {}", self.profile.name(), self.flaw)
    }

    /// The rules that it must break.
    pub fn rules(&self) -> (Profile, &'static [&'static str]) {
        (self.profile, self.broken)
    }

    /// Certifies the flawed server.
    pub fn run(&self) -> Result<(), String> {
        let limit = if self.hurried { HURRIED } else { PATIENT };
        let certificate = run(self.flaw, self.profile, limit)?;
        let came = broken(&certificate);
        let expect: BTreeSet<_> = self.broken.iter().copied().collect();
        if came == expect {
            return Ok(());
        }
        Err(format!(
            "broken: {came:?}, expected {expect:?}\n{}",
            harness::certify::report::text(&certificate)
        ))
    }
}

/// This executable as a server with a flaw: a process, or an endpoint where the flaw is one of HTTP.
fn subject(flaw: &'static str) -> Result<Subject, String> {
    if flaw.contains("http") {
        return super::web::serve(flaw).map(Subject::Url).map_err(|error| error.to_string());
    }
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(Subject::Command(vec![exe.into_os_string(), "--serve".into(), OsString::from(flaw)]))
}

/// Certifies this executable as a server with a flaw.
pub fn run(flaw: &'static str, profile: Profile, limit: Duration) -> Result<Certificate, String> {
    let subject = subject(flaw)?;
    let options = Options {
        limit,
        grace: Duration::from_millis(20),
        slow: Some(("lenta".to_owned(), json!({}))),
        calls: Vec::new(),
        read_only: true,
        parameters: (profile == Profile::Asixto).then(parameters),
    };
    certify(profile, &subject, &options).map_err(|error| error.to_string())
}

/// What the gateway's contract leaves to other pages, and a call of each kind.
fn parameters() -> Parameters {
    let text = r#"
        capabilities = ["soporte"]
        error_types = ["NOT_FOUND"]
        [[call]]
        tool = "consultar_caso"
        arguments = { documento = "1" }
        [[call]]
        tool = "consultar_caso"
        arguments = { documento = "0" }
        expects = "empty"
        [[call]]
        tool = "consultar_caso"
        arguments = { documento = "x" }
        expects = "failure"
        [[call]]
        tool = "abrir_caso"
        arguments = { tipo = "falla" }
        expects = "write"
    "#;
    Parameters::read(text).expect("parameters")
}

/// Certifies it with all the patience there is.
pub fn patiently(flaw: &'static str, profile: Profile) -> Result<Certificate, String> {
    run(flaw, profile, PATIENT)
}

/// The rules that are broken.
pub fn broken(certificate: &Certificate) -> BTreeSet<&'static str> {
    let broken = certificate.rules.iter().filter(|judged| judged.verdict == Verdict::Broken);
    broken.map(|judged| judged.rule.id).collect()
}

/// A flaw that shows in both revisions.
fn both(flaw: &'static str, broken: &'static [&'static str]) -> Vec<Case> {
    [Profile::Modern, Profile::Legacy]
        .into_iter()
        .map(|profile| Case { flaw, profile, broken, hurried: false })
        .collect()
}

fn each(flaw: &'static str, modern: &'static [&'static str], legacy: &'static [&'static str]) -> Vec<Case> {
    vec![
        Case { flaw, profile: Profile::Modern, broken: modern, hurried: false },
        Case { flaw, profile: Profile::Legacy, broken: legacy, hurried: false },
    ]
}

fn modern(flaw: &'static str, broken: &'static [&'static str]) -> Vec<Case> {
    vec![Case { flaw, profile: Profile::Modern, broken, hurried: false }]
}

fn legacy(flaw: &'static str, broken: &'static [&'static str]) -> Vec<Case> {
    vec![Case { flaw, profile: Profile::Legacy, broken, hurried: false }]
}

/// The same, where something is meant to run out of time.
fn late(cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(|case| Case { hurried: true, ..case }).collect()
}

/// Every case.
pub fn all() -> Vec<Case> {
    [messages(), codes(), metadata(), lifecycle(), definitions(), results(), flow(), gateway(), web()]
        .concat_cases()
}

trait Concat {
    fn concat_cases(self) -> Vec<Case>;
}

impl<const N: usize> Concat for [Vec<Vec<Case>>; N] {
    fn concat_cases(self) -> Vec<Case> {
        self.into_iter().flatten().flatten().collect()
    }
}

/// What a message is.
fn messages() -> Vec<Vec<Case>> {
    vec![
        each("none", &[], &[]),
        each("tells progress", &[], &[]),
        each("pages", &[], &[]),
        both("old rpc", &["RPC-1"]),
        both("writes latin", &["RPC-1"]),
        late(each("id of nobody", &["RPC-4", "RPC-16"], &["RPC-4", "RPC-17"])),
        both("answers twice", &["RPC-4"]),
        both("list for a result", &["RPC-5", "TRES-2"]),
        legacy("null for a result", &["RPC-5", "PING-1"]),
        modern("no result type", &["RPC-6"]),
        modern("unknown result type", &["RPC-7"]),
        both("error without text", &["RPC-8"]),
        each("error with a text for a code", &["RPC-8", "DISC-6"], &["RPC-8", "LIFE-5"]),
        late(each("error without id", &["RPC-9", "RPC-16"], &["RPC-9", "RPC-17"])),
        both("answers notifications", &["RPC-10"]),
        both("deaf to garbage", &["ERR-1", "ERR-2", "RPC-2", "RPC-11", "RPC-12"]),
        each("asks the client", &["RPC-13", "STDIO-8"], &[]),
        legacy("asks too early", &["RPC-14"]),
        late(each("says nothing", &["RPC-16"], &["RPC-17"])),
        both("banner", &["STDIO-3"]),
        both("writes headers", &["STDIO-2"]),
        late(each("prints prettily", &["STDIO-2", "RPC-16"], &["STDIO-2", "RPC-17"])),
        both("message of two lines", &["ERR-11"]),
    ]
}

/// Codes of errors.
fn codes() -> Vec<Vec<Case>> {
    vec![
        both("unknown is invalid", &["ERR-3"]),
        both("nameless is internal", &["ERR-4"]),
        modern("code of the protocol", &["ERR-6"]),
        modern("code of the old ground", &["ERR-7"]),
        modern("code that is gone", &["ERR-8"]),
        modern("code of the reserve", &["ERR-9"]),
        modern("version without data", &["ERR-12"]),
        modern("capability without data", &["ERR-13"]),
        each("offers prompts all the same", &["DISC-6"], &["LIFE-5"]),
        modern("keeps tasks", &["EXT-1"]),
    ]
}

/// What each request of the newer revision says of itself.
fn metadata() -> Vec<Vec<Case>> {
    vec![
        modern("needs no capabilities", &["META-2", "META-5"]),
        modern("leaks capabilities", &["META-5"]),
        modern("wants a name", &["META-3"]),
        modern("takes any level", &["META-4"]),
        modern("no server info", &["META-7"]),
        each("bad key", &["META-7", "META-9"], &["META-9"]),
        both("reserved key", &["META-10"]),
        modern("reads no version", &["DISC-5", "META-2", "META-5", "META-4", "VER-1"]),
        modern("leaks the version", &["META-4", "META-5", "VER-1"]),
        modern("discovers in any version", &["DISC-5", "VER-1"]),
    ]
}

/// How a server introduces itself.
fn lifecycle() -> Vec<Vec<Case>> {
    vec![
        modern("legacy only", &["DISC-1", "VER-3"]),
        modern("wants discover first", &["META-2", "STDIO-10", "VER-5"]),
        modern("modern only", &[]),
        modern("modern only and mute", &["VER-7"]),
        each("initialize without a name", &["VER-8"], &["LIFE-2"]),
        modern("extension without prefix", &["VER-13"]),
        modern("discover without ttl", &["DISC-2", "CACHE-1"]),
        modern("no list of versions", &["DISC-2", "DISC-4"]),
        modern("name beside", &["DISC-3"]),
        modern("other versions", &["DISC-4"]),
        each("undeclared tools", &["TOOL-1", "DISC-6"], &["TOOL-1", "LIFE-5"]),
        legacy("no initialize", &["VER-12", "RPC-17"]),
        legacy("initialize in another version", &["VER-12"]),
        legacy("agrees to anything", &["VER-12"]),
        legacy("refuses by an error", &[]),
        legacy("ping with more", &["PING-1"]),
        late(modern("stays", &["SHUT-3"])),
        modern("falls at the end", &["SHUT-3"]),
    ]
}

/// What `tools/list` says.
fn definitions() -> Vec<Vec<Case>> {
    vec![
        modern("grows", &["TOOL-2"]),
        modern("reorders", &["TOOL-3"]),
        both("title is a number", &["TOOL-4"]),
        both("schema without type", &["TOOL-5"]),
        both("output is text", &["TOOL-6"]),
        both("name with space", &["TOOL-7"]),
        both("name twice", &["TOOL-7"]),
        both("hint is text", &["TOOL-8"]),
        both("dialect is a number", &["SCH-1"]),
        both("no schema", &["SCH-2"]),
        both("number for a cursor", &["PAGE-1"]),
        both("endless pages", &["PAGE-1"]),
        both("takes any cursor", &["PAGE-3"]),
        modern("list without scope", &["CACHE-1"]),
        modern("negative ttl", &["CACHE-2"]),
        modern("shared scope", &["CACHE-3"]),
        modern("mixed pages", &["CACHE-4"]),
    ]
}

/// What `tools/call` comes to.
fn results() -> Vec<Vec<Case>> {
    vec![
        both("takes any argument", &["TOOL-11"]),
        each("closes the envelope", &["TRES-1"], &["TRES-1"]),
        legacy("refuses tasks", &["TOOL-12"]),
        legacy("makes tasks", &["TOOL-12"]),
        both("no content", &["TRES-2"]),
        both("content is text", &["TRES-2"]),
        both("odd block", &["TRES-2"]),
        both("flag is text", &["TRES-3"]),
        both("knows no tool as a failure", &["TRES-4"]),
        both("refuses by -32603", &["TRES-5"]),
        both("refuses by -32602", &["TRES-6"]),
        both("silent failure", &["TRES-7"]),
        both("another length", &["TRES-8", "TRES-11"]),
        both("text says another", &["TRES-11"]),
        legacy("structured list", &["TRES-10"]),
        modern("discover asks", &["TRES-12"]),
        modern("call asks", &["MRTR-1"]),
        modern("takes no answers", &["MRTR-2"]),
    ]
}

/// What happens while something runs.
fn flow() -> Vec<Vec<Case>> {
    vec![
        late(each("forgets what waits", &["STDIO-11", "RPC-16", "SUBS-2"], &["RPC-17"])),
        both("answers the cancelled", &["CANC-2"]),
        both("is never slow", &[]),
        each("falls over the unknown", &["CANC-3"], &["CANC-3"]),
        each("falls over the answered", &["CANC-4"], &["CANC-4"]),
        modern("cancels the client", &["CANC-6"]),
        both("tells stray progress", &["PROG-3"]),
        both("tells shrinking progress", &["PROG-3"]),
        modern("chats", &["STDIO-7"]),
        modern("logs", &["LOG-1"]),
        modern("takes no listeners", &["SUBS-1"]),
        modern("acknowledges nothing", &["SUBS-2"]),
        modern("acknowledges without id", &["SUBS-2", "SUBS-4", "STDIO-7"]),
        modern("acknowledges more", &["SUBS-3"]),
        modern("tells no subscription", &["SUBS-4", "STDIO-7"]),
        modern("tells those who left", &["SUBS-5"]),
        modern("leaves listeners", &["SHUT-5"]),
    ]
}

fn asixto(flaw: &'static str, broken: &'static [&'static str]) -> Vec<Case> {
    vec![Case { flaw, profile: Profile::Asixto, broken, hurried: false }]
}

/// The gateway's contract. What each change of a definition breaks is tested beside the rules of definitions.
fn gateway() -> Vec<Vec<Case>> {
    vec![
        asixto("asixto", &[]),
        asixto("asixto: no discover", &["AX-MET-1"]),
        asixto("asixto: no list", &["AX-MET-2", "AX-TRA-2"]),
        asixto("asixto: calls are errors", &["AX-MET-3"]),
        asixto("asixto: asks for more", &["AX-MET-4"]),
        asixto("asixto: reorders", &["AX-TRA-5"]),
        asixto("asixto: takes no keys", &["AX-ENV-1"]),
        asixto("asixto: writes twice", &["AX-ENV-2"]),
        asixto("asixto: no text", &["AX-RES-1"]),
        asixto("asixto: does not conform", &["AX-RES-2"]),
        asixto("asixto: talks too long", &["AX-RES-3"]),
        asixto("asixto: nothing is a failure", &["AX-RES-4"]),
        asixto("asixto: failure of another type", &["AX-RES-5"]),
        asixto("asixto: failure without a word", &["AX-RES-5"]),
        asixto("asixto: picture", &["AX-RES-6"]),
        asixto("asixto: trace", &["AX-RES-7"]),
        asixto("asixto: open schema", &["AX-ESQ-3"]),
    ]
}

/// The transport that is reached by URL.
fn web() -> Vec<Vec<Case>> {
    vec![
        each("http", &[], &[]),
        asixto("asixto http", &[]),
        modern("http: streams", &[]),
        modern("http: mints a session", &["HTTP-10"]),
        legacy("http: mints a session", &[]),
        legacy("http: odd session", &["HTTPL-3"]),
        each("http: trusts any origin", &["HTTP-2"], &["HTTPL-6"]),
        modern("http: reads no headers", &["HTTP-4"]),
        modern("http: decodes nothing", &["HTTP-5"]),
        modern("http: always 200", &["HTTP-6"]),
        each("http: plain text", &["HTTP-7"], &["HTTPL-2"]),
        each("http: answers notices", &["HTTP-7"], &["HTTPL-2", "RPC-1"]),
        modern("http: streams with ids", &["HTTP-8"]),
        each("http: answers a GET", &["HTTP-10"], &["HTTPL-1"]),
        legacy("http: speaks anything", &["HTTPL-4"]),
    ]
}
