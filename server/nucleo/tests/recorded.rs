//! Macros, forms and whole projects with what the published implementation (0.33.0) makes of them.
//!
//! `ci/golden-reference` makes the three files from a seed. A line of `golden/macros.jsonl` declares macros in order,
//! each with whether it is accepted and its text where it has one, and then uses one. A line of
//! `golden/formas.jsonl` is a canonical form of a measure with requirements or of a relation, a case as JSON, a
//! version, or a call of a function. A line of `golden/proyectos.jsonl` holds the files of a project, and its
//! effective catalogue or the code of its refusal.

use nucleo::algebra::{Cancellation, Contexto, Escalares, EscalaresBase, LimitesAlgebra};
use nucleo::caso::{self, Caso};
use nucleo::fallo::Fallo;
use nucleo::fijacion::ejercicio;
use nucleo::forma;
use nucleo::macros::{Macro, MacroError, Macros, expandir};
use nucleo::medida::Medida;
use nucleo::proyecto::{Lectura, Opciones, Proyecto};
use nucleo::relacion::{self, Relacion};
use nucleo::sintaxis::{imprimir, leer};
use nucleo::valor::{Map, Valor, parse};
use nucleo::version;
use std::fs;

type Checked = Result<(), String>;

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, ours: T, theirs: T) -> Checked {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours:?}, recorded {theirs:?}")) }
}

fn member<'a>(line: &'a Map, name: &str) -> &'a Valor {
    line.get(name).unwrap_or_else(|| panic!("a line has «{name}»"))
}

fn replay(file: &str, least: usize, check: impl Fn(&Map) -> Checked) {
    let (mut count, mut different) = (0, Vec::new());
    for (index, text) in file.lines().enumerate() {
        let Valor::Map(line) = parse(text).expect("a line is JSON") else { panic!("a line is a map") };
        count += 1;
        if let Err(fault) = check(&line) {
            different.push(format!(
                "line {}: {fault}\n  {}",
                index + 1,
                &text.chars().take(600).collect::<String>()
            ));
        }
    }
    assert!(count >= least, "only {count} lines are recorded");
    let shown = &different[..different.len().min(8)];
    assert!(different.is_empty(), "{} of {count} differ\n{}", different.len(), shown.join("\n"));
}

fn with_context<T>(body: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let (limites, cancellation) = (LimitesAlgebra::default(), Cancellation::new());
    body(&Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase })
}

/// The recorded text of a tree is ours, and reads back; a tree without a recorded one may be refused.
fn check_text(tree: &Valor, recorded: &Valor, macros: &Macros) -> Checked {
    let Some(text) = recorded.as_str() else { return Ok(()) };
    equal("text", imprimir(tree, macros).map_err(|error| error.mensaje), Ok(text.to_owned()))?;
    let read = leer(text, macros).map_err(|error| format!("{error}\n{text}"))?;
    equal("read back", read.datos.to_compact(), tree.to_compact())
}

fn check_macros(line: &Map) -> Checked {
    let mut macros = Macros::estandar();
    let declared = member(line, "macros").as_list().expect("macros");
    for (tree, recorded) in declared.iter().zip(member(line, "declara").as_list().expect("answers")) {
        let Some([accepted, text]) = recorded.as_list() else { panic!("{recorded:?}") };
        check_text(tree, text, &macros)?;
        let ours = Macro::from_datos(tree).and_then(|declared| macros.declarar(declared));
        equal("accepted", Some(ours.is_ok()), accepted.as_bool())?;
    }
    let usage = member(line, "uso");
    check_text(usage, member(line, "impreso"), &macros)?;
    let ours = with_context(|contexto| expandir(usage, &macros, contexto).map(|tree| tree.to_compact()));
    let ours = ours.map_err(|error| match error {
        MacroError::Limite { .. } => "limite",
        _ => "uso",
    });
    let theirs = match line.get("error").and_then(Valor::as_str) {
        Some(kind) => Err(kind),
        None => Ok(member(line, "datos").to_compact()),
    };
    equal("expansion", ours, theirs)
}

