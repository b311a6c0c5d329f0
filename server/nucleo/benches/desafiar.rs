//! What a challenge costs, and how it grows with cases, mutants and rows.

use divan::Bencher;
use nucleo::algebra::{Cancellation, Contexto, EscalaresBase, LimitesAlgebra};
use nucleo::caso::Espera;
use nucleo::desafio::{Casos, Destino, desafiar};
use nucleo::medida::Medida;
use nucleo::valor::{Text, Valor, parse};

fn main() {
    divan::main();
}

/// Rows over two relations. The last one of a red case is a fault that the measure sees.
fn evidence(rows: usize, at: usize, green: bool) -> Valor {
    let row = |i: usize| {
        let fault = !green && i + 1 == rows;
        format!(
            r#"{{"id":{i},"n":{},"m":{},"grupo":"g{}","activo":{},"peso":{}.5}}"#,
            if fault { -1 } else { i64::try_from(i % 7).expect("small") },
            (i + at) % 5,
            i % 3,
            fault || i.is_multiple_of(2),
            (i * 13 + at) % 50
        )
    };
    let list = |count: usize| (0..count).map(row).collect::<Vec<_>>().join(",");
    parse(&format!(r#"{{"item":[{}],"pieza":[{}]}}"#, list(rows), list(3))).expect("JSON")
}

/// A measure over a product of two relations, with `terms` comparisons: each brings mutants of its own.
fn measure(terms: usize) -> Medida {
    let term = |i: usize| {
        let (field, other) = [("n", "m"), ("m", "id"), ("id", "n")][i % 3];
        format!(r#",["o",["<",["campo","a","{field}"],{}],[">",["campo","b","{other}"],-9]]"#, 90 + i)
    };
    let terms: String = (0..terms).map(term).collect();
    let datos = format!(
        r#"["medida","demo.m",["desde",["unir",["de","item","a"],["de","pieza","b"]],
        ["donde",["y",["<",["campo","a","n"],0],["==",["campo","a","activo"],true]{terms}]]],
        ["resumen","contar",1],["umbral","<=",0,"","contrato"],["requiere","item"],["alcance","x"]]"#
    );
    with_context(|contexto| Medida::from_datos(&parse(&datos).expect("JSON"), contexto).expect("a measure"))
}

fn with_context<T>(work: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let (limites, cancellation) = (LimitesAlgebra::default(), Cancellation::new());
    work(&Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase })
}

fn challenge(bencher: Bencher<'_, '_>, terms: usize, cases: usize, rows: usize) {
    let medida = measure(terms);
    let listed = (0..cases).map(|at| {
        let green = at.is_multiple_of(2);
        let espera = if green { Espera::Verde } else { Espera::Rojo };
        (Text::from(format!("c{at}")), espera, evidence(rows, at, green))
    });
    let casos = Casos::new().y_efimeros(listed).expect("ids are unique");
    let run = |casos| with_context(|contexto| desafiar(&medida, casos, contexto).expect("nobody cancels"));
    let mutacion = run(casos.clone()).mutacion.expect("every case reproduces");
    assert!(mutacion.cuantos(Destino::Sobrevivio) > 0, "survivors are what runs against every case");
    bencher
        .counter(divan::counter::ItemsCount::new(mutacion.generados() * cases))
        .with_inputs(|| casos.clone())
        .bench_local_values(run);
}

/// 60 mutants or so against 170 cases of twelve rows.
#[divan::bench(sample_count = 20)]
fn challenge_of_60_by_170(bencher: Bencher<'_, '_>) {
    challenge(bencher, 5, 170, 12);
}

#[divan::bench(args = [85, 170, 340, 680], sample_count = 10)]
fn challenge_by_cases(bencher: Bencher<'_, '_>, cases: usize) {
    challenge(bencher, 5, cases, 12);
}

#[divan::bench(args = [2, 5, 10, 20], sample_count = 10)]
fn challenge_by_terms(bencher: Bencher<'_, '_>, terms: usize) {
    challenge(bencher, terms, 170, 12);
}

#[divan::bench(args = [6, 12, 120, 1200], sample_count = 10)]
fn challenge_by_rows(bencher: Bencher<'_, '_>, rows: usize) {
    challenge(bencher, 5, 40, rows);
}
