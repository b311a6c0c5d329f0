//! Reading expressions: from the tokens of a line to a node that knows its columns.
//!
//! Loosest first: `o`, `y`, `no`, one comparison, `+ -`, `*`, then names, calls, literals and parentheses.

use super::error::{Posiciones, SyntaxError};
use super::fragment::Fragment;
use super::lexer::{Spanned, Token, tokens};
use super::tree::HOLE;
use crate::valor::Valor;

/// How deep an expression may nest. Far above what the algebra evaluates, far below what a stack holds.
const MAX_NESTING: usize = 128;

/// A node of an expression, with the column of each of its parts.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub column: usize,
    shape: Shape,
    /// Levels of lists in it.
    height: usize,
}

#[derive(Clone, Debug)]
enum Shape {
    Leaf(Valor),
    List(Vec<Node>),
}

impl Node {
    pub fn leaf(value: Valor, column: usize) -> Node {
        Node { column, shape: Shape::Leaf(value), height: 0 }
    }

    pub fn word(word: &str, column: usize) -> Node {
        Node::leaf(Valor::text(word), column)
    }

    /// A list that stands at `column`.
    pub fn list(column: usize, items: Vec<Node>) -> Node {
        let height = 1 + items.iter().map(|item| item.height).max().unwrap_or(0);
        Node { column, shape: Shape::List(items), height }
    }

    /// `["$", name]`, both parts at `column`.
    pub fn hole(name: &str, column: usize) -> Node {
        Node::list(column, vec![Node::word(HOLE, column), Node::word(name, column)])
    }

    /// Notes the place of the node and of everything in it, under `path`.
    pub fn record(&self, line: usize, path: &[usize], places: &mut Posiciones) {
        self.record_under(line, &mut path.to_vec(), places);
    }

    fn record_under(&self, line: usize, path: &mut Vec<usize>, places: &mut Posiciones) {
        places.record(path, line, self.column);
        if let Shape::List(items) = &self.shape {
            for (index, item) in items.iter().enumerate() {
                path.push(index);
                item.record_under(line, path, places);
                path.pop();
            }
        }
    }

    /// The canonical form.
    pub fn into_valor(self) -> Valor {
        match self.shape {
            Shape::Leaf(value) => value,
            Shape::List(items) => Valor::list(items.into_iter().map(Node::into_valor)),
        }
    }

    /// The name `x` of a plain `["col", "x"]`, with its column.
    fn column_name(self) -> Option<Node> {
        match self.shape {
            Shape::List(mut items) if items.len() == 2 => {
                let is_column = matches!(&items[0].shape, Shape::Leaf(head) if head.as_str() == Some("col"));
                if is_column { items.pop() } else { None }
            }
            _ => None,
        }
    }
}

/// Reads a fragment that is one whole expression.
pub(crate) fn read(source: Fragment<'_>) -> Result<Node, SyntaxError> {
    let mut parser = Parser::new(source.line, tokens(source)?, &[]);
    let node = parser.expression()?;
    parser.end("se esperaba el fin de la expresión")?;
    Ok(node)
}

/// Walks the tokens of one line.
pub(crate) struct Parser<'a> {
    line: usize,
    tokens: Vec<Spanned<'a>>,
    at: usize,
    /// Names that end an expression instead of starting one.
    stops: &'static [&'static str],
    nesting: usize,
}

type Parsed = Result<Node, SyntaxError>;

impl<'a> Parser<'a> {
    pub fn new(line: usize, tokens: Vec<Spanned<'a>>, stops: &'static [&'static str]) -> Parser<'a> {
        Parser { line, tokens, at: 0, stops, nesting: 0 }
    }

    /// The token ahead. The last one, the end, is never passed.
    pub fn peek(&self) -> &Spanned<'a> {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// Takes the token ahead.
    pub fn next(&mut self) -> Spanned<'a> {
        let taken = self.peek().clone();
        self.at += 1;
        taken
    }

    /// Takes the token ahead if it is `token`, and gives its column.
    pub fn take(&mut self, token: &Token) -> Option<usize> {
        (self.peek().token == *token).then(|| self.next().column)
    }

    /// Takes the token ahead, which must be `token`.
    pub fn require(&mut self, token: &Token, message: &str) -> Result<usize, SyntaxError> {
        self.take(token).ok_or_else(|| self.unexpected(message))
    }

    /// Nothing may follow.
    pub fn end(&self, message: &str) -> Result<(), SyntaxError> {
        match self.peek().token {
            Token::End => Ok(()),
            _ => Err(self.unexpected(message)),
        }
    }

    /// An error at the token ahead, which it names.
    pub fn unexpected(&self, message: &str) -> SyntaxError {
        let ahead = self.peek();
        let found = match &ahead.token {
            Token::Text(text) => Valor::Text(text.clone()).to_compact(),
            Token::Number(number) => number.to_compact(),
            Token::Ident(name) => format!("«{name}»"),
            Token::Hole(name) => format!("«${name}»"),
            Token::Comparison(operator) => format!("«{operator}»"),
            Token::Arithmetic(c) | Token::Mark(c) => format!("«{c}»"),
            Token::End => "el fin de la línea".to_owned(),
        };
        self.error(ahead.column, format!("{message} y llegó {found}"))
    }

    pub fn error(&self, column: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.line, column, message)
    }

