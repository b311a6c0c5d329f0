//! The three streams of a server, pumped side by side: no full pipe on one ever stops another.
//!
//! Owns reading and writing, and waiting until a deadline. One `poll` waits for all streams and for the server's end at
//! once, so every wait ends in time. Works on bytes; what they mean is the replay's.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::errors::Errors;
use super::lines::Lines;
use super::process::{Streams, between_starts};

/// The longest line that is read: far beyond any answer, and little enough to hold.
pub const LINE_LIMIT: usize = 64 << 20;

/// How many bytes are moved at once.
const CHUNK: usize = 64 << 10;

/// Something that came out of stdout.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// A line, without its line feed.
    Line(Vec<u8>),
    /// The end of stdout inside of a line.
    HalfLine(Vec<u8>),
    /// The start of a line that went beyond the limit; nothing is read any more.
    EndlessLine(Vec<u8>),
}

/// The pumps of one server.
pub struct Pumps {
    stdin: Option<ChildStdin>,
    outbox: Vec<u8>,
    written: usize,
    close_after: bool,
    stdout: Option<ChildStdout>,
    lines: Lines,
    outputs: Vec<Output>,
    stderr: Option<ChildStderr>,
    errors: Errors,
    ended: Option<io::PipeReader>,
    drained: bool,
    buffer: Vec<u8>,
}

/// One of the streams that a wait watches.
#[derive(Clone, Copy)]
enum Stream {
    Stdin,
    Stdout,
    Stderr,
    Ended,
}

