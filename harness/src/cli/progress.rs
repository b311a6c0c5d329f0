//! How far long work is: one line on a terminal that overwrites itself, and nothing at all anywhere else.

use std::io::Write;

/// The line of one piece of work.
pub(super) struct Progress {
    terminal: bool,
    shown: bool,
}

impl Progress {
    /// Work that nothing was said of yet.
    pub(super) fn new(terminal: bool) -> Self {
        Self { terminal, shown: false }
    }

    /// Says how far it is, in the place of what was said before.
    pub(super) fn show(&mut self, err: &mut dyn Write, text: &str) {
        if self.terminal {
            self.shown = true;
            // Nobody reads a closed stream; the exit code still says it.
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }

    /// Takes the line away, so that another one may stand there.
    pub(super) fn clear(&mut self, err: &mut dyn Write) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(terminal: bool) -> String {
        let mut err = Vec::new();
        let mut progress = Progress::new(terminal);
        progress.clear(&mut err);
        progress.show(&mut err, "1/2");
        progress.show(&mut err, "2/2");
        progress.clear(&mut err);
        progress.clear(&mut err);
        String::from_utf8(err).expect("text")
    }

    #[test]
    fn a_terminal_sees_one_line_and_a_pipe_none() {
        assert_eq!(written(true), "\r\x1b[K1/2\r\x1b[K2/2\r\x1b[K");
        assert_eq!(written(false), "");
    }
}
