//! The four answers, and everything that keeps fixation from being judged whole.

use super::*;
use crate::proyecto::disk::{Disk, caso, medida, told};

const BASE: &str = r#"{"esquema":"oracle.proyecto/v1","catalogo_base":true}"#;
const EVIDENCIA: &str = r#"{"item":[{"n":1}]}"#;

fn fijaciones(disk: &Disk) -> Result<Vec<(String, &'static str)>, Fallo> {
    let lectura = disk.lectura();
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    let fijaciones = ejercicio(&lectura, &catalogo)?;
    let of = |entrada: &Entrada| {
        let id = entrada.medida.id();
        (id.to_string(), fijaciones.de(id).unwrap().as_str())
    };
    Ok(catalogo.efectivas_por_id().map(of).collect())
}

/// The answers for a project, in order; the measures of the base set that are not named are inherited.
#[track_caller]
fn check(disk: &Disk, expected: &[(&str, &str)]) {
    let found = fijaciones(disk).unwrap();
    let found = found.iter().map(|(id, fijacion)| (&**id, *fijacion));
    let is_named = |id: &str| expected.iter().any(|(named, _)| *named == id);
    let (named, rest): (Vec<_>, Vec<_>) = found.partition(|(id, _)| is_named(id));
    assert_eq!(named, expected);
    for (id, fijacion) in rest {
        assert!(base::catalogo().any(|fuente| fuente.stem() == id), "{id}");
        assert_eq!(fijacion, "heredada", "{id}");
    }
}

#[test]
fn the_four_answers() {
    let disk = Disk::with(&[
        ("oracle.json", BASE),
        ("catalogos/uno.oracle", &medida("d.uno", "item")),
        ("catalogos/dos.oracle", &medida("d.dos", "item")),
        ("catalogos/tres.oracle", &medida("d.tres", "caso")),
        ("corpus/1.json", &caso("001-a", "d.uno", "falso_verde", EVIDENCIA)),
        ("corpus/2.json", &caso("002-b", "d.nadie", "falso_verde", EVIDENCIA)),
    ]);
    check(
        &disk,
        &[
            ("d.dos", "sin_fijar"),
            ("d.tres", "arnes"),
            ("d.uno", "evidencia"),
            (base::FRESCURA, "heredada"),
            (base::EJERCITADA, "heredada"),
        ],
    );
    disk.write("corpus/3.json", caso("003-c", "d.tres", "verde_correcto", EVIDENCIA));
    disk.write("corpus/4.json", caso("004-d", base::EJERCITADA, "verde_correcto", EVIDENCIA));
    check(
        &disk,
        &[
            ("d.dos", "sin_fijar"),
            ("d.tres", "evidencia"),
            ("d.uno", "evidencia"),
            (base::FRESCURA, "heredada"),
            (base::EJERCITADA, "heredada"),
        ],
    );
}

#[test]
fn a_measure_is_the_language_s_only_when_all_it_reads_is() {
    let both = r#"["medida","d.uno",["desde",["unir",["de","caso","a"],["de","item","b"]]],["resumen","contar",1],
        ["umbral","<=",0,"","contrato"],["alcance","x"]]"#;
    check(&Disk::with(&[("catalogos/a.json", both)]), &[("d.uno", "sin_fijar")]);
    let language = both.replace("\"item\"", "\"termino\"");
    check(&Disk::with(&[("catalogos/a.json", &language)]), &[("d.uno", "arnes")]);
}

#[test]
fn the_relations_of_the_language_are_found_by_halving() {
    assert!(RELACIONES_DEL_LENGUAJE.is_sorted());
}

#[test]
fn a_file_of_the_project_takes_the_name_back() {
    // What is inherited goes by the name of the file, so that a project may answer for a rule it replaced.
    let disk = Disk::with(&[
        ("oracle.json", BASE),
        (&format!("catalogos/{}.oracle", base::FRESCURA), &medida("d.uno", "item")),
    ]);
    check(&disk, &[("d.uno", "sin_fijar"), (base::FRESCURA, "arnes"), (base::EJERCITADA, "heredada")]);
}