fn check_form(line: &Map) -> Checked {
    let recorded = member(line, "da");
    match member(line, "clase").as_str() {
        Some("version") => {
            let text = member(line, "texto").as_str().expect("a text");
            let ours = match (version::parse(text), version::require_algebra(text)) {
                (Err(_), _) => "ilegible",
                (_, Ok(())) => "sirve",
                (_, Err(_)) => "no_sirve",
            };
            equal("version", Some(ours), recorded.as_str())
        }
        Some("escalar") => {
            let name = member(line, "nombre").as_str().expect("a name");
            let ours = EscalaresBase.call(name, member(line, "args").as_list().expect("values"));
            equal("value", ours.unwrap_or(Valor::Null).to_compact(), recorded.to_compact())
        }
        Some("medida") => {
            let read = with_context(|contexto| Medida::from_datos(member(line, "datos"), contexto));
            equal("accepted", Some(read.is_ok()), recorded.as_bool())
        }
        Some("relacion") => match (Relacion::from_datos(member(line, "datos")), recorded) {
            (Err(_), Valor::Null) => Ok(()),
            (Ok(declared), Valor::List(_)) => {
                equal("form", declared.datos().to_compact(), recorded.to_compact())?;
                let Some(text) = member(line, "impreso").as_str() else { return Ok(()) };
                equal("text", relacion::imprimir(&declared).ok().as_deref(), Some(text))?;
                equal("read back", forma::leer_relacion(text).ok(), Some(declared))
            }
            (ours, _) => Err(format!("ours {ours:?}")),
        },
        _ => {
            let datos = member(line, "datos");
            equal("accepted", Some(Caso::from_datos(datos.clone()).is_ok()), recorded.as_bool())?;
            let text = member(line, "impreso").as_str().map(str::to_owned);
            equal("text", caso::imprimir(datos).ok(), text)
        }
    }
}

fn code(fallo: &Fallo) -> &'static str {
    match fallo {
        Fallo::ProyectoInvalido { .. } => "PROYECTO_INVALIDO",
        Fallo::CatalogoInvalido { .. } => "CATALOGO_INVALIDO",
        Fallo::EvidenciaIncompleta { .. } => "EVIDENCIA_INCOMPLETA",
        other => panic!("no project of these fails with {other:?}"),
    }
}

/// Id, origin and fixation of each effective measure.
fn catalogue(lectura: &Lectura) -> Result<Valor, Fallo> {
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    let fixed = ejercicio(lectura, &catalogo)?;
    let rows = catalogo.efectivas_por_id().map(|entry| {
        let id = entry.medida.id();
        let fixation = fixed.de(id).expect("every effective measure is judged");
        Valor::list([Valor::from(&**id), entry.origen.to_string().into(), fixation.as_str().into()])
    });
    Ok(Valor::list(rows))
}

fn check_project(line: &Map) -> Checked {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    fs::create_dir(folder.path().join("catalogos")).expect("a folder");
    for (path, text) in member(line, "archivos").as_map().expect("files").iter() {
        let path = folder.path().join(&**path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text.as_str().expect("a text")).expect("a file");
    }
    let lectura = Proyecto::open(folder.path()).expect("a project").lectura(Opciones::default());
    let ours = catalogue(&lectura).unwrap_or_else(|fallo| Valor::from(code(&fallo)));
    equal("catalogue", ours.to_compact(), member(line, "catalogo").to_compact())?;
    equal("relations", Some(lectura.relaciones().is_ok()), member(line, "relaciones").as_bool())
}

#[test]
fn macros_are_declared_printed_and_expanded_as_recorded() {
    replay(include_str!("golden/macros.jsonl"), 400, check_macros);
}

#[test]
fn forms_are_taken_or_refused_as_recorded() {
    replay(include_str!("golden/formas.jsonl"), 1200, check_form);
}

#[test]
fn projects_load_as_recorded() {
    replay(include_str!("golden/proyectos.jsonl"), 300, check_project);
}
