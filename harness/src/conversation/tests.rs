//! The reader and the printer together, over whole kinds of files.

use proptest::prelude::*;

use super::print::render;
use super::*;

const HEAD: &str = "# It shows.\n---\n";

fn read_ok(text: &str) -> Conversation {
    read(text).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

/// Reads steps behind the shortest header, the end added.
fn steps(text: &str) -> Vec<Action> {
    let file = format!("{HEAD}{text}exit 0\n");
    let conversation = read_ok(&file);
    assert_eq!(print(&conversation), file);
    let mut actions: Vec<_> = conversation.steps.into_iter().map(|step| step.action).collect();
    assert_eq!(actions.pop(), Some(Action::Exit(0)));
    actions
}

fn check(text: &str, expect: Action) {
    assert_eq!(steps(text), [expect], "{text}");
}

/// `line` counts from the first step.
fn step_fault(text: &str, line: usize, kind: FaultKind) {
    let file = format!("{HEAD}{text}exit 0\n");
    assert_eq!(read(&file), Err(Fault { line: line + 2, kind }), "{text}");
}

fn file_fault(text: &str, line: usize, kind: FaultKind) {
    assert_eq!(read(text), Err(Fault { line, kind }), "{text}");
}

fn header(lines: &str) -> Header {
    let file = format!("# It shows.\n{lines}---\nexit 0\n");
    let conversation = read_ok(&file);
    assert_eq!(print(&conversation), file);
    conversation.header
}

fn header_fault(lines: &str, line: usize, kind: FaultKind) {
    file_fault(&format!("# It shows.\n{lines}---\nexit 0\n"), line + 1, kind);
}

#[test]
fn a_message_may_be_spread_over_lines() {
    check(
        "> {\"a\" : [1.0, 2],\n    \"b c\":\" x \"}\n",
        Action::Send(r#"{"a":[1.0,2],"b c":" x "}"#.to_owned()),
    );
    check("> \n\t{}\n", Action::Send("{}".to_owned()));
    check("< {\"a\":\n  1e400}\n", Action::Expect(Some("{\"a\":1e400}".to_owned())));
    check("<\n", Action::Expect(None));
}

#[test]
fn bytes_are_sent_as_they_are_written() {
    check(">raw {\\n \\xff \n", Action::SendRaw(b"{\n \xff ".to_vec()));
    check(">fill 10 a\n", Action::Fill { count: 10, byte: b'a' });
    check(">fill 3 \\x20\n", Action::Fill { count: 3, byte: b' ' });
}

#[test]
fn the_small_steps() {
    check("remove a/b c\n", Action::Remove("a/b c".to_owned()));
    check("touch a\n", Action::Touch("a".to_owned()));
    check("await listo {{project}}\n", Action::Await("listo {{project}}".to_owned()));
    check("open sigue\n", Action::Open("sigue".to_owned()));
    check("eof\n", Action::Eof);
    check("hangup\n", Action::Hangup);
    check("kill TERM\n", Action::Kill(Signal::Term));
    check("stderr algo\n", Action::Stderr("algo".to_owned()));
    check(
        "write a/b\n| x\n|\n|   y \n",
        Action::Write { path: "a/b".to_owned(), content: "x\n\n  y \n".to_owned() },
    );
    check("write a\n", Action::Write { path: "a".to_owned(), content: String::new() });
}

#[test]
fn fingerprints_are_listed() {
    let over = Fingerprint::Files(vec!["oracle.json".to_owned(), "c/**".to_owned(), "a b".to_owned()]);
    let file = "let h = files oracle.json c/**\n  \"a b\"\n< {\"h\":\"{{h}}\"}\n";
    assert_eq!(steps(file)[0], Action::Let { name: "h".to_owned(), over });
    let over = Fingerprint::Canonical("{\"a\":[1]}".to_owned());
    let file = "let h2 = canonical {\"a\":\n  [1]}\nlet g = canonical [\"{{h2}}\"]\nstderr {{g}}\n";
    assert_eq!(steps(file)[0], Action::Let { name: "h2".to_owned(), over });
}

#[test]
fn comments_and_blank_lines_belong_to_the_step_below() {
    let file = "# It shows.\n#\n# Why.\n---\n\n# away\n\n# one\n#\n# two\neof\n# group\n<~\n# member\n<~\n\nexit 0\n# end\n\n";
    let conversation = read_ok(file);
    assert_eq!(print(&conversation), file);
    let comments: Vec<_> = conversation.steps.iter().map(|step| step.comment.clone()).collect();
    assert_eq!(comments, [vec!["one", "", "two"], vec!["group"], vec!["member"], vec![]]);
    assert_eq!(conversation.trailing, "# end\n\n");
    assert_eq!(conversation.header.comment, ["It shows.", "", "Why."]);
    let lines: Vec<_> = conversation.steps.iter().map(|step| step.line).collect();
    assert_eq!(lines, [11, 13, 15, 17]);
    assert_eq!(conversation.unordered_group(1), 1..3);
    assert_eq!(conversation.unordered_group(0), 0..0);
    assert_eq!(conversation.unordered_group(9), 9..9);
    assert_eq!(conversation.first_unfilled().map(|step| step.line), Some(13));
}

#[test]
fn the_header_has_seven_keys() {
    let all = "covers: a.b, c,\n  d\nproject: tienda\nargs: --x \"a b\" {{scratch}}\nneeds: python3, landlock,git\n\
               deadline_ms: 200\nlarge: yes\n";
    let read = header(all);
    assert_eq!(read.covers, ["a.b", "c", "d"]);
    assert_eq!(read.project.as_deref(), Some("tienda"));
    assert_eq!(read.args, ["--x", "a b", "{{scratch}}"]);
    assert_eq!(read.needs, Need::ALL);
    assert_eq!((read.deadline_ms, read.large), (Some(200), true));
    assert_eq!(header("arguments:\n").arguments, Some(vec![]));
    assert_eq!(header("arguments: --a\n").arguments, Some(vec!["--a".to_owned()]));
}

#[test]
fn the_header_is_strict() {
    let bad = |key, value: &str, takes| FaultKind::BadValue { key, value: value.to_owned(), takes };
    header_fault("cover: a\n", 1, FaultKind::UnknownKey("cover".to_owned()));
    header_fault("project: a\nproject: b\n", 2, FaultKind::RepeatedKey("project".to_owned()));
    header_fault("project: ../a\n", 1, bad("project", "../a", "a folder under proyectos/"));
    header_fault("project:\n", 1, bad("project", "", "a folder under proyectos/"));
    header_fault("covers:\n", 1, FaultKind::EmptyValue("covers"));
    header_fault("covers: a, a\n", 1, bad("covers", "a, a", "ids of requisitos.toml, with commas between"));
    header_fault("covers: a b\n", 1, bad("covers", "a b", "ids of requisitos.toml, with commas between"));
    header_fault("needs: ruby\n", 1, bad("needs", "ruby", "python3, landlock or git, with commas between"));
    header_fault("deadline_ms: 0\n", 1, bad("deadline_ms", "0", "milliseconds, from 1 to 600000"));
    header_fault("large: no\n", 1, bad("large", "no", "`yes`"));
    header_fault("args: a\narguments: b\n", 2, FaultKind::ArgsAndArguments);
    header_fault("arguments:\nargs: a\n", 2, FaultKind::ArgsAndArguments);
    header_fault("args: {{version}}\n", 1, FaultKind::NotHere("{{version}}".to_owned()));
    header_fault("\n", 1, FaultKind::BadHeaderLine(String::new()));
    header_fault("# late\n\n", 2, FaultKind::BadHeaderLine(String::new()));
    header_fault("project: a\n# late\n", 2, FaultKind::BadHeaderLine("# late".to_owned()));
}

#[test]
fn a_file_says_first_what_it_shows() {
    file_fault("---\nexit 0\n", 1, FaultKind::NoSummary);
    file_fault("#\n# It.\n---\nexit 0\n", 1, FaultKind::NoSummary);
    file_fault("#It.\n---\nexit 0\n", 1, FaultKind::BadComment);
    file_fault(&format!("# {}\n---\nexit 0\n", "é".repeat(101)), 1, FaultKind::LongSummary(101));
    read_ok(&format!("# {}\n---\nexit 0\n", "é".repeat(100)));
}

#[test]
fn a_file_is_text_of_whole_lines() {
    file_fault("# It.\n---\nexit 0", 3, FaultKind::NoFinalLineFeed);
    file_fault("", 1, FaultKind::NoSummary);
    file_fault("# It.\n---\r\nexit 0\n", 2, FaultKind::CarriageReturn);
    file_fault("\u{feff}# It.\n---\nexit 0\n", 1, FaultKind::ByteOrderMark);
    assert_eq!(read_bytes(b"# It.\n\xff\n"), Err(Fault { line: 2, kind: FaultKind::NotUtf8 }));
    file_fault("# It.\n", 1, FaultKind::NoSeparator);
    file_fault("# It.\n---\n", 2, FaultKind::NoSteps);
    file_fault("# It.\n---\n# only\n", 3, FaultKind::NoSteps);
}

#[test]
fn a_step_that_is_none_is_a_fault() {
    step_fault("send {}\n", 1, FaultKind::UnknownStep("send".to_owned()));
    step_fault(">{}\n", 1, FaultKind::UnknownStep(">{}".to_owned()));
    step_fault("< {}\n\n  {}\n", 3, FaultKind::NothingToContinue);
    step_fault("eof\n\tx\n", 2, FaultKind::NothingToContinue);
    step_fault("#x\n", 1, FaultKind::BadComment);
    for (text, step) in [
        (">\n", ">"),
        (">raw \n", ">raw"),
        (">raw \\q\n", ">raw"),
        (">fill 1\n", ">fill"),
        (">fill 0 a\n", ">fill"),
        (">fill 1 ab\n", ">fill"),
        (">fill 268435457 a\n", ">fill"),
        ("let a\n", "let"),
        ("let a = files\n", "let"),
        ("let a = canonical\n", "let"),
        ("let a = hash x\n", "let"),
        ("write /a\n", "write"),
        ("write a\n|x\n", "write"),
        ("remove ..\n", "remove"),
        ("touch\n", "touch"),
        ("await \n", "await"),
        ("open a/b\n", "open"),
        ("eof now\n", "eof"),
        ("hangup now\n", "hangup"),
        ("kill term\n", "kill"),
        ("signal 9\n", "signal"),
        ("exit 256\n", "exit"),
        ("exit 00\n", "exit"),
        ("stderr\n", "stderr"),
    ] {
        match read(&format!("{HEAD}{text}exit 0\n")) {
            Err(Fault { kind: FaultKind::BadOperand { step: found, .. }, .. }) => assert_eq!(found, step),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_message_is_json_and_the_fault_names_its_line() {
    let line = |text: &str, line: usize| match read(&format!("{HEAD}{text}exit 0\n")) {
        Err(Fault { line: found, kind: FaultKind::NotJson(_) }) => assert_eq!(found, line + 2, "{text}"),
        other => panic!("{text}: {other:?}"),
    };
    line("> {\n  \"a\":1,\n  }\n", 3);
    line("> {\"a\": 01}\n", 1);
    line("> {\"a\": \"x\n  y\"}\n", 1);
    line("< {} {}\n", 1);
    line("> {\n", 1);
    step_fault("< [1]\n", 1, FaultKind::NotAnObject);
    step_fault("> {\"a\":{{project}}}\n", 1, FaultKind::PlaceholderOutsideString);
}

#[test]
fn placeholders_are_checked_when_the_file_is_read() {
    let fault = |kind| FaultKind::Placeholder(kind);
    step_fault("< {\"a\":\"{{any}}\"}\n", 1, FaultKind::UndefinedName("any".to_owned()));
    step_fault("> {\"a\":\"{{*}}\"}\n", 1, fault(placeholder::PlaceholderFault::Unknown("*".to_owned())));
    step_fault("< {\"a\":\"{{text}}\"}\n", 1, fault(placeholder::PlaceholderFault::NoStructuredContent));
    step_fault("> {\"a\":\"{{text}}\"}\n", 1, FaultKind::NotHere("{{text}}".to_owned()));
    step_fault("let a = files x\n", 1, FaultKind::UnusedName("a".to_owned()));
    read_ok(&format!("{HEAD}let a = files x\n<\nexit 0\n"));
    step_fault("let a = files x\nlet a = files y\n", 2, FaultKind::TakenName("a".to_owned()));
    step_fault("let text = files x\n", 1, FaultKind::TakenName("text".to_owned()));
    step_fault("< {\"a\":\"{{a}}\"}\nlet a = files x\n", 1, FaultKind::UndefinedName("a".to_owned()));
}

#[test]
fn what_is_not_pinned_stands_in_an_expected_message_and_has_a_name_of_its_own() {
    read_ok(&format!(
        "{HEAD}< {{\"a\":\"{{{{uuid}}}} {{{{n:digits}}}}\"}}\n> {{\"b\":\"{{{{n}}}}\"}}\nexit 0\n"
    ));
    step_fault("> {\"a\":\"{{uuid}}\"}\n", 1, FaultKind::NotHere("{{uuid}}".to_owned()));
    step_fault("await {{n:digits}}\n", 1, FaultKind::NotHere("{{n:digits}}".to_owned()));
    step_fault("< {\"a\":\"{{n:token}}\"}\n", 1, FaultKind::UnusedName("n".to_owned()));
    step_fault("< {\"a\":\"{{n:digits}}{{n}}\"}\n", 1, FaultKind::UndefinedName("n".to_owned()));
    step_fault("< {\"a\":\"{{n:digits}} {{n:digits}}\"}\n", 1, FaultKind::TakenName("n".to_owned()));
    step_fault("< {\"a\":\"{{project:digits}}\"}\n", 1, FaultKind::TakenName("project".to_owned()));
    step_fault("let uuid = files x\n", 1, FaultKind::TakenName("uuid".to_owned()));
    let loose = Loose { name: None, kind: LooseKind::Integer };
    let alone = placeholder::PlaceholderFault::NotAlone(loose);
    step_fault("< {\"a\":\"{{integer}} ms\"}\n", 1, FaultKind::Placeholder(alone));
    header_fault("args: {{uuid}}\n", 1, FaultKind::NotHere("{{uuid}}".to_owned()));
}

#[test]
fn white_space_of_the_server_is_let_be_on_demand() {
    assert!(header("spacing: free\n").spacing_free && !header("").spacing_free);
    let takes = "`free`";
    header_fault("spacing: no\n", 1, FaultKind::BadValue { key: "spacing", value: "no".to_owned(), takes });
    assert_eq!(render_header(&header("spacing: free\n")), "# It shows.\nspacing: free\n");
}

#[test]
fn steps_stand_in_an_order_that_can_happen() {
    let late = |step, after| FaultKind::TooLate { step, after };
    step_fault("eof\n> {}\n", 2, late(">", "eof"));
    step_fault("eof\n>raw x\n", 2, late(">raw", "eof"));
    step_fault("eof\neof\n", 2, late("eof", "eof"));
    step_fault("hangup\n<\n", 2, late("<", "hangup"));
    step_fault("exit 1\n", 2, late("exit", "exit"));
    step_fault("signal TERM\neof\n", 2, late("eof", "signal"));
    step_fault("<~\n", 1, FaultKind::GroupOfOne);
    read_ok("# It.\n---\n<~\n> {}\n<~\nexit 0\n");
    file_fault("# It.\n---\neof\n", 3, FaultKind::NoEnd);
    read_ok("# It.\n---\nexit 0\nstderr x\n");
}

#[test]
fn every_fault_says_its_line_and_most_what_to_do() {
    let fault = read("# It.\ncover: x\n---\nexit 0\n").unwrap_err();
    let text = fault.to_string();
    assert!(text.starts_with("line 2: unknown key `cover`\n  hint: the keys are covers, project,"), "{text}");
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1.50e+07".to_owned()),
        any::<u64>().prop_map(|n| n.to_string()),
        "[ -~é\n\"\\\\]{0,40}".prop_map(|text| format!("\"{}\"", escape(&text.replace('{', "(")))),
    ];
    let value = leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(("[a-z {}\\[\\],:]{0,8}", inner), 0..6).prop_map(|members| {
                let members =
                    members.iter().map(|(key, value)| format!("\"{}\":{value}", key.replace('{', "(")));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    });
    prop::collection::vec(value, 1..4)
        .prop_map(|items| format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"x\":[{}]}}", items[0], items.join(",")))
}

fn action() -> impl Strategy<Value = Action> {
    let path = "[a-zé][a-z .]{0,8}[a-z](/[a-z]{1,5}){0,2}";
    let text = "[!-z][ -z]{0,30}";
    prop_oneof![
        json().prop_map(Action::Send),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Action::SendRaw),
        (1_usize..9999, any::<u8>()).prop_map(|(count, byte)| Action::Fill { count, byte }),
        prop::option::of(json()).prop_map(Action::Expect),
        (path, "([ -~é]{0,20}\n){0,5}").prop_map(|(path, content)| Action::Write { path, content }),
        path.prop_map(Action::Remove),
        path.prop_map(Action::Touch),
        "[a-z.]{0,5}[a-z]".prop_map(Action::Open),
        text.prop_map(Action::Await),
        text.prop_map(Action::Stderr),
        prop::sample::select(Signal::ALL.as_slice()).prop_map(Action::Kill),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_rendered_reads_back(actions in prop::collection::vec(action(), 1..8)) {
        let rendered: String = actions.iter().map(render).collect();
        prop_assert_eq!(steps(&rendered), actions);
    }

    #[test]
    fn what_is_read_prints_back(
        actions in prop::collection::vec((action(), "(\n|# [ -~]{0,9}\n|  \n){0,3}"), 1..8),
        header in "(project: a\n)?(covers: a, b,\n \t c\n)?",
        trailing in "(\n|# x\n){0,2}",
    ) {
        let steps: String = actions.iter().map(|(action, above)| above.clone() + &render(action)).collect();
        let file = format!("# It shows.\n{header}---\n{steps}exit 0\n{trailing}");
        prop_assert_eq!(print(&read_ok(&file)), file);
    }

    #[test]
    fn a_rendered_header_reads_back(
        comment in prop::collection::vec("[!-~][ -~]{0,20}", 1..4),
        covers in prop::collection::btree_set("[a-z][a-z._-]{0,9}", 0..4),
        args in prop::collection::vec("[ -z]{0,9}", 0..4),
        replace: bool,
        deadline_ms in prop::option::of(1_u64..600_000),
        large: bool,
    ) {
        let mut given = Header { comment, covers: covers.into_iter().collect(), deadline_ms, large, ..Header::default() };
        if replace { given.arguments = Some(args) } else { given.args = args }
        given.source = render_header(&given);
        let file = format!("{}---\nexit 0\n", given.source);
        prop_assert_eq!(read_ok(&file).header, given);
    }

    #[test]
    fn spreading_changes_no_byte(message in json(), prefix in 0_usize..5) {
        let spread = pretty(&message, prefix);
        prop_assert_eq!(compact(&spread), message);
        prop_assert!(spread.lines().skip(1).all(|line| line.starts_with("    ")));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(# x\n)?(---\n)?([<>a-z~ {}\"\\\\:|#\n-]{0,60})") {
        if let Ok(conversation) = read(&text) {
            prop_assert_eq!(print(&conversation), text);
        }
    }
}
