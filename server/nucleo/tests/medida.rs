//! What loads as a measure, what a judgement answers, and where an error says it is.

use nucleo::algebra::{
    AlgebraError, AlgebraErrorKind, Arity, Cancellation, Contexto, Escalares, EscalaresBase, Evidencia,
    LimitesAlgebra,
};
use nucleo::fallo::Fallo;
use nucleo::medida::{Estado, Medida, Requiere, Veredicto, is_medida_id};
use nucleo::valor::{Valor, parse};

/// Small budgets, so that tests reach them.
const LIMITES: LimitesAlgebra = LimitesAlgebra {
    filas_por_relacion: 4,
    producto_cartesiano: 6,
    profundidad_expresion: 3,
    expansiones_maximas: 16,
};

fn with_context<T>(body: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let cancellation = Cancellation::new();
    body(&Contexto { limites: &LIMITES, cancellation: &cancellation, escalares: &EscalaresBase })
}

/// A measure with the given pipeline steps after `de item a`, and what follows the threshold.
fn measure(steps: &str, rest: &str) -> String {
    format!(
        r#"["medida","demo.m",["desde",["de","item","a"]{steps}],["resumen","contar",1],["umbral","<=",0,"","tanteo"]{rest},["alcance","x"]]"#
    )
}

fn load(text: &str) -> Result<Medida, nucleo::medida::MedidaError> {
    with_context(|contexto| Medida::from_datos(&parse(text).unwrap(), contexto))
}

#[track_caller]
fn refused(text: &str, ruta: &[usize]) {
    let error = load(text).expect_err(text);
    assert_eq!(error.ruta, ruta, "{error}");
    assert_eq!(error.limit, None);
}

