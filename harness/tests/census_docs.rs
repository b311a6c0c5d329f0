//! What `docs/any-server.md` publishes about our own catalogue is what the server's binary says today.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use harness::census::size::tokens;
use harness::client::{Client, Settings};
use harness::suite::{Workspace, build};
use serde_json::{Value, json};

/// Our server over a small project.
fn server(workspace: &Workspace) -> Vec<OsString> {
    let built = build(&workspace.root).expect("the server builds");
    let project = workspace.conversations().join("proyectos/tienda");
    vec![built.executable.into(), "--proyecto".into(), project.into()]
}

#[test]
fn the_published_census_is_the_one_of_today() {
    let workspace = Workspace::own();
    let folder = workspace.root.join("harness/census/oracle");
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["census", "--operations"])
        .arg(folder.join("operations.txt"))
        .arg("--postures")
        .arg(folder.join("postures.toml"))
        .arg("--check")
        .arg(workspace.root.join("docs/any-server.md"))
        .arg("--")
        .args(server(&workspace))
        .output()
        .expect("the harness starts");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), words.as_str()), (Some(0), ""));
    let json = String::from_utf8_lossy(&output.stdout);
    assert!(json.contains(" 0 gaps. **5 of 5 offerable operations (100 %).**"), "{json}");
}

const MEASURE: &str = "server/nucleo/base/catalogos/meta/meta.agrupar_no_agranda_la_relacion.oracle";

/// The rows of the case that the contract evaluates, and of the one that it challenges with.
fn rows(rows: &[(&str, u8, u8)]) -> Value {
    let rows = rows.iter().enumerate().map(|(t, (operador, antes, despues))| {
        json!({"t": t, "operador": operador, "filas_antes": antes, "filas_despues": despues})
    });
    json!({"paso": rows.collect::<Vec<_>>()})
}

#[test]
fn the_published_sizes_of_answers_are_those_of_today() {
    let workspace = Workspace::own();
    let read = |path: &str| fs::read_to_string(workspace.root.join(path)).expect("a file");
    let medida = json!({"texto": read(MEASURE), "formato": "oracle"});
    let red = rows(&[("unir", 0, 4), ("agrupar", 4, 5)]);
    let green = rows(&[("unir", 0, 6), ("agrupar", 6, 2), ("agrupar", 2, 2)]);
    let casos = json!([
        {"id": "051-agrupar-invento-un-grupo", "espera": "rojo", "evidencia": red},
        {"id": "052-agrupar-colapsa-como-debe", "espera": "verde", "evidencia": green},
    ]);
    let calls = [
        ("oracle_evaluar", json!({"medida": medida, "evidencia": red})),
        ("oracle_desafiar", json!({"medida": medida, "casos": casos, "usar_evidencia_del_proyecto": false})),
    ];
    let document = read("docs/any-server.md");
    let mut client = Client::discover(&server(&workspace), Settings::default()).expect("the server answers");
    for (tool, arguments) in calls {
        let answer = client.call(tool, &arguments).expect("a result").text;
        // The path of the project is the machine's, and counts as `/proyecto`.
        let root = workspace.conversations().join("proyectos/tienda").canonicalize().expect("a path");
        let answer = answer.replace(root.to_str().expect("text"), "/proyecto");
        let row = format!("| `{tool}` | {} |", tokens(&answer));
        assert!(document.contains(&row), "docs/any-server.md lacks the row `{row}`");
    }
    client.close();
}
