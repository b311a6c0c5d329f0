//! Reading the body of a measure, clause by clause, in the one order the clauses have.
//!
//! What comes out is the tree as written; whether it is a valid measure is for `Medida` to say.

use super::clause::{Block, clause, name, place, text_or_hole, whole_line};
use super::error::{Posiciones, SyntaxError};
use super::expr::{self, Node, Parser};
use super::fragment::Fragment;
use super::lexer::{Spanned, Token, tokens};
use super::tree::{hole, node};
use crate::valor::Valor;
use crate::vocabulario::{AMBITOS, ORIGENES_DE_UMBRAL, SIN_DECLARAR};

type Read = Result<Valor, SyntaxError>;

/// Most sources one measure can join: each nests the ones before it.
const MAX_SOURCES: usize = 128;

/// Reads the clauses of measure `id` out of `block`, all of it.
pub(crate) fn read(id: Valor, mut block: Block<'_>, places: &mut Posiciones) -> Read {
    let pipeline = pipeline(&mut block, places)?;
    let summary = summary(block.require("resumen")?, places)?;
    let threshold = threshold(block.require("umbral")?, places)?;
    let mut items = vec![id, pipeline, summary, threshold];
    items.extend(requirements(&mut block, places)?);
    if let Some(line) = block.take("ambito ")? {
        place(places, line, 1 + items.len());
        items.push(scope(clause(line, 1, "ambito ")?)?);
    }
    let line = block.require("alcance")?;
    place(places, line, 1 + items.len());
    items.push(node("alcance", [text_or_hole(clause(line, 1, "alcance ")?)?]));
    block.finish("se esperaba el fin de la medida")?;
    Ok(node("medida", items))
}

fn pipeline(block: &mut Block<'_>, places: &mut Posiciones) -> Read {
    let sources = sources(block, places)?;
    let mut items = vec![sources];
    loop {
        let path = [2, items.len() + 1];
        if let Some(line) = block.take("donde ")? {
            step_place(places, line, &path);
            let condition = expr::read(clause(line, 1, "donde ")?)?;
            condition.record(line.line, &[path[0], path[1], 1], places);
            items.push(node("donde", [condition.into_valor()]));
        } else if let Some(line) = block.take("sin ")? {
            step_place(places, line, &path);
            items.push(without(clause(line, 1, "sin ")?, &path, places)?);
        } else if let Some(line) = block.take_exactly("agrupar:")? {
            step_place(places, line, &path);
            items.push(grouping(block, &path, places)?);
        } else {
            return Ok(node("desde", items));
        }
    }
}

/// A step and its head stand at the first word of their line.
fn step_place(places: &mut Posiciones, line: Fragment<'_>, path: &[usize; 2]) {
    let first = whole_line(line);
    places.record(path, first.line, first.column);
    places.record(&[path[0], path[1], 0], first.line, first.column);
}

/// `de` and every `unir` after it: joined to the left.
fn sources(block: &mut Block<'_>, places: &mut Posiciones) -> Read {
    let first = block.require_first("se esperaba el cuerpo de la medida")?;
    let mut found = vec![source(clause(first, 1, "de ")?, "de")?];
    while let Some(line) = block.take("unir ")? {
        let rest = clause(line, 1, "unir ")?;
        if found.len() >= MAX_SOURCES {
            return Err(rest.error("la medida une demasiadas relaciones"));
        }
        found.push(source(rest, "unir")?);
    }
    // Seen from the pipeline the last source hangs nearest: [2,1,2], the one before [2,1,1,2], and so on.
    let mut path = vec![2, 1];
    for (_, at) in found[1..].iter().rev() {
        places.record(&[path.as_slice(), &[2]].concat(), at.line, at.column);
        path.push(1);
    }
    places.record(&path, found[0].1.line, found[0].1.column);
    let trees = found.into_iter().map(|(tree, _)| tree);
    let joined = trees.reduce(|left, right| node("unir", [left, right]));
    joined.ok_or_else(|| first.error("se esperaba «de <relación> <alias>»"))
}

fn source<'a>(rest: Fragment<'a>, word: &str) -> Result<(Valor, Fragment<'a>), SyntaxError> {
    match rest.words().as_slice() {
        [relation, alias] => Ok((node("de", [name(*relation)?, name(*alias)?]), rest)),
        _ => Err(rest.error(format!("se esperaba «{word} <relación> <alias>»"))),
    }
}

/// A relation, its alias, the word `donde` and the condition, as `sin` and `requiere` have them.
struct Conditioned {
    relation: (Valor, usize),
    alias: (Valor, usize),
    condition: Node,
}

