//! Pieces of a text that know where they stand: lines, and what is left of a line after a prefix.
//!
//! Shared by the surfaces of measures, cases and relations. It knows line ends, blanks, comments and the
//! indentation of four spaces; it knows no word of the language.

use super::error::SyntaxError;

/// One level of indentation.
pub(crate) const INDENT: &str = "    ";

/// Whether `c` is white space. Wider than the standard library's: the four ASCII separators count too.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Whether a line break in the middle of printed text would be read as the end of its line.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The lines of `text`, each with its line end (`\r\n` is one).
pub(crate) fn lines_with_ends(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || take_line(&mut rest))
}

/// Takes the first line off `rest`, with its line end; `None` when nothing is left.
fn take_line<'a>(rest: &mut &'a str) -> Option<&'a str> {
    if rest.is_empty() {
        return None;
    }
    let end = match rest.char_indices().find(|(_, c)| is_line_break(*c)) {
        Some((at, '\r')) if rest[at + 1..].starts_with('\n') => at + 2,
        Some((at, c)) => at + c.len_utf8(),
        None => rest.len(),
    };
    let (line, after) = rest.split_at(end);
    *rest = after;
    Some(line)
}

/// The lines of [`Fragment::lines`], one at a time: a text of many short lines takes no more memory than itself.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    rest: &'a str,
    passed: usize,
}

impl Lines<'_> {
    /// How many lines were passed so far, comments counted.
    pub fn passed(&self) -> usize {
        self.passed
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Fragment<'a>;

    fn next(&mut self) -> Option<Fragment<'a>> {
        loop {
            let text = without_end(take_line(&mut self.rest)?);
            self.passed += 1;
            if !is_comment(text) {
                return Some(Fragment { line: self.passed, column: 1, text });
            }
        }
    }
}

/// The line without its line end.
pub(crate) fn without_end(line: &str) -> &str {
    match line.chars().next_back() {
        Some('\n') => line.strip_suffix("\r\n").unwrap_or(&line[..line.len() - 1]),
        Some(c) if is_line_break(c) => &line[..line.len() - c.len_utf8()],
        _ => line,
    }
}

/// Whether the whole line is a comment.
pub(crate) fn is_comment(line: &str) -> bool {
    line.trim_start_matches(is_space).starts_with('#')
}

/// A piece of one line, with the place of its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fragment<'a> {
    pub line: usize,
    pub column: usize,
    pub text: &'a str,
}

impl<'a> Fragment<'a> {
    /// Every line of `text` but comments, numbered, without line ends; blank lines stay.
    pub fn lines(text: &'a str) -> Lines<'a> {
        Lines { rest: text, passed: 0 }
    }

    /// As [`Fragment::lines`], without blank lines and without blanks at the end of a line.
    pub fn solid_lines(text: &'a str) -> Vec<Fragment<'a>> {
        Fragment::lines(text)
            .map(|line| Fragment { text: line.text.trim_end_matches(is_space), ..line })
            .filter(|line| !line.text.is_empty())
            .collect()
    }

    /// An error at the first character.
    pub fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.line, self.column, message)
    }

    /// What follows after `bytes` bytes, which must end at a character boundary.
    pub fn after(&self, bytes: usize) -> Fragment<'a> {
        let (before, text) = self.text.split_at(bytes);
        Fragment { line: self.line, column: self.column + before.chars().count(), text }
    }

    /// What follows after `prefix`, if it stands at the start.
    pub fn strip(&self, prefix: &str) -> Option<Fragment<'a>> {
        self.text.starts_with(prefix).then(|| self.after(prefix.len()))
    }

    /// What follows after leading white space.
    pub fn trimmed_start(&self) -> Fragment<'a> {
        self.after(self.text.len() - self.text.trim_start_matches(is_space).len())
    }

    /// The words, split at white space.
    pub fn words(&self) -> Vec<Fragment<'a>> {
        let mut found = Vec::new();
        let mut rest = self.trimmed_start();
        while !rest.text.is_empty() {
            let end = rest.text.find(is_space).unwrap_or(rest.text.len());
            found.push(Fragment { text: &rest.text[..end], ..rest });
            rest = rest.after(end).trimmed_start();
        }
        found
    }

    /// The pieces between separators, trimmed; an empty one stands where its separator does.
    pub fn split(&self, separator: char) -> Vec<Fragment<'a>> {
        let mut found = Vec::new();
        let mut rest = *self;
        loop {
            let end = rest.text.find(separator);
            let piece =
                Fragment { text: &rest.text[..end.unwrap_or(rest.text.len())], ..rest }.trimmed_start();
            found.push(Fragment { text: piece.text.trim_end_matches(is_space), ..piece });
            match end {
                Some(end) => rest = rest.after(end + separator.len_utf8()),
                None => return found,
            }
        }
    }

    /// What the line holds inside `level` levels of indentation, which must be exact.
    pub fn indented(&self, level: usize) -> Result<Fragment<'a>, SyntaxError> {
        match self.strip(&INDENT.repeat(level)) {
            Some(body) if !body.text.starts_with(' ') => Ok(body),
            _ => Err(self
                .trimmed_start()
                .error("la sangría no es la de su bloque: cada nivel lleva cuatro espacios")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_every_line_break() {
        let text = "a\nb\r\nc\rd\u{85}e\u{2028}f\u{1d}g\u{b}";
        let lines: Vec<_> = lines_with_ends(text).map(without_end).collect();
        assert_eq!(lines, ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(lines_with_ends(text).collect::<String>(), text);
        assert_eq!(lines_with_ends("a\n\nb").count(), 3);
        assert_eq!(lines_with_ends("").count(), 0);
    }

    #[test]
    fn comments_and_blanks_keep_the_numbers_of_the_rest() {
        let found: Vec<_> =
            Fragment::solid_lines("# c\na  \n\n  # d\nb\t").iter().map(|l| (l.line, l.text)).collect();
        assert_eq!(found, [(2, "a"), (5, "b")]);
    }

    #[test]
    fn words_know_their_columns() {
        let line = Fragment { line: 1, column: 5, text: "  ñandú  b" };
        let found: Vec<_> = line.words().iter().map(|w| (w.column, w.text)).collect();
        assert_eq!(found, [(7, "ñandú"), (14, "b")]);
    }

    #[test]
    fn pieces_are_trimmed_and_know_their_columns() {
        let line = Fragment { line: 1, column: 5, text: "é, b c ,, d" };
        let found: Vec<_> = line.split(',').iter().map(|p| (p.column, p.text)).collect();
        assert_eq!(found, [(5, "é"), (8, "b c"), (13, ""), (15, "d")]);
        assert_eq!(Fragment { text: "", ..line }.split(',').len(), 1);
    }

    #[test]
    fn indentation_is_exact() {
        let line = |text| Fragment { line: 1, column: 1, text };
        assert_eq!(line("    x").indented(1).unwrap().text, "x");
        assert_eq!(line("     x").indented(1).unwrap_err().columna, 6);
        assert_eq!(line("\tx").indented(1).unwrap_err().columna, 2);
        assert_eq!(line("x").indented(1).unwrap_err().columna, 1);
    }
}
