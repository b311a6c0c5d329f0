//! The line to a server: messages out, lines in, and how it ends.
//!
//! Owns the transport. Must not read a message; [`super::talk`] does.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::time::Instant;

use tempfile::TempDir;

use crate::engine::Ending;
use crate::engine::process::Server;
use crate::engine::pumps::{Output, Pumps};

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A line or a body, without its line feed.
    Line(Vec<u8>),
    /// Nothing, and the time is up.
    Nothing,
    /// Nothing, and nothing of what was sent so far will: why.
    Quiet(String),
    /// Nothing, and nothing will: why.
    Over(String),
}

/// A way to a server.
pub trait Line {
    /// Sends one message, or bytes that are none.
    fn send(&mut self, text: &[u8]);
    /// Waits for what comes next until a deadline.
    ///
    /// # Errors
    /// A fault of the machine.
    fn receive(&mut self, deadline: Instant) -> io::Result<Received>;
    /// Tells the server that nothing more will come.
    fn close(&mut self);
    /// How the server has ended, where it has and can.
    ///
    /// # Errors
    /// The system does not say.
    fn ending(&self) -> io::Result<Option<Ending>>;
}

/// A process that is spoken to over its standard streams.
pub struct Stdio {
    // Streams go before the server: its end closes what reads them.
    pumps: Pumps,
    server: Server,
    queue: VecDeque<Output>,
    _scratch: TempDir,
}

impl Stdio {
    /// Starts a server.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &[OsString]) -> io::Result<Self> {
        let scratch = tempfile::tempdir()?;
        let (server, streams) = Server::spawn(command, scratch.path())?;
        Ok(Self { pumps: Pumps::new(streams)?, server, queue: VecDeque::new(), _scratch: scratch })
    }
}

impl Line for Stdio {
    fn send(&mut self, text: &[u8]) {
        self.pumps.send(text);
        self.pumps.send(b"\n");
    }

    fn receive(&mut self, deadline: Instant) -> io::Result<Received> {
        let mut time_left = true;
        loop {
            self.queue.extend(self.pumps.take_outputs());
            match self.queue.pop_front() {
                Some(Output::Line(line) | Output::HalfLine(line) | Output::EndlessLine(line)) => {
                    return Ok(Received::Line(line));
                }
                None if self.pumps.drained() => {
                    let how = self.server.ending()?.map_or_else(|| "?".to_owned(), |end| end.to_string());
                    return Ok(Received::Over(format!("the server ended ({how})")));
                }
                None => {}
            }
            if !time_left {
                return Ok(Received::Nothing);
            }
            time_left = self.pumps.turn(deadline)?;
        }
    }

    fn close(&mut self) {
        self.pumps.close_stdin();
    }

    fn ending(&self) -> io::Result<Option<Ending>> {
        self.server.ending()
    }
}
