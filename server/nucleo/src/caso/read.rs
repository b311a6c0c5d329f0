//! Reading the surface of a case: its members in their one order, prose as prose.

use super::{check_espera, evidence, is_case_id};
use crate::sintaxis::SyntaxError;
use crate::sintaxis::fragment::{Fragment, INDENT, Lines, is_space};
use crate::valor::{Map, Text, Valor, prefix};
use crate::vocabulario::{DETECCIONES, ETIQUETAS, PROCEDENCIAS};

/// Reads the text of a case. Its one printed form is for `forma` to ask.
pub fn leer(texto: &str) -> Result<Valor, SyntaxError> {
    let mut reader = Reader::new(texto);
    let mut members = Map::new();
    let mut put = |name: &str, value: Valor| members.insert(Text::from(name), value);
    put("id", reader.header()?);
    put("fecha", json(reader.require("fecha")?)?);
    put("origen", reader.origin()?);
    if let Some(value) = reader.member("procedencia", 1)? {
        put("procedencia", one_of(value, "procedencia", &PROCEDENCIAS)?);
    }
    put("titulo", json(reader.require("titulo")?)?);
    let label = reader.require("etiqueta")?;
    put("etiqueta", one_of(label, "etiqueta", &ETIQUETAS)?);
    if let Some(value) = reader.member("espera", 1)? {
        check_espera(value.text, label.text).map_err(|message| value.error(message))?;
        put("espera", Valor::text(value.text));
    }
    put("sintoma", reader.prose("sintoma")?);
    put("como_se_detecto", one_of(reader.require("como_se_detecto")?, "como_se_detecto", &DETECCIONES)?);
    put(
        "medida",
        match reader.require("medida")?.text {
            "null" => Valor::Null,
            id => Valor::text(id),
        },
    );
    if let Some(value) = reader.member("estado_sin_medida", 1)? {
        put("estado_sin_medida", Valor::text(value.text));
    }
    for optional in ["resuelto", "limite_humano", "sin_medida_todavia"] {
        if reader.has(optional)? {
            put(optional, reader.prose(optional)?);
        }
    }
    put("evidencia", reader.evidence()?);
    put("leccion", reader.prose("leccion")?);
    reader.end()?;
    Ok(Valor::Map(members))
}

/// One JSON value and nothing more.
fn json(source: Fragment<'_>) -> Result<Valor, SyntaxError> {
    let (value, rest) = json_prefix(source)?;
    if rest.text.chars().all(is_space) {
        Ok(value)
    } else {
        Err(rest.error("sobra texto después del valor"))
    }
}

/// The JSON value that `source` starts with, and what follows it.
pub(super) fn json_prefix(source: Fragment<'_>) -> Result<(Valor, Fragment<'_>), SyntaxError> {
    match prefix(source.text) {
        Ok((value, length)) => Ok((value, source.after(length))),
        Err(error) => {
            let column = source.column + error.column - 1;
            Err(SyntaxError::new(source.line, column, format!("el valor está mal escrito: {}", error.reason)))
        }
    }
}

fn one_of(value: Fragment<'_>, name: &str, known: &[&str]) -> Result<Valor, SyntaxError> {
    if known.contains(&value.text) {
        return Ok(Valor::text(value.text));
    }
    let known = known.join(", ");
    Err(value.error(format!("«{name}» es una de {known}, no «{}»", value.text)))
}

/// Walks the lines of a case, comments left out.
pub(super) struct Reader<'a> {
    /// The line ahead; `None` past the last one.
    ahead: Option<Fragment<'a>>,
    /// The lines behind it.
    lines: Lines<'a>,
}

impl<'a> Reader<'a> {
    fn new(texto: &'a str) -> Reader<'a> {
        let mut lines = Fragment::lines(texto);
        Reader { ahead: lines.next(), lines }
    }

    fn advance(&mut self) {
        self.ahead = self.lines.next();
    }

    /// The line ahead, an empty one below the last.
    fn peek(&self) -> Fragment<'a> {
        self.ahead.unwrap_or(Fragment { line: self.lines.passed() + 1, column: 1, text: "" })
    }

    fn skip_blank(&mut self) {
        while self.ahead.is_some_and(|line| line.text.chars().all(is_space)) {
            self.advance();
        }
    }

