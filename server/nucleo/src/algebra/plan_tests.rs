//! The index plan of `unir` and the product answer alike, errors and their places included.

use super::*;
use crate::valor::{Valor, parse};
use proptest::prelude::*;

fn run(tuberia: &Valor, evidencia: &Evidencia, indexed: bool) -> Result<Vec<Valor>, AlgebraError> {
    let limites = LimitesAlgebra::default();
    let cancellation = Cancellation::new();
    let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &SinEscalares };
    let pipeline = Pipeline::compile(tuberia, &contexto)?;
    let mut run = Run::new(evidencia, &contexto);
    run.indexed = indexed;
    run.pipeline(&pipeline).map(|testigos| testigos.first(usize::MAX))
}

/// Values that collide as keys, and some that no `==` takes.
fn value() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        12 => prop::sample::select(&["0", "1", "2", "-1", "9223372036854775808"]),
        3 => prop::sample::select(&["\"a\"", "\"b\"", "true", "false"]),
        1 => prop::sample::select(&["1.0", "0.5", "[1]", "{}", "\"1\""]),
    ]
}

fn rows() -> impl Strategy<Value = String> {
    let row = (prop::option::weighted(0.95, value()), value()).prop_map(|(k, v)| match k {
        Some(k) => format!("{{\"k\":{k},\"v\":{v}}}"),
        None => format!("{{\"v\":{v}}}"),
    });
    prop::collection::vec(row, 0..5).prop_map(|rows| format!("[{}]", rows.join(",")))
}

fn field() -> impl Strategy<Value = String> {
    (prop::sample::select(&["a", "b", "c"]), prop::sample::select(&["k", "v"]))
        .prop_map(|(alias, field)| format!("[\"campo\",\"{alias}\",\"{field}\"]"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_index_answers_what_the_product_answers(
        left in rows(), right in rows(), x in field(), y in field(), nested in any::<bool>(),
        operator in prop::sample::select(&["==", "==", "==", "!=", "<"]),
    ) {
        let inner = if nested { r#"["unir",["de","l","a"],["de","r","c"]]"# } else { r#"["de","l","a"]"# };
        let tuberia = format!(
            r#"["desde",["unir",{inner},["de","r","b"]],["donde",["{operator}",{x},{y}]]]"#
        );
        let evidencia = parse(&format!(r#"{{"l":{left},"r":{right}}}"#)).unwrap();
        let evidencia = Evidencia::from_valor(evidencia).unwrap();
        let tuberia = parse(&tuberia).unwrap();
        let (by_index, by_product) = (run(&tuberia, &evidencia, true), run(&tuberia, &evidencia, false));
        match (&by_index, &by_product) {
            // Which pair is named first may differ; that it is refused, as what and where, may not.
            (Err(one), Err(other)) => {
                prop_assert_eq!(std::mem::discriminant(&one.kind), std::mem::discriminant(&other.kind));
                prop_assert_eq!(&one.ruta, &other.ruta);
            }
            _ => prop_assert_eq!(by_index, by_product),
        }
    }
}

#[track_caller]
fn check_count(left: usize, right: usize, key: impl Fn(usize) -> usize, expect: Result<usize, &str>) {
    let relation = |count: usize| Valor::list((0..count).map(|i| Valor::map([("k", Valor::from(key(i)))])));
    let evidencia = Valor::map([("l", relation(left)), ("r", relation(right))]);
    let evidencia = Evidencia::from_valor(evidencia).unwrap();
    let tuberia = parse(
        r#"["desde",["unir",["de","l","a"],["de","r","b"]],["donde",["==",["campo","a","k"],["campo","b","k"]]]]"#,
    );
    let answer = run(&tuberia.unwrap(), &evidencia, true);
    match (answer, expect) {
        (Ok(rows), Ok(count)) => assert_eq!(rows.len(), count),
        (Err(AlgebraError { kind: AlgebraErrorKind::Limit { nombre, .. }, .. }), Err(limit)) => {
            assert_eq!(nombre, limit);
        }
        (answer, expect) => panic!("{answer:?} is not {expect:?}"),
    }
}

#[test]
fn only_pairs_that_are_kept_spend_the_budget() {
    check_count(3000, 3000, |i| i, Ok(3000));
    check_count(1000, 1000, |_| 1, Ok(1_000_000));
    check_count(1001, 1000, |_| 1, Err("producto_cartesiano"));
}
