//! What is an id, an integer, a field, a record.

use super::super::documento::Tarea;
use super::super::text::{decimal, integer, lines};
use super::super::{Prefijo, Termino, is_tarea_id};
use proptest::prelude::*;

#[test]
fn ids_are_a_stamp_and_what_follows_a_dash() {
    for id in [
        "20260101-000000",
        "20260101-000000-a",
        "99999999-999999-a_b-0",
        "20260101-000000--",
        "20260101-000000-_",
    ] {
        assert!(is_tarea_id(id), "{id}");
    }
    for id in [
        "",
        "-",
        "20260101",
        "2026010-000000",
        "202601010-000000",
        "20260101-00000",
        "20260101-0000000",
        "20260101-000000-",
        "20260101-000000a",
        "20260101-000000_a",
        "20260101-000000-A",
        "20260101-000000-ñ",
        "20260101-000000-a b",
        "٢٠٢٦٠١٠١-000000",
        " 20260101-000000",
        "20260101-000000\n",
        "20260101_000000",
    ] {
        assert!(!is_tarea_id(id), "{id}");
    }
}

#[test]
fn what_is_asked_for_can_be_no_path() {
    for (text, expected) in [
        ("20260101", Some("20260101")),
        (" stock ", Some("stock")),
        ("\u{1f}a_b-C\u{3000}", Some("a_b-C")),
        ("0", Some("0")),
        ("", None),
        ("  ", None),
        (".", None),
        ("..", None),
        ("a/b", None),
        ("../a", None),
        ("-a", None),
        ("_a", None),
        ("a.b", None),
        ("ñ", None),
        ("a b", None),
        ("a\0", None),
        ("a\n", Some("a")),
        ("a\nb", None),
    ] {
        assert_eq!(Prefijo::parse(text).as_ref().map(Prefijo::as_str), expected, "{text:?}");
    }
    assert_eq!(Termino::parse(" \u{a0}\u{1c} "), None);
    assert_eq!(Termino::parse(" ÑA "), Termino::parse("ña"));
}

#[test]
fn a_prefix_or_the_whole_suffix_could_mean_a_task() {
    let means = |asked: &str| Prefijo::parse(asked).unwrap().could_mean("20260101-000000-stock-bajo");
    for asked in ["2", "20260101-0", "20260101-000000-stock-bajo", "stock-bajo"] {
        assert!(means(asked), "{asked}");
    }
    for asked in ["stock", "bajo", "STOCK-BAJO", "000000", "0260101", "20260101-000000-stock-bajo-2"] {
        assert!(!means(asked), "{asked}");
    }
    assert!(!Prefijo::parse("a").unwrap().could_mean("20260101-000000"));
}

#[test]
fn integers_take_digits_of_any_script() {
    for (text, expected) in [
        ("50", Some("50")),
        ("-3", Some("-3")),
        ("+7", Some("7")),
        ("007", Some("7")),
        ("1_000", Some("1000")),
        ("٣٤", Some("34")),
        ("1١", Some("11")),
        ("-٣", Some("-3")),
        ("-0", Some("0")),
        ("１２", Some("12")),
        ("99999999999999999999", Some("99999999999999999999")),
        ("", None),
        ("-", None),
        ("+", None),
        ("--1", None),
        ("+-1", None),
        ("1__0", None),
        ("_1", None),
        ("1_", None),
        ("- 1", None),
        ("1.0", None),
        ("1e3", None),
        ("0x1", None),
        ("½", None),
        ("²", None),
        ("a", None),
        ("1 2", None),
        ("一", None),
    ] {
        assert_eq!(integer(text).map(|value| value.to_string()).as_deref(), expected, "{text:?}");
    }
    assert!(integer(&"0".repeat(4300)).is_some());
    assert!(integer(&"0".repeat(4301)).is_none());
    assert!(integer(&format!("-{}", "9".repeat(4300))).is_some());
}

#[test]
fn decimal_digits_are_ten_in_a_row() {
    let count = ('\0'..=char::MAX).filter(|c| decimal(*c).is_some()).count();
    assert_eq!(count, 660);
    for (c, expected) in [
        ('0', Some(0)),
        ('9', Some(9)),
        ('/', None),
        (':', None),
        ('٩', Some(9)),
        ('\u{1fbf9}', Some(9)),
        ('\u{1fbfa}', None),
        ('a', None),
    ] {
        assert_eq!(decimal(c), expected, "{c:?}");
    }
}

