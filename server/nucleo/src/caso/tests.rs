use super::*;
use crate::forma;
use crate::valor::parse;

const TEXT: &str = r#"caso 001-sin-stock:
    fecha: "2026-01-02"
    origen:
        tipo: "construido"
        estado: [1, {"a": 2.0}]
        otro: null
    procedencia: construida
    titulo: "ñandú"
    etiqueta: falso_verde
    espera: sin_evidencia
    sintoma:
        una línea
        
          otra
    como_se_detecto: persona
    medida: tienda.stock
    evidencia:
        producto: clave(id, n); id, n
            "a", 1
            "b", -2.5
        vacia:
        suelta:
            fila {"a": 1}
            fila {"b": [true, null]}
    leccion:
        fin
"#;

#[track_caller]
fn refused(from: &str, to: &str, line: usize, column: usize) {
    assert!(TEXT.contains(from), "{from:?}");
    let error = leer(&TEXT.replacen(from, to, 1)).unwrap_err();
    assert_eq!((error.linea, error.columna), (line, column), "{error}");
}

#[test]
fn a_case_reads_and_prints() {
    let read = leer(TEXT).unwrap();
    assert_eq!(imprimir(&read).unwrap(), TEXT);
    let case = forma::leer_caso(TEXT).unwrap();
    assert_eq!(case.medida(), Some("tienda.stock"));
    assert_eq!(case.espera(), Espera::SinEvidencia);
    assert_eq!(
        case.evidencia().unwrap().to_compact(),
        concat!(
            r#"{"producto":[["clave",["id","n"]],{"id":"a","n":1},{"id":"b","n":-2.5}],"vacia":[],"#,
            r#""suelta":[{"a":1},{"b":[true,null]}]}"#
        )
    );
    let prose = case.datos().as_map().unwrap().get("sintoma").unwrap().as_str();
    assert_eq!(prose, Some("una línea\n\n  otra"));
}

#[test]
fn each_fault_of_the_text_stands_at_its_place() {
    refused("caso 001", "caso  x 001", 1, 1);
    refused("caso 001-sin-stock", "caso sin-stock", 1, 6);
    refused("    fecha: \"2026-01-02\"\n", "", 2, 5);
    refused("fecha: \"", "fecha:\"", 2, 11);
    refused("2026-01-02\"", "2026-01-02", 2, 12);
    refused("2026-01-02\"", "2026-01-02\" x", 2, 24);
    refused("origen:\n", "origen: x\n", 3, 13);
    refused("tipo: ", "tipo:", 4, 14);
    refused("tipo: \"construido\"", "tipo", 4, 9);
    refused("otro: null", "tipo: null", 6, 9);
    refused("construida\n", "Construida\n", 7, 18);
    refused("falso_verde", "falso", 9, 15);
    refused("sin_evidencia", "verde", 10, 13);
    refused("sintoma:\n", "sintoma:\n\n", 12, 1);
    refused("persona", "nadie", 15, 22);
    refused("evidencia:\n", "evidencia: x\n", 17, 16);
    refused("        producto", "            producto", 18, 13);
    refused("producto: clave", "producto clave", 18, 9);
    refused("clave(id, n)", "clave(id n)", 18, 28);
    refused("clave(id, n)", "clave()", 18, 25);
    refused("clave(id, n);", "clave(id, n)", 18, 32);
    refused("; id, n", "; id n", 18, 36);
    refused("; id, n", "; id, id", 18, 18);
    refused("\"a\", 1", "\"a\"", 19, 13);
    refused("\"a\", 1", "\"a\" 1", 19, 17);
    refused("\"a\", 1", "fila {}", 19, 13);
    refused("\"a\", 1", "\"a\", NaN", 19, 18);
    refused("            \"a\", 1\n            \"b\", -2.5\n", "", 18, 18);
    refused("vacia:", "producto:", 21, 9);
    refused("fila {\"a\": 1}", "1", 23, 13);
    refused("fila {\"a\": 1}", "fila 1", 23, 18);
    refused("fila {\"a\": 1}", "fila {} x", 23, 20);
    refused("        fin\n", "        fin\n\n    otra: 1\n", 28, 5);
    refused("    leccion:\n        fin\n", "", 25, 1);
}

#[test]
fn what_is_read_but_written_otherwise_has_no_form() {
    for (from, to) in [
        ("producto: clave", "producto : clave"),
        ("\"a\", 1", "\"a\",1"),
        (
            "        tipo: \"construido\"\n        estado: [1, {\"a\": 2.0}]",
            "        estado: [1, {\"a\": 2.0}]\n        tipo: \"construido\"",
        ),
        ("fila {\"b\": [true, null]}", "fila {\"a\": 2}"),
        ("    medida", "\n    medida"),
        ("2.0", "2.00"),
    ] {
        let text = TEXT.replacen(from, to, 1);
        assert_ne!(text, TEXT);
        assert!(matches!(forma::leer_caso(&text), Err(forma::TextError::Forma(_))), "{to}");
    }
}

#[test]
fn loading_asks_for_a_map_an_id_and_a_possible_expectation() {
    let load = |text: &str| Caso::from_datos(parse(text).unwrap());
    assert_eq!(load(r#"{"id":"1"}"#).unwrap().espera(), Espera::Rojo);
    assert_eq!(load(r#"{"id":"a-1","etiqueta":"verde_correcto","x":1}"#).unwrap().espera(), Espera::Verde);
    assert_eq!(load(r#"{"id":"1","espera":"sin_evidencia"}"#).unwrap().espera(), Espera::SinEvidencia);
    for text in [
        "[]",
        "{}",
        r#"{"id":1}"#,
        r#"{"id":"a"}"#,
        r#"{"id":"1--a"}"#,
        r#"{"id":"-1"}"#,
        r#"{"id":"1-A"}"#,
        r#"{"id":"1","espera":"verde"}"#,
        r#"{"id":"1","espera":null}"#,
        r#"{"id":"1","espera":"sin_evidencia","etiqueta":"verde_correcto"}"#,
    ] {
        assert!(load(text).is_err(), "{text}");
    }
}

#[test]
fn printing_refuses_what_it_would_lose() {
    let refused = |name: &str, value: &str| {
        let mut datos = leer(TEXT).unwrap();
        let Valor::Map(members) = &mut datos else { panic!("a case is a map") };
        members.insert(name.into(), parse(value).unwrap());
        assert!(imprimir(&datos).is_err(), "{name}: {value}");
    };
    refused("nota", "1");
    refused("id", "\"sin-numero\"");
    refused("sintoma", "\"# no\"");
    refused("sintoma", "\"a\u{2028}b\"");
    refused("medida", "1");
    refused("etiqueta", "\"otra\"");
    refused("etiqueta", "\"verde_correcto\"");
    refused("origen", "{}");
    refused("evidencia", "{}");
    refused("evidencia", r#"{"a":[1]}"#);
    refused("evidencia", r#"{"a":{}}"#);
    refused("evidencia", r#"{"a:b":[]}"#);
    refused("evidencia", r#"{"a":[["clave",[]],{"x":1}]}"#);
    refused("evidencia", r#"{"a":[["clave",["x y"]],{"x":1}]}"#);
    refused("evidencia", r#"{"a":[{"clave(x)":1}]}"#);
}
