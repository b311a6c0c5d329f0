//! What an evaluation costs: 100,000 rows, and a 1,000 by 1,000 join.

use divan::Bencher;
use nucleo::algebra::{Cancellation, Contexto, Evidencia, LimitesAlgebra, SinEscalares};
use nucleo::medida::Medida;
use nucleo::valor::parse;

fn main() {
    divan::main();
}

const ROWS: usize = 100_000;

fn rows(count: usize) -> String {
    let rows: Vec<_> = (0..count)
        .map(|i| {
            format!(r#"{{"id":{i},"grupo":"g{}","activo":{},"peso":{}.5}}"#, i % 97, i % 3 == 0, i % 1000)
        })
        .collect();
    format!("[{}]", rows.join(","))
}

fn judge(bencher: Bencher<'_, '_>, pipeline: &str, evidencia: &str) {
    let limites = LimitesAlgebra::default();
    let cancellation = Cancellation::new();
    let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &SinEscalares };
    let medida = format!(
        r#"["medida","demo.m",{pipeline},["resumen","contar",1],["umbral","<=",0,""],["alcance","x"]]"#
    );
    let medida = Medida::from_datos(&parse(&medida).expect("JSON"), &contexto).expect("a measure");
    let evidencia = Evidencia::from_valor(parse(evidencia).expect("JSON")).expect("evidence");
    bencher.bench_local(|| medida.evaluar(&evidencia, &contexto).expect("a verdict").testigos.len());
}

#[divan::bench]
fn read_evidence(bencher: Bencher<'_, '_>) {
    let text = format!(r#"{{"item":{}}}"#, rows(ROWS));
    bencher.bench_local(|| Evidencia::from_valor(parse(&text).expect("JSON")).expect("evidence"));
}

#[divan::bench]
fn filter(bencher: Bencher<'_, '_>) {
    let pipeline = r#"["desde",["de","item","a"],["donde",["y",[">",["campo","a","peso"],500],["==",["campo","a","activo"],true]]]]"#;
    judge(bencher, pipeline, &format!(r#"{{"item":{}}}"#, rows(ROWS)));
}

#[divan::bench]
fn group(bencher: Bencher<'_, '_>) {
    let pipeline = r#"["desde",["de","item","a"],["agrupar",[["g",["campo","a","grupo"]]],[["total","suma",["campo","a","peso"]]]]]"#;
    judge(bencher, pipeline, &format!(r#"{{"item":{}}}"#, rows(ROWS)));
}

#[divan::bench]
fn join(bencher: Bencher<'_, '_>) {
    let pipeline = r#"["desde",["unir",["de","item","a"],["de","otra","b"]],["donde",["==",["campo","a","id"],["campo","b","id"]]]]"#;
    judge(bencher, pipeline, &format!(r#"{{"item":{},"otra":{}}}"#, rows(1000), rows(1000)));
}

#[divan::bench]
fn product(bencher: Bencher<'_, '_>) {
    let pipeline = r#"["desde",["unir",["de","item","a"],["de","otra","b"]],["donde",["<",["campo","a","id"],["campo","b","id"]]]]"#;
    judge(bencher, pipeline, &format!(r#"{{"item":{},"otra":{}}}"#, rows(1000), rows(1000)));
}

#[divan::bench]
fn without(bencher: Bencher<'_, '_>) {
    let pipeline = r#"["desde",["de","item","a"],["sin",["de","otra","s"],["==",["campo","a","grupo"],["campo","s","grupo"]]]]"#;
    judge(bencher, pipeline, &format!(r#"{{"item":{},"otra":{}}}"#, rows(10_000), rows(100)));
}
