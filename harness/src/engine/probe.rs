//! What a server publishes about its tools, asked of a short-lived process of its own.
//!
//! The conversation's server is never asked anything that the conversation does not say. Both eras are tried, the newer
//! one first. Each command over each project is asked once per process of the harness.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::Target;
use super::json::Node;
use super::process::Server;
use super::pumps::{Output, Pumps};
use super::purity::{self, Id, Identity, Message};
use super::report::{Finding, Outcome};
use super::schema::Catalogue;
use super::stage::Stage;
use crate::conversation::{Header, escape};

/// More pages than any list has; a cursor that never ends is a fault of the server.
const PAGES: usize = 100;

type Learned = Result<Catalogue, Finding>;
/// A file by what changes with it: a server that was built anew at the same path is another one.
type Stamp = Option<(u64, u64, i64, i64)>;

type Key = (Vec<(OsString, Stamp)>, Vec<String>, Option<String>, PathBuf);

static LEARNED: LazyLock<Mutex<BTreeMap<Key, Arc<OnceLock<Learned>>>>> =
    LazyLock::new(|| Mutex::new(BTreeMap::new()));

/// The tools that the target publishes when it is started for this header.
///
/// `command` gives the command line for a stage; `limit` is how long each answer may take.
pub fn catalogue(
    header: &Header,
    target: &Target,
    limit: Duration,
    command: impl FnOnce(&Stage) -> Result<Vec<OsString>, Finding>,
) -> Arc<OnceLock<Learned>> {
    let words = target.command.iter().map(|word| (word.clone(), stamp(word))).collect();
    let key = (words, header.args.clone(), header.project.clone(), target.projects.clone());
    let cell = {
        let mut learned = LEARNED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(learned.entry(key).or_default())
    };
    cell.get_or_init(|| {
        let stage = Stage::set(header, target)?;
        learn(&command(&stage)?, &stage, limit)
    });
    cell
}

fn stamp(word: &OsString) -> Stamp {
    let metadata = std::fs::metadata(word).ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec()))
}

fn learn(command: &[OsString], stage: &Stage, limit: Duration) -> Learned {
    let modern = ask(command, stage, limit, Era::Modern);
    match modern {
        Err(finding) if finding.outcome == Outcome::SchemaBroken => {
            ask(command, stage, limit, Era::Legacy).map_err(|legacy| legacy.with_details([finding.headline]))
        }
        other => other,
    }
}

#[derive(Clone, Copy)]
enum Era {
    Modern,
    Legacy,
}

impl Era {
    fn list(self, id: usize, cursor: Option<&str>) -> String {
        let cursor = cursor.map(|cursor| format!("\"cursor\":\"{}\"", escape(cursor)));
        let meta = match self {
            Self::Modern => Some(
                "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                 \"io.modelcontextprotocol/clientCapabilities\":{}}"
                    .to_owned(),
            ),
            Self::Legacy => None,
        };
        let params: Vec<_> = cursor.into_iter().chain(meta).collect();
        let params = params.join(",");
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{{{params}}}}}\n")
    }
}

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\
    \"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
    \"clientInfo\":{\"name\":\"harness\",\"version\":\"0\"}}}\n";
const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

fn ask(command: &[OsString], stage: &Stage, limit: Duration, era: Era) -> Learned {
    let mine = |error: std::io::Error| {
        Finding::new(Outcome::HarnessError, format!("asking for tools/list: {error}"))
    };
    let (_server, streams) = Server::spawn(command, &stage.scratch).map_err(mine)?;
    let mut pumps = Pumps::new(streams).map_err(mine)?;
    if let Era::Legacy = era {
        pumps.send(INITIALIZE.as_bytes());
        answer(&mut pumps, 0, limit)?;
        pumps.send(INITIALIZED.as_bytes());
    }
    let mut catalogue = Catalogue::default();
    let mut cursor = None;
    for id in 1..=PAGES {
        pumps.send(era.list(id, cursor.as_deref()).as_bytes());
        let page = answer(&mut pumps, id, limit)?;
        catalogue.add(&page).map_err(unpublished)?;
        let next = page.root.get("result").and_then(|result| result.get("nextCursor")).and_then(Node::text);
        match next {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(catalogue),
        }
    }
    Err(unpublished(format!("tools/list has more than {PAGES} pages")))
}

fn unpublished(why: impl Into<String>) -> Finding {
    Finding::new(
        Outcome::SchemaBroken,
        format!("the server publishes no schemas to hold its results to: {}", why.into()),
    )
}

/// Waits for the answer to a request of ours; whatever else comes is not its business.
fn answer(pumps: &mut Pumps, id: usize, limit: Duration) -> Result<Message, Finding> {
    let wanted = Identity::Answer(Some(Id::Number(id.to_string())));
    let deadline = Instant::now() + limit;
    let mut time_left = true;
    loop {
        for output in pumps.take_outputs() {
            if let Output::Line(line) = output
                && let Ok(message) = purity::check_spaced(&line)
                && message.identity == wanted
            {
                return Ok(message);
            }
        }
        if pumps.stdout_ended() {
            return Err(unpublished("the server ended when it was asked"));
        }
        if !time_left {
            return Err(unpublished(format!("no answer within {} ms", limit.as_millis())));
        }
        time_left = pumps.turn(deadline).map_err(|error| {
            Finding::new(Outcome::HarnessError, format!("asking for tools/list: {error}"))
        })?;
    }
}