#[test]
fn lines_end_in_every_way_there_is() {
    let text = "a\nb\r\nc\rd\u{b}e\u{c}f\u{1c}g\u{1d}h\u{1e}i\u{85}j\u{2028}k\u{2029}l\u{1f}m\n\n";
    assert_eq!(
        lines(text).collect::<Vec<_>>(),
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l\u{1f}m", ""]
    );
}

/// A record as `state priority labels closings more | body`, or why it is none.
fn read(text: &str) -> String {
    match Tarea::leer(text, "id", "ruta".to_owned()) {
        Ok(t) => format!(
            "{} {} {} {:?} {:?} {:?} | {}",
            t.titulo,
            t.estado.as_str(),
            t.prioridad,
            t.etiquetas,
            t.cierra_con,
            t.campos_adicionales,
            t.cuerpo
        ),
        Err(why) => why,
    }
}

#[test]
fn a_record_is_a_title_fields_and_a_body() {
    for (text, expected) in [
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n", r#"T ABIERTA 1 [] [] [] | "#),
        ("\n \n  # T  \n\n* estado : cerrada \n\t-\tPrioridad:٢\n\n\n x \n\n", r#"T CERRADA 2 [] [] [] | x"#),
        (
            "# T\r\n- ESTADO: abıerta\r\n- PRIORIDAD: 1\r\n- ETIQUETAS: a, ,B ,a\r\n\r\nx\r\ny",
            "T ABIERTA 1 [\"a\", \"B\", \"a\"] [] [] | x\ny",
        ),
        (
            "# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- cierra con: a.b, c.d ,a.b\n- Otro-1: a: b\n- x:\n",
            r#"T ABIERTA 1 [] ["a.b", "c.d"] [("Otro-1", "a: b"), ("x", "")] | "#,
        ),
        (
            "# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\nsuelto\n- ESTADO: y\n",
            "T ABIERTA 1 [] [] [] | suelto\n- ESTADO: y",
        ),
        (
            "# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- CIERRA  CON: a.b",
            "T ABIERTA 1 [] [] [] | - CIERRA  CON: a.b",
        ),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n-x: y", "T ABIERTA 1 [] [] [] | -x: y"),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- CIERRA CON:", "T ABIERTA 1 [] [] [] | "),
    ] {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_no_record_says_why() {
    for (text, part) in [
        ("", "vacío"),
        (" \n\u{2028}\u{1f}\n", "vacío"),
        ("texto", "título"),
        ("#T\n", "título"),
        ("## T\n", "título"),
        ("#\n", "título"),
        ("\u{feff}# T\n", "título"),
        ("# T", "ESTADO"),
        ("# T\n- PRIORIDAD: 1", "ESTADO"),
        ("# T\n- ESTADO: ABIERTA", "PRIORIDAD"),
        ("# T\n- ESTADO: ABIERTA\n\n- PRIORIDAD: 1", "PRIORIDAD"),
        ("# T\n- ESTADO: LISTA\n- PRIORIDAD: 1", "«LISTA»"),
        ("# T\n- ESTADO:\n- PRIORIDAD: 1", "ESTADO"),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: alta", "«alta»"),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- estado: CERRADA", "«estado» se repite"),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- x: 1\n- X: 2", "«X» se repite"),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- CIERRA CON: a.b,", "CIERRA CON"),
        ("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n- CIERRA CON: sin_punto", "«sin_punto»"),
    ] {
        assert!(read(text).contains(part), "{text:?}: {}", read(text));
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "[# \\-*a-zA-Z:,.\u{85}\u{2028}ñ١\n\r\t]{0,60}") {
        let _read = Tarea::leer(&text, "id", String::new());
    }

    #[test]
    fn a_body_is_kept_whole(body in "[a-z# \\[\\]():\n]{0,60}") {
        let text = format!("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: 1\n\n{body}");
        prop_assert_eq!(Tarea::leer(&text, "id", String::new()).unwrap().cuerpo, body.trim());
    }
}