impl Pumps {
    /// Takes over the streams of a server that was just started.
    ///
    /// # Errors
    /// A stream cannot be made non-blocking.
    pub fn new(streams: Streams) -> io::Result<Self> {
        let Streams { stdin, stdout, stderr, ended } = streams;
        for stream in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
            rustix::io::ioctl_fionbio(stream, true)?;
        }
        Ok(Self {
            stdin: Some(stdin),
            outbox: Vec::new(),
            written: 0,
            close_after: false,
            stdout: Some(stdout),
            lines: Lines::new(LINE_LIMIT),
            outputs: Vec::new(),
            stderr: Some(stderr),
            errors: Errors::default(),
            ended: Some(ended),
            drained: false,
            buffer: vec![0; CHUNK],
        })
    }

    /// Queues bytes for the server; a server that no longer reads loses them.
    pub fn send(&mut self, bytes: &[u8]) {
        self.outbox.extend_from_slice(bytes);
    }

    /// Closes the server's stdin behind what is queued.
    pub fn close_stdin(&mut self) {
        self.close_after = true;
        if self.outbox.is_empty() {
            self.stdin = None;
        }
    }

    /// Closes the reading end of the server's stdout at once: its next write fails.
    pub fn hang_up(&mut self) {
        between_starts(|| self.stdout = None);
    }

    /// Whether everything queued has left, or never will.
    pub fn flushed(&self) -> bool {
        self.stdin.is_none() || self.outbox.is_empty()
    }

    /// Whether stdout has ended.
    pub fn stdout_ended(&self) -> bool {
        self.stdout.is_none()
    }

    /// Whether stderr has ended.
    pub fn stderr_ended(&self) -> bool {
        self.stderr.is_none()
    }

    /// Whether the server has ended.
    pub fn server_ended(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether the server has ended and all that it had written by then is read, whoever else holds its streams.
    pub fn drained(&self) -> bool {
        self.drained
    }

    /// What came out of stdout since the last call, in order.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// What stands on stdout behind the last line feed.
    pub fn partial(&self) -> &[u8] {
        self.lines.partial()
    }

    /// What came out of stderr.
    pub fn errors(&mut self) -> &mut Errors {
        &mut self.errors
    }

    /// Waits for any stream to move or for the deadline, moves all that can move, and says whether time is left.
    ///
    /// Past the deadline it still moves once what is ready.
    ///
    /// # Errors
    /// A stream fails in another way than by its other end closing.
    pub fn turn(&mut self, deadline: Instant) -> io::Result<bool> {
        // Once the server has ended, what it wrote is there already: nothing is to be waited for.
        let ended = self.ended.is_none();
        let until = if ended && !self.drained { Instant::now() } else { deadline };
        let ready = self.ready(until)?;
        self.drained = ended && !ready.iter().any(|stream| matches!(stream, Stream::Stdout | Stream::Stderr));
        for stream in ready {
            match stream {
                Stream::Stdin => self.pump_in()?,
                Stream::Stdout => self.pump_out()?,
                Stream::Stderr => self.pump_errors()?,
                Stream::Ended => self.ended = None,
            }
        }
        Ok(Instant::now() < deadline)
    }

    fn ready(&self, deadline: Instant) -> io::Result<Vec<Stream>> {
        let mut watched: Vec<(Stream, BorrowedFd<'_>, PollFlags)> = Vec::with_capacity(4);
        if let Some(stdin) = &self.stdin {
            // Without anything to write, only the other end's closing is of interest.
            let flags = if self.outbox.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            watched.push((Stream::Stdin, stdin.as_fd(), flags));
        }
        if let Some(stdout) = &self.stdout {
            watched.push((Stream::Stdout, stdout.as_fd(), PollFlags::IN));
        }
        if let Some(stderr) = &self.stderr {
            watched.push((Stream::Stderr, stderr.as_fd(), PollFlags::IN));
        }
        if let Some(ended) = &self.ended {
            watched.push((Stream::Ended, ended.as_fd(), PollFlags::IN));
        }
        let mut fds: Vec<_> =
            watched.iter().map(|(_, fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let moved = fds.iter().zip(&watched).filter(|(fd, _)| !fd.revents().is_empty());
        Ok(moved.map(|(_, (stream, ..))| *stream).collect())
    }

    fn pump_in(&mut self) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        let waiting = &self.outbox[self.written..];
        if waiting.is_empty() {
            // Nothing was to be written, so the server closed its stdin.
            self.stdin = None;
            return Ok(());
        }
        match stdin.write(&waiting[..waiting.len().min(CHUNK)]) {
            Ok(count) => self.written += count,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // A server may stop reading; what it fails to do then is seen elsewhere.
                self.stdin = None;
                return Ok(());
            }
            Err(error) if is_transient(&error) => {}
            Err(error) => return Err(error),
        }
        if self.written == self.outbox.len() {
            self.outbox.clear();
            self.written = 0;
            if self.close_after {
                self.stdin = None;
            }
        }
        Ok(())
    }

    fn pump_out(&mut self) -> io::Result<()> {
        let Some(stdout) = &mut self.stdout else { return Ok(()) };
        let Some(count) = read(stdout, &mut self.buffer)? else { return Ok(()) };
        if count == 0 {
            self.stdout = None;
            if !self.lines.partial().is_empty() {
                self.outputs.push(Output::HalfLine(self.lines.partial().to_vec()));
            }
            return Ok(());
        }
        let mut lines = Vec::new();
        let fed = self.lines.feed(&self.buffer[..count], &mut lines);
        self.outputs.extend(lines.into_iter().map(Output::Line));
        if fed.is_err() {
            self.stdout = None;
            self.outputs.push(Output::EndlessLine(self.lines.partial()[..CHUNK].to_vec()));
        }
        Ok(())
    }

    fn pump_errors(&mut self) -> io::Result<()> {
        let Some(stderr) = &mut self.stderr else { return Ok(()) };
        match read(stderr, &mut self.buffer)? {
            None => {}
            Some(0) => self.stderr = None,
            Some(count) => self.errors.feed(&self.buffer[..count]),
        }
        Ok(())
    }
}

/// Reads what is there: `None` where nothing is, `Some(0)` at the end.
fn read(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match stream.read(buffer) {
        Ok(count) => Ok(Some(count)),
        Err(error) if is_transient(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
