//! Which targets a line of Markdown has, and which it only seems to have.

use super::line::referred;
use super::span::Spans;
use crate::tareas::tests::{column, one, rows};
use proptest::prelude::*;

const INCOMPLETE: &str = "sintaxis de enlace incompleta o multilínea no admitida";

#[track_caller]
fn check(line: &str, targets: &[&str], omitted: &[&str]) {
    let found = referred(line);
    assert_eq!((found.targets, found.omitted), (owned(targets), owned(omitted)), "{line}");
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn inline_links_give_their_targets_as_written() {
    for (line, target) in [
        ("[a](b)", "b"),
        ("![a](b)", "b"),
        ("x [ñ](á) y", "á"),
        ("[a]()", ""),
        ("[a]( )", ""),
        ("[a](<b c>)", "b c"),
        ("[a](<b\\>c> 'd')", "b\\>c"),
        ("[a](b \"c)d\")", "b"),
        ("[a](b 'c\\'d'\t)", "b"),
        ("[a](b(c)d)", "b(c)d"),
        ("[a](b(c d)e)", "b(c d)e"),
        ("[a](b\\)c)", "b\\)c"),
        ("[a](b\\ñ)", "b\\ñ"),
        ("[a\\]b](c)", "c"),
        ("[a`]`b](c)", "c"),
        ("\\![a](b)", "b"),
        ("\\\\[a](b)", "b"),
        ("[a[b](c)", "c"),
    ] {
        check(line, &[target], &[]);
    }
    check("[a](b)[c](d) <http://e>", &["b", "d", "http://e"], &[]);
}

#[test]
fn what_only_looks_like_a_link_is_none() {
    for line in [
        "[a] (b)",
        "\\[a](b)",
        "[a\\](b)",
        "`[a](b)`",
        "``[a](b)` c``",
        "[a]",
        "[]",
        "texto",
        "http://suelto",
        "<a>",
        "<http://>",
        "<http://a b>",
        "<http://a",
        "`<http://a>`",
        "\\`` [a] ``",
        "<ftp://a>",
    ] {
        let omitted: &[&str] = if line == "[a\\](b)" { &[INCOMPLETE] } else { &[] };
        check(line, &[], omitted);
    }
    // A backtick that a backslash escapes opens no code, and one inside code closes it.
    check("\\`[a](b)`", &["b"], &[]);
    check("`a\\`[b](c)", &["c"], &[]);
    check("``[a](b)`", &["b"], &[]);
    check("\\```[a](b)``", &[], &[]);
}

#[test]
fn what_cannot_be_read_is_told() {
    for line in ["[a](b", "[a](b c)", "[a](<b", "[a](b 'c)", "[a](b\\)", "[a", "[a](b'c' d)", "[a](<b>c)"] {
        check(line, &[], &[INCOMPLETE]);
    }
    // Where the first ends is unknown, so nothing behind it counts.
    check("[a](b [c](d) <http://e>", &[], &[INCOMPLETE]);
    check("[a][b]", &[], &["enlace por referencia no resuelto: [a][b]"]);
    check("![a][]", &[], &["enlace por referencia no resuelto: ![a][]"]);
    check("`[a][b]` \\[a][b] [c](d '[e][f]')", &["d"], &[]);
    check("[clave]: x", &[], &["definición de enlace por referencia no resuelta: [clave]: ..."]);
    check("   [a[b]:x", &[], &["definición de enlace por referencia no resuelta: [a[b]: ..."]);
    check("    [clave]: x", &[], &[]);
    check("[clave] : x", &[], &[]);
}

#[test]
fn notes_give_their_url() {
    for (line, target) in [
        ("- URL: http://a", "http://a"),
        ("  *\tURL\t:\tb (marca: 01:32)", "b"),
        ("- URL:a", "a"),
        ("- URL: <http://a>", "http://a"),
        ("- URL: <>", ""),
    ] {
        check(line, &[target], &[]);
    }
    for line in ["- url: a", "URL: a", "-URL: a", "- URL:", "- URL: \u{a0}", "- URL a"] {
        check(line, &[], &[]);
    }
    check("- URL: <http://a>x", &["<http://a>x"], &[]);
    check("- URL: [a](b)", &["[a](b)", "b"], &[]);
}

#[test]
fn autolinks_are_remote_whatever_their_case() {
    check("<HTTPS://a> <http://b#c>", &["HTTPS://a", "http://b#c"], &[]);
    check("<httpſ://a>", &["httpſ://a"], &[]);
    check("<http://a<http://b>", &["http://a<http://b"], &[]);
    check("<http://a <http://b>", &["http://b"], &[]);
}

/// Kinds and states of the targets of a document, by target.
fn states(body: &str) -> Vec<String> {
    let disk = one(body);
    disk.write("tareas/20260101-000000-uno/nota.md", "");
    disk.write("tareas/20260101-000000-uno/con espacio.md", "");
    disk.write("tareas/20260101-000000-uno/%41.md", "");
    disk.write("tareas/README.md", "");
    disk.link("tareas/20260101-000000-uno/enlace", "nota.md");
    let rows = rows(&disk, "referencia_seguimiento", false).unwrap();
    let kinds = column(&rows, "clase").into_iter().zip(column(&rows, "estado"));
    kinds.map(|(clase, estado)| format!("{clase} {estado}").replace('"', "")).collect()
}

#[test]
fn a_target_is_followed_step_by_step() {
    for (target, expected) in [
        ("nota.md", "local presente"),
        ("./nota.md#x", "local presente"),
        ("nota.md?a=1", "local presente"),
        ("", "local presente"),
        (".", "local presente"),
        ("../README.md", "local presente"),
        ("../../catalogos/", "local presente"),
        ("con%20espacio.md", "local presente"),
        ("%2541.md", "local presente"),
        ("%6eota.md", "local presente"),
        ("nota.md/", "local ausente"),
        ("nota.md/.", "local ausente"),
        ("nota.md/..", "local ausente"),
        ("nada", "local ausente"),
        ("nada/../nota.md", "local ausente"),
        ("%41.md", "local ausente"),
        ("%ff", "local ausente"),
        ("../../../x", "local fuera_del_proyecto"),
        ("/etc/hosts", "local fuera_del_proyecto"),
        ("enlace", "local no_comprobado"),
        ("enlace/x", "local no_comprobado"),
        ("#x", "ancla no_comprobado"),
        ("HTTP://x", "remota no_comprobado"),
        ("//x", "no_admitida no_comprobado"),
        ("%2f/x", "no_admitida no_comprobado"),
        ("mailto:x", "no_admitida no_comprobado"),
        ("%00", "no_admitida no_comprobado"),
        ("1a:b", "local ausente"),
    ] {
        assert_eq!(states(&format!("[x]({target})")), [expected], "{target}");
    }
}

#[test]
fn nothing_is_looked_for_inside_a_fence() {
    for (body, count) in [
        ("```\n[a](b)\n```\n[a](b)", 1),
        ("~~~ rust\n[a](b)\n```\n[a](b)\n~~~~\n[a](b)", 1),
        ("````\n```\n[a](b)", 0),
        ("```\n``` x\n[a](b)", 0),
        ("    ```\n[a](b)", 1),
        ("``\n[a](b)", 1),
    ] {
        assert_eq!(states(body).len(), count, "{body:?}");
    }
}

proptest! {
    #[test]
    fn no_line_breaks_the_reader(line in "[\\[\\]()!<>\\\\`\"' \tab:#ñhttp/URL-]{0,40}") {
        let found = referred(&line);
        for target in &found.targets {
            prop_assert!(line.contains(target.as_str()));
        }
    }

    #[test]
    fn code_lies_side_by_side(line in "[`\\\\a]{0,30}") {
        let spans = Spans::of_code(line.as_bytes());
        for at in 0..line.len() {
            if let Some(span) = spans.holding(at) {
                prop_assert!(span.contains(&at) && line.as_bytes()[span.start] == b'`' && line.as_bytes()[span.end - 1] == b'`');
            }
        }
    }
}

/// Each would take minutes if time grew with the square of the line.
#[test]
fn long_lines_take_linear_time() {
    for piece in ["[", "![", "[a", "`", "`a", "<http://a", "[a][", "[a](", "\\", "[\\", "]", "(", "[a]("] {
        let _read = referred(&piece.repeat(200_000 / piece.len()));
    }
}
