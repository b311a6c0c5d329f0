//! Raw bytes into lines: what ends in a line feed, what does not yet, and what never will.
//!
//! Works on bytes only; what a line should be is [`super::purity`]'s.

use std::io::BufRead;

/// Collects bytes until a line feed ends them.
#[derive(Debug)]
pub struct Lines {
    partial: Vec<u8>,
    limit: usize,
}

/// A line that grew beyond the limit.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl Lines {
    /// No line may hold more than `limit` bytes before its line feed.
    pub fn new(limit: usize) -> Self {
        Self { partial: Vec::new(), limit }
    }

    /// Takes bytes as they come and pushes each line that they end, without its line feed.
    ///
    /// # Errors
    /// [`TooLong`] once what has no line feed yet is over the limit; lines before it are pushed.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Vec<u8>>) -> Result<(), TooLong> {
        let mut rest = bytes;
        // The standard library's own search is fast in a build for debugging too, where a loop here is not.
        while rest.contains(&b'\n') {
            let mut line = std::mem::take(&mut self.partial);
            // Reading from a slice cannot fail.
            let _ = rest.read_until(b'\n', &mut line);
            line.pop();
            if line.len() > self.limit {
                self.partial = line;
                return Err(TooLong);
            }
            out.push(line);
        }
        self.partial.extend_from_slice(rest);
        if self.partial.len() > self.limit { Err(TooLong) } else { Ok(()) }
    }

    /// What came after the last line feed.
    pub fn partial(&self) -> &[u8] {
        &self.partial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: usize, chunks: &[&str], expect: &[&str], partial: &str, last: Result<(), TooLong>) {
        let mut lines = Lines::new(limit);
        let mut out = Vec::new();
        let mut result = Ok(());
        for chunk in chunks {
            assert_eq!(result, Ok(()), "only the last chunk may fail");
            result = lines.feed(chunk.as_bytes(), &mut out);
        }
        let expect: Vec<_> = expect.iter().map(|line| line.as_bytes().to_vec()).collect();
        assert_eq!((out, lines.partial(), result), (expect, partial.as_bytes(), last), "{chunks:?}");
    }

    #[test]
    fn chunks_do_not_matter() {
        check(9, &["ab\ncd\nef"], &["ab", "cd"], "ef", Ok(()));
        check(9, &["a", "b", "\n", "cd\nef"], &["ab", "cd"], "ef", Ok(()));
        check(9, &["\n\n", "\r\n"], &["", "", "\r"], "", Ok(()));
        check(9, &[], &[], "", Ok(()));
    }

    #[test]
    fn the_limit_counts_one_line() {
        check(3, &["abc\nab", "c\nabc"], &["abc", "abc"], "abc", Ok(()));
        check(3, &["a\nabcd"], &["a"], "abcd", Err(TooLong));
        check(3, &["ab", "cd\nx\n"], &[], "abcd", Err(TooLong));
        check(3, &["ab", "c", "d"], &[], "abcd", Err(TooLong));
    }
}
