//! Replays recorded judgements: what the published implementation of the language (0.33.0) answered.
//!
//! Each line of `golden/evaluar.jsonl` holds a measure in canonical form, evidence and the answer; some hold
//! limits `[filas_por_relacion, producto_cartesiano, profundidad_expresion]`. Of an error only its kind is
//! recorded: `medida`, `evidencia`, `limite` or `contrato`.

use nucleo::algebra::{
    AlgebraError, AlgebraErrorKind, Cancellation, Contexto, EscalaresBase, Evidencia, LimitesAlgebra,
};
use nucleo::medida::{Estado, Medida, Veredicto};
use nucleo::valor::{Map, Valor, parse};

fn kind_of(error: &AlgebraError) -> &'static str {
    match error.kind {
        AlgebraErrorKind::Contract(_) => "contrato",
        AlgebraErrorKind::Limit { .. } => "limite",
        AlgebraErrorKind::Evidence { .. } => "evidencia",
        AlgebraErrorKind::Cancelled => "cancelada",
    }
}

fn limits(recorded: Option<&Valor>) -> LimitesAlgebra {
    let mut limites = LimitesAlgebra::default();
    if let Some([filas, producto, profundidad]) = recorded.and_then(Valor::as_list) {
        let number = |value: &Valor| value.to_compact().parse().expect("limits are small integers");
        limites.filas_por_relacion = number(filas);
        limites.producto_cartesiano = number(producto);
        limites.profundidad_expresion = number(profundidad);
    }
    limites
}

fn judge(case: &Map) -> Result<Veredicto, &'static str> {
    let limites = limits(case.get("limites"));
    let cancellation = Cancellation::new();
    let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase };
    let member = |name: &str| case.get(name).expect("every line has the member");
    let medida = Medida::from_datos(member("medida"), &contexto)
        .map_err(|error| if error.limit.is_some() { "limite" } else { "medida" })?;
    let again = Medida::from_datos(&medida.datos(), &contexto).expect("the canonical form loads");
    assert_eq!(again.datos(), medida.datos());
    let evidencia = Evidencia::from_valor(member("evidencia").clone()).map_err(|error| kind_of(&error))?;
    assert_eq!(evidencia.to_canonical(), member("evidencia").to_canonical());
    medida.evaluar(&evidencia, &contexto).map_err(|error| kind_of(&error))
}

fn answer(case: &Map) -> String {
    let members = match judge(case) {
        Err(kind) => vec![("error", Valor::from(kind))],
        Ok(Veredicto { estado: Estado::SinEvidencia { falta }, .. }) => {
            vec![("estado", Valor::from("sin_evidencia")), ("falta", Valor::Text(falta.relacion().clone()))]
        }
        Ok(veredicto) => vec![
            ("estado", Valor::from(veredicto.estado.as_str())),
            ("valor", veredicto.valor),
            ("testigos", Valor::List(veredicto.testigos.first(usize::MAX))),
        ],
    };
    Valor::map(members).to_compact()
}

fn replay(text: &str) -> (usize, Vec<String>) {
    let mut different = Vec::new();
    let mut count = 0;
    for (i, line) in text.lines().enumerate() {
        count += 1;
        let case = parse(line).expect("every line is JSON");
        let case = case.as_map().expect("every line is a map");
        let expected = case.get("da").expect("every line has an answer").to_compact();
        let got = answer(case);
        if got != expected {
            different.push(format!("line {}: expected {expected}\n  got {got}\n  {line}", i + 1));
        }
    }
    (count, different)
}

#[test]
fn recorded_judgements_are_reproduced() {
    let (count, different) = replay(include_str!("golden/evaluar.jsonl"));
    assert!(count >= 1000, "only {count} judgements are recorded");
    assert!(different.is_empty(), "{} of {count} differ\n{}", different.len(), different.join("\n"));
}
