//! Mutants against the published implementation's: same names, same order, same forms.
//!
//! Each line of the golden file is a measure of ours with, for each mutant, its name and the first sixteen
//! digits of the SHA-256 of its canonical JSON.

use nucleo::mutacion::mutantes;
use nucleo::valor::{Valor, parse};
use sha2::{Digest, Sha256};

fn digest(datos: &Valor) -> String {
    let bytes = Sha256::digest(datos.to_canonical());
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_mutant_equals_the_published_ones() {
    let mut measures = 0;
    for line in include_str!("golden/mutantes.jsonl").lines() {
        let case = parse(line).expect("a golden line is JSON");
        let case = case.as_map().expect("a golden line is a map");
        let datos = case.get("datos").expect("a golden line has `datos`");
        let expected = case.get("mutantes").expect("a golden line has `mutantes`");
        let made = mutantes(datos);
        let made = made.into_iter().map(|m| Valor::list([Valor::from(m.nombre), digest(&m.datos).into()]));
        assert_eq!(Valor::list(made).to_compact(), expected.to_compact(), "{}", datos.to_compact());
        measures += 1;
    }
    assert_eq!(measures, 331);
}
