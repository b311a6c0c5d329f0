//! `certify`: which rules of a published contract a server keeps.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{Exit, Streams};
use crate::certify::{Baseline, Certificate, Options, Parameters, Profile, Subject, certify, report};

/// Options of `certify`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CertifyArgs {
    /// The contract: mcp-2026-07-28, mcp-2025-11-25 or asixto.
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    profile: Profile,
    /// A call that may be made, beside those of tools that say they only read: the tool's name, a space, its arguments as
    /// JSON or as @FILE. More than one may be named.
    #[arg(long = "call", value_name = "'TOOL ARGUMENTS'", value_parser = call)]
    calls: Vec<(String, Value)>,
    /// A call that takes a while, for what happens while it runs.
    #[arg(long, value_name = "'TOOL ARGUMENTS'", value_parser = call)]
    slow: Option<(String, Value)>,
    /// Call no tool but those named, whatever it says of itself.
    #[arg(long)]
    named_only: bool,
    /// Failures that are accepted, each with its reason; an entry that is no failure any more is one.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// What a contract leaves to other documents: its lists of keys, and calls with what they must come to.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Hold the server to SHOULD as to MUST.
    #[arg(long)]
    strict: bool,
    /// How long an answer may take.
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    limit_ms: u64,
    /// How long to wait for what should not come.
    #[arg(long, value_name = "MS", default_value_t = 200)]
    grace_ms: u64,
    /// The report on stdout as one JSON object.
    #[arg(long)]
    json: bool,
    /// Also write the report as JUnit's XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also write the report as a page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The URL of a server's endpoint, instead of a command: https, or http on this machine.
    #[arg(long, value_name = "URL", conflicts_with = "command", required_unless_present = "command")]
    url: Option<String>,
    /// The server's command, behind `--`.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn profile(name: &str) -> Result<Profile, String> {
    Profile::named(name).ok_or_else(|| {
        let names: Vec<_> = Profile::ALL.into_iter().map(Profile::name).collect();
        format!("the profiles are {}", names.join(", "))
    })
}

fn call(text: &str) -> Result<(String, Value), String> {
    let (name, arguments) = text.trim_end().split_once(' ').unwrap_or((text.trim_end(), "{}"));
    let arguments = match arguments.strip_prefix('@') {
        Some(path) => fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?,
        None => arguments.to_owned(),
    };
    let arguments: Value = serde_json::from_str(&arguments).map_err(|error| format!("arguments: {error}"))?;
    if name.is_empty() || !arguments.is_object() {
        return Err("a tool's name, a space, and a JSON object".to_owned());
    }
    Ok((name.to_owned(), arguments))
}

/// Certifies what the options name.
pub(super) fn run(args: &CertifyArgs, streams: &mut Streams<'_>) -> Exit {
    let baseline = match args.baseline.as_deref().map(baseline) {
        Some(Err(why)) => return streams.void(&why),
        Some(Ok(baseline)) => Some(baseline),
        None => None,
    };
    let parameters = match args.parameters.as_deref().map(parameters) {
        Some(Err(why)) => return streams.void(&why),
        Some(Ok(parameters)) => Some(parameters),
        None => None,
    };
    let options = Options {
        parameters,
        limit: Duration::from_millis(args.limit_ms),
        grace: Duration::from_millis(args.grace_ms),
        calls: args.calls.clone(),
        slow: args.slow.clone(),
        read_only: !args.named_only,
    };
    let subject = match &args.url {
        Some(url) => Subject::Url(url.clone()),
        None => Subject::Command(args.command.clone()),
    };
    let mut certificate = match certify(args.profile, &subject, &options) {
        Ok(certificate) => certificate,
        Err(error) => return streams.void(&format!("{}: {error}", subject.shown())),
    };
    certificate.strict = args.strict;
    if let Some(baseline) = &baseline {
        certificate.accept(baseline);
    }
    if let Err(why) = write(args, &certificate) {
        return streams.void(&why);
    }
    if args.json {
        streams.say(&report::json(&certificate).to_string());
    } else {
        streams.say(report::text(&certificate).trim_end());
    }
    exit(&certificate)
}

fn exit(certificate: &Certificate) -> Exit {
    if !certificate.shows_something() {
        Exit::Void
    } else if certificate.is_green() {
        Exit::Passed
    } else {
        Exit::Failed
    }
}

fn parameters(path: &Path) -> Result<Parameters, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Parameters::read(&text).map_err(|why| format!("{}: {why}", path.display()))
}

fn baseline(path: &Path) -> Result<Baseline, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Baseline::read(&text).map_err(|fault| format!("{}: {fault}", path.display()))
}

fn write(args: &CertifyArgs, certificate: &Certificate) -> Result<(), String> {
    let put = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let Some(path) = &args.junit {
        put(path, &report::junit(certificate).map_err(|error| error.to_string())?)?;
    }
    if let Some(path) = &args.html {
        put(path, report::html(certificate).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_a_name_and_an_object() {
        let good = |text: &str, name: &str, arguments: Value| {
            assert_eq!(call(text), Ok((name.to_owned(), arguments)), "{text}");
        };
        good("eco", "eco", json!({}));
        good("eco {\"a\": [1, 2]}", "eco", json!({"a": [1, 2]}));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        fs::write(&path, "{\"a\":1}\n").expect("a file");
        good(&format!("eco @{}", path.display()), "eco", json!({"a": 1}));
        for bad in ["", " ", "eco @/nowhere", "eco []", "eco {", "eco 1", " {}"] {
            assert!(call(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_profile_has_a_name() {
        for known in Profile::ALL {
            assert_eq!(profile(known.name()), Ok(known));
        }
        assert!(profile("mcp").is_err_and(|why| why.contains("mcp-2026-07-28")));
    }
}
