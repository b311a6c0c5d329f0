//! Replays recorded trackers: what the published implementation (0.33.0) answered about each.
//!
//! Each line of `golden/tareas.jsonl` holds the steps that bring a project and its Git history to be, and
//! questions with their answers. `ci/tareas-reference --record` writes it. `{{raiz}}` stands for the folder
//! that everything is made under; of a failure its code and what it counts is recorded. Needs `git`.

use nucleo::proyecto::{Opciones, Proyecto};
use nucleo::tareas::{Busqueda, Estado, Prefijo, Tarea, TareasError, Termino, Tracker, consultar};
use nucleo::valor::{Map, Valor, parse};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = "{{raiz}}";

/// What makes a history the same wherever it is made.
const GIT: [(&str, &str); 9] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_AUTHOR_NAME", "a"),
    ("GIT_AUTHOR_EMAIL", "a@example.com"),
    ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05+0000"),
    ("GIT_COMMITTER_NAME", "a"),
    ("GIT_COMMITTER_EMAIL", "a@example.com"),
    ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05+0000"),
    ("LC_ALL", "C"),
];

/// Does the steps under `base`; gives the root of the project.
fn play(steps: &[Valor], base: &Path) -> PathBuf {
    let mut root = base.join("p");
    for step in steps {
        let parts = step.as_list().expect("a step is a list");
        let text = |at: usize| parts[at].as_str().expect("a step's parts are texts");
        let path = base.join(text(1));
        if !matches!(text(0), "raiz" | "git" | "remove") {
            fs::create_dir_all(path.parent().expect("a step names something in a folder")).unwrap();
        }
        match text(0) {
            "raiz" => root = path,
            "git" => git(&path, &(2..parts.len()).map(text).collect::<Vec<_>>(), base),
            "file" => fs::write(path, text(2)).unwrap(),
            "hex" => fs::write(path, bytes(text(2))).unwrap(),
            "fill" => {
                fs::write(path, text(2).repeat(parts[3].to_compact().parse().unwrap())).unwrap();
            }
            "folder" => fs::create_dir_all(path).unwrap(),
            "link" => symlink(text(2), path).unwrap(),
            "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            "mode" if path.exists() => {
                let mode = u32::from_str_radix(text(2), 8).unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
            "mode" => {}
            "remove" => remove(&path),
            other => panic!("no such step: {other}"),
        }
    }
    root.canonicalize().unwrap()
}

/// Whatever state a question to Git stops in is a state that a repository can be in.
fn git(folder: &Path, arguments: &[&str], base: &Path) {
    let arguments = arguments.iter().map(|argument| argument.replace(ROOT, base.to_str().unwrap()));
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).envs(GIT);
    command.output().expect("the corpus needs git");
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn remove(path: &Path) {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path).unwrap();
    } else {
        let _gone = fs::remove_file(path);
    }
}

fn task(tarea: &Tarea, with_body: bool) -> Valor {
    let texts = |texts: &[String]| Valor::list(texts.iter().map(|text| Valor::from(&**text)));
    let more = tarea.campos_adicionales.iter().map(|(name, value)| (name, Valor::from(&**value)));
    let mut members = vec![
        ("id", Valor::from(&*tarea.id)),
        ("titulo", Valor::from(&*tarea.titulo)),
        ("estado", Valor::from(tarea.estado.as_str())),
        ("prioridad", Valor::Int(tarea.prioridad.clone())),
        ("etiquetas", texts(&tarea.etiquetas)),
        ("cierra_con", texts(&tarea.cierra_con)),
        ("campos_adicionales", Valor::map(more)),
    ];
    members.extend(with_body.then(|| ("cuerpo", Valor::from(&*tarea.cuerpo))));
    members.push(("ruta", Valor::from(&*tarea.ruta)));
    Valor::map(members)
}

fn found(busqueda: &Busqueda) -> Valor {
    let hits = busqueda.coincidencias.iter().map(|hit| {
        Valor::map([
            ("ruta", Valor::from(&*hit.ruta)),
            ("linea", Valor::from(hit.linea)),
            ("texto", Valor::from(&*hit.texto)),
        ])
    });
    let omitted = busqueda.omitidos.iter().map(|omitted| {
        Valor::map([("ruta", Valor::from(&*omitted.ruta)), ("motivo", Valor::from(&*omitted.motivo))])
    });
    Valor::map([("coincidencias", Valor::list(hits)), ("omitidos", Valor::list(omitted))])
}

