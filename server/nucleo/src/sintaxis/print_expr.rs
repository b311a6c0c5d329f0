//! Printing expressions with the fewest parentheses that keep them apart.
//!
//! Prints everything; what its reader would take for something else it prints and reports.

use super::PrintError;
use super::fragment::is_line_break;
use super::lexer::COMPARISONS;
use super::tree::{as_hole, exactly, is_ident};
use crate::valor::Valor;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loose,
    Or,
    And,
    Comparison,
    Not,
    Sum,
    Product,
    Tight,
}

/// How tightly the outermost operator of `tree` binds.
fn binding_of(tree: &Valor) -> Binding {
    match (tree.head(), tree.as_list().map_or(0, <[Valor]>::len)) {
        (Some("o"), 3..) => Binding::Or,
        (Some("y"), 3..) => Binding::And,
        (Some(head), 3) if COMPARISONS.contains(&head) => Binding::Comparison,
        (Some("no"), 2) => Binding::Not,
        (Some("mas" | "menos"), 3) => Binding::Sum,
        (Some("por"), 3) => Binding::Product,
        _ => Binding::Tight,
    }
}

/// The surface text of an expression, to be shown. A tree that the surface cannot hold is shown as near to it
/// as possible, down to JSON; `imprimir` refuses those.
pub fn imprimir_expr(expresion: &Valor) -> String {
    let mut printer = Printer::default();
    printer.expression(expresion, Binding::Loose);
    printer.out
}

/// The surface text of an expression, or why the surface cannot hold it.
pub(crate) fn expression(tree: &Valor) -> Result<String, PrintError> {
    let mut printer = Printer::default();
    printer.expression(tree, Binding::Loose);
    match printer.fault {
        None => Ok(printer.out),
        Some(fault) => Err(PrintError::new(fault)),
    }
}

/// A quoted text, or why the surface cannot hold it.
pub(crate) fn quoted(text: &str) -> Result<String, PrintError> {
    let written = Valor::text(text).to_compact();
    if written.contains(is_line_break) {
        return Err(PrintError::new(
            "la superficie no puede escribir un texto con un separador de línea Unicode",
        ));
    }
    Ok(written)
}

#[derive(Default)]
struct Printer {
    out: String,
    /// The first thing that would not be read back as it is.
    fault: Option<String>,
}

impl Printer {
    fn fault(&mut self, reason: impl Into<String>) {
        self.fault.get_or_insert_with(|| reason.into());
    }

    fn expression(&mut self, tree: &Valor, outer: Binding) {
        let Valor::List(items) = tree else { return self.literal(tree) };
        if let Some(parameter) = as_hole(tree) {
            if !is_ident(parameter) {
                self.fault(format!("«${parameter}» no puede ir en una expresión"));
            }
            self.out.push('$');
            return self.out.push_str(parameter);
        }
        let Some((Valor::Text(head), items)) = items.split_first() else { return self.unknown(tree) };
        match (&**head, items) {
            ("campo", [Valor::Text(alias), Valor::Text(field)]) => {
                self.name(alias);
                self.out.push('.');
                self.field(field);
            }
            ("col", [Valor::Text(column)]) => self.name(column),
            ("hecho", [Valor::Text(alias)]) => {
                self.out.push_str("hecho(");
                self.name(alias);
                self.out.push(')');
            }
            ("campo" | "col" | "hecho", _) => self.unknown(tree),
            ("y", [_, _, ..]) => self.joined(" y ", items, Binding::And, outer),
            ("o", [_, _, ..]) => self.joined(" o ", items, Binding::Or, outer),
            ("no", [operand]) => self.within(Binding::Not, outer, |printer| {
                printer.out.push_str("no ");
                printer.expression(operand, Binding::Not);
            }),
            ("mas", [left, right]) => self.arithmetic(left, " + ", right, Binding::Sum, outer),
            ("menos", [left, right]) => self.arithmetic(left, " - ", right, Binding::Sum, outer),
            ("por", [left, right]) => self.arithmetic(left, " * ", right, Binding::Product, outer),
            (operator, [left, right]) if COMPARISONS.contains(&operator) => {
                self.comparison(left, operator, right, outer);
            }
            (name, arguments) => self.call(name, arguments),
        }
    }

    /// Prints with parentheses where `binding` is looser than what is around it.
    fn within(&mut self, binding: Binding, outer: Binding, print: impl FnOnce(&mut Self)) {
        if binding < outer {
            self.out.push('(');
            print(self);
            self.out.push(')');
        } else {
            print(self);
        }
    }

