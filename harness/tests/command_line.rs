//! The program as people use it: its verbs over a small server of a few lines of shell.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use harness::conversation::Action;
use tempfile::TempDir;

/// Answers each request with id 1, its version and its folder.
const SERVER: &str = r#"while IFS= read -r line; do
    case $line in
        *'"id":1'*) printf '{"jsonrpc":"2.0","id":1,"result":{"version":"1.0","folder":"%s"}}\n' "$1" ;;
    esac
done
"#;

const REQUEST: &str = "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
const ANSWER: &str =
    "< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"version\":\"{{version}}\",\"folder\":\"{{project}}\"}}\n";

struct Suite {
    folder: TempDir,
    server: String,
}

impl Suite {
    fn new(files: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let suite = Self { folder, server: SERVER.to_owned() };
        fs::create_dir_all(suite.path("proyectos/p")).expect("a project");
        fs::write(suite.path("proyectos/p/file"), "x").expect("a file");
        for (name, text) in files {
            fs::write(suite.path(name), text).expect("a conversation");
        }
        suite
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("suite").join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a conversation")
    }

    fn run_with(&self, verb: &[&str], paths: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
        let server = self.folder.path().join("server.sh");
        fs::write(&server, &self.server).expect("a server");
        let output: Output = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(verb)
            .arg("--server")
            .arg(format!("sh {} {{{{project}}}}", server.display()))
            .args(["--server-version", "1.0", "--root"])
            .arg(self.path(""))
            .args(paths.iter().map(|path| self.path(path)))
            .env_remove("CI")
            .env_remove("INSTA_UPDATE")
            .envs(variables.iter().copied())
            .output()
            .expect("the harness starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
    }

    fn run(&self, verb: &[&str], paths: &[&str]) -> (i32, String, String) {
        self.run_with(verb, paths, &[])
    }
}

fn conversation(steps: &str) -> String {
    format!("# It shows.\nproject: p\n---\n{steps}eof\nexit 0\n")
}

#[test]
fn replay_prints_a_line_per_conversation_and_a_summary() {
    let good = conversation(&format!("{REQUEST}{ANSWER}"));
    let suite = Suite::new(&[("b.conv", good.clone()), ("a-longer.conv", good)]);
    let (code, out, err) = suite.run(&["replay"], &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "a-longer  passed\nb         passed\n\n2 passed, 0 failed, 0 skipped\n");
    let (code, out, _) = suite.run(&["replay", "--json"], &["b.conv"]);
    let lines: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(code, 0);
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["name"], &lines[0]["outcome"]), (&"b".into(), &"passed".into()));
    assert_eq!(
        lines[1],
        serde_json::json!({"summary": {"passed": 1, "failed": 0, "skipped": 0, "unpinned": {"places": 0, "bytes": 0}}})
    );
}

