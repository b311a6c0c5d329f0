//! Printing trees to the one text of the surface.

use super::PrintError;
use super::fragment::{INDENT, is_line_break, is_space};
use super::invocation::is_written;
use super::lexer::{COMPARISONS, tokens};
use super::print_expr::{expression, imprimir_expr, quoted};
use super::tree::{as_hole, exactly, is_hyphenated, is_ident, items_of};
use crate::macros::{Macro, Macros, substitute};
use crate::valor::Valor;
use crate::vocabulario::{AMBITOS, ORIGENES_DE_UMBRAL, SIN_DECLARAR};
use std::collections::HashMap;
use std::rc::Rc;

type Lines = Result<Vec<String>, PrintError>;

/// Most macros whose templates lead from one to the next; twice what may be expanded by default.
const MAX_CHAIN: usize = 32;

/// What becomes of `segun sin_declarar` and `ambito sin_declarar`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undeclared {
    /// Left out, as a measure that declares nothing.
    Omitted,
    /// Written, as the argument of a macro.
    Written,
}

/// The one text of a measure, of an invocation of one of `macros` or of a declaration of a macro.
///
/// Refuses what its reader would not give back. Only joined `y` and `o` of the same kind and what is
/// `sin_declarar` come back in their plain form.
pub fn imprimir(datos: &Valor, macros: &Macros) -> Result<String, PrintError> {
    let mut text = lines_of(datos, macros, &[])?.join("\n");
    text.push('\n');
    Ok(text)
}

/// The lines of a tree, without line ends; `within` are the macros whose templates are being printed.
pub(crate) fn lines_of(tree: &Valor, macros: &Macros, within: &[&str]) -> Lines {
    Printer { macros, written: HashMap::new() }.lines(tree, within, Undeclared::Omitted)
}

/// The lines of the template of `called`.
pub(crate) fn template_lines(called: &Macro, macros: &Macros) -> Lines {
    lines_of(called.plantilla(), macros, &[called.nombre()])
}

/// A part of a template as it is shown in a message.
pub(crate) fn fragment_text(tree: &Valor) -> String {
    match tree {
        Valor::Text(text) => text.to_string(),
        _ => imprimir_expr(tree),
    }
}

/// Prints forms over one set of macros.
struct Printer<'a> {
    macros: &'a Macros,
    /// Which lines of its template an invocation writes, by macro. Found once each: a chain of macros would
    /// otherwise print every template once for each way to it.
    written: HashMap<&'a str, Rc<[bool]>>,
}

impl<'a> Printer<'a> {
    fn lines(&mut self, tree: &Valor, within: &[&str], undeclared: Undeclared) -> Lines {
        match tree.head() {
            Some("defmacro") => self.declaration(tree, within),
            Some("medida") => measure(tree, undeclared),
            Some(name) => match self.macros.get(name) {
                Some(called) => self.invocation(called, tree, within),
                None => Err(PrintError::new(format!("«{name}» no es una medida ni una macro declarada"))),
            },
            None => Err(PrintError::new("una medida tiene que ser una lista con cabeza")),
        }
    }

    fn declaration(&mut self, tree: &Valor, within: &[&str]) -> Lines {
        const SHAPE: &str = "una macro es [\"defmacro\", nombre, parámetros, guardas, plantilla]";
        let bad = || PrintError::new(SHAPE);
        let [name, parameters, guards, template] = exactly(tree, "defmacro").ok_or_else(bad)?;
        let mut written = Vec::new();
        for parameter in parameters.as_list().ok_or_else(bad)? {
            written.push(parameter.as_str().filter(|name| is_hyphenated(name)).ok_or_else(bad)?);
        }
        let name =
            name.as_str().filter(|name| !name.contains(|c| is_space(c) || c == '(')).ok_or_else(bad)?;
        let mut lines = vec![format!("defmacro {name}({}):", written.join(", "))];
        for guard in guards.as_list().ok_or_else(bad)? {
            let [condition, message] = exactly(guard, "guarda").ok_or_else(bad)?;
            let message = quoted(message.as_str().ok_or_else(bad)?)?;
            lines.push(format!("{INDENT}guarda {} {message}", expression(condition)?));
        }
        let template = self.lines(template, within, Undeclared::Omitted)?;
        lines.extend(template.into_iter().map(|line| format!("{INDENT}{line}")));
        Ok(lines)
    }

