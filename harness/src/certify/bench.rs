//! What probes run on: the server, how long to wait, which tools may be called, and what is known so far.
//!
//! Owns opening and ending conversations. Must not judge; the probes do.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use super::era::{self, Era};
use super::http::{Endpoint, Posts};
use super::line::{Line, Stdio};
use super::notes::Notes;
use super::talk::{Closing, Reply, Talk};
use super::{Options, Subject, arguments, envelope};

/// A server and what a run knows about it.
pub struct Bench<'o> {
    /// Who is asked.
    pub subject: &'o Subject,
    /// What the run was told.
    pub options: &'o Options,
    /// The era of the run.
    pub era: Era,
    /// What was observed.
    pub notes: Notes,
    /// Its capabilities, once it has told them.
    pub capabilities: Value,
    /// Its tools, once it has listed them.
    pub tools: Vec<Value>,
    /// Its name and version, once it has told them.
    pub identity: Option<String>,
}

/// A call that a run makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool's definition.
    pub tool: Value,
    /// The arguments.
    pub arguments: Value,
}

impl Call {
    /// The parameters of the call.
    #[must_use]
    pub fn params(&self) -> Value {
        json!({"name": self.tool["name"], "arguments": self.arguments})
    }
}

impl<'o> Bench<'o> {
    /// A bench on which nothing has run.
    #[must_use]
    pub fn new(subject: &'o Subject, options: &'o Options, era: Era) -> Self {
        Self {
            subject,
            options,
            era,
            notes: Notes::default(),
            capabilities: json!({}),
            tools: Vec::new(),
            identity: None,
        }
    }

    /// Whether the server is a process at hand.
    #[must_use]
    pub fn is_stdio(&self) -> bool {
        matches!(self.subject, Subject::Command(_))
    }

    /// Begins a conversation with a fresh process, before any handshake.
    ///
    /// # Errors
    /// The server cannot be started, or reached.
    pub fn bare(&self) -> io::Result<Talk> {
        let line: Box<dyn Line> = match self.subject {
            Subject::Command(command) => Box::new(Stdio::start(command)?),
            Subject::Url(_) => Box::new(Posts::new(self.endpoint()?, self.era)),
        };
        Ok(Talk::new(line, self.era, self.options.limit))
    }

    /// The endpoint of a server that is reached by URL.
    ///
    /// # Errors
    /// There is none, or its URL is none.
    pub fn endpoint(&self) -> io::Result<Endpoint> {
        match self.subject {
            Subject::Url(url) => Endpoint::new(url, self.options.limit).map_err(io::Error::other),
            Subject::Command(_) => Err(io::Error::other("a process has no endpoint")),
        }
    }

    /// Begins a conversation in which requests of the era may be sent.
    ///
    /// # Errors
    /// The server cannot be started, or reached.
    pub fn open(&self) -> io::Result<Talk> {
        let mut talk = self.bare()?;
        match self.era {
            // Nothing need come first; a server that wants it so fails where that is looked at, and nowhere else.
            Era::Modern => {
                talk.ask("server/discover", json!({}));
            }
            Era::Legacy => {
                talk.ask("initialize", era::initialize(self.era.revision()));
                talk.tell("notifications/initialized", None);
            }
        }
        Ok(talk)
    }

    /// Holds a conversation to what every message must keep, and ends it.
    ///
    /// # Errors
    /// A fault of the machine in its course.
    pub fn close(&mut self, mut talk: Talk) -> io::Result<Closing> {
        let closing = talk.close();
        envelope::inspect(&talk, &mut self.notes);
        match talk.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(closing),
        }
    }

    /// Whether a capability is advertised.
    #[must_use]
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.get(capability).is_some()
    }

    /// The rule that every request is answered.
    #[must_use]
    pub fn answering(&self) -> &'static str {
        match self.era {
            Era::Modern => "RPC-16",
            Era::Legacy => "RPC-17",
        }
    }

    /// Holds a lawful request to being answered at all, and says whether it was.
    pub fn answered(&mut self, reply: &Reply) -> bool {
        let rule = self.answering();
        let answered = reply.message.is_some();
        let what = if answered { "every request is answered" } else { &reply.silence };
        self.notes.judge(rule, answered, what, || reply.lines.clone());
        answered
    }

    /// Holds a reply to being the error of that code; without any reply the rule stays open.
    pub fn expect_code(&mut self, rule: &'static str, what: &str, reply: &Reply, codes: &[i64]) {
        if !self.answered(reply) {
            self.notes.open(rule, format!("{what}: {}", reply.silence));
            return;
        }
        let holds = reply.code().is_some_and(|code| codes.contains(&code));
        let told = format!("{what}: {}", reply.told());
        self.notes.judge(rule, holds, told, || reply.lines.clone());
    }

    /// Asks what every server of the era answers, which shows that all before it was read.
    pub fn fence(&mut self, talk: &mut Talk) -> Reply {
        talk.ask(talk.era.fence(), json!({}))
    }

    /// The calls that may be made: those named, and of the tools that say they only read, with arguments that fit.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        let named = |name: &str| self.tools.iter().find(|tool| tool["name"] == name);
        let mut calls: Vec<_> = self
            .options
            .calls
            .iter()
            .filter_map(|(name, arguments)| {
                Some(Call { tool: named(name)?.clone(), arguments: arguments.clone() })
            })
            .collect();
        for tool in self.callable() {
            if calls.iter().all(|call| call.tool["name"] != tool["name"])
                && let Some(arguments) = arguments::fitting(&tool["inputSchema"])
            {
                calls.push(Call { tool: tool.clone(), arguments });
            }
        }
        calls
    }

    /// The tools that may be called: those named, and those that say they only read.
    pub fn callable(&self) -> impl Iterator<Item = &Value> {
        self.tools.iter().filter(|tool| {
            let is_named = self.options.calls.iter().any(|(name, _)| tool["name"] == *name);
            is_named || self.options.read_only && tool["annotations"]["readOnlyHint"] == true
        })
    }

    /// The call that takes its time, where one was named.
    #[must_use]
    pub fn slow(&self) -> Option<Call> {
        let (name, arguments) = self.options.slow.as_ref()?;
        let tool = self.tools.iter().find(|tool| tool["name"] == **name)?.clone();
        Some(Call { tool, arguments: arguments.clone() })
    }

    /// How long to wait for what should not come.
    #[must_use]
    pub fn grace(&self) -> Duration {
        self.options.grace
    }
}
