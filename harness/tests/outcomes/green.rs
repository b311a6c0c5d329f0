//! What a right server may do, and what a server with an odd habit may do too.

use harness::engine::{Outcome, replay};

use super::bench::{Bench, Check, ask, call, check, echo, named, steps, told, two_calls};

/// Every one of them.
pub const ALL: &[Check] = &named![
    unordered_answers_may_come_in_any_order,
    an_unordered_answer_may_come_before_its_step,
    what_is_not_pinned_is_counted_and_kept,
    white_space_is_let_be_where_the_conversation_says_so,
    a_list_of_tools_is_found_in_either_era_and_on_any_page,
    a_flood_on_stderr_stops_nothing,
    both_sides_may_send_a_million_bytes_before_they_read,
    a_server_that_ends_before_it_read_all_is_no_failure_by_itself,
    a_server_that_stops_reading_may_go_on_answering,
    a_conversation_may_change_the_project_itself,
    what_the_server_changed_just_before_a_step_of_ours_is_its_own,
    a_server_waits_for_a_file_outside_of_the_project,
    a_server_that_is_killed_ends_by_that_signal,
    a_client_that_hangs_up_is_seen_by_the_server,
    placeholders_have_their_values_when_a_step_runs,
];

fn unordered_answers_may_come_in_any_order(bench: &Bench) -> Result<(), String> {
    let both = format!("<~ {}\n<~ {}\n", echo("1", "hola"), echo("2", "hola"));
    let conversation = steps(&[&ask("1"), &ask("2"), &both, "eof\nexit 0\n"].concat());
    for flaw in ["none", "swapped"] {
        check(&replay(&conversation, &bench.target(flaw), flaw), Outcome::Passed, &[])?;
    }
    Ok(())
}

fn an_unordered_answer_may_come_before_its_step(bench: &Bench) -> Result<(), String> {
    let [first, second] = ["1", "2"].map(|id| format!("<~ {}\n", echo(id, "hola")));
    let between = "> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/nada\"}\n";
    let conversation = steps(&[&ask("1"), &ask("2"), &first, between, &second, "eof\nexit 0\n"].concat());
    for flaw in ["none", "swapped"] {
        check(&replay(&conversation, &bench.target(flaw), flaw), Outcome::Passed, &[])?;
    }
    // One that is expected in its order may not.
    let strict = [&ask("1"), &ask("2"), &told("1"), between, &told("2"), "eof\nexit 0\n"].concat();
    let report = replay(&steps(&strict), &bench.target("swapped"), "x");
    check(&report, Outcome::Mismatch, &["the request 2 came out of order"])?;
    // Whatever came early is held to its bytes when its step comes.
    let other = format!("<~ {}\n", echo("2", "otra"));
    let conversation = steps(&[&ask("1"), &ask("2"), &first, between, &other, "eof\nexit 0\n"].concat());
    let report = replay(&conversation, &bench.target("swapped"), "x");
    check(&report, Outcome::Mismatch, &["x:8: ", "differs at $.result.content[0].text"])
}

fn what_is_not_pinned_is_counted_and_kept(bench: &Bench) -> Result<(), String> {
    let answer = |text: &str, length: &str| {
        told("1").replace("\"texto\":\"hola\"", &format!("\"texto\":\"{text}\"")).replace(":4", length)
    };
    let again = call("2", "eco", "{{word}}");
    let kept = told("2").replace("\"texto\":\"hola\"", "\"texto\":\"{{word}}\"");
    let loose = answer("{{word:token}}", ":\"{{integer}}\"");
    let conversation = steps(&format!("{}{loose}> {again}\n{kept}eof\nexit 0\n", ask("1")));
    let report = replay(&conversation, &bench.target("none"), "x");
    check(&report, Outcome::Passed, &[])?;
    if (report.unpinned.places, report.unpinned.bytes) != (2, 5) {
        return Err(format!("not counted: {:?}", report.unpinned));
    }
    let loose = answer("{{uuid}}", ":4");
    let report = replay(&steps(&format!("{}{loose}eof\nexit 0\n", ask("1"))), &bench.target("none"), "x");
    check(&report, Outcome::Mismatch, &["$.result.content[0].text"])
}

fn white_space_is_let_be_where_the_conversation_says_so(bench: &Bench) -> Result<(), String> {
    let mut conversation = two_calls();
    for free in [true, false] {
        conversation.header.spacing_free = free;
        let outcome = if free { Outcome::Passed } else { Outcome::ImpureOutput };
        for flaw in ["spaced", "crlf"] {
            check(&replay(&conversation, &bench.target(flaw), flaw), outcome, &[])?;
        }
    }
    conversation.header.spacing_free = true;
    check(&replay(&conversation, &bench.target("pretty"), "x"), Outcome::ImpureOutput, &[])
}

fn a_list_of_tools_is_found_in_either_era_and_on_any_page(bench: &Bench) -> Result<(), String> {
    for flaw in ["legacy-only", "pages"] {
        check(&replay(&two_calls(), &bench.target(flaw), flaw), Outcome::Passed, &[])?;
    }
    Ok(())
}