    fn invocation(&mut self, called: &'a Macro, tree: &Valor, within: &[&str]) -> Lines {
        let name = called.nombre();
        if within.contains(&name) || within.len() >= MAX_CHAIN {
            let chain = within.iter().chain([&name]).copied().collect::<Vec<_>>().join(" → ");
            return Err(PrintError::new(format!(
                "la cadena de macros no termina o es demasiado larga: {chain}"
            )));
        }
        let arguments = items_of(tree, name).unwrap_or_default();
        let undeclared = Valor::text(SIN_DECLARAR);
        let Some(values) = called.surface_arguments(arguments, &undeclared) else {
            return Err(PrintError::new(format!(
                "la macro «{name}» lleva {} argumentos y recibió {}",
                called.parametros().len(),
                arguments.len()
            )));
        };
        let value_of = |parameter: &str| {
            called.parametros().iter().position(|known| **known == *parameter).map(|index| values[index])
        };
        let instance =
            substitute(called.plantilla(), &value_of).map_err(|error| PrintError::new(error.to_string()))?;
        let within = [within, &[name]].concat();
        let written = self.written_lines(called, &within)?;
        let instance = self.lines(&instance, &within, Undeclared::Written)?;
        if written.len() != instance.len() {
            return Err(PrintError::new(format!(
                "los argumentos cambian las líneas de la plantilla de «{name}»"
            )));
        }
        let mut lines = vec![format!("{name} {}:", word(&arguments[0])?)];
        let body = instance.into_iter().zip(written.iter()).skip(1);
        lines.extend(body.filter(|(_, written)| **written).map(|(line, _)| line));
        Ok(lines)
    }

    /// Which lines of the template of `called` an invocation writes; `within` ends with it.
    fn written_lines(&mut self, called: &'a Macro, within: &[&str]) -> Result<Rc<[bool]>, PrintError> {
        if let Some(known) = self.written.get(called.nombre()) {
            return Ok(Rc::clone(known));
        }
        let template = self.lines(called.plantilla(), within, Undeclared::Omitted)?;
        let found: Rc<[bool]> = template.iter().map(|line| is_written(line, called.parametros())).collect();
        self.written.insert(called.nombre(), Rc::clone(&found));
        Ok(found)
    }
}

fn measure(tree: &Valor, undeclared: Undeclared) -> Lines {
    const SHAPE: &str =
        "una medida es [\"medida\", id, tubería, resumen, umbral, (requiere,) (ambito,) alcance]";
    let bad = || PrintError::new(SHAPE);
    let [id, pipeline, summary, threshold, rest @ ..] = items_of(tree, "medida").ok_or_else(bad)? else {
        return Err(bad());
    };
    let mut lines = vec![format!("medida {}:", word(id)?)];
    lines.extend(pipeline_lines(pipeline)?);
    let [aggregate, argument] = exactly(summary, "resumen").ok_or_else(bad)?;
    lines.push(format!("{INDENT}resumen {}({})", simple(aggregate)?, expression(argument)?));
    lines.push(threshold_line(threshold, undeclared)?);
    let mut rest = rest.iter().peekable();
    if let Some(entries) = rest.peek().and_then(|next| items_of(next, "requiere")) {
        lines.extend(requirement_lines(entries)?);
        rest.next();
    }
    if let Some([scope]) = rest.peek().and_then(|next| exactly(next, "ambito")) {
        lines.extend(scope_line(scope, undeclared)?);
        rest.next();
    }
    match (rest.next().and_then(|next| exactly(next, "alcance")), rest.next()) {
        (Some([scope]), None) => lines.push(format!("{INDENT}alcance {}", text_or_hole(scope)?)),
        _ => return Err(bad()),
    }
    Ok(lines)
}

