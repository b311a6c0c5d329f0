//! What the base set costs to load and to take all mutants of, and a judgement by many measures.

use divan::Bencher;
use nucleo::algebra::Evidencia;
use nucleo::catalogo::Catalogo;
use nucleo::juicio::informe;
use nucleo::mutacion::mutantes;
use nucleo::proyecto::{Configuracion, Lectura, Opciones, Proyecto};
use nucleo::valor::{Valor, parse};
use std::fs;
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// Rows of the relation that is judged.
const ROWS: usize = 10_000;

/// Measures that it is judged by.
const MEASURES: usize = 40;

/// A project that selects the base set and its profile, and has nothing of its own.
fn project() -> (TempDir, Proyecto) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("catalogos")).expect("a folder");
    let configuration = r#"{"esquema":"oracle.proyecto/v1","catalogo_base":true,"perfiles":["python"]}"#;
    fs::write(folder.path().join("oracle.json"), configuration).expect("a file");
    let proyecto = Proyecto::open(folder.path()).expect("a project");
    (folder, proyecto)
}

fn load(lectura: &Lectura) -> Catalogo {
    lectura.catalogo(&lectura.macros().expect("macros")).expect("the base set loads")
}

#[divan::bench]
fn load_the_base_set(bencher: Bencher<'_, '_>) {
    let (_folder, proyecto) = project();
    bencher.bench_local(|| load(&proyecto.lectura(Opciones::default())));
}

#[divan::bench]
fn every_mutant_of_every_measure(bencher: Bencher<'_, '_>) {
    let (_folder, proyecto) = project();
    let catalogo = load(&proyecto.lectura(Opciones::default()));
    let forms: Vec<Valor> = catalogo.cargadas().iter().map(|entrada| entrada.medida.datos()).collect();
    bencher.bench_local(|| forms.iter().map(|form| mutantes(form).len()).sum::<usize>());
}

#[divan::bench]
fn judge_by_forty_measures(bencher: Bencher<'_, '_>) {
    let (folder, proyecto) = project();
    for at in 0..MEASURES {
        let form = format!(
            r#"["medida","demo.m{at}",["desde",["de","item","a"],["donde",["<",["campo","a","n"],{at}]]],
            ["resumen","contar",1],["umbral","<=",0,"","contrato"],["ambito","universal"],["alcance","x"]]"#
        );
        fs::write(folder.path().join(format!("catalogos/{at}.json")), form).expect("a file");
    }
    let lectura = proyecto.lectura(Opciones::default());
    let catalogo = load(&lectura);
    let rows: Vec<_> = (0..ROWS).map(|i| format!(r#"{{"id":{i},"n":{}}}"#, i % 97)).collect();
    let evidence = parse(&format!(r#"{{"item":[{}]}}"#, rows.join(","))).expect("JSON");
    let evidencia = Evidencia::from_valor(evidence).expect("evidence");
    let configuracion = Configuracion::default();
    bencher.bench_local(|| {
        let report = informe(&catalogo, &configuracion, None, &evidencia, &lectura.contexto());
        let judged = report.expect("a report").juzgadas.len();
        assert!(judged >= MEASURES, "{judged}");
    });
}
