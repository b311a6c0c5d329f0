//! Projects that are large, and projects in which something stands that is no file: an answer or a coded failure, in
//! memory that follows the size of the input.

#![cfg(target_os = "linux")]

mod cliente;

use cliente::{Answer, COUNT, Lines, Server, call, evaluation};
use nucleo::valor::Valor;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What the server and its libraries take before they read anything, with room to spare.
const AT_REST: u64 = 64 << 20;

const MIB: usize = 1 << 20;

fn measure(id: &str) -> String {
    format!(
        "ninguno {id}:\n    de cosa a\n    donde a.n < 0\n    umbral <= 0 segun contrato porque \"x\"\n    ambito \
         universal\n    alcance \"no ve más\"\n"
    )
}

fn case(id: &str, green: bool) -> String {
    let (label, n) = if green { ("verde_correcto", 1) } else { ("rojo_correcto", -1) };
    format!(
        r#"{{"id":"{id}","fecha":"2026-01-01","origen":{{"tipo":"prueba"}},"procedencia":"construida","titulo":"t",
        "etiqueta":"{label}","sintoma":"s","como_se_detecto":"persona","medida":"g.m0",
        "evidencia":{{"cosa":[{{"n":{n}}}]}},"leccion":"l"}}"#
    )
}

fn write(root: &Path, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, content).expect("written");
}

/// A small project with something of everything, and all of it in order.
fn project() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path();
    write(root, "catalogos/g/g.m0.oracle", measure("g.m0"));
    write(root, "corpus/c0.json", case("c0", true));
    write(root, "corpus/c1.json", case("c1", false));
    write(
        root,
        "tareas/20260101-000000-una/TAREA.md",
        "# Una\n\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n\ntexto\n",
    );
    folder
}

/// One call of each kind that reads something else: the name that a failure is told under, the tool, its arguments.
fn calls() -> [(&'static str, &'static str, String); 7] {
    let evidence = "{\"cosa\":[{\"n\":1}]}";
    [
        ("index", "oracle_catalogo_efectivo", "{}".to_owned()),
        ("id", "oracle_evaluar", format!("{{\"medida\":{{\"id\":\"g.m0\"}},\"evidencia\":{evidence}}}")),
        ("text", "oracle_evaluar", evaluation(COUNT, evidence)),
        ("challenge", "oracle_desafiar", "{\"medida\":{\"id\":\"g.m0\"}}".to_owned()),
        ("judgement", "oracle_juzgar", format!("{{\"evidencia\":{evidence}}}")),
        ("list", "oracle_tareas", "{\"accion\":\"listar\"}".to_owned()),
        ("facts", "oracle_tareas", "{\"accion\":\"hechos\"}".to_owned()),
    ]
}

/// What each call answers: `ok` or its code.
fn outcomes(server: &mut Server, lines: &Lines) -> Vec<(&'static str, String)> {
    let ask = |(name, tool, arguments): (&'static str, &str, String)| {
        server.send(&call("1", tool, &arguments));
        let answer = Answer::read(&lines.next());
        (name, answer.failure().map_or("ok", |(code, _)| code).to_owned())
    };
    calls().map(ask).into()
}

/// Puts something in the way of the project by `place`, asks everything, takes it away by `clear` and asks again: the
/// calls of `broken` fail with their code, the others answer, and afterwards all do.
fn check(
    server: &mut Server,
    lines: &Lines,
    what: &str,
    broken: &[(&str, &str)],
    place: impl Fn(),
    clear: impl Fn(),
) {
    place();
    let expected: Vec<(&str, String)> = calls()
        .iter()
        .map(|(name, ..)| {
            let code = broken.iter().find(|(call, _)| call == name).map_or("ok", |(_, code)| code);
            (*name, code.to_owned())
        })
        .collect();
    assert_eq!(outcomes(server, lines), expected, "{what}");
    clear();
    assert!(outcomes(server, lines).iter().all(|(_, outcome)| outcome == "ok"), "{what}, afterwards");
}

fn every_call(code: &'static str, names: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    names.iter().map(|name| (*name, code)).collect()
}

/// Puts something under a name.
type Maker = fn(&Path);