fn pipeline_lines(pipeline: &Valor) -> Lines {
    let [source, steps @ ..] = items_of(pipeline, "desde").unwrap_or_default() else {
        return Err(PrintError::new("una tubería es [\"desde\", fuente, pasos…]"));
    };
    let mut lines = source_lines(source)?;
    for step in steps {
        if let Some([condition]) = exactly(step, "donde") {
            lines.push(format!("{INDENT}donde {}", expression(condition)?));
        } else if let Some([source, condition]) = exactly(step, "sin") {
            let [relation, alias] = exactly(source, "de")
                .ok_or_else(|| PrintError::new("la superficie sólo escribe «sin» sobre una relación"))?;
            let (relation, alias) = (simple(relation)?, simple(alias)?);
            lines.push(format!("{INDENT}sin {relation} {alias} donde {}", expression(condition)?));
        } else if let Some([keys, aggregates]) = exactly(step, "agrupar") {
            lines.extend(grouping_lines(keys, aggregates)?);
        } else {
            return Err(PrintError::new(format!(
                "la superficie no puede escribir el paso {}",
                step.to_compact()
            )));
        }
    }
    Ok(lines)
}

/// `unir` is written as a chain, so only what joins to the left can be written.
fn source_lines(source: &Valor) -> Lines {
    let mut right_to_left = Vec::new();
    let mut left = source;
    while let Some([nearer, last]) = exactly(left, "unir") {
        right_to_left.push(("unir", last));
        left = nearer;
    }
    right_to_left.push(("de", left));
    let mut lines = Vec::with_capacity(right_to_left.len());
    for (keyword, source) in right_to_left.into_iter().rev() {
        let Some([relation, alias]) = exactly(source, "de") else {
            let written = source.to_compact();
            return Err(PrintError::new(format!("la superficie no puede escribir la fuente {written}")));
        };
        lines.push(format!("{INDENT}{keyword} {} {}", word(relation)?, word(alias)?));
    }
    Ok(lines)
}

fn grouping_lines(keys: &Valor, aggregates: &Valor) -> Lines {
    let bad = || PrintError::new("un paso «agrupar» es [\"agrupar\", claves, agregados]");
    let mut lines = vec![format!("{INDENT}agrupar:")];
    for key in keys.as_list().ok_or_else(bad)? {
        let [name, value] = key.as_list().ok_or_else(bad)? else { return Err(bad()) };
        lines.push(format!("{INDENT}{INDENT}clave {} = {}", word(name)?, expression(value)?));
    }
    for aggregate in aggregates.as_list().ok_or_else(bad)? {
        let [name, head, argument] = aggregate.as_list().ok_or_else(bad)? else { return Err(bad()) };
        let (name, head) = (word(name)?, simple(head)?);
        lines.push(format!("{INDENT}{INDENT}agregado {name} = {head}({})", expression(argument)?));
    }
    Ok(lines)
}

fn threshold_line(threshold: &Valor, undeclared: Undeclared) -> Result<String, PrintError> {
    let bad = || PrintError::new("un umbral es [\"umbral\", operador, valor, porque, (segun)]");
    let [operator, limit, reason, origin @ ..] = items_of(threshold, "umbral").ok_or_else(bad)? else {
        return Err(bad());
    };
    let operator = operator.as_str().filter(|operator| COMPARISONS.contains(operator)).ok_or_else(bad)?;
    let mut line = format!("{INDENT}umbral {operator} {}", expression(limit)?);
    let mut declared = true;
    match origin {
        [] => declared = false,
        [origin] if as_hole(origin).is_some() => line += &format!(" segun {}", simple(origin)?),
        [origin] => match origin.as_str() {
            Some(SIN_DECLARAR) => {
                declared = false;
                if undeclared == Undeclared::Written {
                    line += &format!(" segun {SIN_DECLARAR}");
                }
            }
            Some(name) if ORIGENES_DE_UMBRAL.contains(&name) => line += &format!(" segun {name}"),
            _ => return Err(PrintError::new(format!("«segun» no lleva {}", origin.to_compact()))),
        },
        _ => return Err(bad()),
    }
    match reason.as_str() {
        Some("") if declared => {}
        Some("") => {
            return Err(PrintError::new("la superficie no puede escribir un umbral sin «segun» ni «porque»"));
        }
        _ => line += &format!(" porque {}", text_or_hole(reason)?),
    }
    Ok(line)
}

