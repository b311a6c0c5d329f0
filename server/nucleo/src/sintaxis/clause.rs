//! What every clause shares: the lines of a block, a keyword at its level, names and quoted texts.

use super::error::{Posiciones, SyntaxError};
use super::fragment::{Fragment, INDENT};
use super::lexer::{Token, tokens};
use super::tree::{hole, is_hyphenated};
use crate::valor::Valor;

/// The lines of the body of one block, taken in order.
pub(crate) struct Block<'a> {
    header: Fragment<'a>,
    lines: &'a [Fragment<'a>],
    at: usize,
}

impl<'a> Block<'a> {
    /// The body under `header`.
    pub fn new(header: Fragment<'a>, lines: &'a [Fragment<'a>]) -> Block<'a> {
        Block { header, lines, at: 0 }
    }

    /// Takes the next line if its body starts with `prefix`.
    pub fn take(&mut self, prefix: &str) -> Result<Option<Fragment<'a>>, SyntaxError> {
        self.take_if(|body| body.starts_with(prefix))
    }

    /// Takes the next line if its body is `text`.
    pub fn take_exactly(&mut self, text: &str) -> Result<Option<Fragment<'a>>, SyntaxError> {
        self.take_if(|body| body == text)
    }

    fn take_if(&mut self, wanted: impl Fn(&str) -> bool) -> Result<Option<Fragment<'a>>, SyntaxError> {
        let Some(line) = self.lines.get(self.at) else { return Ok(None) };
        if !wanted(line.indented(1)?.text) {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(*line))
    }

    /// Takes the next line if it stands at least two levels deep.
    pub fn take_deeper(&mut self) -> Result<Option<Fragment<'a>>, SyntaxError> {
        match self.lines.get(self.at) {
            Some(line) if line.text.starts_with(&INDENT.repeat(2)) => {
                self.at += 1;
                Ok(Some(*line))
            }
            _ => Ok(None),
        }
    }

    /// Takes the first line; a body must have one.
    pub fn require_first(&mut self, message: &str) -> Result<Fragment<'a>, SyntaxError> {
        self.next_line(message)
    }

    /// Takes the next line, in which clause `word` must stand.
    pub fn require(&mut self, word: &str) -> Result<Fragment<'a>, SyntaxError> {
        self.next_line(&format!("falta la cláusula «{word}»"))
    }

    fn next_line(&mut self, message: &str) -> Result<Fragment<'a>, SyntaxError> {
        match self.lines.get(self.at) {
            Some(line) => {
                self.at += 1;
                Ok(*line)
            }
            None => Err(self.below(message)),
        }
    }

    /// An error at the line after the last one.
    fn below(&self, message: &str) -> SyntaxError {
        let last = self.lines.last().unwrap_or(&self.header);
        SyntaxError::new(last.line + 1, last.column, message)
    }

    /// No line may be left.
    pub fn finish(self, message: &str) -> Result<(), SyntaxError> {
        match self.lines.get(self.at) {
            None => Ok(()),
            Some(line) => Err(line.trimmed_start().error(message)),
        }
    }
}

/// What follows `prefix` in a line at `level`.
pub(crate) fn clause<'a>(
    line: Fragment<'a>,
    level: usize,
    prefix: &str,
) -> Result<Fragment<'a>, SyntaxError> {
    let body = line.indented(level)?;
    body.strip(prefix).ok_or_else(|| {
        let hint = match prefix {
            "resumen " | "umbral " if body.text.starts_with("requiere ") => {
                ": «requiere» va después de «umbral» y antes de «ambito» y «alcance»"
            }
            _ => "",
        };
        body.error(format!("se esperaba una línea «{}»{hint}", prefix.trim_end()))
    })
}

/// The line from its first word on.
pub(crate) fn whole_line(line: Fragment<'_>) -> Fragment<'_> {
    line.trimmed_start()
}

/// Notes that node `[index]` of a measure, and its head, stand at the first word of `line`.
pub(crate) fn place(places: &mut Posiciones, line: Fragment<'_>, index: usize) {
    let first = whole_line(line);
    places.record(&[index], first.line, first.column);
    places.record(&[index, 0], first.line, first.column);
}

/// A word as it is, or a hole when it starts with `$`.
pub(crate) fn name(word: Fragment<'_>) -> Result<Valor, SyntaxError> {
    match word.text.strip_prefix('$') {
        None => Ok(Valor::text(word.text)),
        Some(parameter) if is_hyphenated(parameter) => Ok(hole(parameter)),
        Some(_) => Err(word.error("se esperaba el nombre de un parámetro después de «$»")),
    }
}

/// A quoted text or a hole, and nothing more.
pub(crate) fn text_or_hole(source: Fragment<'_>) -> Result<Valor, SyntaxError> {
    let found = tokens(source)?;
    let value = match &found[0].token {
        Token::Text(text) => Valor::Text(text.clone()),
        Token::Hole(name) => hole(name),
        _ => {
            return Err(SyntaxError::new(
                source.line,
                found[0].column,
                "se esperaba un texto entre comillas",
            ));
        }
    };
    match &found[1] {
        next if next.token == Token::End => Ok(value),
        next => Err(SyntaxError::new(source.line, next.column, "se esperaba el fin de la línea")),
    }
}
