//! What may be wrong with a conversation file: a closed list, each with its line and a hint.

use std::fmt;

use super::placeholder::PlaceholderFault;

/// One fault of a file and the line it stands on, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub line: usize,
    /// What.
    pub kind: FaultKind,
}

impl Fault {
    pub(super) fn new(line: usize, kind: FaultKind) -> Self {
        Self { line, kind }
    }

    /// What is wrong and what to do about it, without the line.
    #[must_use]
    pub fn words(&self) -> String {
        match self.kind.hint() {
            Some(hint) => format!("{}\n  hint: {hint}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.words())
    }
}

impl std::error::Error for Fault {}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The file is not UTF-8; bytes that are no text go into `>raw`.
    NotUtf8,
    /// The file starts with a byte-order mark.
    ByteOrderMark,
    /// A line ends in a carriage return.
    CarriageReturn,
    /// The last line has no line feed.
    NoFinalLineFeed,
    /// The file does not open with a comment that says what it shows.
    NoSummary,
    /// The first comment line is longer than [`SUMMARY_LIMIT`].
    LongSummary(usize),
    /// A `#` without a space behind it.
    BadComment,
    /// A header line that is no `key: value`.
    BadHeaderLine(String),
    /// A key that the header does not have.
    UnknownKey(String),
    /// A key that stands twice.
    RepeatedKey(String),
    /// A key whose value is empty.
    EmptyValue(&'static str),
    /// A key whose value is none of what it takes.
    BadValue {
        /// The key.
        key: &'static str,
        /// What it says.
        value: String,
        /// What it takes.
        takes: &'static str,
    },
    /// `args` and `arguments` together.
    ArgsAndArguments,
    /// No `---` line behind the header.
    NoSeparator,
    /// Nothing behind the `---` line.
    NoSteps,
    /// A first word that no step has.
    UnknownStep(String),
    /// A line that continues nothing: white space in front of it, but no message above.
    NothingToContinue,
    /// A step whose operand is missing, of another kind, or where none belongs.
    BadOperand {
        /// The step's first word.
        step: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// A message that is not JSON.
    NotJson(String),
    /// An expected message that is JSON but no object.
    NotAnObject,
    /// Placeholders that cannot become bytes.
    Placeholder(PlaceholderFault),
    /// `{{…}}` outside a string of a message.
    PlaceholderOutsideString,
    /// A placeholder that has no value where it stands.
    NotHere(String),
    /// A `let` of a name that is reserved or stands twice.
    TakenName(String),
    /// A `let` that nothing uses.
    UnusedName(String),
    /// A placeholder of a name that no `let` above gives.
    UndefinedName(String),
    /// A `<~` on its own.
    GroupOfOne,
    /// A step after the one that closes what it needs; the words of both.
    TooLate {
        /// The step that comes too late.
        step: &'static str,
        /// What stands above it.
        after: &'static str,
    },
    /// No `exit` and no `signal`.
    NoEnd,
}

/// The longest first comment line, in characters.
pub const SUMMARY_LIMIT: usize = 100;

/// The steps, for a hint.
pub(super) const STEPS: &str = ">, >raw, >fill, <, <~, let, write, remove, touch, await, open, eof, hangup, kill, exit, \
                                signal, stderr";

/// The header's keys, for a hint.
pub(super) const KEYS: &str = "covers, project, args, arguments, needs, deadline_ms, large, spacing";

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::ByteOrderMark => f.write_str("the file starts with a byte-order mark"),
            Self::CarriageReturn => f.write_str("carriage return at the end of the line"),
            Self::NoFinalLineFeed => f.write_str("the last line has no line feed"),
            Self::NoSummary => f.write_str("no comment at the top"),
            Self::LongSummary(length) => {
                write!(f, "the first comment line has {length} characters, over {SUMMARY_LIMIT}")
            }
            Self::BadComment => f.write_str("`#` without a space behind it"),
            Self::BadHeaderLine(line) => write!(f, "no header line: `{line}`"),
            Self::UnknownKey(key) => write!(f, "unknown key `{key}`"),
            Self::RepeatedKey(key) => write!(f, "repeated key `{key}`"),
            Self::EmptyValue(key) => write!(f, "`{key}` without a value"),
            Self::BadValue { key, value, takes } => write!(f, "`{key}: {value}`: it takes {takes}"),
            Self::ArgsAndArguments => f.write_str("`args` and `arguments` together"),
            Self::NoSeparator => f.write_str("no `---` line"),
            Self::NoSteps => f.write_str("no steps"),
            Self::UnknownStep(word) => write!(f, "unknown step `{word}`"),
            Self::NothingToContinue => f.write_str("this line continues nothing"),
            Self::BadOperand { step, takes } => write!(f, "`{step}` takes {takes}"),
            Self::NotJson(why) => write!(f, "the message is not JSON: {why}"),
            Self::NotAnObject => f.write_str("an expected message is a JSON object"),
            Self::Placeholder(fault) => fault.fmt(f),
            Self::PlaceholderOutsideString => f.write_str("a placeholder outside a string"),
            Self::NotHere(placeholder) => write!(f, "`{placeholder}` has no value here"),
            Self::TakenName(name) => write!(f, "the name `{name}` is taken"),
            Self::UnusedName(name) => write!(f, "nothing uses `{{{{{name}}}}}`"),
            Self::UndefinedName(name) => write!(f, "no `let {name}` and no `{{{{{name}:…}}}}` above"),
            Self::GroupOfOne => f.write_str("a `<~` and no other in the file"),
            Self::TooLate { step, after } => write!(f, "`{step}` after `{after}`"),
            Self::NoEnd => f.write_str("nothing says how the server ends"),
        }
    }
}

impl FaultKind {
    /// What to do about it, where the fault itself does not say so.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotUtf8 => "bytes that are no text are written `>raw` with `\\xNN`",
            Self::ByteOrderMark => "remove it, or send one with `>raw \\xEF\\xBB\\xBF`",
            Self::CarriageReturn => {
                "conversations are marked `-text` in .gitattributes; send a `\\r` with `>raw`"
            }
            Self::NoFinalLineFeed => "end the file with a line feed",
            Self::NoSummary => "open with `# …`: what the conversation shows, in the indicative",
            Self::LongSummary(_) => "say it shorter; why it matters goes behind an empty `#` line",
            Self::BadComment => "write `# …`, or `#` alone for an empty line",
            Self::BadHeaderLine(_) => "comments come first, then `key: value` lines, then `---`",
            Self::UnknownKey(_) => return Some(format!("the keys are {KEYS}")),
            Self::RepeatedKey(_) => "a long value goes on in lines that begin with white space",
            Self::ArgsAndArguments => {
                "`args` come after the server's own arguments, `arguments` replace them"
            }
            Self::NoSeparator => "a line `---` stands between the header and the steps",
            Self::NoSteps => "write the requests behind `---`, and the answers with `bless`",
            Self::UnknownStep(_) => return Some(format!("the steps are {STEPS}")),
            Self::NothingToContinue => {
                "only messages, `let … = canonical` and header values go on in further lines"
            }
            Self::NotJson(_) => "what is no message on purpose is sent with `>raw`",
            Self::PlaceholderOutsideString => "the quotes are written: \"{{project}}\"",
            Self::TakenName(_) => "every `let` and every value that is kept has a name of its own",
            Self::UnusedName(_) => "use it in a message below, or remove the `let` or the name",
            Self::GroupOfOne => {
                "one message is expected with `<`; `<~` is for several whose order is not promised"
            }
            Self::NoEnd => "end with `eof` and `exit 0`",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
