//! `census` as people use it: its inputs from files, a server of a few lines of shell, and everything that can be wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const TOOLS: &str =
    r#"[{"name":"ver","description":"It shows.","inputSchema":{"type":"object","properties":{"id":{}}}}]"#;
const POSTURES: &str = "[codes]\nESC = 'it writes'\n\
    [[posture]]\noperations = ['GET /x/{id}']\ntool = 'ver'\n\
    [[posture]]\noperations = ['POST /x']\ncode = 'ESC'\nway = 'by hand'\nreference = 'here'\n";
const LIST: &str = "GET /x/{id} | id\nPOST /x | name\n";
const OPENAPI: &str = r##"{"openapi":"3.1.0","paths":{
    "/x/{id}":{"get":{"parameters":[{"name":"id","in":"path","required":true}]}},
    "/x":{"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/X"}}}}}}},
    "components":{"schemas":{"X":{"required":["name"]}}}}"##;
const DOCUMENT: &str = "before\n<!-- census: begin -->\n<!-- census: end -->\nafter\n";
const SENTENCE: &str = "1 of 1 offerable operations (100 %)\n";

struct Bench(TempDir);

impl Bench {
    /// All that a census needs, and it is green.
    fn new() -> Self {
        let bench = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in [
            ("tools.json", TOOLS),
            ("postures.toml", POSTURES),
            ("list.txt", LIST),
            ("openapi.json", OPENAPI),
            ("doc.md", DOCUMENT),
        ] {
            bench.put(name, text);
        }
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    /// Runs `census` in the folder of the files.
    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_harness"))
            .arg("census")
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("CI")
            .env_remove("INSTA_UPDATE")
            .envs(variables.iter().copied())
            .output()
            .expect("the harness starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let code = output.status.code().expect("an exit code");
        // What is not well ends with the command that goes on from there; the rest is what these tests read.
        let err = text(output.stderr);
        let (rest, again): (Vec<_>, Vec<_>) =
            err.split_inclusive('\n').partition(|line| !line.starts_with("harness: run again: "));
        assert!(again.len() <= 1 && (code != 0 || again.is_empty()), "{err}");
        (code, text(output.stdout), rest.concat())
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_with(arguments, &[])
    }

    /// The same over the usual files, `more` behind them.
    fn census(&self, operations: &str, more: &[&str]) -> (i32, String, String) {
        let usual = ["--operations", operations, "--postures", "postures.toml", "--tools", "tools.json"];
        self.run(&[&usual[..], more].concat())
    }
}

#[test]
fn a_list_and_an_openapi_document_say_the_same() {
    let bench = Bench::new();
    for operations in ["list.txt", "openapi.json"] {
        let sentence = bench.census(operations, &["--sentence", "en"]);
        assert_eq!(sentence, (0, SENTENCE.to_owned(), String::new()), "{operations}");
    }
    let spanish = bench.census("list.txt", &["--sentence", "es"]).1;
    assert_eq!(spanish, "1 de 1 operaciones ofrecibles (100 %)\n");
    let (list, openapi) = (bench.census("list.txt", &[]), bench.census("openapi.json", &[]));
    assert_eq!(list, openapi);
    assert!(list.1.starts_with("2 operations: 1 with a tool, 1 excluded, 0 gaps. **1 of 1 "), "{}", list.1);
    let json: serde_json::Value =
        serde_json::from_str(&bench.census("list.txt", &["--json"]).1).expect("JSON");
    assert_eq!(json["surface"]["offered"], serde_json::json!({"ver": ["GET /x/{id}"]}));
}

#[test]
fn what_does_not_add_up_is_red_and_named() {
    let bench = Bench::new();
    bench.put("more.txt", "DELETE /x/{id} | id\n");
    let usual = ["--operations", "list.txt", "--operations", "more.txt", "--postures", "postures.toml"];
    let run = bench.run(&[&usual[..], &["--tools", "tools.json", "--sentence", "en"]].concat());
    let gap = "harness: gap: `DELETE /x/{id}` has neither a tool nor a reason\n";
    assert_eq!(run, (1, "1 of 2 offerable operations (50 %)\n".to_owned(), gap.to_owned()));
    let needs = bench.text("list.txt").replace("| id", "| id, año");
    bench.put("list.txt", &needs);
    let missing = "harness: missing_field: `GET /x/{id}` requires `año`, which `ver` does not take\n";
    assert_eq!(bench.census("list.txt", &["--sentence", "en"]), (1, SENTENCE.to_owned(), missing.to_owned()));
}

#[test]
fn another_source_is_held_against_the_first() {
    let bench = Bench::new();
    assert_eq!(bench.census("list.txt", &["--contrast", "openapi.json"]).0, 0);
    bench.put("other.txt", "GET /x/{id}\nPUT /x\n");
    let (code, _, err) = bench.census("list.txt", &["--contrast", "other.txt"]);
    let expect = "harness: only_here: `POST /x` is missing in the other source\n\
        harness: only_there: `PUT /x` stands only in the other source\n";
    assert_eq!((code, err.as_str()), (1, expect));
}

#[test]
fn a_block_is_written_and_compared() {
    let bench = Bench::new();
    let (code, _, err) = bench.census("list.txt", &["--check", "doc.md"]);
    let stale = "harness: doc.md: the block is not this census; `--write` in place of `--check` mends it\n";
    assert_eq!((code, err.as_str()), (1, stale));
    let (code, block, err) = bench.census("list.txt", &["--write", "doc.md"]);
    assert_eq!((code, err.as_str()), (0, "harness: doc.md: the block is written anew\n"));
    let expect = format!("before\n<!-- census: begin -->\n{block}<!-- census: end -->\nafter\n");
    assert_eq!(bench.text("doc.md"), expect);
    assert_eq!(bench.census("list.txt", &["--check", "doc.md"]), (0, block.clone(), String::new()));
    assert_eq!(bench.census("list.txt", &["--write", "doc.md"]), (0, block, String::new()));
    let (code, _, err) = bench.census("list.txt", &["--check", "doc.md", "--language", "es"]);
    assert_eq!((code, err.as_str()), (1, stale));
    // A red census is written too: the document then says what lacks.
    bench.put("more.txt", "z\n");
    let usual = ["--operations", "list.txt", "--operations", "more.txt", "--postures", "postures.toml"];
    let more = ["--tools", "tools.json", "--write", "doc.md"];
    assert_eq!(bench.run(&[&usual[..], &more].concat()).0, 1);
    assert!(bench.text("doc.md").contains("1 gaps (`z`)"));
}

#[test]
fn nothing_is_written_where_nothing_may_be() {
    let bench = Bench::new();
    let usual = [
        "--operations",
        "list.txt",
        "--postures",
        "postures.toml",
        "--tools",
        "tools.json",
        "--write",
        "doc.md",
    ];
    for variable in [("CI", "true"), ("INSTA_UPDATE", "no")] {
        let (code, _, err) = bench.run_with(&usual, &[variable]);
        assert!(code == 4 && err.contains("nothing is written here"), "{err}");
        assert_eq!(bench.text("doc.md"), DOCUMENT);
    }
}

/// A server of shell that says that it has one tool; in its second process it has what stands here behind that.
fn server(bench: &Bench, more: &str) -> PathBuf {
    let script = format!(
        r#"cd '{}'
mkdir once 2>/dev/null || more='{more}'
n=0
while IFS= read -r line; do
    n=$((n + 1))
    printf '{{"id":%s,"result":{{"supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"tools":[{{"name":"ver"}}%s]}}}}\n' $n "$more"
done
"#,
        bench.0.path().display()
    );
    bench.put("server.sh", &script);
    bench.path("server.sh")
}

#[test]
fn a_server_is_measured_without_a_surface() {
    let bench = Bench::new();
    let path = server(&bench, "");
    let run = bench.run(&["--", "sh", path.to_str().expect("text")]);
    let table = "| tool | characters | tokens: description | name, description, input schema | definition | all but it |\n\
        |---|---|---|---|---|---|\n| `ver` | 14 | 0 | 5 | 5 | 1 |\n| all | 16 | 0 | 7 | 7 | |\n";
    assert_eq!(run, (0, table.to_owned(), String::new()));
}

#[test]
fn a_server_whose_list_drifts_is_red() {
    let bench = Bench::new();
    let path = server(&bench, r#",{"name":"otra"}"#);
    let (code, _, err) = bench.run(&["--", "sh", path.to_str().expect("text")]);
    let drift = "harness: unstable_tools: asked again, the server lists other tools\n";
    assert_eq!((code, err.as_str()), (1, drift));
}

#[test]
fn every_bad_input_has_a_code_and_a_place() {
    let check = |name: &str, text: &str, expect: &str| {
        let bench = Bench::new();
        bench.put(name, text);
        let (code, out, err) = bench.census("list.txt", &["--contrast", "openapi.json", "--check", "doc.md"]);
        assert_eq!(
            (code, err.lines().next_back()),
            (3, Some(format!("harness: {expect}").as_str())),
            "{out}"
        );
    };
    check("list.txt", "a |\n", "bad_operation: list.txt: line 1: a field has no name");
    check("list.txt", "a\na\n", "repeated_operation: `a` comes twice");
    check("list.txt", "# nothing\n", "no_operations: no source names an operation");
    check("openapi.json", "{}", "bad_openapi: openapi.json: it has no `openapi` that says its version");
    let reference = r##"{"openapi":"3.0.0","paths":{"/a":{"$ref":"#/b"}}}"##;
    check("openapi.json", reference, "bad_reference: openapi.json: /a: `#/b` is not there");
    check("postures.toml", "[codes]\nX = ''\n", "bad_postures: postures.toml: code `X`: its motive is empty");
    check("tools.json", "[{}]", "bad_tools: tools.json: a tool has no name");
    let no_block = "no_block: doc.md: the document needs exactly one `<!-- census: begin -->` and one \
        `<!-- census: end -->` behind it";
    check("doc.md", "nothing\n", no_block);
    check(
        "tools.json",
        "[{\"name\":\"\u{85}\"},{\"name\":\"\u{85}\"}]",
        "bad_tools: tools.json: the tool `\\u{85}` stands twice",
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let bench = Bench::new();
    for missing in ["tools.json", "postures.toml", "list.txt", "doc.md"] {
        let bench = Bench::new();
        fs::remove_file(bench.path(missing)).expect("removed");
        for option in ["--check", "--write"] {
            let (code, _, err) = bench.census("list.txt", &[option, "doc.md"]);
            assert!(code == 3 && err.contains(&format!("harness: unreadable: {missing}: ")), "{err}");
        }
    }
    fs::write(bench.path("list.txt"), b"\xff").expect("a file");
    let (code, _, err) = bench.census("list.txt", &[]);
    assert!(code == 3 && err.starts_with("harness: unreadable: list.txt: "), "{err}");
    let (code, _, err) = bench.run(&["--", "/nowhere/server"]);
    assert!(code == 3 && err.starts_with("harness: no_server: the server does not start: "), "{err}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let bench = Bench::new();
    let usual = ["--operations", "list.txt", "--postures", "postures.toml", "--tools", "tools.json"];
    for wrong in [
        &[][..],
        &["--operations", "list.txt", "--tools", "tools.json"],
        &["--postures", "postures.toml", "--tools", "tools.json"],
        &["--tools", "tools.json", "--", "server"],
        &["--tools", "tools.json", "--sentence", "en"],
        &[&usual[..], &["--sentence", "fr"]].concat(),
        &[&usual[..], &["--sentence", "en", "--json"]].concat(),
        &[&usual[..], &["--write", "a", "--check", "b"]].concat(),
    ] {
        assert_eq!(bench.run(wrong).0, 2, "{wrong:?}");
    }
}

#[test]
fn the_verbs_that_the_contract_counts_are_in_the_oracle_list() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("census/oracle/operations.txt");
    let list = fs::read_to_string(list).expect("the list");
    let counted = [
        ("medida", "nueva revisar probar listar expandir"),
        ("caso", "nuevo listar generar"),
        ("proyecto", "init test relaciones escalares contexto"),
        ("biblioteca", "nueva instaladas verificar listar"),
        ("manual", "operadores segun etiqueta procedencia como_se_detecto relaciones verbos medidas"),
    ];
    let verbs: Vec<_> = counted
        .iter()
        .flat_map(|(noun, verbs)| verbs.split(' ').map(move |verb| format!("{noun} {verb}")))
        .collect();
    assert_eq!(verbs.len(), 25);
    for verb in verbs {
        assert!(list.lines().any(|line| line == verb), "{verb}");
    }
}
