//! The lines of stdin, their limit, and the one writer of stdout.
//!
//! Knows bytes and line feeds; must not know a method's name, nor what a message means.

use std::io::{self, BufRead, BufReader, Read, StdinLock, Stdout, Write};
use std::sync::{Arc, Mutex};

/// Most bytes that one line may take, its line feed included. A longer line is refused and skipped.
pub const LINE_LIMIT: u64 = 33_554_432;

/// How much is read at once: all that a pipe holds, so that a long line takes few turns with who writes it.
const READ_BYTES: usize = 65_536;

/// What stood between two line feeds.
pub enum Line {
    /// A line within the limit, as it came; the last one need not end in a line feed.
    Whole(Vec<u8>),
    /// A line beyond the limit, already skipped.
    TooLong,
}

/// The lines of stdin, one at a time, in bounded memory.
pub struct Lines {
    input: BufReader<StdinLock<'static>>,
}

impl Lines {
    /// Takes stdin for as long as the process lives.
    pub fn of_stdin() -> Lines {
        Lines { input: BufReader::with_capacity(READ_BYTES, io::stdin().lock()) }
    }

    /// The next line; `None` at the end of input.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        if self.input.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.ends_with(b"\n") || self.input.fill_buf()?.is_empty() {
            return Ok(Some(Line::Whole(line)));
        }
        self.input.skip_until(b'\n')?;
        Ok(Some(Line::TooLong))
    }
}

/// The one writer of stdout. Clones share it.
#[derive(Clone)]
pub struct Output {
    stream: Arc<Mutex<Stdout>>,
}

impl Output {
    /// Takes stdout for as long as the process lives.
    pub fn of_stdout() -> Output {
        Output { stream: Arc::new(Mutex::new(io::stdout())) }
    }

    /// Writes one message as one line, whole, and hands it to the client at once.
    ///
    /// When nobody reads any more the session is over, whichever thread notices: the process ends as it
    /// does when the client closes the input.
    pub fn send(&self, mut message: String) {
        message.push('\n');
        let mut stream = self.stream.lock().expect("no writer panics");
        if stream.write_all(message.as_bytes()).and_then(|()| stream.flush()).is_err() {
            std::process::exit(0);
        }
    }
}
