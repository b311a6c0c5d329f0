//! Laws of the algebra over generated measures and evidence.

use nucleo::algebra::{AlgebraErrorKind, Cancellation, Contexto, Evidencia, LimitesAlgebra, SinEscalares};
use nucleo::medida::{Estado, Medida, Veredicto};
use nucleo::valor::{Valor, parse};
use proptest::prelude::*;

fn with_context<T>(body: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let limites = LimitesAlgebra::default();
    let cancellation = Cancellation::new();
    body(&Contexto { limites: &limites, cancellation: &cancellation, escalares: &SinEscalares })
}

fn measure(source: &str, steps: &[String], summary: &str) -> String {
    let steps: String = steps.iter().map(|step| format!(",{step}")).collect();
    format!(
        r#"["medida","demo.ley",["desde",{source}{steps}],{summary},["umbral","<=",2,"","tanteo"],["alcance","x"]]"#
    )
}

/// The verdict, or which kind of error it was.
fn judge(medida: &str, evidencia: &str) -> Result<Veredicto, std::mem::Discriminant<AlgebraErrorKind>> {
    with_context(|contexto| {
        let medida = Medida::from_datos(&parse(medida).unwrap(), contexto).unwrap();
        let evidencia = Evidencia::from_valor(parse(evidencia).unwrap()).unwrap();
        medida.evaluar(&evidencia, contexto).map_err(|error| std::mem::discriminant(&error.kind))
    })
}

fn count(source: &str, steps: &[String], evidencia: &str) -> Option<usize> {
    let medida = measure(source, steps, r#"["resumen","contar",1]"#);
    let veredicto = judge(&medida, evidencia).ok()?;
    assert_eq!(veredicto.valor, Valor::from(veredicto.testigos.len()));
    Some(veredicto.testigos.len())
}

fn row() -> impl Strategy<Value = String> {
    let number = prop::sample::select(&["-2", "0", "1", "2", "3", "18446744073709551616"]);
    let text = prop::sample::select(&["\"a\"", "\"b\"", "\"ñ\""]);
    (number, text, any::<bool>(), prop::bool::weighted(0.02)).prop_map(|(n, t, b, lacks)| {
        if lacks { format!("{{\"t\":{t}}}") } else { format!("{{\"n\":{n},\"t\":{t},\"b\":{b}}}") }
    })
}

fn rows() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(row(), 0..7)
}

/// The same facts in another order, each with its members in the opposite one.
fn mixed_up(rows: &[String], mixed: u64) -> Vec<String> {
    let turned = |row: &String| {
        let members = row.trim_matches(['{', '}']).split(',').rev().collect::<Vec<_>>();
        format!("{{{}}}", members.join(","))
    };
    let mut found: Vec<String> = rows.iter().map(turned).collect();
    let mut state = mixed;
    for i in (1..found.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        found.swap(i, (state >> 33) as usize % (i + 1));
    }
    found
}

fn relation(rows: &[String]) -> String {
    format!("[{}]", rows.join(","))
}