#[test]
fn a_failure_names_its_place_and_the_commands_that_go_on() {
    let wrong =
        conversation(&format!("{REQUEST}# The version matters.\n{}", ANSWER.replace("{{version}}", "2.0")));
    let suite = Suite::new(&[("a.conv", wrong)]);
    let (code, out, _) = suite.run(&["replay"], &[]);
    assert_eq!(code, 1);
    let path = suite.path("a.conv").canonicalize().expect("it is there");
    for part in [
        "a  mismatch\n".to_owned(),
        format!("---- a ----\nmismatch: {}:6\n", path.display()),
        "# The version matters.".to_owned(),
        "$.result.version".to_owned(),
        "\nrun again: cargo run -p harness -- replay --server 'sh ".to_owned(),
        "\ntake it: cargo run -p harness -- bless --rebless --server 'sh ".to_owned(),
        "\n0 passed, 1 failed, 0 skipped\n".to_owned(),
    ] {
        assert!(out.contains(&part), "`{part}` in\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "no colour in a pipe");
}

#[test]
fn only_an_answer_can_be_taken() {
    let wrong = conversation(&format!("{REQUEST}{ANSWER}")).replace("exit 0", "exit 1");
    let suite = Suite::new(&[("a.conv", wrong)]);
    let (code, out, _) = suite.run(&["replay"], &[]);
    assert!(code == 1 && out.contains("run again: ") && !out.contains("take it: "), "{out}");
}

#[test]
fn an_answer_that_nobody_filled_in_fails_and_says_how_to() {
    let suite = Suite::new(&[("a.conv", conversation(&format!("{REQUEST}<\n")))]);
    let (code, out, _) = suite.run(&["replay"], &[]);
    assert_eq!(code, 1);
    assert!(
        out.contains("a  bad fixture\n") && out.contains("\nfill in: cargo run -p harness -- bless "),
        "{out}"
    );
}

#[test]
fn what_shows_nothing_is_no_success() {
    let suite = Suite::new(&[]);
    let (code, _, err) = suite.run(&["replay"], &[]);
    assert!(code == 3 && err.contains("no conversation in it"), "{err}");
    let suite = Suite::new(&[("a.conv", conversation("")), ("Bad.conv", conversation(""))]);
    assert_eq!(suite.run(&["replay"], &[]).0, 3);
    assert_eq!(suite.run(&["replay"], &["a.conv", "a.conv"]).0, 3);
    assert_eq!(suite.run(&["replay"], &["none.conv"]).0, 3);
    assert_eq!(suite.run(&["replay", "--no-such-option"], &[]).0, 2);
}

#[test]
fn bless_fills_empty_answers_in_and_the_file_then_passes() {
    let text = conversation(&format!("# why\n{REQUEST}\n# then\n<\n"));
    let suite = Suite::new(&[("a.conv", text.clone())]);
    let (code, out, err) = suite.run(&["bless"], &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "a: 1 filled, 0 changed\n1 written, 0 unchanged, 0 refused\n");
    assert_eq!(suite.text("a.conv"), text.replace("<\n", ANSWER));
    assert_eq!(suite.run(&["replay"], &[]).0, 0);
    assert_eq!(suite.run(&["bless", "--rebless"], &[]).1, "0 written, 1 unchanged, 0 refused\n");
}

#[test]
fn an_answer_that_stands_changes_only_with_rebless() {
    let wrong = conversation(&format!("{REQUEST}{}", ANSWER.replace("{{version}}", "2.0")));
    let suite = Suite::new(&[("a.conv", wrong.clone())]);
    let (code, _, err) = suite.run(&["bless"], &[]);
    assert!(code == 4 && err.contains("in line 5; `--rebless` changes them"), "{err}");
    assert_eq!(suite.text("a.conv"), wrong);
    let (code, out, _) = suite.run(&["bless", "--rebless"], &[]);
    assert_eq!(code, 0);
    let removed = format!("-{}", ANSWER.replace("{{version}}", "2.0"));
    assert!(out.starts_with("a: 0 filled, 1 changed\n") && out.contains(&removed), "{out}");
    assert!(out.contains(&format!("+{ANSWER}")), "{out}");
    assert_eq!(suite.text("a.conv"), conversation(&format!("{REQUEST}{ANSWER}")));
}

#[test]
fn bless_refuses_where_nothing_may_be_rewritten() {
    let text = conversation(&format!("{REQUEST}<\n"));
    let suite = Suite::new(&[("a.conv", text.clone())]);
    for variable in [("CI", "true"), ("INSTA_UPDATE", "no")] {
        let (code, _, err) = suite.run_with(&["bless", "--rebless"], &[], &[variable]);
        assert!(code == 4 && err.contains("nothing is written here"), "{err}");
        assert_eq!(suite.text("a.conv"), text);
    }
    assert_eq!(suite.run_with(&["bless"], &[], &[("CI", "false")]).0, 0);
}

#[test]
fn bless_records_answers_and_no_fault() {
    let refuses = |server: &str, words: &str| {
        let text = conversation(&format!("{REQUEST}<\n"));
        let suite = Suite { server: server.to_owned(), ..Suite::new(&[("a.conv", text.clone())]) };
        let (code, _, err) = suite.run(&["bless", "--rebless"], &[]);
        assert!(code == 4 && err.contains(words), "{err}");
        assert_eq!(suite.text("a.conv"), text);
    };
    let answer = "read -r line; printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\\n'; ";
    refuses(&format!("echo hello; {answer} cat"), "impure output");
    refuses(&format!("{answer} printf '{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}\\n'; cat"), "extra message");
    refuses(
        &format!("read -r x; echo y > \"$1/file\"; x() {{ {answer} }}; echo $x | x; cat"),
        "tree changed",
    );
    refuses(&format!("{answer} exit 3"), "exit 3");
    refuses("read -r line; exit 0", "server died");
    refuses(&format!("{answer} echo noise >&2; cat >&2"), "stderr");
}

#[test]
fn bless_keeps_only_what_the_server_says_twice() {
    let text = conversation(&format!("{REQUEST}<\n"));
    let server = "read -r line; printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"pid\":%s}}\\n' $$; cat";
    let suite = Suite { server: server.to_owned(), ..Suite::new(&[("a.conv", text.clone())]) };
    let (code, _, err) = suite.run(&["bless"], &[]);
    assert!(code == 4 && err.contains("a second replay does not say the same"), "{err}");
    assert_eq!(suite.text("a.conv"), text);
}

#[test]
fn bless_goes_on_behind_a_file_that_it_refuses() {
    let suite = Suite::new(&[
        ("a.conv", "no conversation\n".to_owned()),
        ("b.conv", conversation(&format!("{REQUEST}<\n"))),
    ]);
    let (code, out, err) = suite.run(&["bless"], &[]);
    assert_eq!((code, out.as_str()), (4, "b: 1 filled, 0 changed\n1 written, 0 unchanged, 1 refused\n"));
    assert!(err.starts_with("harness: a: line 1: no comment at the top"), "{err}");
}

/// A folder of programs that holds a shell and nothing else.
fn bare_path() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink("/bin/sh", folder.path().join("sh")).expect("a link");
    folder
}

#[test]
fn what_the_machine_lacks_is_counted_apart_and_fails_under_ci() {
    let needy =
        conversation(&format!("{REQUEST}{ANSWER}")).replace("project: p\n", "project: p\nneeds: git\n");
    let good = conversation(&format!("{REQUEST}{ANSWER}"));
    let suite = Suite::new(&[("a.conv", needy), ("b.conv", good)]);
    let bare = bare_path();
    let path = ("PATH", bare.path().to_str().expect("text"));
    let (code, out, _) = suite.run_with(&["replay"], &[], &[path]);
    assert_eq!(code, 0);
    assert_eq!(out, "a  not applicable: needs git\nb  passed\n\n1 passed, 0 failed, 1 skipped\n");
    assert_eq!(suite.run_with(&["replay"], &["a.conv"], &[path]).0, 3, "only skips show nothing");
    let (code, out, _) = suite.run_with(&["replay"], &[], &[path, ("CI", "true")]);
    assert!(
        code == 3 && out.contains("a  harness error\n") && out.contains("needs git, which CI must have"),
        "{out}"
    );
}

#[test]
fn a_server_that_does_not_start_is_no_fault_of_a_conversation() {
    let suite = Suite::new(&[("a.conv", conversation(""))]);
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["replay", "--server", "/no/such/server", "--root"])
        .arg(suite.path(""))
        .output()
        .expect("the harness starts");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_workspaces_own_conversations_pin_every_byte() {
    use harness::conversation::placeholder::{Piece, Placeholder, pieces};
    use harness::suite::{Workspace, discover};

    let entries = discover(&Workspace::own().conversations()).unwrap_or_else(|fault| panic!("{fault}"));
    for entry in entries {
        let conversation = entry.conversation.unwrap_or_else(|fault| panic!("{}: {fault}", entry.name));
        assert!(!conversation.header.spacing_free, "{}", entry.name);
        for step in &conversation.steps {
            let (Action::Expect(Some(text)) | Action::ExpectUnordered(Some(text))) = &step.action else {
                continue;
            };
            let loose = pieces(text).expect("it was read").into_iter().find_map(|piece| match piece {
                Piece::Placeholder(Placeholder::Loose(loose)) => Some(loose),
                _ => None,
            });
            assert_eq!(loose, None, "{}:{}", entry.path.display(), step.line);
        }
    }
}
