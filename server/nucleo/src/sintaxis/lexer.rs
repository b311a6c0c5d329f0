//! The words of one line of the surface: from a fragment to tokens.
//!
//! A `-` before a digit belongs to the number only where an operand is expected; anywhere else it is the
//! subtraction. Owns no grammar.

use super::error::SyntaxError;
use super::fragment::{Fragment, is_space};
use super::tree::{hyphenated_length, ident_length};
use crate::valor::{Integer, Text, Valor, prefix};

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A quoted text, as JSON writes it.
    Text(Text),
    /// A number.
    Number(Valor),
    /// A name.
    Ident(&'a str),
    /// `$name`.
    Hole(&'a str),
    /// A comparison operator.
    Comparison(&'static str),
    /// `+`, `-` or `*`.
    Arithmetic(char),
    /// `(`, `)`, `,` or `.`.
    Mark(char),
    /// The end of the line.
    End,
}

/// A token and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spanned<'a> {
    pub token: Token<'a>,
    /// Column of its first character.
    pub column: usize,
    /// Byte of its first character within the fragment.
    pub at: usize,
}

/// The comparison operators, longest first.
pub(crate) const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

/// The tokens of `source`, the last of which is [`Token::End`].
pub(crate) fn tokens(source: Fragment<'_>) -> Result<Vec<Spanned<'_>>, SyntaxError> {
    let mut found: Vec<Spanned> = Vec::new();
    let mut rest = source.trimmed_start();
    while !rest.text.is_empty() {
        let operand_next = found.last().is_none_or(|last| expects_operand(&last.token));
        let (token, length) = token(rest, operand_next)?;
        found.push(Spanned { token, column: rest.column, at: source.text.len() - rest.text.len() });
        rest = rest.after(length).trimmed_start();
    }
    found.push(Spanned { token: Token::End, column: rest.column, at: source.text.len() });
    Ok(found)
}

/// Whether an operand can only follow: then a `-` before a digit is its sign.
fn expects_operand(token: &Token) -> bool {
    match token {
        Token::Comparison(_) | Token::Arithmetic(_) | Token::Mark('(' | ',') => true,
        Token::Ident(word) => matches!(*word, "y" | "o" | "no"),
        _ => false,
    }
}

fn token(rest: Fragment<'_>, operand_next: bool) -> Result<(Token<'_>, usize), SyntaxError> {
    let text = rest.text;
    let bytes = text.as_bytes();
    if let Some(operator) = COMPARISONS.iter().find(|operator| text.starts_with(**operator)) {
        return Ok((Token::Comparison(operator), operator.len()));
    }
    match bytes[0] {
        b'"' => return quoted(rest),
        mark @ (b'(' | b')' | b',' | b'.') => return Ok((Token::Mark(mark as char), 1)),
        sign @ (b'+' | b'-' | b'*') => {
            let negative = sign == b'-' && operand_next && bytes.get(1).is_some_and(u8::is_ascii_digit);
            if !negative {
                return Ok((Token::Arithmetic(sign as char), 1));
            }
        }
        b'$' => {
            return match ident_length(&text[1..]) {
                0 => Err(rest.error("se esperaba el nombre de un parámetro después de «$»")),
                length => Ok((Token::Hole(&text[1..=length]), length + 1)),
            };
        }
        _ => {}
    }
    let length = number_length(text);
    if length > 0 {
        return number(rest, length);
    }
    match ident_length(text) {
        0 => Err(unknown(rest)),
        length => Ok((Token::Ident(&text[..length]), length)),
    }
}

fn quoted(rest: Fragment<'_>) -> Result<(Token<'_>, usize), SyntaxError> {
    match prefix(rest.text) {
        Ok((Valor::Text(text), length)) => Ok((Token::Text(text), length)),
        Ok(_) => Err(rest.error("se esperaba un texto entre comillas")),
        Err(error) => Err(SyntaxError::new(
            rest.line,
            rest.column + error.column - 1,
            format!("el texto entre comillas está mal escrito: {}", error.reason),
        )),
    }
}

/// Length in bytes of the number at the start of `text`; 0 when there is none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    end += match bytes.get(end) {
        Some(b'0') => 1,
        Some(b'1'..=b'9') => digits_from(end),
        _ => return 0,
    };
    if bytes.get(end) == Some(&b'.') && digits_from(end + 1) > 0 {
        end += 1 + digits_from(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = digits_from((end + 1 + sign).min(bytes.len()));
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    end
}

fn number(rest: Fragment<'_>, length: usize) -> Result<(Token<'_>, usize), SyntaxError> {
    let written = &rest.text[..length];
    let value = if written.contains(['.', 'e', 'E']) {
        written.parse::<f64>().ok().filter(|float| float.is_finite()).map(Valor::Float)
    } else {
        Integer::parse(written).map(Valor::Int)
    };
    match value {
        Some(value) => Ok((Token::Number(value), length)),
        None => Err(rest.error("el número está fuera de lo que el lenguaje representa")),
    }
}

/// The error for a character that starts no token, with what to write instead where that is known.
fn unknown(rest: Fragment<'_>) -> SyntaxError {
    let c = rest.text.chars().next().unwrap_or(' ');
    rest.error(match c {
        '=' => "la igualdad se compara con «==»; «=» suelto no es un operador".to_owned(),
        '/' | '%' | '^' => {
            format!("«{c}» no es un operador: declará una función escalar y llamala por su nombre")
        }
        _ if c.is_alphabetic() => format!(
            "«{c}» no va en un nombre: los nombres usan letras ASCII, dígitos y «_»; los acentos van en la prosa"
        ),
        _ => format!("se esperaba una expresión y llegó «{c}»"),
    })
}

/// Every `$name` of a line that stands outside quoted texts, with its column.
pub(crate) fn holes_in<'a>(line: Fragment<'a>) -> Vec<Fragment<'a>> {
    let mut found = Vec::new();
    let mut quoted = false;
    let mut rest = line;
    while let Some(c) = rest.text.chars().next() {
        let mut step = c.len_utf8();
        match c {
            '\\' if quoted => step += rest.text[1..].chars().next().map_or(0, char::len_utf8),
            '"' => quoted = !quoted,
            '$' if !quoted => {
                let length = hyphenated_length(&rest.text[1..]);
                if length > 0 {
                    found.push(Fragment { text: &rest.text[1..=length], ..rest });
                    step += length;
                }
            }
            _ => {}
        }
        rest = rest.after(step);
    }
    found
}