/// Ways to be no file, under a name: each makes it.
fn no_files() -> [(&'static str, Maker); 6] {
    fn pipe(path: &Path) {
        let status = Command::new("mkfifo").arg(path).stdin(Stdio::null()).status();
        assert!(status.expect("mkfifo is there").success());
    }
    fn link(target: &str, path: &Path) {
        symlink(target, path).expect("a link");
    }
    [
        ("a pipe", pipe),
        ("a socket", |path| drop(UnixListener::bind(path).expect("a socket"))),
        ("a link to a device", |path| link("/dev/zero", path)),
        ("a link to nothing", |path| link("nada", path)),
        ("a link to itself", |path| link(path.to_str().expect("UTF-8"), path)),
        ("a link out of the project", |path| link("/etc/hostname", path)),
    ]
}

#[test]
fn what_is_no_file_is_refused_wherever_a_source_may_stand() {
    let project = project();
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    let loading = ["index", "id", "challenge", "judgement"];
    let with_configuration = ["index", "id", "text", "challenge", "judgement"];
    let places: [(&str, &[&str]); 6] = [
        ("catalogos/g/x.oracle", &loading),
        ("catalogos/x.json", &loading),
        ("oracle.json", &with_configuration),
        ("corpus/x.caso", &["index", "challenge"]),
        ("macros/x.oracle", &with_configuration),
        ("relaciones/x.relacion", &["id", "text", "judgement"]),
    ];
    for (name, broken) in places {
        let path = project.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        for (kind, make) in no_files() {
            let broken = every_call("PROYECTO_INVALIDO", broken);
            let clear = || fs::remove_file(&path).expect("removed");
            check(&mut server, &lines, &format!("{kind} as {name}"), &broken, || make(&path), clear);
        }
    }
    server.close();
    server.end_well();
}

#[test]
fn what_is_no_file_is_refused_in_the_tracker_as_a_record() {
    let project = project();
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    let folder = project.path().join("tareas/20260102-000000-otra");
    fs::create_dir(&folder).expect("a folder");
    write(&folder, "TAREA.md", "# Otra\n\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n");
    let path = folder.join("TAREA.md");
    for (kind, make) in no_files() {
        let place = || {
            fs::remove_file(&path).expect("removed");
            make(&path);
        };
        let clear = || {
            fs::remove_file(&path).expect("removed");
            write(&folder, "TAREA.md", "# Otra\n\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n");
        };
        let broken = every_call("TRACKER_INVALIDO", &["list", "facts"]);
        check(&mut server, &lines, kind, &broken, place, clear);
    }
    server.close();
    server.end_well();
}

#[test]
fn names_that_are_not_utf8_and_links_in_a_circle_have_a_code() {
    let project = project();
    let root = project.path();
    let mut server = Server::start(root, &[]);
    let lines = server.answers();
    let loading = ["index", "id", "challenge", "judgement"];
    let invalid = |names: &[&'static str]| every_call("PROYECTO_INVALIDO", names);
    let odd = OsStr::from_bytes(b"x\xE1\xF1.oracle");
    let cases = [
        (root.join("catalogos"), invalid(&loading)),
        (root.join("corpus"), invalid(&["index", "challenge"])),
    ];
    for (folder, broken) in cases {
        let path = folder.join(odd);
        let clear = || fs::remove_file(&path).expect("removed");
        check(&mut server, &lines, "no UTF-8", &broken, || write(&folder, odd, ""), clear);
        let circle = folder.join("circulo");
        let clear = || fs::remove_file(&circle).expect("removed");
        let place = || symlink(root, &circle).expect("a link");
        check(&mut server, &lines, "a circle", &broken, place, clear);
    }
    let circle = root.join("tareas/20260103-000000-circulo");
    let clear = || fs::remove_file(&circle).expect("removed");
    let broken = every_call("TRACKER_INVALIDO", &["list", "facts"]);
    check(&mut server, &lines, "a circle", &broken, || symlink(root, &circle).expect("a link"), clear);
    let odd = root.join("tareas").join(OsStr::from_bytes(b"20260104-000000-\xE1"));
    let clear = || fs::remove_dir(&odd).expect("removed");
    check(&mut server, &lines, "no UTF-8", &broken, || fs::create_dir(&odd).expect("a folder"), clear);
    server.close();
    server.end_well();
}

#[test]
fn what_may_not_be_read_is_no_empty_catalogue() {
    let project = project();
    let source = project.path().join("catalogos/g/x.oracle");
    write(project.path(), "catalogos/g/x.oracle", measure("g.m1"));
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    let mode = |mode: u32| {
        fs::set_permissions(&source, fs::Permissions::from_mode(mode)).expect("set");
    };
    mode(0);
    // Whoever may read everything meets no such file: then there is nothing to refuse.
    let code = if fs::read(&source).is_ok() { "ok" } else { "CATALOGO_INVALIDO" };
    let broken = every_call(code, &["index", "id", "challenge", "judgement"]);
    check(&mut server, &lines, "mode 000", &broken, || mode(0), || mode(0o644));
    server.close();
    server.end_well();
}

#[test]
fn a_root_of_any_name_is_served_and_told_as_it_is() {
    let parent = TempDir::new().expect("a folder");
    let long = "x".repeat(255);
    let names = [
        "con espacios áéí",
        "con espacios a\u{301}",
        "línea\nnueva",
        "comillas\"y\\barras",
        "-guion",
        "🌳",
        &long,
    ];
    for name in names {
        let root = parent.path().canonicalize().expect("it is there").join(name);
        fs::create_dir_all(root.join("catalogos")).expect("a folder");
        let mut server = Server::start(&root, &[]);
        let lines = server.answers();
        server.send(&call("1", "oracle_catalogo_efectivo", "{}"));
        let answer = Answer::read(&lines.next());
        assert_eq!(answer.content("proyecto"), Some(&Valor::from(root.to_str().expect("UTF-8"))));
        server.close();
        server.end_well();
    }
    let root = parent.path().join(OsStr::from_bytes(b"proy \xE1\xF1o"));
    fs::create_dir_all(root.join("catalogos")).expect("a folder");
    let mut server = Server::start(&root, &[]);
    let lines = server.answers();
    let (status, said) = server.end();
    assert_eq!((status.code(), lines.rest().len()), (Some(2), 0));
    assert!(said.starts_with("PROYECTO_INVALIDO — ") && said.contains("no es UTF-8"), "{said}");
}

/// Content of `size` bytes that repeats `piece`.
fn repeated(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

#[test]
fn a_source_of_fifty_megabytes_costs_memory_in_proportion() {
    const SIZE: usize = 50 * MIB;
    // The worst that a byte of JSON can be is an item of a list: twelve bytes of it in memory for each, the text aside.
    let cases = [
        ("catalogos/x.oracle", repeated("\n", SIZE), 4),
        ("corpus/x.caso", repeated("\n", SIZE / 5), 4),
        ("relaciones/x.relacion", repeated("\n", SIZE / 5), 4),
        ("corpus/x.json", format!("[{}1]", repeated("1,", SIZE)), 16),
        ("catalogos/x.json", repeated("[", SIZE), 4),
    ];
    for (path, content, factor) in cases {
        let project = project();
        write(project.path(), path, &content);
        let mut server = Server::start(project.path(), &[]);
        let lines = server.answers();
        let name = if path.starts_with("relaciones") { "text" } else { "index" };
        let (_, tool, arguments) = calls().into_iter().find(|(it, ..)| *it == name).expect("a call");
        server.send(&call("1", tool, &arguments));
        let answer = Answer::read(&lines.next());
        assert!(answer.failure().is_some(), "{path}");
        let peak = server.peak_memory();
        assert!(peak < AT_REST + (content.len() * factor) as u64, "{path}: {peak}");
        server.close();
        server.end_well();
    }
}

#[test]
fn a_source_beyond_the_limit_is_refused_unread() {
    let project = project();
    let path = project.path().join("catalogos/x.oracle");
    let file = fs::File::create(&path).expect("created");
    // Holes take no room on the disk.
    file.set_len(5 << 30).expect("sparse");
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    let broken = every_call("CATALOGO_INVALIDO", &["index", "id", "challenge", "judgement"]);
    check(&mut server, &lines, "5 GiB", &broken, || {}, || fs::remove_file(&path).expect("removed"));
    assert!(server.peak_memory() < AT_REST + 4 * (64 * MIB) as u64, "{}", server.peak_memory());
    server.close();
    server.end_well();
}

#[test]
fn ten_thousand_measures_and_five_thousand_cases_are_answered() {
    let folder = TempDir::new().expect("a folder");
    let mut bytes = 0;
    let mut put = |path: String, content: String| {
        bytes += content.len();
        write(folder.path(), path, content);
    };
    for at in 0..10_000 {
        put(format!("catalogos/g{}/g.m{at}.oracle", at % 10), measure(&format!("g.m{at}")));
    }
    for at in 0..5_000 {
        put(format!("corpus/c{at}.json"), case(&format!("c{at}"), at % 2 == 0));
    }
    let mut server = Server::start(folder.path(), &[]);
    let lines = server.answers();
    server.send(&call("1", "oracle_catalogo_efectivo", "{}"));
    server.send(&call("2", "oracle_desafiar", "{\"medida\":{\"id\":\"g.m0\"}}"));
    for _ in 0..2 {
        let answer = Answer::read(&lines.next());
        assert_eq!(answer.failure(), None);
        match answer.id().as_str() {
            "1" => assert_eq!(answer.content("total"), Some(&Valor::from(10_000_usize))),
            _ => {
                let cases = answer.content("casos").and_then(Valor::as_map).expect("casos");
                assert_eq!(cases.get("del_proyecto"), Some(&Valor::from(5_000_usize)));
                assert_eq!(
                    answer.content("conclusion").and_then(Valor::as_str),
                    Some("todos_detectados_por_conducta")
                );
            }
        }
    }
    // Two calls at a time, each with every source, its tree and what is told of it.
    assert!(server.peak_memory() < AT_REST + 64 * bytes as u64, "{} of {bytes}", server.peak_memory());
    server.close();
    server.end_well();
}

#[test]
fn folders_deeper_than_a_path_may_be_long_have_a_code() {
    let project = project();
    // Longer than any name that the system takes at once, so each step starts from the one before.
    let program = "import os\nos.chdir('catalogos')\nfor _ in range(30):\n    os.mkdir('x' * 200)\n    os.chdir('x' * 200)\n";
    let mut command = Command::new("python3");
    command.args(["-c", program]).current_dir(project.path());
    assert!(command.status().expect("python3 is there").success());
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    let told = outcomes(&mut server, &lines);
    let refused = ["index", "id", "challenge", "judgement"];
    for (name, outcome) in told {
        assert_eq!(outcome, if refused.contains(&name) { "PROYECTO_INVALIDO" } else { "ok" }, "{name}");
    }
    server.close();
    server.end_well();
}

#[test]
fn a_tracker_of_five_thousand_tasks_is_searched() {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("catalogos")).expect("a folder");
    for at in 0..5_000 {
        let path = format!("tareas/20260101-{at:06}-t/TAREA.md");
        write(folder.path(), path, format!("# Tarea {at}\n\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n\naguja\n"));
    }
    let mut server = Server::start(folder.path(), &[]);
    let lines = server.answers();
    server.send(&call("1", "oracle_tareas", "{\"accion\":\"buscar\",\"texto\":\"aguja\"}"));
    server.send(&call("2", "oracle_tareas", "{\"accion\":\"listar\"}"));
    for _ in 0..2 {
        assert_eq!(Answer::read(&lines.next()).failure(), None);
    }
    assert!(server.peak_memory() < 2 * AT_REST, "{}", server.peak_memory());
    server.close();
    server.end_well();
}

#[test]
fn a_file_that_nobody_parses_is_not_kept() {
    let project = project();
    let path = project.path().join("corpus/x.txt");
    let mut file = fs::File::create(&path).expect("created");
    for _ in 0..32 {
        file.write_all(&vec![7; MIB]).expect("written");
    }
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    assert!(outcomes(&mut server, &lines).iter().all(|(_, outcome)| outcome == "ok"));
    // What nobody parses is hashed in pieces.
    assert!(server.peak_memory() < AT_REST, "{}", server.peak_memory());
    server.close();
    server.end_well();
}
