//! Reading an invocation of a macro: the clauses of its template that its parameters reach.
//!
//! The lines of the template that no parameter but the id reaches are not written. Put back, the whole reads
//! as an instance of the template, and the arguments are what stands in the places of its holes.

use super::error::{Posiciones, SyntaxError};
use super::form::{self, Id};
use super::fragment::Fragment;
use super::lexer::holes_in;
use super::print;
use super::tree::{as_hole, node};
use crate::macros::{Macro, Macros, substitute};
use crate::valor::{Text, Valor};

/// The template of a macro as printed lines, and which of them an invocation writes.
struct Shape {
    lines: Vec<String>,
    written: Vec<bool>,
}

/// Whether an invocation writes a printed line of the template: a parameter other than the id reaches it.
pub(crate) fn is_written(template_line: &str, parameters: &[Text]) -> bool {
    let line = Fragment { line: 1, column: 1, text: template_line };
    holes_in(line).iter().any(|hole| parameters[1..].iter().any(|parameter| **parameter == *hole.text))
}

impl Shape {
    fn of(called: &Macro, macros: &Macros) -> Result<Shape, super::PrintError> {
        let lines = print::template_lines(called, macros)?;
        let written = lines
            .iter()
            .enumerate()
            .map(|(index, line)| index > 0 && is_written(line, called.parametros()))
            .collect();
        Ok(Shape { lines, written })
    }

    /// The lines an invocation writes.
    fn clauses(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().zip(&self.written).filter(|(_, written)| **written).map(|(line, _)| line.as_str())
    }
}

/// The first word of a line.
fn keyword(line: &str) -> &str {
    let body = line.trim_start_matches(super::fragment::is_space);
    body.split(' ').next().unwrap_or(body).trim_end_matches(':')
}