#[test]
fn scaffolds_exercise_nothing_and_need_not_load() {
    let disk = Disk::with(&[("catalogos/a.oracle", &medida("d.uno", "item"))]);
    disk.write("corpus/1.caso", "  # ANDAMIO: completar\ncaso 001-x:\n    medida: d.uno\n");
    check(&disk, &[("d.uno", "sin_fijar")]);
    disk.write("corpus/1.caso", "caso 001-x:\n    medida: d.uno\n");
    assert!(told(&fijaciones(&disk)).starts_with("incompleta: el caso «corpus/1.caso»: línea"));
}

#[test]
fn files_of_the_corpus_that_are_no_cases_do_not_matter() {
    let disk = Disk::with(&[("catalogos/a.oracle", &medida("d.uno", "item")), ("corpus/LEEME.md", "{")]);
    check(&disk, &[("d.uno", "sin_fijar")]);
}

#[test]
fn a_case_that_does_not_load_leaves_no_fixation() {
    for text in ["{", "[]", r#"{"id":"sin numero"}"#, r#"{"id":"001-a","espera":"rojo"}"#] {
        let disk = Disk::with(&[("corpus/a/1.json", text)]);
        let told = told(&fijaciones(&disk));
        assert!(told.starts_with("incompleta: el caso «corpus/a/1.json»: "), "{told}");
    }
}

#[test]
fn a_differential_that_does_not_load_leaves_no_fixation() {
    let disk = Disk::with(&[("diferencial/x.json", "{}")]);
    assert!(told(&fijaciones(&disk)).starts_with("incompleta: el diferencial «diferencial/x.json»: "));
}

/// A judge of the project's own, with this pipeline.
fn with_judge(pipeline: &str) -> Disk {
    let judge = format!(
        r#"["medida","{}",{pipeline},["resumen","contar",1],["umbral","<=",0,"","contrato"],["alcance","x"]]"#,
        base::EJERCITADA
    );
    Disk::with(&[("catalogos/j.json", &judge), ("catalogos/a.oracle", &medida("d.uno", "item"))])
}

#[test]
fn the_project_s_own_judge_goes_first() {
    let severe = with_judge(r#"["desde",["de","medida_en_uso","m"]]"#);
    check(&severe, &[("d.uno", "sin_fijar"), (base::EJERCITADA, "arnes")]);
    let blind =
        with_judge(r#"["desde",["de","medida_en_uso","m"],["donde",["==",["campo","m","id"],"x.y"]]]"#);
    assert_eq!(told(&fijaciones(&blind)), "incompleta: la jueza no se pronunció sobre «d.uno»");
}

#[test]
fn a_judge_that_cannot_judge_is_told() {
    let other_alias = with_judge(r#"["desde",["de","medida_en_uso","x"]]"#);
    assert!(told(&fijaciones(&other_alias)).contains("no nombra a quién acusa"));
    let broken =
        with_judge(r#"["desde",["de","medida_en_uso","m"],["donde",["==",["campo","m","nada"],1]]]"#);
    let told_broken = told(&fijaciones(&broken));
    assert!(
        told_broken.starts_with("incompleta: la medida jueza") && told_broken.contains("no puede juzgar")
    );
}

#[test]
fn an_empty_catalogue_has_no_fixations() {
    check(&Disk::new(), &[]);
}

#[test]
fn what_the_judge_is_told_of_a_measure() {
    let disk = Disk::with(&[("catalogos/a.oracle", &medida("d.uno", "item"))]);
    let lectura = disk.lectura();
    let catalogo = lectura.catalogo(&lectura.macros().unwrap()).unwrap();
    let entrada = catalogo.cargada("d.uno").unwrap();
    let hecho =
        |casos, aparte, heredada| Valor::Map(Uso { entrada, casos, aparte, heredada }.hecho()).to_compact();
    let fact = |count: usize, inherited: bool, owes: bool| {
        format!(
            "{{\"id\":\"d.uno\",\"casos_que_la_evaluan\":{count},\"mutantes\":0,\"mutantes_vivos\":0,\
             \"es_heredada\":{inherited},\"debe_tener_mutantes\":{owes}}}"
        )
    };
    assert_eq!(hecho(0, false, false), fact(0, false, true));
    assert_eq!(hecho(0, true, false), fact(1, false, false));
    assert_eq!(hecho(2, true, false), fact(3, false, true));
    assert_eq!(hecho(0, false, true), fact(0, true, false));
}
