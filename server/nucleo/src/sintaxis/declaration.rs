//! Reading `defmacro`: its parameters, its guards and its template, one level deeper.

use super::error::{Posiciones, SyntaxError};
use super::expr;
use super::form::{self, Header, Id};
use super::fragment::{Fragment, INDENT, is_space};
use super::lexer::{Token, holes_in, is_blank, tokens};
use super::tree::{is_hyphenated, node};
use crate::macros::Macros;
use crate::valor::Valor;
use std::collections::HashSet;

/// The parts of `defmacro <name>(<parameters>):`.
pub(crate) struct Signature<'a> {
    pub name: Fragment<'a>,
    parameters: Vec<Fragment<'a>>,
}

impl<'a> Signature<'a> {
    /// Takes the line apart; `None` when it declares no macro.
    pub fn split(line: Fragment<'a>) -> Option<Signature<'a>> {
        let after = line.strip("defmacro").filter(|rest| rest.text.starts_with(is_space))?.trimmed_start();
        let length = after.text.find(|c| is_space(c) || c == '(').unwrap_or(after.text.len());
        let name = Fragment { text: &after.text[..length], ..after };
        let list = after.after(length).trimmed_start().strip("(")?;
        let close = list.text.find(')')?;
        let rest = list.after(close + 1).trimmed_start();
        if name.text.is_empty() || rest.text != ":" {
            return None;
        }
        let list = Fragment { text: &list.text[..close], ..list };
        let parameters = list.split(',').into_iter().filter(|piece| !piece.text.is_empty()).collect();
        Some(Signature { name, parameters })
    }

    fn check(&self, line: Fragment<'_>) -> Result<(), SyntaxError> {
        if self.parameters.is_empty() {
            return Err(line.error("se esperaba al menos un parámetro de la macro"));
        }
        if let Some(bad) = self.parameters.iter().find(|parameter| !is_hyphenated(parameter.text)) {
            return Err(bad.error(format!("«{}» no es un nombre de parámetro", bad.text)));
        }
        let mut seen = HashSet::new();
        if let Some(again) = self.parameters.iter().find(|parameter| !seen.insert(parameter.text)) {
            return Err(line.error(format!("el parámetro «{}» está repetido", again.text)));
        }
        Ok(())
    }
}

/// Reads the declaration that `lines` hold, the first of which is its signature.
pub(crate) fn read(
    signature: &Signature<'_>,
    lines: &[Fragment<'_>],
    macros: &Macros,
) -> Result<Valor, SyntaxError> {
    let first = lines[0];
    signature.check(first)?;
    let mut body = &lines[1..];
    let mut guards = Vec::new();
    while let [line, rest @ ..] = body {
        let Some(guard) = line.indented(1)?.strip("guarda ") else { break };
        guards.push(read_guard(guard)?);
        body = rest;
    }
    if body.is_empty() {
        let last = lines[lines.len() - 1];
        return Err(SyntaxError::new(last.line + 1, 1, "falta la plantilla de la macro"));
    }
    let template = read_template(body, macros)?;
    check_holes(signature, &lines[1..])?;
    let parameters = Valor::list(signature.parameters.iter().map(|parameter| Valor::text(parameter.text)));
    Ok(node("defmacro", [Valor::text(signature.name.text), parameters, Valor::List(guards), template]))
}

/// `<expression> "<message>"`: the message is the last quoted text of the line.
fn read_guard(rest: Fragment<'_>) -> Result<Valor, SyntaxError> {
    let found = tokens(rest)?;
    let message = found.iter().rev().find_map(|spanned| match &spanned.token {
        Token::Text(text) => Some((spanned, text.clone())),
        _ => None,
    });
    let Some((spanned, text)) = message else {
        return Err(rest.error("se esperaba el mensaje de la guarda entre comillas"));
    };
    let condition = Fragment { text: &rest.text[..spanned.at], ..rest };
    if is_blank(condition.text) {
        return Err(rest.error("se esperaba la condición de la guarda"));
    }
    Ok(node("guarda", [expr::read(condition)?.into_valor(), Valor::Text(text)]))
}

fn read_template<'a>(body: &[Fragment<'a>], macros: &Macros) -> Result<Valor, SyntaxError> {
    let header = body[0].indented(1)?;
    if Header::split(header).is_none() {
        return Err(header.error("se esperaba una plantilla «medida <id>:» o «<macro declarada> <id>:»"));
    }
    // A line short of its level stays without any: the clause it belongs to refuses it in its turn.
    let inner = |line: &Fragment<'a>| line.strip(INDENT).unwrap_or_else(|| line.trimmed_start());
    let lines: Vec<_> = body.iter().map(inner).collect();
    form::read(&lines, macros, Id::Template, &mut Posiciones::default())
}

/// Every hole is a parameter and every parameter is a hole somewhere.
fn check_holes(signature: &Signature<'_>, body: &[Fragment<'_>]) -> Result<(), SyntaxError> {
    let holes: Vec<Fragment<'_>> = body.iter().flat_map(|line| holes_in(*line)).collect();
    let declared: HashSet<&str> = signature.parameters.iter().map(|parameter| parameter.text).collect();
    let used: HashSet<&str> = holes.iter().map(|hole| hole.text).collect();
    let unknown = holes.iter().filter(|hole| !declared.contains(hole.text)).min_by_key(|hole| hole.text);
    if let Some(unknown) = unknown {
        return Err(unknown.error(format!("«${}» no es un parámetro de la macro", unknown.text)));
    }
    let unused = signature.parameters.iter().filter(|parameter| !used.contains(parameter.text));
    match unused.min_by_key(|parameter| parameter.text) {
        None => Ok(()),
        Some(unused) => Err(unused.error(format!("la plantilla nunca usa el parámetro «{}»", unused.text))),
    }
}
