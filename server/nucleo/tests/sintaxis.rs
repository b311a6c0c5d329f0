//! Texts and trees with what the published implementation (0.33.0) makes of them, replayed over ours.
//!
//! Each line of `golden/sintaxis.jsonl` is one input: `clase` says how it is taken, `macros` are the texts of
//! declarations that come before it. `rechaza` holds the place of the refusal where both put it at the same
//! one; else `datos` is the tree, `acepta` whether the text stands in its one form, `impreso` that form where
//! it is another text, `expandido` the canonical form (null: it does not expand), `declara` whether a
//! `defmacro` is valid, `posiciones` the places of nodes. A tree to be printed has `vuelve`: whether what is
//! printed reads back as that tree; where it does not, ours may refuse to print.

use nucleo::algebra::{Cancellation, Contexto, EscalaresBase, LimitesAlgebra};
use nucleo::forma::{self, TextError};
use nucleo::macros::{Macro, Macros, expandir};
use nucleo::sintaxis::{self, Posiciones, PrintError, SyntaxError};
use nucleo::valor::{Map, Valor, parse};
use nucleo::{caso, relacion};

const GOLDEN: &str = include_str!("golden/sintaxis.jsonl");

/// One line of the file.
struct Row {
    members: Map,
    macros: Macros,
}

/// What a text says, by our reading.
struct Read {
    datos: Valor,
    printed: Result<String, PrintError>,
    accepted: bool,
    places: Posiciones,
}

impl Row {
    fn new(line: &str) -> Row {
        let Valor::Map(members) = parse(line).expect("a line is JSON") else { panic!("a line is a map") };
        let mut macros = Macros::estandar();
        for text in members.get("macros").and_then(Valor::as_list).unwrap_or_default() {
            macros.cargar(text.as_str().expect("a text")).expect("a declaration");
        }
        Row { members, macros }
    }

    fn text(&self, name: &str) -> &str {
        self.members.get(name).and_then(Valor::as_str).unwrap_or_else(|| panic!("«{name}» is a text"))
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.members.get(name).and_then(Valor::as_bool)
    }

    fn read(&self) -> Result<Read, TextError> {
        let text = self.text("texto");
        Ok(match self.text("clase") {
            "caso" => {
                let datos = caso::leer(text)?;
                let printed = caso::imprimir(&datos);
                Read {
                    datos,
                    printed,
                    accepted: forma::leer_caso(text).is_ok(),
                    places: Posiciones::default(),
                }
            }
            "relacion" => {
                let relation = relacion::leer(text)?;
                let accepted = forma::leer_relacion(text).is_ok();
                let printed = relacion::imprimir(&relation);
                Read { datos: relation.datos(), printed, accepted, places: Posiciones::default() }
            }
            "oracle" => {
                let read = sintaxis::leer(text, &self.macros)?;
                let printed = sintaxis::imprimir(&read.datos, &self.macros);
                let accepted = forma::leer_oracle(text, &self.macros).is_ok();
                Read { datos: read.datos, printed, accepted, places: read.posiciones }
            }
            other => panic!("unknown class «{other}»"),
        })
    }

    /// What differs, if anything.
    fn check(&self) -> Result<(), String> {
        if self.text("clase") == "imprimir" {
            return self.check_printing();
        }
        match (self.members.get("rechaza"), self.read()) {
            (Some(place), Err(error)) => check_place(place, &error),
            (Some(_), Ok(_)) => Err("it is read".to_owned()),
            (None, Err(error)) => Err(format!("it is refused: {error}")),
            (None, Ok(read)) => self.check_read(&read),
        }
    }

    fn check_printing(&self) -> Result<(), String> {
        let tree = self.members.get("datos").expect("a tree");
        match (sintaxis::imprimir(tree, &self.macros), self.members.get("impreso").and_then(Valor::as_str)) {
            (Ok(printed), Some(expected)) => equal("printed", printed.as_str(), expected),
            (Ok(_), None) => Err("it is printed".to_owned()),
            (Err(error), _) if self.flag("vuelve") == Some(true) => {
                Err(format!("it is not printed: {error}"))
            }
            (Err(_), _) => Ok(()),
        }
    }