/// Plain names go first, on one line; each condition has a line of its own.
fn requirement_lines(entries: &[Valor]) -> Lines {
    let mut names = Vec::new();
    let mut conditions = Vec::new();
    for entry in entries {
        match exactly(entry, "filas") {
            Some(filas) => conditions.push(format!("{INDENT}requiere {}", imprimir_filas(filas)?)),
            None => names.push(required_name(entry)?),
        }
    }
    let plain = (!names.is_empty()).then(|| format!("{INDENT}requiere {}", names.join(", ")));
    Ok(plain.into_iter().chain(conditions).collect())
}

fn imprimir_filas([relation, alias, condition]: &[Valor; 3]) -> Result<String, PrintError> {
    Ok(format!("{} {} donde {}", simple(relation)?, simple(alias)?, expression(condition)?))
}

fn scope_line(scope: &Valor, undeclared: Undeclared) -> Result<Option<String>, PrintError> {
    match scope.as_str() {
        Some(SIN_DECLARAR) if undeclared == Undeclared::Omitted => Ok(None),
        Some(name) if name != SIN_DECLARAR && !AMBITOS.contains(&name) => {
            Err(PrintError::new(format!("«ambito» no lleva «{name}»")))
        }
        _ => Ok(Some(format!("{INDENT}ambito {}", simple(scope)?))),
    }
}

/// A word of a line that is split at white space, or a hole.
fn word(tree: &Valor) -> Result<String, PrintError> {
    match (as_hole(tree), tree.as_str()) {
        (Some(parameter), _) if is_hyphenated(parameter) => Ok(format!("${parameter}")),
        (None, Some(name)) if !name.is_empty() && !name.contains(is_space) && !name.starts_with('$') => {
            Ok(name.to_owned())
        }
        _ => Err(PrintError::new(format!("{} no puede ir como nombre", tree.to_compact()))),
    }
}

/// A name of a line that is read as tokens, or a hole.
fn simple(tree: &Valor) -> Result<String, PrintError> {
    match (as_hole(tree), tree.as_str()) {
        (Some(parameter), _) if is_ident(parameter) => Ok(format!("${parameter}")),
        (None, Some(name)) if is_ident(name) => Ok(name.to_owned()),
        _ => Err(PrintError::new(format!("{} no puede ir como nombre", tree.to_compact()))),
    }
}

/// A relation that `requiere` names without a condition: any text that its line can hold.
fn required_name(tree: &Valor) -> Result<String, PrintError> {
    if as_hole(tree).is_some() {
        return word(tree);
    }
    let holds = |name: &str| {
        let line = super::Fragment { line: 1, column: 1, text: name };
        let bare = !name.is_empty() && !name.starts_with('$') && name.trim_matches(is_space) == name;
        bare && !name.contains(|c| c == ',' || is_line_break(c)) && tokens(line).is_ok()
    };
    match tree.as_str() {
        Some(name) if holds(name) => Ok(name.to_owned()),
        _ => Err(PrintError::new(format!("«requiere» no puede escribir {}", tree.to_compact()))),
    }
}

fn text_or_hole(tree: &Valor) -> Result<String, PrintError> {
    match (as_hole(tree), tree.as_str()) {
        (None, Some(text)) => quoted(text),
        (Some(_), _) => simple(tree),
        _ => Err(PrintError::new(format!("{} no es un texto", tree.to_compact()))),
    }
}
