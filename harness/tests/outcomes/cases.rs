//! One flaw, one outcome: each case names what the report must say, and is green without its flaw.

use harness::conversation::Conversation;
use harness::engine::{Outcome, replay};

use super::bench::{Bench, ask, call, check, hurried, steps, told, two_calls};

/// A flaw and what must come of it.
pub struct Case {
    /// What the server is told to have.
    pub flaw: &'static str,
    /// How a conversation with it must end.
    pub outcome: Outcome,
    /// What its report must say.
    pub words: &'static [&'static str],
    /// The conversation, where two calls do not show it.
    conversation: fn() -> Conversation,
    /// Whether something is meant to run out of time.
    hurried: bool,
}

impl Case {
    /// Runs the conversation with the flaw, then without.
    pub fn run(&self) -> Result<(), String> {
        let bench = Bench::new();
        let conversation = (self.conversation)();
        let flawed = if self.hurried { hurried(conversation.clone()) } else { conversation.clone() };
        let report = replay(&flawed, &bench.target(self.flaw), "caso");
        check(&report, self.outcome, self.words)?;
        let bench = Bench::new();
        check(&replay(&conversation, &bench.target("none"), "caso"), Outcome::Passed, &[])
    }
}

const fn case(flaw: &'static str, outcome: Outcome, words: &'static [&'static str]) -> Case {
    Case { flaw, outcome, words, conversation: two_calls, hurried: false }
}

const fn late(flaw: &'static str, outcome: Outcome, words: &'static [&'static str]) -> Case {
    Case { hurried: true, ..case(flaw, outcome, words) }
}

const fn over(conversation: fn() -> Conversation, case: Case) -> Case {
    Case { conversation, ..case }
}

/// Every flaw.
pub fn all() -> Vec<Case> {
    [impure(), wrong_content(), strangers(), endings(), offspring(), in_time(), touched()]
        .into_iter()
        .flatten()
        .collect()
}

/// stdout carries something else than messages.
fn impure() -> Vec<Case> {
    use Outcome::ImpureOutput;
    vec![
        case("banner", ImpureOutput, &["caso:5: impure", "not JSON", "the line: servidor listo"]),
        case("noise", ImpureOutput, &["caso:5: ", "the line: atendiendo 1"]),
        case("late-noise", ImpureOutput, &["caso:9: ", "the line: chau"]),
        case("pretty", ImpureOutput, &["caso:5: ", "the text ends inside a value"]),
        case("spaced", ImpureOutput, &["white space outside a string at byte 22"]),
        case("crlf", ImpureOutput, &["a carriage return at byte"]),
        case("bom", ImpureOutput, &["a byte-order mark at the start"]),
        case("blank", ImpureOutput, &["caso:7: ", "an empty line", "the line: (nothing)"]),
        case("utf8", ImpureOutput, &["not UTF-8: bytes ff 6f 6c 61 at byte"]),
        case(
            "half-line",
            ImpureOutput,
            &["caso:9: ", "ends inside a line", "the line: {\"jsonrpc\":\"2.0\"\n"],
        ),
        case("endless", ImpureOutput, &["caso:5: ", "a line without end", "bytes left out"]),
        case("yes", ImpureOutput, &["caso:5: ", "the line: y\n"]),
    ]
}

/// A message that is due, and is not what it should be.
fn wrong_content() -> Vec<Case> {
    use Outcome::{Mismatch, SchemaBroken};
    vec![
        case(
            "rtype",
            Mismatch,
            &["caso:5: ", "differs at $.result.resultType: missing", "-     \"resultType\":"],
        ),
        case("wrongid", Mismatch, &["differs at $.id: expected 1, got \"1\""]),
        case("keys", Mismatch, &["differs at $.result: the members come in another order"]),
        case(
            "schema",
            SchemaBroken,
            &["caso:5: ", "at $.result.structuredContent.largo: \"cuatro\" is not of type"],
        ),
        case("text", SchemaBroken, &["the text block is not the compact form"]),
        case("no-list", SchemaBroken, &["publishes no schemas", "holds no list of tools"]),
        case("unlisted", SchemaBroken, &["the tool \"eco\" is not in tools/list"]),
        case("no-last-page", SchemaBroken, &["more than 100 pages"]),
    ]
}

/// A message that is not due.
fn strangers() -> Vec<Case> {
    use Outcome::{ExtraMessage, Mismatch};
    vec![
        case(
            "dup",
            ExtraMessage,
            &["caso:7: ", "the request 1 was answered twice", "line 7 waits for the answer to the request 2"],
        ),
        case("stranger", ExtraMessage, &["caso:5: ", "an answer with the id 99, which no request has"]),
        case("early", ExtraMessage, &["caso:7: ", "an answer to the request 2 came before it was sent"]),
        case("notice", ExtraMessage, &["caso:5: ", "the notification \"aviso\", which no step expects"]),
        case("babbles", ExtraMessage, &["caso:5: ", "the notification \"aviso\""]),
        case(
            "late-message",
            ExtraMessage,
            &["caso:9: ", "the notification \"aviso\"", "the message: {\"jsonrpc\""],
        ),
        over(
            pipelined,
            case("swapped", Mismatch, &["caso:6: ", "the request 2 came out of order: line 7 expects it"]),
        ),
        over(
            cancelled,
            case("late", ExtraMessage, &["caso:8: ", "an answer to the request 1, which had been cancelled"]),
        ),
    ]
}

/// Both calls before the first answer; their order is promised.
fn pipelined() -> Conversation {
    steps(&[&ask("1"), &ask("2"), &told("1"), &told("2"), "eof\nexit 0\n"].concat())
}

/// A call that waits is cancelled; only a second one is answered.
fn cancelled() -> Conversation {
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let wait = call("1", "espera", "");
    steps(&format!("> {wait}\nawait esperando\n> {cancel}\n{}{}eof\nexit 0\n", ask("2"), told("2")))
}

/// How the server ends, and what it leaves.
fn endings() -> Vec<Case> {
    use Outcome::{Mismatch, ServerDied};
    vec![
        case(
            "dies",
            ServerDied,
            &["caso:5: ", "ended (exit 1) before answer to the request 1", "without an answer: 1"],
        ),
        case("aborts", ServerDied, &["caso:5: ", "ended (signal ABRT)", "the server's end: signal ABRT"]),
        case("dead-at-start", ServerDied, &["caso:5: ", "ended (exit 7)"]),
        case("exit-code", Mismatch, &["caso:9: ", "expected exit 0, got exit 3"]),
        case("abort-at-end", ServerDied, &["caso:9: ", "expected exit 0, got signal ABRT"]),
        case("stderr", Mismatch, &["caso:9: ", "stderr is not empty", "| adiós"]),
        case("stderr-flood", Mismatch, &["caso:9: ", "stderr is not empty", "bytes left out"]),
    ]
}

/// What a server leaves running, which only Linux shows.
fn offspring() -> Vec<Case> {
    let words = &["caso:9: ", "left processes behind", "still running: sleep 1000"];
    let cases = ["grandchild", "grandchild-session"].map(|flaw| late(flaw, Outcome::Mismatch, words));
    if cfg!(target_os = "linux") { cases.into() } else { Vec::new() }
}

/// What does not come in time.
fn in_time() -> Vec<Case> {
    use Outcome::Timeout;
    vec![
        late(
            "drop",
            Timeout,
            &["caso:5: ", "no answer to the request 1 within 4000 ms", "without an answer: 1"],
        ),
        late("hangs-inside", Timeout, &["caso:5: ", "unfinished line: {\"jsonrpc\":\"2.0\",\"id\":1"]),
        late("no-line-feed", Timeout, &["caso:5: ", "\"isError\":false}}\n"]),
        late("drips", Timeout, &["caso:5: ", "unfinished line: {"]),
        over(
            a_flood,
            late("deaf", Timeout, &["caso:7: ", "no error without an id within", "without an answer: 1"]),
        ),
        late("ignores-eof", Timeout, &["caso:9: ", "did not end within 4000 ms"]),
    ]
}

/// More than any pipe holds, and then a call.
fn a_flood() -> Conversation {
    let lost = r#"< {"jsonrpc":"2.0","error":{"code":-32700,"message":"parse"}}"#;
    let fill = ">fill 1048576 x\n>raw \\n\n";
    let first = ask("1");
    steps(&format!("{fill}{first}{lost}\n{}eof\nexit 0\n", told("1")))
}

/// What happens to the project.
fn touched() -> Vec<Case> {
    use Outcome::TreeChanged;
    vec![
        case("write", TreeChanged, &["caso:5: ", "catalogos/nuevo: a file was created"]),
        case("write-at-end", TreeChanged, &["caso:9: ", "nuevo: a file was created"]),
        case("come-and-go", TreeChanged, &["caso:5: ", "- catalogos: modification time"]),
        case("touch", TreeChanged, &["oracle.json: modification time, change time"]),
        case("same-bytes", TreeChanged, &["oracle.json: modification time, change time"]),
        case(
            "original",
            TreeChanged,
            &["the project that was copied is not as it was", "nuevo: a file was created"],
        ),
    ]
}