    /// Takes the next line, if it stands at least `level` deep.
    pub fn take_deeper(&mut self, level: usize) -> Option<Fragment<'a>> {
        let line = self.peek();
        let deep = line.text.starts_with(&INDENT.repeat(level));
        deep.then(|| {
            self.advance();
            line
        })
    }

    fn header(&mut self) -> Result<Valor, SyntaxError> {
        self.skip_blank();
        let line = self.peek();
        let shape = || line.error("se esperaba un encabezado «caso <id>:»");
        let rest = line.strip("caso").filter(|rest| rest.text.starts_with(is_space)).ok_or_else(shape)?;
        let id = rest.trimmed_start();
        let id = Fragment { text: id.text.strip_suffix(':').ok_or_else(shape)?, ..id };
        if id.text.is_empty() || id.text.contains(is_space) {
            return Err(shape());
        }
        if !is_case_id(id.text) {
            return Err(id.error(format!("«{}» no es un id de caso: {}", id.text, super::ID_SHAPE)));
        }
        self.advance();
        Ok(Valor::text(id.text))
    }

    /// Takes the next line that is not blank if it is `name:`, and gives what follows it.
    fn member(&mut self, name: &str, level: usize) -> Result<Option<Fragment<'a>>, SyntaxError> {
        let Some(rest) = self.ahead(name, level)? else { return Ok(None) };
        self.advance();
        match rest.strip(" ") {
            Some(value) => Ok(Some(value)),
            None if rest.text.is_empty() => Ok(Some(rest)),
            None => Err(rest.error("se esperaba un espacio o el fin de la línea después de «:»")),
        }
    }

    fn ahead(&mut self, name: &str, level: usize) -> Result<Option<Fragment<'a>>, SyntaxError> {
        self.skip_blank();
        let line = self.peek();
        if !line.text.starts_with(&INDENT.repeat(level)) {
            return Ok(None);
        }
        Ok(line.indented(level)?.strip(name).and_then(|rest| rest.strip(":")))
    }

    fn has(&mut self, name: &str) -> Result<bool, SyntaxError> {
        Ok(self.ahead(name, 1)?.is_some())
    }

    fn require(&mut self, name: &str) -> Result<Fragment<'a>, SyntaxError> {
        match self.member(name, 1)? {
            Some(value) => Ok(value),
            None => Err(self.peek().trimmed_start().error(format!("se esperaba «{name}:»"))),
        }
    }

    /// Takes `name:` with nothing after it, whose content is on the lines below.
    fn open(&mut self, name: &str) -> Result<Fragment<'a>, SyntaxError> {
        let rest = self.require(name)?;
        if rest.text.is_empty() {
            return Ok(rest);
        }
        Err(rest.error(format!("«{name}» se escribe debajo, en las líneas siguientes")))
    }

    fn prose(&mut self, name: &str) -> Result<Valor, SyntaxError> {
        let opening = self.open(name)?;
        let mut lines = Vec::new();
        while let Some(line) = self.take_deeper(2) {
            lines.push(line.after(INDENT.len() * 2).text);
        }
        if lines.is_empty() {
            return Err(SyntaxError::new(opening.line + 1, 1, format!("falta la prosa de «{name}»")));
        }
        Ok(Valor::text(lines.join("\n")))
    }

    fn origin(&mut self) -> Result<Valor, SyntaxError> {
        let opening = self.open("origen")?;
        let mut members = Map::new();
        while let Some(line) = self.take_deeper(2) {
            let body = line.indented(2)?;
            let name = match body.text.split_once(':') {
                Some((name, _)) if !name.chars().all(is_space) => name,
                _ => return Err(body.error("se esperaba «<nombre>: <valor>»")),
            };
            let rest = body.after(name.len() + 1);
            let value = rest.strip(" ").ok_or_else(|| rest.error("se esperaba un espacio después de «:»"))?;
            if members.contains_key(name) {
                return Err(body.error(format!("«{name}» está repetido en «origen»")));
            }
            members.insert(Text::from(name), json(value)?);
        }
        if members.is_empty() {
            return Err(SyntaxError::new(opening.line + 1, 1, "«origen» lleva al menos un dato"));
        }
        Ok(Valor::Map(members))
    }

    fn evidence(&mut self) -> Result<Valor, SyntaxError> {
        let opening = self.open("evidencia")?;
        let mut relations = Map::new();
        while let Some(line) = self.take_deeper(2) {
            let (name, rows) = evidence::relation(line, self, &relations)?;
            relations.insert(name, rows);
        }
        if relations.is_empty() {
            return Err(SyntaxError::new(opening.line + 1, 1, "la evidencia lleva al menos una relación"));
        }
        Ok(Valor::Map(relations))
    }

    fn end(&mut self) -> Result<(), SyntaxError> {
        self.skip_blank();
        if self.ahead.is_some() {
            return Err(self.peek().trimmed_start().error("se esperaba el fin del caso"));
        }
        Ok(())
    }
}