    fn joined(&mut self, word: &str, items: &[Valor], binding: Binding, outer: Binding) {
        self.within(binding, outer, |printer| {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    printer.out.push_str(word);
                }
                // `y` inside `o` binds tighter already; it is read easier with parentheses.
                let marked = binding == Binding::Or && item.head() == Some("y");
                printer.expression(item, if marked { Binding::Tight } else { binding });
            }
        });
    }

    fn comparison(&mut self, left: &Valor, operator: &str, right: &Valor, outer: Binding) {
        // On the right `no (…)` reads as a call of `no`, which is the same tree; on the left it takes it all.
        let called = exactly(right, "no").is_some_and(|[operand]| binding_of(operand) < Binding::Not);
        for (operand, readable) in [(left, false), (right, called)] {
            let head = operand.head().unwrap_or_default();
            if COMPARISONS.contains(&head) || (head == "no" && !readable) {
                self.fault(format!("la superficie no puede escribir «{head}» como operando de «{operator}»"));
            }
        }
        self.within(Binding::Comparison, outer, |printer| {
            printer.expression(left, Binding::Comparison);
            printer.out.push(' ');
            printer.out.push_str(operator);
            printer.out.push(' ');
            printer.expression(right, Binding::Comparison);
        });
    }

    /// Arithmetic is read to the left: on the right even its own level needs parentheses.
    fn arithmetic(&mut self, left: &Valor, sign: &str, right: &Valor, binding: Binding, outer: Binding) {
        let tighter = if binding == Binding::Sum { Binding::Product } else { Binding::Tight };
        self.within(binding, outer, |printer| {
            printer.expression(left, binding);
            printer.out.push_str(sign);
            printer.expression(right, tighter);
        });
    }

    fn call(&mut self, name: &str, arguments: &[Valor]) {
        let taken = matches!(name, "mas" | "menos" | "por" | "y" | "o" | "no" | "true" | "false" | "null");
        if taken || !is_ident(name) {
            self.fault(format!("la superficie no puede escribir una llamada a «{name}»"));
        }
        self.out.push_str(name);
        self.out.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.expression(argument, Binding::Loose);
        }
        self.out.push(')');
    }

    /// The name of an alias or of a column, which stands where an operand does.
    fn name(&mut self, name: &str) {
        if matches!(name, "true" | "false" | "null" | "no") {
            self.fault(format!("«{name}» se leería como una palabra del lenguaje"));
        }
        self.field(name);
    }

    fn field(&mut self, name: &str) {
        if !is_ident(name) {
            self.fault(format!("«{name}» no puede ir como nombre en una expresión"));
        }
        self.out.push_str(name);
    }

    fn literal(&mut self, value: &Valor) {
        match value {
            Valor::Text(text) => {
                if let Err(error) = quoted(text) {
                    self.fault(error.mensaje);
                }
            }
            Valor::Map(_) => self.fault("la superficie no puede escribir un mapa en una expresión"),
            _ => {}
        }
        self.out.push_str(&value.to_compact());
    }

    fn unknown(&mut self, tree: &Valor) {
        let written = tree.to_compact();
        self.fault(format!("la superficie no puede escribir la expresión {written}"));
        self.out.push_str(&written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valor::parse;

    #[track_caller]
    fn check(tree: &str, expect: &str) {
        let tree = parse(tree).unwrap();
        assert_eq!(expression(&tree).as_deref(), Ok(expect));
        assert_eq!(imprimir_expr(&tree), expect);
    }

    #[track_caller]
    fn shown(tree: &str, expect: &str) {
        let tree = parse(tree).unwrap();
        assert!(expression(&tree).is_err(), "{tree:?}");
        assert_eq!(imprimir_expr(&tree), expect);
    }

    #[test]
    fn parentheses_stand_where_the_tree_needs_them() {
        check(
            r#"["y",["o",["col","a"],["col","b"]],["no",["==",["campo","x","n"],1]]]"#,
            "(a o b) y no (x.n == 1)",
        );
        check(r#"["o",["y",["col","a"],["col","b"]],["col","c"]]"#, "(a y b) o c");
        check(r#"["menos",["menos",1,2],["menos",3,-4]]"#, "1 - 2 - (3 - -4)");
        check(r#"["por",["mas",1,2],["por",3,4]]"#, "(1 + 2) * (3 * 4)");
        check(r#"["<=",["mas",["campo","a","x"],1.0],["f"]]"#, "a.x + 1.0 <= f()");
        check(r#"["mas",["no",["col","a"]],["==",1,2]]"#, "(no a) + (1 == 2)");
        check(r#"["==",["y",["col","a"],["col","b"]],true]"#, "(a y b) == true");
        check(r#"["==",true,["no",["==",["col","a"],1]]]"#, "true == no (a == 1)");
        check(r#"["f",["hecho","m"],null,"\"ñ\n\"",["$","p"]]"#, r#"f(hecho(m), null, "\"ñ\n\"", $p)"#);
    }

    #[test]
    fn nested_conjunctions_are_one() {
        check(r#"["y",["y",["col","a"],["col","b"]],["col","c"]]"#, "a y b y c");
    }

    #[test]
    fn what_would_be_read_otherwise_is_shown_and_refused() {
        shown(r#"["==",["==",["col","a"],1],true]"#, "a == 1 == true");
        shown(r#"["==",["no",["col","a"]],true]"#, "no a == true");
        shown(r#"["==",["no",["y",["col","a"],["col","b"]]],true]"#, "no (a y b) == true");
        shown(r#"["==",true,["no",["col","a"]]]"#, "true == no a");
        shown(r#"["y",["col","a"]]"#, "y(a)");
        shown(r#"["campo",["col","a"],"x"]"#, r#"["campo",["col","a"],"x"]"#);
        shown(r#"["col","no"]"#, "no");
        shown(r#"["campo","a","x y"]"#, "a.x y");
        shown(r#"["mas",1]"#, "mas(1)");
        shown("[]", "[]");
        shown("\"a\u{2028}\"", "\"a\u{2028}\"");
        shown(r#"["$","a-b"]"#, "$a-b");
        shown(r#"{"a":1}"#, r#"{"a":1}"#);
    }

    #[test]
    fn the_deepest_tree_that_is_read_is_printed() {
        for (open, close) in
            [("[\"no\",", "]"), ("[\"f\",1,", "]"), ("[\"mas\",1,", "]"), ("[\"==\",[\"y\",true,", "],1]")]
        {
            let levels = (crate::valor::MAX_DEPTH - 1) / close.matches(']').count();
            let tree = parse(&format!("{}1{}", open.repeat(levels), close.repeat(levels))).unwrap();
            assert!(imprimir_expr(&tree).len() > levels);
        }
    }
}