fn conditioned(rest: Fragment<'_>, found: &[Spanned<'_>]) -> Result<Conditioned, SyntaxError> {
    let relation = simple_name(rest, &found[0], "se esperaba el nombre de una relación")?;
    let alias = simple_name(rest, &found[1], "se esperaba el alias de la relación")?;
    let word = &found[2];
    if word.token != Token::Ident("donde") {
        return Err(SyntaxError::new(rest.line, word.column, "se esperaba «donde» y la condición"));
    }
    let condition = expr::read(rest.after(found[3].at))?;
    Ok(Conditioned { relation, alias, condition })
}

fn simple_name(
    rest: Fragment<'_>,
    token: &Spanned<'_>,
    message: &str,
) -> Result<(Valor, usize), SyntaxError> {
    match token.token {
        Token::Ident(name) => Ok((Valor::text(name), token.column)),
        Token::Hole(name) => Ok((hole(name), token.column)),
        _ => Err(SyntaxError::new(rest.line, token.column, message)),
    }
}

fn without(rest: Fragment<'_>, path: &[usize; 2], places: &mut Posiciones) -> Read {
    let Conditioned { relation, alias, condition } = conditioned(rest, &tokens(rest)?)?;
    let [pipeline, step] = *path;
    places.record(&[pipeline, step, 1], rest.line, relation.1);
    places.record(&[pipeline, step, 1, 1], rest.line, relation.1);
    places.record(&[pipeline, step, 1, 2], rest.line, alias.1);
    condition.record(rest.line, &[pipeline, step, 2], places);
    Ok(node("sin", [node("de", [relation.0, alias.0]), condition.into_valor()]))
}

fn grouping(block: &mut Block<'_>, path: &[usize; 2], places: &mut Posiciones) -> Read {
    let [pipeline, step] = *path;
    let (mut keys, mut aggregates) = (Vec::new(), Vec::new());
    while let Some(line) = block.take_deeper()? {
        let body = line.indented(2)?;
        if let Some(rest) = body.strip("clave ") {
            let (name, value) = assigned(rest, "se esperaba «clave <nombre> = <expresión>»")?;
            let at = [pipeline, step, 1, keys.len()];
            entry_place(places, rest, &at);
            let value = expr::read(value)?;
            value.record(rest.line, &[pipeline, step, 1, keys.len(), 1], places);
            keys.push(Valor::list([name, value.into_valor()]));
        } else if let Some(rest) = body.strip("agregado ") {
            let (name, value) = assigned(rest, "se esperaba «agregado <nombre> = <agregado>(<expresión>)»")?;
            let at = [pipeline, step, 2, aggregates.len()];
            entry_place(places, rest, &at);
            let (aggregate, argument) = aggregate(value)?;
            aggregate.record(rest.line, &[at.as_slice(), &[1]].concat(), places);
            argument.record(rest.line, &[at.as_slice(), &[2]].concat(), places);
            aggregates.push(Valor::list([name, aggregate.into_valor(), argument.into_valor()]));
        } else {
            return Err(body.error("se esperaba «clave» o «agregado»"));
        }
    }
    Ok(node("agrupar", [Valor::List(keys), Valor::List(aggregates)]))
}

fn entry_place(places: &mut Posiciones, rest: Fragment<'_>, path: &[usize; 4]) {
    places.record(path, rest.line, rest.column);
    places.record(&[path.as_slice(), &[0]].concat(), rest.line, rest.column);
}

/// The name before ` = ` and what follows it.
fn assigned<'a>(rest: Fragment<'a>, message: &str) -> Result<(Valor, Fragment<'a>), SyntaxError> {
    const SIGN: &str = " = ";
    match rest.text.find(SIGN) {
        Some(at) if at > 0 && !rest.text[..at].contains(super::fragment::is_space) => {
            let before = Fragment { text: &rest.text[..at], ..rest };
            Ok((name(before)?, rest.after(at + SIGN.len())))
        }
        _ => Err(rest.error(message)),
    }
}

/// `aggregate(expression)` and nothing more.
fn aggregate(source: Fragment<'_>) -> Result<(Node, Node), SyntaxError> {
    let found = tokens(source)?;
    let mut parser = Parser::new(source.line, found, &[]);
    let head = match parser.next() {
        Spanned { token: Token::Ident(name), column, .. } => Node::word(name, column),
        Spanned { token: Token::Hole(name), column, .. } => Node::hole(name, column),
        other => return Err(parser.error(other.column, "se esperaba «<agregado>(<expresión>)»")),
    };
    parser.require(&Token::Mark('('), "se esperaba «(»")?;
    let argument = parser.expression()?;
    parser.require(&Token::Mark(')'), "se esperaba «)»")?;
    parser.end("se esperaba el fin de la expresión")?;
    Ok((head, argument))
}

