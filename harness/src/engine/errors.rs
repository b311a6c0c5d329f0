//! What a server says on stderr: kept up to a size, searched by line.
//!
//! Bytes only; whether there may be any is the replay's to judge.

use super::visible::visible;

/// How much is kept from the start; a text is looked for in there.
const KEPT: usize = 1 << 20;

/// How much is kept from the end once the start is full.
const TAIL: usize = 8 << 10;

/// Everything that came out of stderr, as far as it is kept.
#[derive(Debug, Default)]
pub struct Errors {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: usize,
    /// Where the next `await` starts to look.
    awaited: usize,
}

impl Errors {
    /// Takes bytes as they come.
    pub fn feed(&mut self, bytes: &[u8]) {
        let room = KEPT - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
        self.dropped += over;
    }

    /// Whether nothing came at all.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Whether what is kept holds a text.
    pub fn holds(&self, text: &str) -> bool {
        [&self.head, &self.tail].into_iter().any(|kept| position(kept, text.as_bytes()).is_some())
    }

    /// Whether a whole line that no call before has found holds the text; the search goes on behind it next time.
    pub fn await_line(&mut self, text: &str) -> bool {
        let mut start = self.awaited;
        while let Some(length) = self.head[start..].iter().position(|byte| *byte == b'\n') {
            let line = &self.head[start..start + length];
            start += length + 1;
            if position(line, text.as_bytes()).is_some() {
                self.awaited = start;
                return true;
            }
        }
        false
    }

    /// The last of it, safe to show; names how much is left out.
    pub fn shown(&self) -> String {
        if self.dropped > 0 {
            let kept = visible(&self.tail, TAIL);
            return format!("[… {} bytes left out …]{kept}", self.head.len() + self.dropped);
        }
        let all = [&self.head[..], &self.tail[..]].concat();
        let over = all.len().saturating_sub(TAIL);
        let kept = visible(&all[over..], TAIL);
        if over > 0 { format!("[… {over} bytes left out …]{kept}") } else { kept }
    }
}

fn position(bytes: &[u8], text: &[u8]) -> Option<usize> {
    if text.is_empty() {
        return Some(0);
    }
    bytes.windows(text.len()).position(|window| window == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(chunks: &[&[u8]]) -> Errors {
        let mut errors = Errors::default();
        for chunk in chunks {
            errors.feed(chunk);
        }
        errors
    }

    #[test]
    fn a_text_is_found_wherever_chunks_end() {
        let found = errors(&[b"one t", b"wo\nthree"]);
        assert!(found.holds("two") && found.holds("three") && found.holds("two\nth") && found.holds(""));
        assert!(!found.holds("four"));
        assert!(!found.is_empty() && errors(&[]).is_empty() && errors(&[b""]).is_empty());
    }

    #[test]
    fn each_await_takes_a_line_of_its_own() {
        let mut found = errors(&[b"go 1\ngo 2\nstop\ngo"]);
        assert!(found.await_line("go") && found.await_line("go"));
        assert!(!found.await_line("go"), "the last line is not whole yet");
        assert!(found.await_line("stop"), "a search that failed took nothing");
        found.feed(b" 3\n");
        assert!(!found.await_line("go 2") && found.await_line("go") && !found.await_line("go"));
    }

    #[test]
    fn a_flood_keeps_its_start_and_its_end() {
        let mut found = errors(&[b"start\n"]);
        let chunk = vec![b'x'; KEPT];
        found.feed(&chunk);
        found.feed(&chunk);
        found.feed(b"\nend");
        assert!(found.holds("start") && found.holds("end"));
        assert_eq!((found.head.len(), found.tail.len()), (KEPT, TAIL));
        let shown = found.shown();
        let left_out = 6 + 2 * KEPT + 4 - TAIL;
        assert!(shown.starts_with(&format!("[… {left_out} bytes left out …]xxx")), "{}", &shown[..60]);
        assert!(shown.ends_with("x\nend"));
    }

    #[test]
    fn what_is_shown_is_cut_and_says_so() {
        assert_eq!(errors(&[b"a\x1bb\n"]).shown(), "a\\u{1b}b\n");
        let full = errors(&[&vec![b'y'; TAIL]]).shown();
        assert_eq!((full.len(), full.contains("left out")), (TAIL, false));
        assert!(errors(&[&vec![b'y'; TAIL + 1]]).shown().starts_with("[… 1 bytes left out …]yyy"));
        let mut both = errors(&[&vec![b'y'; KEPT]]);
        both.feed(b"z");
        assert!(both.shown().ends_with("yz"));
    }
}