    /// Reads the longest expression ahead.
    pub fn expression(&mut self) -> Parsed {
        let stopped = matches!(self.peek().token, Token::Ident(word) if self.stops.contains(&word));
        if stopped || self.peek().token == Token::End {
            return Err(self.unexpected("se esperaba una expresión"));
        }
        self.nested(|parser| parser.joined("o", |parser| parser.joined("y", Parser::negation)))
    }

    /// Goes one level down, unless that is too deep.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.nesting >= MAX_NESTING {
            return Err(self.error(self.peek().column, "la expresión tiene demasiados niveles"));
        }
        self.nesting += 1;
        let node = read(self);
        self.nesting -= 1;
        node
    }

    /// A list that may not be too high.
    fn list(&self, column: usize, items: Vec<Node>) -> Parsed {
        let node = Node::list(column, items);
        if node.height > MAX_NESTING {
            return Err(self.error(column, "la expresión tiene demasiados niveles"));
        }
        Ok(node)
    }

    /// Operands joined by one logical word, flat.
    fn joined(&mut self, word: &'static str, operand: impl Fn(&mut Self) -> Parsed) -> Parsed {
        let first = operand(self)?;
        let column = self.peek().column;
        let mut items = vec![Node::word(word, column), first];
        while self.take(&Token::Ident(word)).is_some() {
            items.push(operand(self)?);
        }
        if items.len() == 2 {
            return Ok(items.swap_remove(1));
        }
        self.list(column, items)
    }

    fn negation(&mut self) -> Parsed {
        let Some(column) = self.take(&Token::Ident("no")) else {
            return self.comparison();
        };
        let operand = self.nested(Parser::negation)?;
        self.list(column, vec![Node::word("no", column), operand])
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        let ahead = self.peek();
        let (Token::Comparison(operator), column) = (&ahead.token, ahead.column) else {
            return Ok(left);
        };
        let operator = *operator;
        self.at += 1;
        let right = self.sum()?;
        if let Token::Comparison(_) = self.peek().token {
            return Err(self.unexpected("se esperaba una sola comparación por expresión"));
        }
        self.list(column, vec![Node::word(operator, column), left, right])
    }

    fn sum(&mut self) -> Parsed {
        self.chained(&[('+', "mas"), ('-', "menos")], |parser| {
            parser.chained(&[('*', "por")], Parser::primary)
        })
    }

    /// Operands joined by arithmetic operators, to the left.
    fn chained(
        &mut self,
        operators: &[(char, &'static str)],
        operand: impl Fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let mut left = operand(self)?;
        loop {
            let ahead = self.peek();
            let column = ahead.column;
            let Token::Arithmetic(c) = ahead.token else { return Ok(left) };
            let Some((_, head)) = operators.iter().find(|(operator, _)| *operator == c) else {
                return Ok(left);
            };
            self.at += 1;
            let right = operand(self)?;
            left = self.list(column, vec![Node::word(head, column), left, right])?;
        }
    }

    fn primary(&mut self) -> Parsed {
        let Spanned { token, column, .. } = self.peek().clone();
        match token {
            Token::Number(value) => {
                self.at += 1;
                Ok(Node::leaf(value, column))
            }
            Token::Text(text) => {
                self.at += 1;
                Ok(Node::leaf(Valor::Text(text), column))
            }
            Token::Hole(name) => {
                self.at += 1;
                Ok(Node::hole(name, column))
            }
            Token::Ident(name) => {
                self.at += 1;
                self.named(name, column)
            }
            Token::Mark('(') => {
                self.at += 1;
                let inner = self.expression()?;
                self.require(&Token::Mark(')'), "se esperaba «)»")?;
                Ok(inner)
            }
            Token::Arithmetic('-') => Err(self.error(
                column,
                "en una expresión «-» siempre resta: se esperaba un número negativo o un nombre sin guion",
            )),
            _ => Err(self.unexpected("se esperaba una expresión")),
        }
    }

    /// What starts with a name: a literal word, a field, a call or a column.
    fn named(&mut self, name: &'a str, column: usize) -> Parsed {
        match name {
            "true" => return Ok(Node::leaf(Valor::Bool(true), column)),
            "false" => return Ok(Node::leaf(Valor::Bool(false), column)),
            "null" => return Ok(Node::leaf(Valor::Null, column)),
            _ => {}
        }
        if self.take(&Token::Mark('.')).is_some() {
            return self.field(name, column);
        }
        if self.take(&Token::Mark('(')).is_some() {
            return self.call(name, column);
        }
        Ok(Node::list(column, vec![Node::word("col", column), Node::word(name, column)]))
    }

    fn field(&mut self, alias: &str, column: usize) -> Parsed {
        match self.next() {
            Spanned { token: Token::Ident(field), column: at, .. } => Ok(Node::list(
                column,
                vec![Node::word("campo", column), Node::word(alias, column), Node::word(field, at)],
            )),
            Spanned { token: Token::Arithmetic('-'), column: at, .. } => {
                Err(self
                    .error(at, "el nombre de un campo no empieza con «-»: en una expresión siempre resta"))
            }
            _ => {
                self.at -= 1;
                Err(self.unexpected("se esperaba el nombre de un campo"))
            }
        }
    }

    fn call(&mut self, name: &str, column: usize) -> Parsed {
        let instead = match name {
            "mas" => Some("a + b"),
            "menos" => Some("a - b"),
            "por" => Some("a * b"),
            "col" => Some("p"),
            _ => None,
        };
        if let Some(instead) = instead {
            return Err(self.error(column, format!("«{name}(…)» se escribe «{instead}»")));
        }
        let mut items = vec![Node::word(name, column)];
        if self.take(&Token::Mark(')')).is_none() {
            loop {
                items.push(self.expression()?);
                if self.take(&Token::Mark(')')).is_some() {
                    break;
                }
                self.require(&Token::Mark(','), "se esperaba «,» o «)»")?;
            }
        }
        if name == "hecho" {
            let alias = if items.len() == 2 { items.pop().and_then(Node::column_name) } else { None };
            let Some(alias) = alias else {
                return Err(self.error(column, "se esperaba «hecho(alias)»"));
            };
            items.push(alias);
        }
        self.list(column, items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let shown = match read(Fragment { line: 1, column: 1, text }) {
            Ok(node) => node.into_valor().to_compact(),
            Err(error) => format!("error {}", error.columna),
        };
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn precedence_from_or_to_product() {
        check("a o b y no c == 1", r#"["o",["col","a"],["y",["col","b"],["no",["==",["col","c"],1]]]]"#);
        check("a y b y c", r#"["y",["col","a"],["col","b"],["col","c"]]"#);
        check("1 - 2 + 3 * 4", r#"["mas",["menos",1,2],["por",3,4]]"#);
        check("1 - (2 + 3) <= x.n", r#"["<=",["menos",1,["mas",2,3]],["campo","x","n"]]"#);
        check("no no a", r#"["no",["no",["col","a"]]]"#);
    }

    #[test]
    fn names_calls_and_literals() {
        check("f(a.b, \"x\", null, true, -1.5)", r#"["f",["campo","a","b"],"x",null,true,-1.5]"#);
        check("f()", r#"["f"]"#);
        check("hecho(a) == $x", r#"["==",["hecho","a"],["$","x"]]"#);
        check("y.x == 1", r#"["==",["campo","y","x"],1]"#);
    }

    #[test]
    fn errors_stand_at_their_token() {
        for (text, expect) in [
            ("", "error 1"),
            ("a ==", "error 5"),
            ("a == b == c", "error 8"),
            ("a b", "error 3"),
            ("(a", "error 3"),
            ("f(a", "error 4"),
            ("f(a,)", "error 5"),
            ("a.", "error 3"),
            ("a.-b", "error 3"),
            ("a.1", "error 3"),
            ("- a", "error 1"),
            ("mas(a, b)", "error 1"),
            ("x == col(a)", "error 6"),
            ("hecho(a.b)", "error 1"),
            ("hecho()", "error 1"),
            ("no.x", "error 3"),
            ("a y", "error 4"),
        ] {
            check(text, expect);
        }
    }

    #[test]
    fn nesting_is_bounded_however_it_is_made() {
        for text in
            ["(".repeat(100_000), "no ".repeat(100_000), "f(".repeat(100_000), "1 + ".repeat(100_000) + "1"]
        {
            assert!(read(Fragment { line: 1, column: 1, text: &text }).is_err());
        }
        check(&format!("{}1{}", "(".repeat(100), ")".repeat(100)), "1");
        assert!(read(Fragment { line: 1, column: 1, text: &("a y ".repeat(10_000) + "a") }).is_ok());
    }

    #[test]
    fn every_part_knows_its_column() {
        let mut places = Posiciones::default();
        read(Fragment { line: 3, column: 11, text: "x.n >= f(1)" }).unwrap().record(
            3,
            &[2, 2, 1],
            &mut places,
        );
        let found: Vec<_> = places.iter().map(|(path, place)| (path[3..].to_vec(), place.columna)).collect();
        assert_eq!(
            found,
            [
                (vec![], 15),
                (vec![0], 15),
                (vec![1], 11),
                (vec![1, 0], 11),
                (vec![1, 1], 11),
                (vec![1, 2], 13),
                (vec![2], 18),
                (vec![2, 0], 18),
                (vec![2, 1], 20)
            ]
        );
    }
}
