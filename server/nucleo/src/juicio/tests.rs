//! Which measures speak, what becomes of each, and when all of it complies.

use super::*;
use crate::algebra::Evidencia;
use crate::base;
use crate::catalogo::Catalogo;
use crate::fallo::Fallo;
use crate::proyecto::disk::Disk;
use crate::proyecto::{Configuracion, Lectura};
use crate::valor::{Text, parse};

/// A measure with this pipeline, summary and threshold.
fn measure(id: &str, source: &str, summary: &str, rest: &str) -> String {
    format!(
        r#"["medida","{id}",["desde",{source}],["resumen",{summary}],["umbral","<=",{rest},["alcance","x"]]"#
    )
}

const ITEM: &str = r#"["de","item","a"]"#;
const BOTH: &str = r#"["unir",["de","item","a"],["de","pieza","b"]]"#;
const COUNT: &str = r#""contar",1"#;
const MAX: &str = r#""max",["campo","a","n"]"#;

/// Five measures, whose files are not in the order of their ids.
fn project(config: &str) -> Disk {
    let without =
        r#"["de","item","a"],["sin",["de","pieza","s"],["==",["campo","a","n"],["campo","s","n"]]]"#;
    Disk::with(&[
        ("oracle.json", &format!(r#"{{"esquema":"oracle.proyecto/v1"{config}}}"#)),
        ("catalogos/1.json", &measure("d.cuenta", ITEM, COUNT, r#"1,""]"#)),
        ("catalogos/2.json", &measure("d.ambas", BOTH, COUNT, r#"0,""]"#)),
        ("catalogos/3.json", &measure("d.max", ITEM, MAX, r#"3,""]"#)),
        ("catalogos/4.json", &measure("d.requiere", ITEM, COUNT, r#"9,""],["requiere","otra"]"#)),
        ("catalogos/5.json", &measure("d.sin", without, COUNT, r#"0,""]"#)),
    ])
}

fn loaded(lectura: &Lectura) -> (Catalogo, Configuracion) {
    (lectura.catalogo(&lectura.macros().unwrap()).unwrap(), lectura.configuracion().unwrap())
}

/// The whole report: each measure with its outcome, then whether it holds.
fn report(disk: &Disk, ids: Option<&[&str]>, evidence: &str) -> Result<Vec<String>, Fallo> {
    let lectura = disk.lectura();
    let (catalogo, configuracion) = loaded(&lectura);
    let ids: Option<Vec<Text>> = ids.map(|ids| ids.iter().map(|id| Text::from(*id)).collect());
    let evidencia = Evidencia::from_valor(parse(evidence).unwrap())?;
    let informe = informe(&catalogo, &configuracion, ids.as_deref(), &evidencia, &lectura.contexto())?;
    let tell = |juzgada: &Juzgada<'_>| {
        let id = juzgada.medida.id();
        match &juzgada.dictamen {
            Dictamen::Veredicto(veredicto, sombra) => {
                assert_eq!(veredicto.medida, *id);
                let perdona =
                    sombra.as_ref().map_or("", |it| if it.perdona { " perdonado" } else { " en sombra" });
                format!("{id} {} {}{perdona}", veredicto.estado.as_str(), veredicto.valor.to_compact())
            }
            Dictamen::NoJuzgo(motivo) => format!("{id} no juzgó: {motivo}"),
            Dictamen::NoAplicada(faltan) => format!("{id} no aplicada: {}", faltan.join(",")),
        }
    };
    let mut told: Vec<String> = informe.juzgadas.iter().map(tell).collect();
    told.push(format!("ok {}, aplicó {}", informe.ok(), informe.aplico_alguna()));
    Ok(told)
}

#[track_caller]
fn check(config: &str, ids: Option<&[&str]>, evidence: &str, expected: &[&str]) {
    assert_eq!(report(&project(config), ids, evidence).unwrap(), expected);
}

#[test]
fn what_lacks_a_relation_is_named_with_it() {
    check(
        "",
        None,
        r#"{"item":[{"n":2}]}"#,
        &[
            "d.cuenta verde 1",
            "d.ambas no aplicada: pieza",
            "d.max verde 2",
            "d.requiere sin_evidencia 0",
            "d.sin no aplicada: pieza",
            "ok false, aplicó true",
        ],
    );
    check(
        "",
        None,
        r#"{"otra":[]}"#,
        &[
            "d.cuenta no aplicada: item",
            "d.ambas no aplicada: item,pieza",
            "d.max no aplicada: item",
            "d.requiere no aplicada: item",
            "d.sin no aplicada: item,pieza",
            "ok false, aplicó false",
        ],
    );
}

#[test]
fn a_relation_without_rows_is_there() {
    check(
        "",
        None,
        r#"{"item":[],"pieza":[],"otra":[{}]}"#,
        &[
            "d.cuenta verde 0",
            "d.ambas verde 0",
            "d.max verde 0",
            "d.requiere verde 0",
            "d.sin verde 0",
            "ok true, aplicó true",
        ],
    );
}

#[test]
fn what_cannot_judge_spoils_the_report_and_not_the_others() {
    check(
        "",
        Some(&["d.max", "d.cuenta"]),
        r#"{"item":[{"n":"texto"}]}"#,
        &[
            "d.max no juzgó: «<=» compara valores de una misma familia, y recibió texto y número (en «4» de la forma canónica)",
            "d.cuenta verde 1",
            "ok false, aplicó true",
        ],
    );
}

#[test]
fn a_value_that_is_no_number_judges_nothing() {
    for (value, limit, family) in [("true", "true", "un booleano"), (r#""a""#, r#""z""#, "un texto")] {
        let disk =
            Disk::with(&[("catalogos/1.json", &measure("d.max", ITEM, MAX, &format!(r#"{limit},""]"#)))]);
        let told = report(&disk, None, &format!(r#"{{"item":[{{"n":{value}}}]}}"#)).unwrap();
        let motivo =
            format!("d.max no juzgó: el resumen dio {family}, y el valor de un veredicto es un número");
        assert_eq!(told, [&motivo, "ok false, aplicó true"]);
    }
}

#[test]
fn ids_are_judged_in_the_order_asked_and_nothing_else_is() {
    let evidence = r#"{"item":[{"n":4}],"otra":[{}]}"#;
    check(
        "",
        Some(&["d.requiere", "d.cuenta"]),
        evidence,
        &["d.requiere verde 1", "d.cuenta verde 1", "ok true, aplicó true"],
    );
    check("", Some(&["d.max"]), evidence, &["d.max rojo 4", "ok false, aplicó true"]);
}

#[test]
fn the_first_id_at_fault_is_the_one_told() {
    let disk = project("");
    let refused = |ids: &[&str], evidence: &str| report(&disk, Some(ids), evidence).unwrap_err();
    let unknown = Fallo::MedidaDesconocida { id: "d.nadie".to_owned() };
    let inapplicable = |id: &str, relaciones: &[&str]| Fallo::MedidaNoAplicable {
        id: id.to_owned(),
        relaciones: relaciones.iter().map(|it| (*it).to_owned()).collect(),
    };
    let item = r#"{"item":[]}"#;
    assert_eq!(refused(&["d.cuenta", "d.nadie", "d.ambas"], item), unknown);
    assert_eq!(refused(&["d.ambas", "d.nadie"], item), inapplicable("d.ambas", &["pieza"]));
    assert_eq!(refused(&["d.sin"], "{}"), inapplicable("d.sin", &["item", "pieza"]));
    // Before the evidence is looked into: it may be about something else altogether.
    assert_eq!(refused(&["d.nadie"], r#"{"item":[{"n":null}]}"#), unknown);
}

#[test]
fn evidence_that_is_not_evaluable_is_nobody_s_verdict() {
    for evidence in [r#"{"item":[{"n":1},{"n":null}]}"#, r#"{"item":[],"ajena":[{},{"x":null}]}"#] {
        match report(&project(""), None, evidence) {
            Err(Fallo::EvidenciaInvalida { indice: Some(1), .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    let disk = Disk::new();
    let lectura = disk.proyecto().lectura(crate::proyecto::Opciones {
        limites: crate::algebra::LimitesAlgebra { filas_por_relacion: 1, ..Default::default() },
        ..Default::default()
    });
    let (catalogo, configuracion) = loaded(&lectura);
    let evidencia = Evidencia::from_valor(parse(r#"{"item":[{},{}]}"#).unwrap()).unwrap();
    let outcome = informe(&catalogo, &configuracion, None, &evidencia, &lectura.contexto());
    assert!(matches!(outcome, Err(Fallo::LimiteDeAlgebra { nombre: "filas_por_relacion", .. })));
}

#[test]
fn a_budget_of_one_measure_is_its_own() {
    let rows = vec!["{}"; 1001].join(",");
    let told = report(&project(""), None, &format!(r#"{{"item":[{rows}],"pieza":[{rows}]}}"#)).unwrap();
    assert!(told[1].starts_with("d.ambas no juzgó: producto_cartesiano: se observó 1002001"), "{told:?}");
    assert_eq!(told[0], "d.cuenta rojo 1001");
}

#[test]
fn nothing_that_applies_is_no_green() {
    let empty = Disk::new();
    assert_eq!(report(&empty, None, r#"{"item":[]}"#).unwrap(), ["ok false, aplicó false"]);
    assert_eq!(report(&empty, None, "{}").unwrap(), ["ok false, aplicó false"]);
}

#[test]
fn what_others_publish_is_silent_where_it_does_not_apply() {
    let disk = project(r#","catalogo_base":true"#);
    let item = report(&disk, None, r#"{"item":[],"pieza":[],"otra":[{}]}"#).unwrap();
    assert_eq!((item.len(), item.last().unwrap().as_str()), (6, "ok true, aplicó true"));
    let told = report(&disk, None, r#"{"item":[],"pieza":[],"otra":[{}],"medida_en_uso":[]}"#).unwrap();
    assert!(told.contains(&format!("{} verde 0", base::EJERCITADA)), "{told:?}");
    // Asked for by name it has to apply, like any other.
    let refused = report(&disk, Some(&[base::EJERCITADA]), r#"{"item":[]}"#);
    assert!(
        matches!(refused, Err(Fallo::MedidaNoAplicable { relaciones, .. }) if relaciones == ["medida_en_uso"])
    );
}

#[test]
fn a_shadow_takes_the_consequence_of_its_own_measure() {
    let shadow = |cota: &str| format!(r#","sombra":{{"d.max":{{"desde":"2026-01-01","porque":"x"{cota}}}}}"#);
    let ids: &[&str] = &["d.cuenta", "d.max"];
    let four = r#"{"item":[{"n":4}]}"#;
    check(
        &shadow(""),
        Some(ids),
        four,
        &["d.cuenta verde 1", "d.max rojo 4 perdonado", "ok true, aplicó true"],
    );
    check(
        &shadow(r#","cota":4"#),
        Some(ids),
        four,
        &["d.cuenta verde 1", "d.max rojo 4 perdonado", "ok true, aplicó true"],
    );
    check(
        &shadow(r#","cota":3"#),
        Some(ids),
        four,
        &["d.cuenta verde 1", "d.max rojo 4 en sombra", "ok false, aplicó true"],
    );
    let three = r#"{"item":[{"n":3}]}"#;
    check(
        &shadow(""),
        Some(ids),
        three,
        &["d.cuenta verde 1", "d.max verde 3 en sombra", "ok true, aplicó true"],
    );
    let two = r#"{"item":[{"n":3},{"n":4}]}"#;
    check(
        &shadow(""),
        Some(ids),
        two,
        &["d.cuenta rojo 2", "d.max rojo 4 perdonado", "ok false, aplicó true"],
    );
    // No evidence is no red, and what could not judge has no verdict to forgive.
    let requires = r#","sombra":{"d.requiere":{"desde":"2026-01-01","porque":"x"}}"#;
    check(
        requires,
        Some(&["d.requiere"]),
        three,
        &["d.requiere sin_evidencia 0 en sombra", "ok false, aplicó true"],
    );
    let text = r#"{"item":[{"n":"texto"}]}"#;
    let told = report(&project(&shadow("")), Some(&["d.max"]), text).unwrap();
    assert!(told[0].starts_with("d.max no juzgó") && told[1].starts_with("ok false"), "{told:?}");
}

#[test]
fn a_cancelled_judgement_says_nothing() {
    let disk = project("");
    let lectura = disk.lectura();
    let (catalogo, configuracion) = loaded(&lectura);
    lectura.cancellation().cancel();
    let evidencia = Evidencia::from_valor(parse(r#"{"item":[],"pieza":[]}"#).unwrap()).unwrap();
    let outcome = informe(&catalogo, &configuracion, None, &evidencia, &lectura.contexto());
    assert_eq!(outcome.err(), Some(Fallo::Cancelado));
}