#[test]
fn the_outer_form_is_checked() {
    refused("1", &[]);
    refused("[]", &[]);
    refused(r#"["medida","demo.m"]"#, &[]);
    refused(&measure("", "").replace("\"medida\"", "\"medidas\""), &[]);
    refused(&measure("", r#",["ambito","universal"],["requiere","item"]"#), &[6]);
    refused(&measure("", r#",["otra"]"#), &[5]);
    refused(&measure("", r#",["otra"],["otra"],["otra"]"#), &[]);
    for id in ["demo", "demo.", ".m", "demo..m", "Demo.m", "demo.ñ", "demo.1m", "demo.m ", ""] {
        assert!(!is_medida_id(id), "{id}");
        refused(&measure("", "").replace("demo.m", id), &[1]);
    }
    assert!(is_medida_id("a.b_2.c"));
}

#[test]
fn a_refusal_names_the_id_that_could_be_read() {
    assert_eq!(load(&measure(",[1]", "")).unwrap_err().id.as_deref(), Some("demo.m"));
    assert_eq!(load("[1,2]").unwrap_err().id, None);
}

#[test]
fn the_pipeline_is_checked_where_it_stands() {
    let pipeline = |text: &str| measure("", "").replace(r#"["desde",["de","item","a"]]"#, text);
    refused(&pipeline("1"), &[2]);
    refused(&pipeline(r#"["desde"]"#), &[2]);
    refused(&pipeline(r#"["desde",["de","item"]]"#), &[2, 1]);
    refused(&pipeline(r#"["desde",["de","item"," "]]"#), &[2, 1, 2]);
    refused(&pipeline(r#"["desde",["de","\u001f","a"]]"#), &[2, 1, 1]);
    refused(&pipeline(r#"["desde",["unir",["de","item","a"],["sin"]]]"#), &[2, 1, 2]);
    refused(&measure(r#",["de","item","b"]"#, ""), &[2, 2]);
    refused(&measure(r#",["donde"]"#, ""), &[2, 2]);
    refused(&measure(r#",["donde",true],["donde",["campo","a",1]]"#, ""), &[2, 3, 1, 2]);
    refused(&measure(r#",["sin",["de","item","a"],true]"#, ""), &[2, 2, 1]);
    refused(&measure(r#",["sin",["unir",["de","item","b"],["de","item","c"]],true]"#, ""), &[2, 2, 1]);
    refused(&measure(r#",["agrupar",[["k"]],[]]"#, ""), &[2, 2, 1]);
    refused(&measure(r#",["agrupar",[["k",["y",true]]],[]]"#, ""), &[2, 2, 1, 0, 1]);
    refused(&measure(r#",["agrupar",[],[["t","mediana",1]]]"#, ""), &[2, 2, 2, 0, 1]);
    refused(&measure("", "").replace("contar", "mediana"), &[3, 1]);
}

#[test]
fn expressions_are_checked_where_they_stand() {
    let expression = |text: &str| measure(&format!(r#",["donde",{text}]"#), "");
    refused(&expression("[]"), &[2, 2, 1]);
    refused(&expression("{}"), &[2, 2, 1]);
    refused(&expression(r#"["nada",1]"#), &[2, 2, 1]);
    refused(&expression(r#"["==",1]"#), &[2, 2, 1]);
    refused(&expression(r#"["y",true]"#), &[2, 2, 1]);
    refused(&expression(r#"["no",true,true]"#), &[2, 2, 1]);
    refused(&expression(r#"["mas",1]"#), &[2, 2, 1]);
    refused(&expression(r#"["no",["==",1,["col",""]]]"#), &[2, 2, 1, 1, 2, 1]);
    assert!(load(&expression(r#"["<=",["cerca",1,2],3]"#)).is_ok());
}

#[test]
fn the_threshold_is_checked() {
    let threshold = |text: &str| measure("", "").replace(r#"["umbral","<=",0,"","tanteo"]"#, text);
    refused(&threshold(r#"["umbral","<=",0]"#), &[4]);
    refused(&threshold(r#"["umbral","=<",0,""]"#), &[4, 1]);
    refused(&threshold(r#"["umbral","<=",null,""]"#), &[4, 2]);
    refused(&threshold(r#"["umbral","<=",0,1]"#), &[4, 3]);
    refused(&threshold(r#"["umbral","<=",0,"","fe"]"#), &[4, 4]);
    refused(&threshold(r#"["umbral","<=",0,"",["tanteo"]]"#), &[4, 4]);
    let undeclared = load(&threshold(r#"["umbral","<=",0,""]"#)).unwrap();
    assert_eq!(&*undeclared.umbral().segun, "sin_declarar");
    // An equality with a float loads: it is refused when something is compared.
    assert!(load(&threshold(r#"["umbral","==",0.5,""]"#)).is_ok());
}

#[test]
fn scope_and_blind_spots_are_checked() {
    refused(&measure("", r#",["ambito"]"#), &[5]);
    refused(&measure("", r#",["ambito","mundial"]"#), &[5, 1]);
    refused(&measure("", r#",["requiere","item"],["ambito",null]"#), &[6, 1]);
    refused(&measure("", "").replace(r#"["alcance","x"]"#, r#"["alcance"," "]"#), &[5]);
    let undeclared = load(&measure("", r#",["ambito","sin_declarar"]"#)).unwrap();
    assert_eq!(undeclared.datos().to_compact(), measure("", ""));
}

#[test]
fn requirements_are_checked() {
    let requires = |entries: &str| measure("", &format!(r#",["requiere",{entries}]"#));
    refused(&requires("\" \""), &[5, 1]);
    refused(&requires("\"item\",1"), &[5, 2]);
    refused(&requires("\"item\",\"item\""), &[5, 2]);
    refused(&requires(r#"["filas","item","x"]"#), &[5, 1]);
    refused(&requires(r#"["filas","Item","x",true]"#), &[5, 1, 1]);
    refused(&requires(r#"["filas","item","x y",true]"#), &[5, 1, 2]);
    refused(&requires(r#"["filas","item","x",1]"#), &[5, 1, 3]);
    refused(&requires(r#"["filas","item","x",["campo","x","n"]]"#), &[5, 1, 3]);
    refused(&requires(r#"["filas","item","x",["==",["campo","y","n"],1]]"#), &[5, 1, 3, 1, 1]);
    refused(&requires(r#"["filas","item","x",["==",1,["col","n"]]]"#), &[5, 1, 3, 2]);
    refused(&requires(r#""item",["filas","item","x",true]"#), &[5, 2]);
    // A function may give anything: what it gives is compared, wherever it stands.
    let call = r#"["contiene",["campo","x","t"],"a"]"#;
    refused(&requires(&format!(r#"["filas","item","x",{call}]"#)), &[5, 1, 3]);
    refused(&requires(&format!(r#"["filas","item","x",["y",true,["no",{call}]]]"#)), &[5, 1, 3]);
    assert!(load(&requires(&format!(r#"["filas","item","x",["no",["==",{call},true]]]"#))).is_ok());
    let medida = load(&requires(r#""item",["filas","otra","x",["no",true]]"#)).unwrap();
    let relations: Vec<_> = medida.requiere().iter().map(Requiere::relacion).collect();
    assert_eq!(relations, [&"item".into(), &"otra".into()]);
}

#[test]
fn an_expression_too_deep_is_a_limit() {
    let deep = |n: usize| "[\"no\",".repeat(n) + "true" + &"]".repeat(n);
    assert!(load(&measure(&format!(r#",["donde",{}]"#, deep(3)), "")).is_ok());
    let error = load(&measure(&format!(r#",["donde",{}]"#, deep(9)), "")).unwrap_err();
    let limit = error.limit.clone().unwrap();
    assert_eq!((limit.nombre, &*limit.valor, limit.limite), ("profundidad_expresion", "9", 3));
    assert_eq!(
        Fallo::from(error),
        Fallo::LimiteDeAlgebra { nombre: "profundidad_expresion", valor: "9".to_owned(), limite: 3 }
    );
}

#[test]
fn access_to_data_is_a_leaf_for_the_limit_and_for_what_it_says() {
    for leaf in [r#"["campo","a","x"]"#, r#"["hecho","a"]"#, r#"["col","x"]"#] {
        let deep = |n: usize| "[\"no\",".repeat(n) + leaf + &"]".repeat(n);
        assert!(load(&measure(&format!(r#",["donde",{}]"#, deep(3)), "")).is_ok(), "{leaf}");
        let error = load(&measure(&format!(r#",["donde",{}]"#, deep(4)), "")).unwrap_err();
        assert_eq!(&*error.limit.unwrap().valor, "4", "{leaf}");
    }
}

#[test]
fn relations_are_named_once_in_order() {
    let text = r#"["medida","demo.m",["desde",["unir",["unir",["de","b","x"],["de","a","y"]],["de","b","z"]],["sin",["de","c","s"],true],["sin",["de","a","t"],true]],["resumen","contar",1],["umbral","<=",0,""],["alcance","x"]]"#;
    let medida = load(text).unwrap();
    assert_eq!(medida.relaciones().iter().map(|r| &**r).collect::<Vec<_>>(), ["b", "a", "c"]);
}

fn judge(medida: &str, evidencia: &str) -> Result<Veredicto, AlgebraError> {
    with_context(|contexto| {
        let medida = Medida::from_datos(&parse(medida).unwrap(), contexto).unwrap();
        medida.evaluar(&Evidencia::from_valor(parse(evidencia).unwrap())?, contexto)
    })
}

#[track_caller]
fn fails(medida: &str, evidencia: &str, kind: &str, ruta: Option<&[usize]>) {
    let error = judge(medida, evidencia).expect_err("it should fail");
    let found = match &error.kind {
        AlgebraErrorKind::Contract(_) => "contract".to_owned(),
        AlgebraErrorKind::Limit { nombre, valor, limite } => format!("{nombre} {valor} {limite}"),
        AlgebraErrorKind::Evidence { relacion, indice, .. } => format!("{relacion} {indice:?}"),
        AlgebraErrorKind::Cancelled => "cancelled".to_owned(),
    };
    assert_eq!((&*found, error.ruta.as_deref()), (kind, ruta), "{error}");
}

#[test]
fn all_the_evidence_is_checked_before_anything() {
    let plain = measure("", r#",["requiere","falta"]"#);
    fails(&plain, r#"{"item":[],"otra":[{"a":1},{"b":null}]}"#, "otra Some(1)", None);
    fails(&plain, r#"{"otra":{}}"#, "otra None", None);
    fails(&plain, r#"{"otra":[{},1]}"#, "otra Some(1)", None);
    fails(&plain, "[]", " None", None);
    fails(&plain, r#"{"otra":[{},{},{},{},{}]}"#, "filas_por_relacion 5 4", None);
    // Nested values are facts: only comparing them is refused.
    assert!(judge(&measure("", ""), r#"{"item":[{"a":[null],"b":{"c":null}}]}"#).is_ok());
}

#[test]
fn a_declared_key_identifies_rows() {
    let plain = measure("", "");
    let keyed = |head: &str, rows: &str| format!(r#"{{"item":[{head},{rows}]}}"#);
    for head in [
        r#"["clave"]"#,
        r#"["clave",[]]"#,
        r#"["clave",["a"],1]"#,
        r#"["clave",[1]]"#,
        r#"["clave",["a","a"]]"#,
    ] {
        fails(&plain, &keyed(head, "{\"a\":1}"), "item None", None);
    }
    let key = r#"["clave",["a","b"]]"#;
    fails(&plain, &keyed(key, r#"{"a":1,"b":1},{"a":1}"#), "item Some(1)", None);
    fails(&plain, &keyed(key, r#"{"a":1,"b":[]}"#), "item Some(0)", None);
    fails(&plain, &keyed(key, r#"{"a":1,"b":0},{"a":2,"b":0},{"a":true,"b":-0.0}"#), "item Some(2)", None);
    let kept = judge(&plain, &keyed(key, r#"{"a":1,"b":0},{"a":2,"b":0},{"a":"1","b":0}"#)).unwrap();
    assert_eq!(kept.testigos.len(), 3);
}

#[test]
fn every_requirement_is_evaluated_before_one_decides() {
    let medida = measure("", r#",["requiere","falta",["filas","item","x",["==",["campo","x","n"],1]]]"#);
    fails(&medida, r#"{"item":[{"n":1},{"m":1}]}"#, "contract", Some(&[5, 2, 3]));
    let missing = judge(&medida, r#"{"item":[{"n":2}]}"#).unwrap();
    assert_eq!(missing.estado.as_str(), "sin_evidencia");
    assert!(matches!(&missing.estado, Estado::SinEvidencia { falta } if &**falta.relacion() == "falta"));
    assert_eq!((missing.valor, missing.testigos.len()), (Valor::from(0i64), 0));
    let second = judge(&medida, r#"{"falta":[{}],"item":[{"n":2}]}"#).unwrap();
    assert!(matches!(&second.estado, Estado::SinEvidencia { falta } if &**falta.relacion() == "item"));
    assert_eq!(judge(&medida, r#"{"falta":[{}],"item":[{"n":2},{"n":1}]}"#).unwrap().estado, Estado::Rojo);
}

#[test]
fn an_error_says_where_in_the_measure() {
    let rows = r#"{"item":[{"n":1}],"otra":[{"n":1}]}"#;
    fails(&measure("", ""), "{}", "contract", Some(&[2, 1]));
    fails(&measure(r#",["donde",1]"#, ""), rows, "contract", Some(&[2, 2, 1]));
    fails(
        &measure(r#",["donde",["no",["y",true,["==",["campo","a","m"],1]]]]"#, ""),
        rows,
        "contract",
        Some(&[2, 2, 1, 1, 2]),
    );
    fails(&measure(r#",["donde",["campo","z","n"]]"#, ""), rows, "contract", Some(&[2, 2, 1]));
    fails(&measure(r#",["sin",["de","nada","s"],true]"#, ""), rows, "contract", Some(&[2, 2, 1]));
    fails(&measure(r#",["sin",["de","otra","s"],1]"#, ""), rows, "contract", Some(&[2, 2, 2]));
    fails(&measure(r#",["agrupar",[["k",["hecho","a"]]],[]]"#, ""), rows, "contract", Some(&[2, 2, 1, 0, 1]));
    fails(
        &measure(r#",["agrupar",[],[["t","suma",["campo","a","z"]]]]"#, ""),
        rows,
        "contract",
        Some(&[2, 2, 2, 0, 2]),
    );
    let sum = measure("", "").replace(r#"["resumen","contar",1]"#, r#"["resumen","suma",["campo","a","z"]]"#);
    fails(&sum, rows, "contract", Some(&[3, 2]));
    fails(&measure("", "").replace(r#""<=",0"#, r#""<=","a""#), rows, "contract", Some(&[4]));
}

#[test]
fn products_are_bounded() {
    let pairs = r#"["unir",["de","item","a"],["de","otra","b"]]"#;
    let medida = measure("", "").replace(r#"["de","item","a"]"#, pairs);
    let rows = |n: usize| vec!["{}"; n].join(",");
    let evidence = |n: usize, m: usize| format!(r#"{{"item":[{}],"otra":[{}]}}"#, rows(n), rows(m));
    assert_eq!(judge(&medida, &evidence(3, 2)).unwrap().testigos.len(), 6);
    fails(&medida, &evidence(4, 2), "producto_cartesiano 8 6", Some(&[2, 1]));
    let without = measure(r#",["sin",["de","otra","s"],false]"#, "");
    assert_eq!(judge(&without, &evidence(3, 2)).unwrap().testigos.len(), 3);
    fails(&without, &evidence(4, 2), "producto_cartesiano 8 6", Some(&[2, 2]));
}

#[test]
fn witnesses_are_the_final_rows() {
    #[track_caller]
    fn check(steps: &str, expect: &str) {
        let evidencia = r#"{"item":[{"n":1,"t":"a"},{"n":2,"t":"a"}],"otra":[{"m":1}]}"#;
        let source = r#"["unir",["de","otra","o"],["de","item","a"]]"#;
        let medida = measure(steps, "").replace(r#"["de","item","a"]"#, source);
        let veredicto = judge(&medida, evidencia).unwrap();
        assert_eq!(Valor::List(veredicto.testigos.first(5)).to_compact(), expect);
    }
    check("", r#"[{"o":{"m":1},"a":{"n":1,"t":"a"}},{"o":{"m":1},"a":{"n":2,"t":"a"}}]"#);
    check(r#",["donde",[">",["campo","a","n"],1]]"#, r#"[{"o":{"m":1},"a":{"n":2,"t":"a"}}]"#);
    check(
        r#",["sin",["de","otra","s"],["==",["campo","s","m"],["campo","a","n"]]]"#,
        r#"[{"o":{"m":1},"a":{"n":2,"t":"a"}}]"#,
    );
    // A repeated column keeps its first place and its last value.
    check(
        r#",["agrupar",[["t",["campo","a","t"]],["x",["campo","a","z"]]],[["t","suma",["campo","a","n"]]]]"#,
        r#"[{"_":{"t":3,"x":null}}]"#,
    );
    check(r#",["agrupar",[],[]]"#, r#"[{"_":{}}]"#);
}

#[test]
fn columns_are_read_by_name_or_under_their_alias() {
    let group = r#",["agrupar",[["t",["campo","a","t"]]],[["n","contar",1]]]"#;
    let rows = r#"{"item":[{"t":"a"},{"t":"a"},{"t":"b"}]}"#;
    for access in [r#"["col","n"]"#, r#"["campo","_","n"]"#] {
        let step = format!(r#"{group},["donde",[">",{access},1]]"#);
        assert_eq!(judge(&measure(&step, ""), rows).unwrap().testigos.len(), 1);
    }
    fails(
        &measure(&format!(r#"{group},["donde",["==",["col","z"],1]]"#), ""),
        rows,
        "contract",
        Some(&[2, 3, 1]),
    );
    fails(
        &measure(&format!(r#"{group},["donde",["==",["campo","a","t"],1]]"#), ""),
        rows,
        "contract",
        Some(&[2, 3, 1, 1]),
    );
}

#[test]
fn a_cancelled_call_stops() {
    let cancellation = Cancellation::new();
    let contexto = Contexto { limites: &LIMITES, cancellation: &cancellation, escalares: &EscalaresBase };
    let medida = Medida::from_datos(&parse(&measure("", "")).unwrap(), &contexto).unwrap();
    let evidencia = Evidencia::from_valor(parse(r#"{"item":[{"n":1}]}"#).unwrap()).unwrap();
    assert!(medida.evaluar(&evidencia, &contexto).is_ok());
    cancellation.clone().cancel();
    let error = medida.evaluar(&evidencia, &contexto).unwrap_err();
    assert_eq!(error.kind, AlgebraErrorKind::Cancelled);
    assert_eq!(Fallo::from(error), Fallo::Cancelado);
}

#[test]
fn bags_of_witnesses_are_compared_by_value() {
    let bag = |rows: &str| judge(&measure("", ""), &format!(r#"{{"item":{rows}}}"#)).unwrap().testigos;
    #[track_caller]
    fn check(one: &nucleo::algebra::Testigos, other: &nucleo::algebra::Testigos, same: bool) {
        assert_eq!(one.same_bag(other), same);
    }
    check(&bag(r#"[{"a":1,"b":2},{"a":3}]"#), &bag(r#"[{"a":3.0},{"b":2,"a":true}]"#), true);
    check(&bag(r#"[{"a":1},{"a":1}]"#), &bag(r#"[{"a":1}]"#), false);
    check(&bag(r#"[{"a":1},{"a":1},{"a":2}]"#), &bag(r#"[{"a":1},{"a":2},{"a":2}]"#), false);
    check(&bag("[]"), &bag("[]"), true);
}

/// A scalar function that asks to stop the first time it is called, and counts its calls.
struct StopsAtOnce {
    cancellation: Cancellation,
    calls: std::sync::atomic::AtomicUsize,
}

impl Escalares for StopsAtOnce {
    fn arity(&self, nombre: &str) -> Option<Arity> {
        (nombre == "f").then_some(Arity::exactly(0))
    }

    fn call(&self, _nombre: &str, _args: &[Valor]) -> Result<Valor, String> {
        self.calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.cancellation.cancel();
        Ok(Valor::Bool(true))
    }
}

#[test]
fn every_loop_over_rows_stops_soon() {
    let source = r#"["unir",["de","item","a"],["de","item","b"]]"#;
    for medida in [
        measure(r#",["donde",["f"]]"#, ""),
        measure(r#",["donde",["f"]]"#, "").replace(r#"["de","item","a"]"#, source),
        measure(r#",["sin",["de","item","s"],["f"]]"#, ""),
        measure(r#",["agrupar",[["k",["f"]]],[]]"#, ""),
        measure(r#",["agrupar",[],[["k","suma",["f"]]]]"#, ""),
        measure("", "").replace(r#""contar",1"#, r#""suma",["f"]"#),
        measure("", r#",["requiere",["filas","item","x",["==",["f"],true]]]"#),
    ] {
        let cancellation = Cancellation::new();
        let escalares = StopsAtOnce { cancellation: cancellation.clone(), calls: 0.into() };
        let limites = LimitesAlgebra { producto_cartesiano: 25_000_000, ..LimitesAlgebra::default() };
        let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &escalares };
        let rows = Valor::list(vec![Valor::Map(Default::default()); 5000]);
        let evidencia = Evidencia::from_valor(Valor::map([("item", rows)])).unwrap();
        let medida = Medida::from_datos(&parse(&medida).unwrap(), &contexto).unwrap();
        let error = medida.evaluar(&evidencia, &contexto).unwrap_err();
        assert_eq!(error.kind, AlgebraErrorKind::Cancelled);
        assert!(escalares.calls.into_inner() <= 1024, "{:?}", medida.datos().to_compact());
    }
}