fn ask(tracker: &Tracker<'_>, question: &Map) -> Result<Valor, TareasError> {
    let text = |key: &str| question.get(key).and_then(Valor::as_str);
    Ok(match text("accion").expect("a question has an action") {
        "listar" => {
            let estado = text("estado").map_or(Some(Estado::Abierta), Estado::parse).expect("a state");
            Valor::list(tracker.listar(estado, text("etiqueta")).into_iter().map(|tarea| task(tarea, false)))
        }
        "ver" => {
            let prefijo = Prefijo::parse(text("id").expect("an id")).expect("a name");
            task(tracker.ver(&prefijo)?, true)
        }
        "buscar" => found(&tracker.buscar(&Termino::parse(text("texto").expect("a text")).expect("a text"))?),
        _ => tracker.hechos(question.get("git").and_then(Valor::as_bool).unwrap_or(false))?.evidencia(),
    })
}

/// What is recorded of a failure. How many records are wrong counts only where the recording says it.
fn told(error: &TareasError, recorded: &Valor) -> Valor {
    let counted = recorded.as_map().is_some_and(|map| map.contains_key("registros"));
    match error {
        TareasError::Ausente { .. } => Valor::map([("error", Valor::from("TRACKER_AUSENTE"))]),
        TareasError::Invalido { registros, .. } if counted => Valor::map([
            ("error", Valor::from("TRACKER_INVALIDO")),
            ("registros", Valor::from(registros.len())),
        ]),
        TareasError::Invalido { .. } | TareasError::Git { .. } => {
            Valor::map([("error", Valor::from("TRACKER_INVALIDO"))])
        }
        TareasError::NoEncontrada { .. } => Valor::map([("error", Valor::from("TAREA_NO_ENCONTRADA"))]),
        TareasError::Ambiguo { ids, .. } => Valor::map([
            ("error", Valor::from("ID_AMBIGUO")),
            ("ids", Valor::list(ids.iter().map(|id| Valor::from(&**id)))),
        ]),
        TareasError::Cambio { .. } | TareasError::Cancelado => panic!("nobody did that: {error:?}"),
    }
}

fn is_a_name(question: &Map) -> bool {
    question.get("id").and_then(Valor::as_str).is_none_or(|id| Prefijo::parse(id).is_some())
}

/// How many tests share the corpus: most of the time goes to waiting for Git.
const PARTS: usize = 4;

fn replay(part: usize) {
    let (mut asked, mut different) = (0, Vec::new());
    let lines = include_str!("golden/tareas.jsonl").lines().enumerate();
    for (number, line) in lines.skip(part).step_by(PARTS) {
        let case = parse(line).expect("every line is JSON");
        let member = |key: &str| case.as_map().and_then(|case| case.get(key)).and_then(Valor::as_list);
        let folder = tempfile::TempDir::new().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let root = play(member("pasos").expect("every line has steps"), &base);
        fs::create_dir_all(root.join("catalogos")).unwrap();
        let proyecto = Proyecto::open(&root).unwrap();
        for pair in member("preguntas").expect("every line has questions") {
            let Some([Valor::Map(question), recorded]) = pair.as_list() else { panic!("{pair:?}") };
            asked += 1;
            if !is_a_name(question) {
                assert_eq!(recorded.to_compact(), r#"{"error":"ARGUMENTOS_INVALIDOS"}"#);
                continue;
            }
            let lectura = proyecto.lectura(Opciones::default());
            let answer = match consultar(&lectura, |tracker| ask(tracker, question)) {
                Ok(answer) => Valor::map([("ok", answer)]),
                Err(error) => told(&error, recorded),
            };
            let answer = answer.to_compact().replace(base.to_str().unwrap(), ROOT);
            if answer != recorded.to_compact() {
                let question = Valor::Map(question.clone()).to_compact();
                let recorded = recorded.to_compact();
                different.push(format!("line {}: {question}\n  is  {answer}\n  was {recorded}", number + 1));
            }
        }
    }
    assert!(asked >= 100, "only {asked} questions are recorded");
    assert!(different.is_empty(), "{} of {asked} differ\n{}", different.len(), different.join("\n"));
}

#[test]
fn recorded_trackers_answer_as_recorded_1() {
    replay(0);
}

#[test]
fn recorded_trackers_answer_as_recorded_2() {
    replay(1);
}

#[test]
fn recorded_trackers_answer_as_recorded_3() {
    replay(2);
}

#[test]
fn recorded_trackers_answer_as_recorded_4() {
    replay(3);
}
