//! The program under load, and at the end of a session that does not end well: what no conversation can write.

#![cfg(target_os = "linux")]

mod cliente;

use cliente::{Answer, COUNT, Lines, PROGRAM, Server, call, each_once, evaluation, rows};
use nucleo::valor::Valor;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use tempfile::TempDir;

/// A project with an empty catalogue.
fn empty_project() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("catalogos")).expect("a folder");
    folder
}

/// A project whose only scalar holds whoever calls it until a file is there, and says so on stderr.
fn holding_project() -> TempDir {
    let folder = empty_project();
    let source = "import os, sys, time\nfrom oracle_metalenguaje import escalar\n\n\n@escalar(\"espera\")\n\
                  def espera(senal):\n    print(senal)\n    while not os.path.exists(senal):\n        \
                  time.sleep(0.002)\n    return 0\n";
    fs::write(folder.path().join("escalares.py"), source).expect("written");
    folder
}

/// An evaluation that the scalar of [`holding_project`] holds until `signal` exists in the project.
fn held(signal: &Path) -> String {
    let text = COUNT.replace("    resumen", "    donde espera(a.senal) == 0\n    resumen");
    let signal = Valor::from(signal.to_str().expect("UTF-8")).to_compact();
    evaluation(&text, &format!("{{\"cosa\":[{{\"senal\":{signal}}}]}}"))
}

/// As many calls as the server runs at the same time.
fn workers() -> usize {
    thread::available_parallelism().expect("cores").get().max(2)
}

/// A call whose answer takes more than `bytes`, twice.
fn large(id: &str, bytes: usize) -> String {
    let row = format!("{{\"x\":\"{}\"}}", "ñ\\\"".repeat(bytes / 5 / 3));
    call(id, "oracle_evaluar", &evaluation(COUNT, &format!("{{\"cosa\":{}}}", rows(5, |_| row.clone()))))
}

#[test]
fn a_thousand_calls_in_flight_are_all_answered() {
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    // Half of the ids are texts that look like the other half.
    let id = |at: usize| if at.is_multiple_of(2) { at.to_string() } else { format!("\"{}\"", at - 1) };
    let ids: BTreeSet<String> = (0..1000).map(id).collect();
    let mut stdin = server.stdin.take().expect("stdin is open");
    let (written, first_ones) = std::sync::mpsc::channel();
    let writer = thread::spawn(move || {
        for at in 0..1000 {
            let evidence = format!("{{\"cosa\":{}}}", rows(at % 50, |row| format!("{{\"n\":{row}}}")));
            let line = call(&id(at), "oracle_evaluar", &evaluation(COUNT, &evidence));
            stdin.write_all(line.as_bytes()).expect("the server reads");
            // Fewer than the queue takes, so nobody has to read for them to be taken.
            if at == 60 {
                written.send(()).expect("the test waits");
            }
        }
        stdin
    });
    first_ones.recv_timeout(cliente::DEADLINE).expect("the first calls are taken before anybody reads");
    let answers = each_once(&server.answers(), &ids);
    for answer in &answers {
        let text = answer.id();
        let number: usize = text.trim_matches('"').parse().expect("a number");
        let at = number + usize::from(text.starts_with('"'));
        assert_eq!(answer.content("valor"), Some(&Valor::from(at % 50)), "{text}");
    }
    assert!(server.peak_memory() < 256 << 20, "{}", server.peak_memory());
    drop(writer.join().expect("the writer ends"));
    server.end_well();
}

#[test]
fn sixty_four_large_answers_at_once_come_whole() {
    const BYTES: usize = 100 << 10;
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    let ids: BTreeSet<String> = (0..64).map(|id| id.to_string()).collect();
    let mut stdin = server.stdin.take().expect("stdin is open");
    let requests: Vec<String> = ids.iter().map(|id| large(id, BYTES)).collect();
    // A server whose answers nobody takes stops reading, so whoever writes must not be who reads.
    let writer = thread::spawn(move || stdin.write_all(requests.concat().as_bytes()));
    let lines = server.answers();
    for answer in each_once(&lines, &ids) {
        let witnesses = answer.content("testigos").and_then(Valor::as_list).expect("witnesses");
        assert!(witnesses.iter().map(|it| it.to_compact().len()).sum::<usize>() >= BYTES);
    }
    writer.join().expect("no panic").expect("the server reads");
    assert!(lines.rest().is_empty());
    server.end_well();
}

