//! Runs the fenced examples of `docs/language.md` and holds its tables against the vocabularies of the core.
//!
//! The page says what each word of an info string means, under "How to read the examples". A block whose info
//! string is none of those fails, so no example stands there unrun.

use nucleo::algebra::{AlgebraErrorKind, Cancellation, Contexto, EscalaresBase, Evidencia, LimitesAlgebra};
use nucleo::catalogo::medida_de_texto;
use nucleo::fallo::Fallo;
use nucleo::forma::{self, TextError};
use nucleo::macros::{MacroError, Macros, expandir};
use nucleo::medida::{Estado, Medida, Veredicto};
use nucleo::proyecto::{Opciones, Proyecto};
use nucleo::sintaxis;
use nucleo::valor::{Valor, parse};
use nucleo::vocabulario;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const PAGE: &str = include_str!("../../../docs/language.md");

/// The row that expressions are evaluated over.
const ROW: &str = r#"{"n":1,"f":0.5,"t":"a","b":true}"#;

/// A fenced block and the heading it stands under.
struct Block {
    section: String,
    line: usize,
    info: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let (mut found, mut section) = (Vec::new(), String::new());
    let mut open: Option<Block> = None;
    for (index, line) in PAGE.lines().enumerate() {
        match &mut open {
            Some(block) if line == "```" => {
                assert!(!block.text.is_empty(), "line {}: an empty block", block.line);
                found.extend(open.take());
            }
            Some(block) => block.text += &format!("{line}\n"),
            None => {
                if let Some(heading) = line.strip_prefix("## ") {
                    section = heading.to_owned();
                }
                if let Some(info) = line.strip_prefix("```") {
                    let (section, info) = (section.clone(), info.to_owned());
                    open = Some(Block { section, line: index + 1, info, text: String::new() });
                }
            }
        }
    }
    assert!(open.is_none(), "a block is never closed");
    found
}

fn with_context<T>(limites: &LimitesAlgebra, body: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let cancellation = Cancellation::new();
    body(&Contexto { limites, cancellation: &cancellation, escalares: &EscalaresBase })
}

/// What the examples of one section have said so far.
struct Section {
    macros: Macros,
    /// The last text that was accepted, as canonical form.
    canonical: Option<Valor>,
    measure: Option<Medida>,
    verdict: Option<Veredicto>,
}

impl Section {
    fn new() -> Section {
        Section { macros: Macros::estandar(), canonical: None, measure: None, verdict: None }
    }

    fn run(&mut self, block: &Block) -> Result<(), String> {
        let words: Vec<&str> = block.info.split(' ').collect();
        let text = block.text.as_str();
        match words.as_slice() {
            ["oracle", rest @ ..] => match self.oracle(text) {
                Ok(()) => accepted(rest),
                Err(told) => refused(rest, &told),
            },
            ["relacion", rest @ ..] => match forma::leer_relacion(text) {
                Ok(read) => {
                    self.canonical = Some(read.datos());
                    accepted(rest)
                }
                Err(error) => refused(rest, &place_of(&error)),
            },
            ["caso", rest @ ..] => match forma::leer_caso(text) {
                Ok(read) => {
                    self.canonical = Some(read.datos().clone());
                    accepted(rest)
                }
                Err(error) => refused(rest, &place_of(&error)),
            },
            ["oracle.json", rest @ ..] => match configuration(text) {
                Ok(()) => accepted(rest),
                Err(told) => refused(rest, &told),
            },
            ["canonical"] => self.canonical(text),
            ["canonical", rest @ ..] => match load(text) {
                Ok(_) => accepted(rest),
                Err(told) => refused(rest, &told),
            },
            ["evidence", rest @ ..] => self.evidence(text, rest),
            ["witnesses"] => self.witnesses(text),
            ["expressions"] => each_line(text, |expression| Ok(tree_of(expression)?.to_compact())),
            ["values"] => each_line(text, value_of),
            ["aggregates"] => each_line(text, aggregate_of),
            ["ebnf"] => Ok(()),
            _ => Err("no such info string".to_owned()),
        }
    }