fn summary(line: Fragment<'_>, places: &mut Posiciones) -> Read {
    let rest = clause(line, 1, "resumen ")?;
    let (aggregate, argument) = aggregate(rest)?;
    places.record(&[3], rest.line, rest.column);
    places.record(&[3, 0], rest.line, rest.column);
    aggregate.record(rest.line, &[3, 1], places);
    argument.record(rest.line, &[3, 2], places);
    Ok(node("resumen", [aggregate.into_valor(), argument.into_valor()]))
}

fn threshold(line: Fragment<'_>, places: &mut Posiciones) -> Read {
    place(places, line, 4);
    let rest = clause(line, 1, "umbral ")?;
    let mut parser = Parser::new(rest.line, tokens(rest)?, &["porque", "segun"]);
    let Token::Comparison(operator) = parser.peek().token else {
        return Err(parser.unexpected("se esperaba el comparador del umbral"));
    };
    parser.next();
    let limit = parser.expression()?;
    limit.record(rest.line, &[4, 2], places);
    let origin = match parser.take(&Token::Ident("segun")) {
        Some(_) => Some(origin(&mut parser)?),
        None if parser.peek().token == Token::Ident("porque") => None,
        None => return Err(parser.unexpected("se esperaba «segun» o «porque»")),
    };
    let reason = match parser.take(&Token::Ident("porque")) {
        Some(_) => reason(&mut parser)?,
        None => Valor::text(""),
    };
    parser.end(if reason.as_str() == Some("") {
        "se esperaba «porque» o el fin de la línea"
    } else {
        "se esperaba el fin de la línea"
    })?;
    Ok(node("umbral", [Valor::text(operator), limit.into_valor(), reason].into_iter().chain(origin)))
}

fn reason(parser: &mut Parser<'_>) -> Read {
    let read = match &parser.peek().token {
        Token::Text(text) => Valor::Text(text.clone()),
        Token::Hole(name) => hole(name),
        _ => return Err(parser.unexpected("se esperaba la defensa del umbral entre comillas")),
    };
    parser.next();
    Ok(read)
}

fn origin(parser: &mut Parser<'_>) -> Read {
    let read = match parser.peek().token {
        Token::Hole(name) => hole(name),
        Token::Ident(name) if name == SIN_DECLARAR || ORIGENES_DE_UMBRAL.contains(&name) => Valor::text(name),
        _ => {
            let known = ORIGENES_DE_UMBRAL.join(", ");
            return Err(parser.unexpected(&format!("«segun» lleva uno de {known} o {SIN_DECLARAR}")));
        }
    };
    parser.next();
    Ok(read)
}

/// Every `requiere` line, joined in one node; `None` when there is none.
fn requirements(block: &mut Block<'_>, places: &mut Posiciones) -> Result<Option<Valor>, SyntaxError> {
    let mut entries = Vec::new();
    while let Some(line) = block.take("requiere ")? {
        if entries.is_empty() {
            place(places, line, 5);
        }
        let rest = clause(line, 1, "requiere ")?;
        let found = tokens(rest)?;
        if found.len() > 3 && found[2].token == Token::Ident("donde") {
            let Conditioned { relation, alias, condition } = conditioned(rest, &found)?;
            let path = [5, entries.len() + 1];
            places.record(&path, rest.line, relation.1);
            condition.record(rest.line, &[path[0], path[1], 3], places);
            entries.push(node("filas", [relation.0, alias.0, condition.into_valor()]));
        } else {
            entries.extend(required_names(rest, entries.len() + 1, places)?);
        }
    }
    Ok((!entries.is_empty()).then(|| node("requiere", entries)))
}

fn required_names(
    rest: Fragment<'_>,
    first: usize,
    places: &mut Posiciones,
) -> Result<Vec<Valor>, SyntaxError> {
    let mut names = Vec::new();
    for piece in rest.split(',') {
        if piece.text.is_empty() {
            return Err(rest.error("se esperaba una o más relaciones requeridas, separadas por «,»"));
        }
        places.record(&[5, first + names.len()], piece.line, piece.column);
        names.push(name(piece)?);
    }
    Ok(names)
}

fn scope(rest: Fragment<'_>) -> Read {
    let mut parser = Parser::new(rest.line, tokens(rest)?, &[]);
    let value = match parser.peek().token {
        Token::Hole(name) => hole(name),
        Token::Ident(name) if name == SIN_DECLARAR || AMBITOS.contains(&name) => Valor::text(name),
        _ => {
            let known = AMBITOS.join(", ");
            return Err(parser.unexpected(&format!("«ambito» lleva uno de {known} o {SIN_DECLARAR}")));
        }
    };
    parser.next();
    parser.end("se esperaba el fin de la línea")?;
    Ok(node("ambito", [value]))
}