#[test]
fn no_accepted_call_is_lost_when_the_client_closes_its_end_of_the_input() {
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    let ids: BTreeSet<String> = (0..200).map(|id| id.to_string()).collect();
    let lines = server.answers();
    for id in &ids {
        server.send(&call(id, "oracle_catalogo_efectivo", "{}"));
    }
    server.close();
    each_once(&lines, &ids);
    assert!(lines.rest().is_empty());
    server.end_well();
}

#[test]
fn a_client_that_closes_its_end_of_the_output_ends_the_server() {
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    let mut stdin = server.stdin.take().expect("stdin is open");
    let writer = thread::spawn(move || {
        // It ends with the server: nobody reads what it writes any more.
        (0..).map(|id: usize| stdin.write_all(large(&id.to_string(), 1000).as_bytes())).find_map(Result::err)
    });
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("stdout is open")).read_line(&mut line).expect("one answer");
    Answer::read(line.trim_end());
    let refusal = cliente::within_deadline("the input is refused", || writer.join().expect("no panic"));
    assert_eq!(refusal.expect("an error").kind(), std::io::ErrorKind::BrokenPipe);
    server.end_well();
}

/// Starts the server as the child of a client that holds the other ends of its pipes, kills that client and waits
/// until nothing is left of the server and of what it started. The client sends `requests` and reads `answers` lines;
/// `heard` is what stderr says before it dies.
fn client_dies(project: &Path, options: &str, requests: &str, answers: usize, heard: Option<&str>) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("requests"), requests).expect("written");
    let script = "mkfifo in out; exec 3<>in 4<>out; \"$PROGRAM\" --proyecto \"$PROJECT\" $OPTIONS <in >out 3>&- 4>&- & \
                  exec 2>&-; cat requests >&3 4>&- & \
                  while [ \"$ANSWERS\" -gt 0 ]; do read answer <&4; ANSWERS=$((ANSWERS - 1)); done; \
                  echo under way; read never";
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder.path());
    command.envs([("PROGRAM", PROGRAM), ("OPTIONS", options), ("ANSWERS", &answers.to_string())]);
    command.env("PROJECT", project).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut client = command.spawn().expect("a shell starts");
    let said = Lines::of(client.stderr.take().expect("a pipe"));
    let told = Lines::of(client.stdout.take().expect("a pipe"));
    assert_eq!(told.next(), "under way");
    if let Some(heard) = heard {
        assert_eq!(said.next(), heard);
    }
    client.kill().expect("it lives");
    client.wait().expect("a child");
    // Nobody but the server and its children holds the other end.
    assert_eq!(said.rest(), Vec::<String>::new());
}

#[test]
fn a_client_that_dies_takes_the_server_along() {
    let project = empty_project();
    client_dies(project.path(), "", "", 0, None);
    client_dies(project.path(), "", &call("1", "oracle_catalogo_efectivo", "{}"), 1, None);
}

#[test]
fn a_client_that_dies_without_having_read_takes_the_server_along() {
    let project = empty_project();
    let requests: String = (0..40).map(|id| large(&id.to_string(), 10 << 10)).collect();
    client_dies(project.path(), "", &requests, 1, None);
}

#[test]
fn a_client_that_dies_while_a_scalar_runs_takes_server_and_scalar_along() {
    let project = holding_project();
    let never = project.path().join("nunca");
    let request = call("1", "oracle_evaluar", &held(&never));
    client_dies(project.path(), "--confiar-escalares", &request, 0, never.to_str());
}