    fn oracle(&mut self, text: &str) -> Result<(), String> {
        if text.lines().any(|line| line.starts_with("defmacro ")) {
            return match self.macros.cargar(text) {
                Ok(()) => {
                    let declared =
                        self.macros.nombres().find(|name| text.contains(&format!("defmacro {name}(")));
                    self.canonical =
                        declared.and_then(|name| self.macros.get(name)).map(|found| found.datos());
                    Ok(())
                }
                Err(MacroError::Texto(error)) => Err(place_of(&error)),
                Err(_) => Err("anywhere".to_owned()),
            };
        }
        let limites = LimitesAlgebra::default();
        let read = with_context(&limites, |contexto| medida_de_texto(text, &self.macros, contexto));
        match read {
            Ok(measure) => {
                self.canonical = Some(measure.datos());
                self.measure = Some(measure);
                Ok(())
            }
            Err(Fallo::MedidaInvalida { donde, .. }) => {
                Err(donde.replace("línea ", "").replace(", columna ", ":"))
            }
            Err(Fallo::LimiteDeAlgebra { nombre, .. }) => Err(nombre.to_owned()),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn canonical(&self, text: &str) -> Result<(), String> {
        let written = parse(text).map_err(|error| error.to_string())?;
        let Some(last) = &self.canonical else { return Err("no text came before it".to_owned()) };
        equal(last.to_canonical(), written.to_canonical())
    }

    fn evidence(&mut self, text: &str, words: &[&str]) -> Result<(), String> {
        let (expected, limits) = match words {
            [expected @ .., "under", limit] => (expected, under(limit)?),
            expected => (expected, LimitesAlgebra::default()),
        };
        let Some(measure) = &self.measure else { return Err("no measure came before it".to_owned()) };
        let facts = parse(text).map_err(|error| error.to_string())?;
        let judged = with_context(&limits, |contexto| {
            Evidencia::from_valor(facts).and_then(|facts| measure.evaluar(&facts, contexto))
        });
        let said = match &judged {
            Ok(Veredicto { estado: Estado::SinEvidencia { falta }, .. }) => {
                format!("sin_evidencia {}", falta.relacion())
            }
            Ok(verdict) => format!("{} {}", verdict.estado.as_str(), verdict.valor.to_compact()),
            Err(error) => format!("refused {}", kind_of(&error.kind)),
        };
        self.verdict = judged.ok();
        equal(said, expected.join(" "))
    }

    fn witnesses(&self, text: &str) -> Result<(), String> {
        let Some(verdict) = &self.verdict else { return Err("no verdict came before it".to_owned()) };
        let written = parse(text).map_err(|error| error.to_string())?;
        equal(Valor::List(verdict.testigos.first(usize::MAX)).to_compact(), written.to_compact())
    }
}

fn equal(said: String, expected: String) -> Result<(), String> {
    if said == expected { Ok(()) } else { Err(format!("says\n  {said}\nand the page says\n  {expected}")) }
}

fn accepted(rest: &[&str]) -> Result<(), String> {
    if rest.is_empty() { Ok(()) } else { Err("it is accepted".to_owned()) }
}

fn refused(rest: &[&str], told: &str) -> Result<(), String> {
    equal(format!("refused {told}"), rest.join(" "))
}

fn place_of(error: &TextError) -> String {
    match error {
        TextError::Sintaxis(error) => format!("{}:{}", error.linea, error.columna),
        TextError::Forma(difference) => format!("{}:{}", difference.linea, difference.columna),
        TextError::Version(_) => "version".to_owned(),
        TextError::SinForma(_) | TextError::Contenido { .. } => "anywhere".to_owned(),
    }
}

fn kind_of(kind: &AlgebraErrorKind) -> &'static str {
    match kind {
        AlgebraErrorKind::Contract(_) => "contract",
        AlgebraErrorKind::Limit { nombre, .. } => nombre,
        AlgebraErrorKind::Evidence { .. } => "evidence",
        AlgebraErrorKind::Cancelled => "cancelled",
    }
}

/// The budgets that `name=value` sets.
fn under(limit: &str) -> Result<LimitesAlgebra, String> {
    let mut limits = LimitesAlgebra::default();
    let parts = limit.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
    let (field, value) = match parts {
        Some(("filas_por_relacion", value)) => (&mut limits.filas_por_relacion, value),
        Some(("producto_cartesiano", value)) => (&mut limits.producto_cartesiano, value),
        _ => return Err(format!("«{limit}» sets no budget of an evaluation")),
    };
    *field = value;
    Ok(limits)
}

fn load(text: &str) -> Result<Medida, String> {
    let datos = parse(text).expect("a canonical form is JSON");
    with_context(&LimitesAlgebra::default(), |contexto| {
        let expanded = expandir(&datos, &Macros::estandar(), contexto).expect("it expands");
        Medida::from_datos(&expanded, contexto).map_err(|error| match error.limit {
            Some(limit) => limit.nombre.to_owned(),
            None => error.ruta.iter().map(usize::to_string).collect::<Vec<_>>().join("."),
        })
    })
}

fn configuration(text: &str) -> Result<(), String> {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    fs::create_dir(folder.path().join("catalogos")).expect("a folder");
    fs::write(folder.path().join("oracle.json"), text).expect("a file");
    let proyecto = Proyecto::open(folder.path()).expect("a project");
    let read = proyecto.lectura(Opciones::default()).configuracion();
    read.map(|_| ()).map_err(|_| "anywhere".to_owned())
}

/// Runs each line `left => right`: what `said` makes of the left must be the right; `refused` is an error.
fn each_line(text: &str, said: impl Fn(&str) -> Result<String, String>) -> Result<(), String> {
    for line in text.lines() {
        let (left, right) = line.split_once(" => ").ok_or_else(|| format!("«{line}» has no « => »"))?;
        let answer = said(left.trim_end()).unwrap_or_else(|_| "refused".to_owned());
        equal(
            format!("{} => {answer}", left.trim_end()),
            format!("{} => {}", left.trim_end(), right.trim()),
        )?;
    }
    Ok(())
}

/// The canonical form of an expression of the surface.
fn tree_of(expression: &str) -> Result<Valor, String> {
    let text = format!(
        "medida a.b:\n    de r r\n    resumen max({expression})\n    umbral <= 0 segun tanteo\n    alcance \"x\"\n"
    );
    let read = sintaxis::leer(&text, &Macros::estandar()).map_err(|error| error.to_string())?;
    Ok(read.datos.as_list().unwrap()[3].as_list().unwrap()[2].clone())
}

fn value_of(expression: &str) -> Result<String, String> {
    summed("max", &tree_of(expression)?.to_compact(), &format!("[{ROW}]"))
}

/// `aggregate [value, ...]`, each value the field `v` of a row.
fn aggregate_of(call: &str) -> Result<String, String> {
    let (aggregate, values) = call.split_once(' ').ok_or("it has no values")?;
    let values = parse(values).map_err(|error| error.to_string())?;
    let rows = values.as_list().ok_or("no list")?.iter().map(|value| Valor::map([("v", value.clone())]));
    summed(aggregate, r#"["campo","r","v"]"#, &Valor::list(rows).to_compact())
}

/// The value of a summary over the rows of one relation.
fn summed(aggregate: &str, expression: &str, rows: &str) -> Result<String, String> {
    let form = format!(
        r#"["medida","a.b",["desde",["de","r","r"]],["resumen","{aggregate}",{expression}],["umbral","<=",LIMIT,""],["alcance","x"]]"#
    );
    let facts = parse(&format!(r#"{{"r":{rows}}}"#)).map_err(|error| error.to_string())?;
    let mut last = String::new();
    // The threshold must be of the family of the value: one of the three is.
    for limit in ["0", "true", "\"\""] {
        let datos = parse(&form.replace("LIMIT", limit)).expect("JSON");
        let answer = with_context(&LimitesAlgebra::default(), |contexto| {
            let measure = Medida::from_datos(&datos, contexto).map_err(|error| error.to_string())?;
            let facts = Evidencia::from_valor(facts.clone()).map_err(|error| error.to_string())?;
            measure.evaluar(&facts, contexto).map_err(|error| error.to_string())
        });
        match answer {
            Ok(verdict) => return Ok(verdict.valor.to_compact()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[test]
fn every_example_of_the_page_holds() {
    let mut faults = Vec::new();
    let mut section = Section::new();
    let mut heading = String::new();
    for block in blocks() {
        if block.section != heading {
            (section, heading) = (Section::new(), block.section.clone());
        }
        if let Err(fault) = section.run(&block) {
            faults.push(format!("docs/language.md:{} ```{}: {fault}", block.line, block.info));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_page_has_examples_of_every_kind() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for block in blocks() {
        let kind: Vec<&str> = block.info.split(' ').filter(|word| !word.contains(':')).take(2).collect();
        *count.entry(kind.join(" ")).or_default() += 1;
    }
    for (kind, least) in [
        ("oracle", 11),
        ("oracle refused", 12),
        ("relacion", 2),
        ("relacion refused", 2),
        ("caso", 2),
        ("caso refused", 2),
        ("oracle.json", 2),
        ("oracle.json refused", 3),
        ("canonical", 7),
        ("canonical refused", 3),
        ("evidence verde", 6),
        ("evidence rojo", 6),
        ("evidence sin_evidencia", 2),
        ("evidence refused", 6),
        ("witnesses", 5),
        ("expressions", 2),
        ("values", 2),
        ("aggregates", 1),
        ("ebnf", 4),
    ] {
        let found = count.get(kind).copied().unwrap_or(0);
        assert!(found >= least, "{found} blocks of «{kind}», at least {least} expected");
    }
}

/// Words of the first column of every table of the page.
fn explained() -> BTreeSet<&'static str> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.filter(|(_, meaning)| meaning.len() > 10).map(|(word, _)| word).collect()
}

#[test]
fn every_word_of_every_vocabulary_has_its_meaning() {
    let explained = explained();
    let vocabularies: [&[&str]; 7] = [
        &vocabulario::ORIGENES_DE_UMBRAL,
        &vocabulario::AMBITOS,
        &vocabulario::ETIQUETAS,
        &vocabulario::PROCEDENCIAS,
        &vocabulario::DETECCIONES,
        &vocabulario::ESPERAS,
        &vocabulario::OPERADORES,
    ];
    for word in vocabularies.into_iter().flatten().chain([&vocabulario::SIN_DECLARAR]) {
        assert!(explained.contains(word), "«{word}» has no row in a table of docs/language.md");
    }
    for aggregate in nucleo::algebra::Agregado::ALL {
        assert!(explained.contains(aggregate.as_str()), "{}", aggregate.as_str());
    }
    for name in Macros::estandar().nombres() {
        assert!(explained.contains(name), "{name}");
    }
}

#[test]
fn every_mutant_has_its_meaning() {
    let explained = explained();
    for line in include_str!("golden/mutantes.jsonl").lines() {
        let case = parse(line).expect("JSON");
        let made =
            case.as_map().and_then(|case| case.get("mutantes")).and_then(Valor::as_list).expect("mutants");
        for name in made.iter().filter_map(Valor::head) {
            let class = name.split(':').next().unwrap_or_default();
            assert!(explained.contains(class), "«{class}» has no row in a table of docs/language.md");
        }
    }
}

#[test]
fn the_glossary_has_each_term_once_and_in_order() {
    let page = include_str!("../../../docs/glossary.md");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term "));
    let terms: Vec<&str> = rows.filter_map(|line| line.split(" | ").next()).collect();
    assert!(terms.len() > 30);
    assert!(terms.is_sorted_by(|a, b| a < b), "{terms:?}");
}