/// Reads the body of an invocation of `called` for `id`.
pub(crate) fn read(
    called: &Macro,
    id: Valor,
    header: Fragment<'_>,
    body: &[Fragment<'_>],
    macros: &Macros,
    places: &mut Posiciones,
) -> Result<Valor, SyntaxError> {
    let unprintable = |error: super::PrintError| header.error(error.mensaje);
    let shape = Shape::of(called, macros).map_err(unprintable)?;
    refuse_arguments(called, &shape, body)?;
    check_count(called, &shape, header, body)?;

    let parameters = called.parametros();
    let with_id = substitute(called.plantilla(), &|parameter| (*parameter == *parameters[0]).then_some(&id))
        .map_err(|error| header.error(error.to_string()))?;
    let fixed = print::lines_of(&with_id, macros, &[called.nombre()]).map_err(unprintable)?;
    let lines = reassembled(&shape, &fixed, header, body);

    let mut inner = Posiciones::default();
    // Of two faults the one that stands first is told.
    let instance = match (form::read(&lines, macros, Id::Template, &mut inner), misplaced(&shape, body)) {
        (Err(error), Some(wrong)) if error.linea < wrong.linea => return Err(error),
        (_, Some(wrong)) => return Err(wrong),
        (instance, None) => instance?,
    };
    let mut matching = Matching { called, captured: vec![None; parameters.len()], inner: &inner, places };
    matching.captured[0] = Some(id);
    matching.unify(called.plantilla(), &instance, &mut Vec::new())?;
    let mut arguments = Vec::new();
    for (parameter, argument) in parameters.iter().zip(matching.captured) {
        arguments.push(argument.ok_or_else(|| {
            let name = called.nombre();
            header.error(format!("la plantilla de la macro «{name}» no deja leer el parámetro «{parameter}»"))
        })?);
    }
    Ok(node(called.nombre(), arguments))
}

/// Lines that name parameters instead of repeating the clauses of the template are no invocation. A macro whose
/// second parameter is named as its first clause leaves no way to tell the two apart.
fn refuse_arguments(called: &Macro, shape: &Shape, body: &[Fragment<'_>]) -> Result<(), SyntaxError> {
    let Some(first) = body.first() else { return Ok(()) };
    let inside = first.indented(1)?;
    let word = inside.text.split(' ').next().unwrap_or_default();
    match called.parametros().get(1) {
        Some(parameter) if **parameter != *word => Ok(()),
        Some(_) if shape.clauses().next().is_some_and(|clause| keyword(clause) == word) => {
            let name = called.nombre();
            Err(inside.error(format!(
                "«{name}» no se puede invocar: su segundo parámetro se llama como su primera cláusula, «{word}»"
            )))
        }
        Some(_) => {
            let clauses: String = shape.clauses().map(|line| format!("\n{line}")).collect();
            let name = called.nombre();
            Err(inside
                .error(format!("una invocación de «{name}» repite las cláusulas de su plantilla:{clauses}")))
        }
        None => Err(SyntaxError::new(
            first.line,
            first.column,
            format!("la macro «{}» no lleva ninguna línea de cuerpo", called.nombre()),
        )),
    }
}

/// The body has as many clauses as the template asks for.
fn check_count(
    called: &Macro,
    shape: &Shape,
    header: Fragment<'_>,
    body: &[Fragment<'_>],
) -> Result<(), SyntaxError> {
    let expected: Vec<&str> = shape.clauses().map(keyword).collect();
    if body.len() == expected.len() {
        return Ok(());
    }
    let mut present = Vec::new();
    for line in body {
        present.push(keyword(clause_of(*line)?.text));
    }
    let name = called.nombre();
    let order = expected.join(", ");
    let missing: Vec<String> =
        expected.iter().filter(|word| !present.contains(word)).map(|word| format!("«{word}»")).collect();
    let last = body.last().unwrap_or(&header);
    if missing.is_empty() {
        let count = body.len();
        let message = format!("la macro «{name}» lleva las cláusulas {order} y llegaron {count} líneas");
        return Err(SyntaxError::new(last.line, last.column, message));
    }
    let missing = missing.join(", ");
    let message = format!("a la macro «{name}» le falta {missing}: sus cláusulas son {order}, en ese orden");
    Err(SyntaxError::new(last.line + 1, last.column, message))
}

/// A line of the body without its indentation.
fn clause_of(line: Fragment<'_>) -> Result<Fragment<'_>, SyntaxError> {
    line.indented(2).or_else(|_| line.indented(1))
}

/// The first line of the body that is not the clause its place asks for.
fn misplaced(shape: &Shape, body: &[Fragment<'_>]) -> Option<SyntaxError> {
    shape.clauses().map(keyword).zip(body).find_map(|(expected, line)| match clause_of(*line) {
        Ok(clause) if keyword(clause.text) == expected => None,
        Ok(_) => Some(line.trimmed_start().error(format!("se esperaba una línea «{expected}»"))),
        Err(error) => Some(error),
    })
}

/// The written lines in their places among the fixed ones, which take the number of the next written line.
fn reassembled<'a>(
    shape: &Shape,
    fixed: &'a [String],
    header: Fragment<'a>,
    body: &[Fragment<'a>],
) -> Vec<Fragment<'a>> {
    let below = body.last().unwrap_or(&header).line + 1;
    let mut pending = body.iter();
    let mut lines = Vec::with_capacity(fixed.len());
    for (index, text) in fixed.iter().enumerate() {
        let line = if index == 0 {
            Fragment { text, ..header }
        } else if shape.written[index] {
            match pending.next() {
                Some(line) => *line,
                None => continue,
            }
        } else {
            let line = pending.as_slice().first().map_or(below, |next| next.line);
            Fragment { line, column: header.column, text }
        };
        lines.push(line);
    }
    lines
}

/// An instance of a template being matched against it.
struct Matching<'a> {
    called: &'a Macro,
    captured: Vec<Option<Valor>>,
    inner: &'a Posiciones,
    places: &'a mut Posiciones,
}

impl Matching<'_> {
    fn unify(&mut self, pattern: &Valor, value: &Valor, path: &mut Vec<usize>) -> Result<(), SyntaxError> {
        if let Some(parameter) = as_hole(pattern) {
            return self.capture(parameter, value, path);
        }
        match (pattern, value) {
            (Valor::List(patterns), Valor::List(values)) if patterns.len() == values.len() => {
                for (index, (pattern, value)) in patterns.iter().zip(values).enumerate() {
                    path.push(index);
                    self.unify(pattern, value, path)?;
                    path.pop();
                }
                Ok(())
            }
            (Valor::List(_), _) | (_, Valor::List(_)) => Err(self.differs(pattern, value, path)),
            _ if pattern == value => Ok(()),
            _ => Err(self.differs(pattern, value, path)),
        }
    }

    fn capture(&mut self, parameter: &str, value: &Valor, path: &[usize]) -> Result<(), SyntaxError> {
        let index = self.called.parametros().iter().position(|known| **known == *parameter);
        let Some(index) = index else {
            return Err(self.error(path, format!("la plantilla usa «${parameter}», que no es un parámetro")));
        };
        match &self.captured[index] {
            None => {
                self.captured[index] = Some(value.clone());
                self.places.copy_under(&[index + 1], self.inner, path);
                Ok(())
            }
            Some(known) if known == value => Ok(()),
            Some(_) => Err(self.error(
                path,
                format!(
                    "«${parameter}» va más de una vez en la plantilla de «{}» y las veces no coinciden",
                    self.called.nombre()
                ),
            )),
        }
    }

    fn differs(&self, pattern: &Valor, value: &Valor, path: &[usize]) -> SyntaxError {
        let name = self.called.nombre();
        let (expected, found) = (print::fragment_text(pattern), print::fragment_text(value));
        self.error(path, format!("la plantilla de «{name}» lleva ahí «{expected}» y llegó «{found}»"))
    }

    fn error(&self, path: &[usize], message: String) -> SyntaxError {
        let place = self.inner.cercana(path);
        SyntaxError::new(place.linea, place.columna, message)
    }
}