#[test]
fn no_child_is_left_by_a_call_that_ended_nor_by_one_that_was_cancelled() {
    let project = holding_project();
    let mut server = Server::start(project.path(), &["--confiar-escalares"]);
    let (lines, complaints) = (server.answers(), server.complaints());
    let (first, second) = (project.path().join("primera"), project.path().join("segunda"));
    let round = |server: &mut Server, prefix: &str, signal: &Path| {
        for at in 0..workers() {
            server.send(&call(&format!("\"{prefix}{at}\""), "oracle_evaluar", &held(signal)));
        }
        for _ in 0..workers() {
            assert_eq!(Some(complaints.next().as_str()), signal.to_str());
        }
    };
    round(&mut server, "a", &first);
    let cancelled: BTreeSet<(u32, char)> = server.children().into_iter().collect();
    for at in 0..workers() {
        server.send(&format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":\"a{at}\"}}}}\n"
        ));
    }
    // Every worker runs a new call, so each has done with its cancelled one.
    round(&mut server, "b", &second);
    let running = server.children();
    assert_eq!(running.len(), workers(), "{running:?}");
    assert!(running.iter().all(|(pid, state)| *state != 'Z' && cancelled.iter().all(|(old, _)| old != pid)));
    fs::write(&second, "").expect("written");
    each_once(&lines, &(0..workers()).map(|at| format!("\"b{at}\"")).collect());
    assert_eq!(server.children(), []);
    server.close();
    assert!(lines.rest().is_empty());
    drop(complaints);
    server.end_well();
}

#[test]
fn a_call_that_is_cancelled_while_it_waits_is_never_answered_whatever_it_calls() {
    let project = holding_project();
    fs::create_dir(project.path().join("tareas")).expect("a folder");
    let mut server = Server::start(project.path(), &["--confiar-escalares"]);
    let (lines, complaints) = (server.answers(), server.complaints());
    let signal = project.path().join("sigue");
    let holders: BTreeSet<String> = (0..workers()).map(|at| at.to_string()).collect();
    for id in &holders {
        server.send(&call(id, "oracle_evaluar", &held(&signal)));
    }
    for _ in &holders {
        assert_eq!(Some(complaints.next().as_str()), signal.to_str());
    }
    // Every worker is held, so these wait.
    let waiting = [
        ("oracle_catalogo_efectivo", "{}".to_owned()),
        ("oracle_evaluar", evaluation(COUNT, "{}")),
        ("oracle_desafiar", format!("{{\"medida\":{{\"texto\":{},\"formato\":\"oracle\"}}}}", quoted(COUNT))),
        ("oracle_juzgar", "{\"evidencia\":{}}".to_owned()),
        ("oracle_tareas", "{\"accion\":\"listar\"}".to_owned()),
    ];
    for (tool, arguments) in &waiting {
        server.send(&call(&quoted(tool), tool, arguments));
    }
    for (tool, _) in &waiting {
        server.send(&format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{}}}}}\n",
            quoted(tool)
        ));
    }
    server.send("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n");
    assert_eq!(Answer::read(&lines.next()).id(), "\"p\"");
    fs::write(&signal, "").expect("written");
    server.close();
    each_once(&lines, &holders);
    assert!(lines.rest().is_empty());
    drop(complaints);
    server.end_well();
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    Valor::from(text).to_compact()
}