fn a_flood_on_stderr_stops_nothing(bench: &Bench) -> Result<(), String> {
    let text = [&ask("1"), &told("1"), "eof\nexit 0\nstderr eeee\n"].concat();
    check(&replay(&steps(&text), &bench.target("stderr-flood"), "x"), Outcome::Passed, &[])
}

fn both_sides_may_send_a_million_bytes_before_they_read(bench: &Bench) -> Result<(), String> {
    let notice = format!(
        "< {{\"jsonrpc\":\"2.0\",\"method\":\"aviso\",\"params\":{{\"texto\":\"{}\"}}}}\n",
        "a".repeat(1 << 20)
    );
    let call = call("1", "eco", &"b".repeat(1 << 20));
    let answer = echo("1", &"b".repeat(1 << 20));
    let text = format!("> {call}\n{notice}< {answer}\neof\nexit 0\n");
    check(&replay(&steps(&text), &bench.target("big-start"), "x"), Outcome::Passed, &[])
}

fn a_server_that_ends_before_it_read_all_is_no_failure_by_itself(bench: &Bench) -> Result<(), String> {
    let conversation = steps(">fill 1048576 x\neof\nexit 3\n");
    check(&replay(&conversation, &bench.shell("exit 3"), "x"), Outcome::Passed, &[])
}

fn a_server_that_stops_reading_may_go_on_answering(bench: &Bench) -> Result<(), String> {
    let script = r#"read -r line; exec <&-; echo '{"jsonrpc":"2.0","id":1,"result":{}}'"#;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let text = format!("> {ping}\n>fill 1048576 x\n< {answer}\neof\nexit 0\n");
    check(&replay(&steps(&text), &bench.shell(script), "x"), Outcome::Passed, &[])
}

fn a_conversation_may_change_the_project_itself(bench: &Bench) -> Result<(), String> {
    let change = "write catalogos/dos/tres\n| x\ntouch oracle.json\nremove enlace\n";
    let text = [&ask("1"), &told("1"), change, &ask("2"), &told("2"), "eof\nexit 0\n"].concat();
    check(&replay(&steps(&text), &bench.target("none"), "x"), Outcome::Passed, &[])?;
    let report = replay(&steps(&text), &bench.target("write-at-end"), "x");
    check(&report, Outcome::TreeChanged, &["nuevo: a file was created"])
}

fn what_the_server_changed_just_before_a_step_of_ours_is_its_own(bench: &Bench) -> Result<(), String> {
    let script = "read -r line; echo x > \"$0/nuevo\"; echo listo >&2; read -r line";
    let target = bench.command(&["/bin/sh", "-c", script, "{{project}}"].map(Into::into));
    let conversation = steps(">raw a\\n\nawait listo\ntouch oracle.json\neof\nexit 0\n");
    let report = replay(&conversation, &target, "x");
    check(&report, Outcome::TreeChanged, &["x:6: ", "nuevo: a file was created"])
}

fn a_server_waits_for_a_file_outside_of_the_project(bench: &Bench) -> Result<(), String> {
    let script =
        "echo espero >&2; while [ ! -e \"$CONVERSATION_SCRATCH/ya\" ]; do sleep 0.01; done; echo sigo >&2";
    let conversation = steps("await espero\nopen ya\nawait sigo\neof\nexit 0\nstderr o\n");
    check(&replay(&conversation, &bench.shell(script), "x"), Outcome::Passed, &[])
}

fn a_server_that_is_killed_ends_by_that_signal(bench: &Bench) -> Result<(), String> {
    let conversation = steps("await espero\nkill TERM\nsignal TERM\n");
    let script = "echo espero >&2; exec sleep 1000";
    check(&replay(&conversation, &bench.shell(script), "x"), Outcome::Passed, &[])?;
    let code = steps("await espero\nkill TERM\nexit 143\n");
    let report = replay(&code, &bench.shell(script), "x");
    check(&report, Outcome::ServerDied, &["expected exit 143, got signal TERM"])
}

fn a_client_that_hangs_up_is_seen_by_the_server(bench: &Bench) -> Result<(), String> {
    let script = "trap '' PIPE; read -r line; echo uno || exit 5";
    let conversation = steps("hangup\n>raw a\\n\nexit 5\nstderr :\n");
    check(&replay(&conversation, &bench.shell(script), "x"), Outcome::Passed, &[])
}

fn placeholders_have_their_values_when_a_step_runs(bench: &Bench) -> Result<(), String> {
    let script = r#"read -r line; printf '{"jsonrpc":"2.0","id":1,"result":{"p":"%s","v":"1.2.3","s":"%s","h":"%s"}}\n' "$0" "$CONVERSATION_SCRATCH" "$1""#;
    // Of the four letters and the line feed that the step writes.
    let hash = "c5dbff09263ed3039714072538f579c7656cf9bfe9632a85855c2dc87fb85fcf";
    let target = bench.command(&["/bin/sh", "-c", script, "{{project}}", hash].map(Into::into));
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"p":"{{project}}","v":"{{version}}","s":"{{scratch}}","h":"{{sha256:oracle.json}}"}}"#;
    let text = format!("write oracle.json\n| otro\n> {ping}\n< {answer}\neof\nexit 0\n");
    check(&replay(&steps(&text), &target, "x"), Outcome::Passed, &[])
}