/// Whether a fragment is nothing but white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(text: &str) -> Fragment<'_> {
        Fragment { line: 1, column: 1, text }
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let shown = match tokens(fragment(text)) {
            Err(error) => format!("error {}", error.columna),
            Ok(found) => found
                .iter()
                .map(|spanned| match &spanned.token {
                    Token::Text(text) => format!("{:?}@{}", &**text, spanned.column),
                    Token::Number(value) => format!("{}@{}", value.to_compact(), spanned.column),
                    Token::Ident(name) => format!("{name}@{}", spanned.column),
                    Token::Hole(name) => format!("${name}@{}", spanned.column),
                    Token::Comparison(operator) => format!("[{operator}]"),
                    Token::Arithmetic(c) => format!("[{c}]"),
                    Token::Mark(c) => c.to_string(),
                    Token::End => format!("end@{}", spanned.column),
                })
                .collect::<Vec<_>>()
                .join(" "),
        };
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn a_minus_is_a_sign_only_before_an_operand() {
        check("a - -1", "a@1 [-] -1@5 end@7");
        check("a -1", "a@1 [-] 1@4 end@5");
        check("-1", "-1@1 end@3");
        check("x y -1", "x@1 y@3 -1@5 end@7");
        check("(-1, -2)", "( -1@2 , -2@6 ) end@9");
        check("a.b-1", "a@1 . b@3 [-] 1@5 end@6");
        check("\"s\" -1", "\"s\"@1 [-] 1@6 end@7");
    }

    #[test]
    fn numbers_keep_their_kind() {
        check(
            "1.50 1e3 -0 12345678901234567890123",
            "1.5@1 1000.0@6 [-] 0@11 12345678901234567890123@13 end@36",
        );
        check("007", "0@1 0@2 7@3 end@4");
        check("1. 1e 1e+", "1@1 . 1@4 e@5 1@7 e@8 [+] end@10");
        check("1e400", "error 1");
    }

    #[test]
    fn texts_are_json_and_columns_are_characters() {
        check(r#""ñ\n" a"#, "\"ñ\\n\"@1 a@7 end@8");
        check("\"abc", "error 1");
        check(r#""a\q""#, "error 3");
        check("\"a\tb\"", "error 3");
    }

    #[test]
    fn what_starts_no_token_is_refused_where_it_stands() {
        check("a = 1", "error 3");
        check("a / 1", "error 3");
        check("a ñ", "error 3");
        check("$", "error 1");
        check("a ; b", "error 3");
        check("a!", "error 2");
    }

    #[test]
    fn holes_inside_texts_are_prose() {
        let found: Vec<_> =
            holes_in(fragment(r#"é $a-b "$c \" $d" $e $1"#)).iter().map(|h| (h.column, h.text)).collect();
        assert_eq!(found, [(3, "a-b"), (19, "e")]);
    }
}