#[test]
fn what_is_asked_of_no_session_is_told_on_stdout() {
    let told = |option: &str| {
        let output = Command::new(PROGRAM).arg(option).stdin(Stdio::null()).output().expect("it starts");
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{option}");
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(told("--version"), format!("oracle-mcp {}\n", env!("CARGO_PKG_VERSION")));
    let help = told("--help");
    for option in ["--proyecto", "--confiar-escalares", "--exigir-aislamiento", "--help", "--version"] {
        assert!(help.contains(option), "{help}");
    }
}

#[test]
fn closed_streams_end_the_server_and_nothing_else() {
    let project = empty_project();
    for streams in ["</dev/null", "<&-", "</dev/null >&-", "</dev/null 2>&-", "<&- >&- 2>&-"] {
        let script = format!("\"$PROGRAM\" --proyecto \"$PROJECT\" {streams}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("PROGRAM", PROGRAM).env("PROJECT", project.path());
        let output = cliente::within_deadline("the server ends", move || shell.output().expect("a shell"));
        assert_eq!(output.status.code(), Some(0), "{streams}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{streams}");
    }
}

#[test]
fn no_git_is_left_by_an_answer() {
    let project = empty_project();
    let task = project.path().join("tareas/20260101-000000-una");
    fs::create_dir_all(&task).expect("a folder");
    fs::write(task.join("TAREA.md"), "# Una\n\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n").expect("written");
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=n", "-c", "user.email=e@e", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.arg("-C").arg(project.path()).args(identity).args(arguments).stdout(Stdio::null());
        assert!(command.status().expect("git is installed").success());
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "una"]);
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    server.send(&call("1", "oracle_tareas", "{\"accion\":\"hechos\",\"git\":true}"));
    let answer = Answer::read(&lines.next());
    assert_eq!(answer.failure(), None);
    assert_eq!(server.children(), []);
    server.close();
    server.end_well();
}

#[test]
fn no_answer_leaves_after_one_to_a_request_behind_the_cancellation() {
    const ROUNDS: usize = 200;
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    for at in 0..ROUNDS {
        let request = call(&at.to_string(), "oracle_evaluar", &evaluation(COUNT, "{\"cosa\":[{\"n\":1}]}"));
        // In one write, so that the cancellation races with the worker.
        server.send(&format!(
            "{request}{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{at}}}}}\n\
             {{\"jsonrpc\":\"2.0\",\"id\":\"p{at}\",\"method\":\"ping\"}}\n"
        ));
    }
    server.close();
    let came: Vec<String> = lines.rest().iter().map(|line| Answer::read(line).id()).collect();
    let place = |id: &str| came.iter().position(|it| it == id);
    for at in 0..ROUNDS {
        let ping = place(&format!("\"p{at}\"")).expect("each ping is answered");
        assert!(place(&at.to_string()).is_none_or(|answer| answer < ping), "{at}");
    }
    assert_eq!(came.iter().collect::<BTreeSet<_>>().len(), came.len());
    server.end_well();
}

#[test]
fn cancellations_of_what_nobody_asked_for_cost_nothing() {
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    let ping = |server: &mut Server| {
        server.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        assert_eq!(Answer::read(&lines.next()).id(), "1");
        server.peak_memory()
    };
    let before = ping(&mut server);
    for block in 0..100 {
        let cancellation = |at: usize| {
            let id = block * 1000 + at;
            format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":\"x{id}\"}}}}\n"
            )
        };
        server.send(&(0..1000).map(cancellation).collect::<String>());
    }
    assert!(ping(&mut server) < before + (4 << 20));
    server.end_well();
}

#[test]
fn memory_follows_the_longest_line_and_not_how_many_there_were() {
    let project = empty_project();
    let mut server = Server::start(project.path(), &[]);
    let lines = server.answers();
    const WIDE: usize = 3 << 20;
    let wide = "x".repeat(WIDE);
    let mut ask = || {
        server.send(&call(
            "1",
            "oracle_evaluar",
            &evaluation(COUNT, &format!("{{\"cosa\":[{{\"n\":\"{wide}\"}}]}}")),
        ));
        assert_eq!(Answer::read(&lines.next()).content("valor"), Some(&Valor::from(1_usize)));
        server.peak_memory()
    };
    // The answer holds the row twice, once as text within text.
    let first = ask();
    assert!(first < (64 << 20) + 16 * WIDE as u64, "{first}");
    let last = (0..8).map(|_| ask()).last().expect("some");
    // Each worker may have had one at the same time, and no line leaves anything behind.
    assert!(last < first + 32 * WIDE as u64, "{first} {last}");
    server.end_well();
}