fn evidence(left: &[String], right: &[String]) -> String {
    format!(r#"{{"l":{},"r":{}}}"#, relation(left), relation(right))
}

fn condition(aliases: &'static [&'static str]) -> impl Strategy<Value = String> {
    let operator = prop::sample::select(&["==", "!=", "<", "<=", ">", ">="]);
    let leaf = (prop::sample::select(aliases), prop::sample::select(aliases), 0..4usize, operator).prop_map(
        |(a, b, kind, operator)| match kind {
            0 => format!(r#"["{operator}",["campo","{a}","n"],1]"#),
            1 => format!(r#"["{operator}",["campo","{a}","t"],"b"]"#),
            2 => format!(r#"["{operator}",["campo","{a}","n"],["campo","{b}","n"]]"#),
            _ => format!(r#"["{operator}",["campo","{a}","b"],true]"#),
        },
    );
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|x| format!(r#"["no",{x}]"#)),
            (prop::sample::select(&["y", "o"]), prop::collection::vec(inner, 2..4))
                .prop_map(|(head, operands)| format!(r#"["{head}",{}]"#, operands.join(","))),
        ]
    })
}

fn where_step(aliases: &'static [&'static str]) -> impl Strategy<Value = String> {
    condition(aliases).prop_map(|condition| format!(r#"["donde",{condition}]"#))
}

fn without_step() -> impl Strategy<Value = String> {
    condition(&["a", "s"]).prop_map(|condition| format!(r#"["sin",["de","r","s"],{condition}]"#))
}

const DE: &str = r#"["de","l","a"]"#;
const UNIR: &str = r#"["unir",["de","l","a"],["de","r","b"]]"#;
const RINU: &str = r#"["unir",["de","r","b"],["de","l","a"]]"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_filter_never_adds_rows(left in rows(), right in rows(), step in prop_oneof![where_step(&["a"]), without_step()]) {
        let evidencia = evidence(&left, &right);
        if let Some(kept) = count(DE, std::slice::from_ref(&step), &evidencia) {
            prop_assert!(kept <= left.len());
            // Applied again it changes nothing.
            prop_assert_eq!(count(DE, &[step.clone(), step], &evidencia), Some(kept));
        }
    }

    #[test]
    fn filters_compose(left in rows(), x in condition(&["a"]), y in condition(&["a"])) {
        let evidencia = evidence(&left, &[]);
        let both = [format!(r#"["donde",["y",{x},{y}]]"#)];
        let one_by_one = [format!(r#"["donde",{x}]"#), format!(r#"["donde",{y}]"#)];
        if let Some(kept) = count(DE, &both, &evidencia) {
            prop_assert_eq!(count(DE, &one_by_one, &evidencia), Some(kept));
        }
    }

    #[test]
    fn unir_commutes_up_to_the_order_of_witnesses(
        left in rows(), right in rows(), steps in prop::collection::vec(where_step(&["a", "b"]), 0..3),
    ) {
        let summary = r#"["resumen","suma",["campo","a","n"]]"#;
        let evidencia = evidence(&left, &right);
        let one = judge(&measure(UNIR, &steps, summary), &evidencia);
        let other = judge(&measure(RINU, &steps, summary), &evidencia);
        match (one, other) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!(one.estado, other.estado);
                prop_assert_eq!(one.valor, other.valor);
                prop_assert!(one.testigos.same_bag(&other.testigos));
            }
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    #[test]
    fn the_order_of_rows_changes_no_verdict(
        left in rows(), right in rows(), steps in prop::collection::vec(where_step(&["a"]), 0..2),
        grouped in any::<bool>(), aggregate in prop::sample::select(&["contar", "max", "min", "suma", "promedio"]),
    ) {
        let mut steps = steps;
        let expression = if grouped {
            steps.push(r#"["agrupar",[["t",["campo","a","t"]]],[["v","suma",["campo","a","n"]]]]"#.to_owned());
            r#"["col","v"]"#
        } else {
            r#"["campo","a","n"]"#
        };
        let medida = measure(DE, &steps, &format!(r#"["resumen","{aggregate}",{expression}]"#));
        let mut reversed = left.clone();
        reversed.reverse();
        match (judge(&medida, &evidence(&left, &right)), judge(&medida, &evidence(&reversed, &right))) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!(one.estado, other.estado);
                prop_assert_eq!(one.valor, other.valor);
                prop_assert!(one.testigos.same_bag(&other.testigos));
            }
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    /// Rows of both relations in any order, and members of each row in any order.
    #[test]
    fn no_order_of_facts_changes_a_verdict(
        (left, right) in (rows(), rows()), mixed in any::<u64>(), pairs in any::<bool>(),
        steps in prop::collection::vec(where_step(&["a"]), 0..2), without in prop::option::of(without_step()),
        requires in prop::option::of(condition(&["x"])), summary in prop::sample::select(&["contar", "max", "min", "suma"]),
    ) {
        let steps: Vec<String> = steps.into_iter().chain(without).collect();
        let source = if pairs { UNIR } else { DE };
        let summary = format!(r#"["resumen","{summary}",["campo","a","n"]]"#);
        let requires = requires.map_or(String::new(), |x| format!(r#"["requiere",["filas","r","x",{x}]],"#));
        let medida = measure(source, &steps, &summary).replace(r#"["alcance""#, &format!(r#"{requires}["alcance""#));
        let (other_left, other_right) = (mixed_up(&left, mixed), mixed_up(&right, mixed.rotate_left(17)));
        match (judge(&medida, &evidence(&left, &right)), judge(&medida, &evidence(&other_left, &other_right))) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!(one.estado, other.estado);
                prop_assert_eq!(one.valor, other.valor);
                prop_assert!(one.testigos.same_bag(&other.testigos));
            }
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    /// A relation is a bag: two equal rows are two facts.
    #[test]
    fn every_fact_counts(left in rows(), step in where_step(&["a"])) {
        let twice = [&left[..], &left[..]].concat();
        let steps = std::slice::from_ref(&step);
        let (once, twice) = (count(DE, steps, &evidence(&left, &[])), count(DE, steps, &evidence(&twice, &[])));
        prop_assert_eq!(once.map(|count| count * 2), twice);
    }

    #[test]
    fn a_filter_and_its_negation_part_the_rows(left in rows(), x in condition(&["a"])) {
        let evidencia = evidence(&left, &[]);
        let kept = |condition: String| count(DE, &[format!(r#"["donde",{condition}]"#)], &evidencia);
        match (kept(x.clone()), kept(format!(r#"["no",{x}]"#))) {
            (Some(kept), Some(left_out)) => prop_assert_eq!(kept + left_out, left.len()),
            (one, other) => prop_assert_eq!(one, other),
        }
    }

    /// `sin` keeps the rows that no pair of `unir` under the same condition shows.
    #[test]
    fn without_keeps_what_the_join_does_not_show(left in rows(), right in rows(), x in condition(&["a", "s"])) {
        // Each row its own name, so that a pair shows which row it is of.
        let named: Vec<String> = left.iter().enumerate().map(|(i, row)| format!(r#"{{"id":{i},{}"#, &row[1..])).collect();
        let evidencia = evidence(&named, &right);
        let kept = count(DE, &[format!(r#"["sin",["de","r","s"],{x}]"#)], &evidencia);
        let shown = [
            format!(r#"["donde",{x}]"#),
            r#"["agrupar",[["id",["campo","a","id"]]],[]]"#.to_owned(),
        ];
        let shown = count(r#"["unir",["de","l","a"],["de","r","s"]]"#, &shown, &evidencia);
        prop_assert_eq!(kept, shown.map(|shown| left.len() - shown));
    }

    #[test]
    fn inverse_thresholds_part_the_verdicts(
        left in rows(), limit in prop::sample::select(&["0", "1", "2.5", "-3"]),
        (operator, inverse) in prop::sample::select(&[("<=", ">"), ("<", ">="), ("==", "!=")]),
    ) {
        let medida = measure(DE, &[], r#"["resumen","contar",1]"#);
        let threshold = |operator: &str| medida.replace(r#""<=",2,"#, &format!(r#""{operator}",{limit},"#));
        let evidencia = evidence(&left, &[]);
        match (judge(&threshold(operator), &evidencia), judge(&threshold(inverse), &evidencia)) {
            (Ok(one), Ok(other)) => prop_assert_ne!(one.estado, other.estado),
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    /// Requiring what is there changes nothing, and requiring what is not measures nothing.
    #[test]
    fn a_requirement_that_is_met_says_nothing(left in rows(), right in rows(), step in where_step(&["a"])) {
        let plain = measure(DE, &[step], r#"["resumen","contar",1]"#);
        let required = plain.replace(r#"["alcance""#, r#"["requiere","r"],["alcance""#);
        let evidencia = evidence(&left, &right);
        match (judge(&plain, &evidencia), judge(&required, &evidencia)) {
            (_, Ok(Veredicto { estado: Estado::SinEvidencia { .. }, testigos, .. })) => {
                prop_assert!(right.is_empty());
                prop_assert_eq!(testigos.len(), 0);
            }
            (Ok(one), Ok(other)) => {
                prop_assert!(!right.is_empty());
                prop_assert_eq!(one.estado, other.estado);
                prop_assert_eq!(one.valor, other.valor);
            }
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }

    #[test]
    fn groups_partition_the_rows(left in rows(), key in prop::sample::select(&["n", "t", "b", "none"])) {
        let group = format!(r#"["agrupar",[["k",["campo","a","{key}"]]],[["total","contar",1]]]"#);
        let evidencia = evidence(&left, &[]);
        let summary = r#"["resumen","suma",["col","total"]]"#;
        let total = judge(&measure(DE, &[group], summary), &evidencia).unwrap();
        prop_assert_eq!(total.valor, Valor::from(left.len()));
        prop_assert!(total.testigos.len() <= left.len());
    }

    #[test]
    fn operands_do_not_hide_each_other(left in rows(), x in condition(&["a"])) {
        // A typo in a field is an error whichever side it stands on, once there is a row.
        let typo = r#"["==",["campo","a","typo"],1]"#;
        for head in ["y", "o"] {
            for operands in [format!("{x},{typo}"), format!("{typo},{x}")] {
                let step = format!(r#"["donde",["{head}",{operands}]]"#);
                prop_assert_eq!(count(DE, &[step], &evidence(&left, &[])).is_some(), left.is_empty());
            }
        }
    }

    #[test]
    fn the_canonical_form_round_trips(
        steps in prop::collection::vec(prop_oneof![where_step(&["a"]), without_step()], 0..3),
        requires in prop::option::of(condition(&["x"])), scope in prop::option::of(prop::sample::select(&["universal", "del_origen"])),
        limit in prop::sample::select(&["0", "1.5", "true", "\"a\"", "18446744073709551616"]),
    ) {
        let steps: String = steps.iter().map(|step| format!(",{step}")).collect();
        let requires = requires.map_or(String::new(), |x| format!(r#",["requiere","l",["filas","r","x",{x}]]"#));
        let scope = scope.map_or(String::new(), |scope| format!(r#",["ambito","{scope}"]"#));
        let text = format!(
            r#"["medida","demo.ley",["desde",{DE}{steps}],["resumen","contar",1],["umbral","<=",{limit},"p","contrato"]{requires}{scope},["alcance","x"]]"#
        );
        with_context(|contexto| {
            let medida = Medida::from_datos(&parse(&text).unwrap(), contexto).unwrap();
            prop_assert_eq!(medida.datos().to_compact(), text);
            prop_assert_eq!(&Medida::from_datos(&medida.datos(), contexto).unwrap(), &medida);
            Ok(())
        })?;
    }
}