    fn check_read(&self, read: &Read) -> Result<(), String> {
        let expected = self.members.get("datos").expect("a tree");
        equal("tree", read.datos.to_compact(), expected.to_compact())?;
        equal("accepted", Some(read.accepted), self.flag("acepta"))?;
        if let Some(form) = self.members.get("impreso").and_then(Valor::as_str) {
            equal("printed", read.printed.as_deref(), Ok(form))?;
        }
        if let Some(expected) = self.members.get("expandido") {
            let limites = LimitesAlgebra::default();
            let cancellation = Cancellation::new();
            let contexto =
                Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase };
            let expanded = match expandir(&read.datos, &self.macros, &contexto) {
                Ok(tree) => tree.to_compact(),
                Err(_) => "null".to_owned(),
            };
            equal("expansion", expanded, expected.to_compact())?;
        }
        if let Some(valid) = self.flag("declara") {
            equal("declares", Macro::from_datos(&read.datos).is_ok(), valid)?;
        }
        for (path, place) in
            self.members.get("posiciones").and_then(Valor::as_map).into_iter().flat_map(Map::iter)
        {
            let indices: Vec<usize> = path
                .split('.')
                .filter(|index| !index.is_empty())
                .map(|index| index.parse().unwrap())
                .collect();
            let found =
                read.places.exacta(&indices).map(|found| format!("[{},{}]", found.linea, found.columna));
            equal(path, found, Some(place.to_compact()))?;
        }
        Ok(())
    }
}

fn equal<T: PartialEq<U> + std::fmt::Debug, U: std::fmt::Debug>(
    what: &str,
    ours: T,
    theirs: U,
) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours:?}, expected {theirs:?}")) }
}

fn check_place(place: &Valor, error: &TextError) -> Result<(), String> {
    let expected = |name: &str| place.as_map().and_then(|place| place.get(name)).map(Valor::to_compact);
    let (Some(line), TextError::Sintaxis(SyntaxError { linea, columna, .. })) = (expected("linea"), error)
    else {
        return Ok(());
    };
    equal("line", linea.to_string(), line)?;
    expected("columna").map_or(Ok(()), |column| equal("column", columna.to_string(), column))
}

#[test]
fn ours_says_what_the_published_implementation_says() {
    let mut faults = Vec::new();
    for (index, line) in GOLDEN.lines().enumerate() {
        let row = Row::new(line);
        if let Err(fault) = row.check() {
            let input = row
                .members
                .get("texto")
                .map_or_else(|| line.to_owned(), |text| text.as_str().unwrap().to_owned());
            faults.push(format!("line {}: {fault}\n{input}", index + 1));
        }
    }
    assert!(faults.is_empty(), "{} differ\n{}", faults.len(), faults[..faults.len().min(5)].join("\n"));
}

#[test]
fn the_file_holds_every_class_and_every_outcome() {
    let rows: Vec<Map> = GOLDEN.lines().map(|line| Row::new(line).members).collect();
    let count = |wanted: &dyn Fn(&Map) -> bool| rows.iter().filter(|row| wanted(row)).count();
    assert!(rows.len() >= 1500);
    for class in ["oracle", "caso", "relacion", "imprimir"] {
        assert!(count(&|row| row.get("clase").and_then(Valor::as_str) == Some(class)) >= 100, "{class}");
    }
    assert!(count(&|row| row.contains_key("macros")) >= 100);
    assert!(count(&|row| row.get("acepta") == Some(&Valor::Bool(true))) >= 400);
    assert!(count(&|row| row.get("acepta") == Some(&Valor::Bool(false))) >= 150);
    assert!(count(&|row| row.get("rechaza").is_some_and(|place| place.as_map().unwrap().len() == 2)) >= 400);
    assert!(count(&|row| row.contains_key("posiciones")) >= 20);
    assert!(count(&|row| row.get("expandido") == Some(&Valor::Null)) >= 1);
}
