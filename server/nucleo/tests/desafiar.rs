//! Challenges: recorded ones replayed, and the accounts that every one of them must close.
//!
//! Each line of `golden/desafiar.jsonl` holds a measure in canonical form, cases `[id, espera, evidencia]` and
//! what the published implementation of the language (0.33.0) made of them, mutant by mutant.

use nucleo::algebra::{Cancellation, Contexto, EscalaresBase, Evidencia, LimitesAlgebra};
use nucleo::caso::Espera;
use nucleo::desafio::{Casos, Conclusion, Desafio, Destino, desafiar};
use nucleo::fallo::Fallo;
use nucleo::medida::{Estado, Medida};
use nucleo::mutacion::mutantes;
use nucleo::valor::{Text, Valor, parse};
use proptest::prelude::*;

fn with_context<T>(work: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let (limites, cancellation) = (LimitesAlgebra::default(), Cancellation::new());
    work(&Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase })
}

fn casos(listed: &[(String, Espera, Valor)]) -> Casos {
    let efimeros =
        listed.iter().map(|(id, espera, evidencia)| (Text::from(&**id), *espera, evidencia.clone()));
    Casos::new().y_efimeros(efimeros).expect("ids are unique")
}

/// A recorded case.
fn recorded(caso: &Valor) -> (String, Espera, Valor) {
    let Some([Valor::Text(id), Valor::Text(espera), evidencia]) = caso.as_list() else {
        panic!("a case is [id, espera, evidencia]: {}", caso.to_compact());
    };
    (id.to_string(), Espera::parse(espera).expect("an expectation"), evidencia.clone())
}

/// What the contract's schema can say of an expectation: there is no third polarity.
fn polarity(espera: Espera) -> &'static str {
    if espera == Espera::Verde { "verde" } else { "rojo" }
}

/// A challenge in the form in which it is recorded.
fn told(desafio: &Desafio) -> Valor {
    let cuenta = desafio.casos;
    let casos = [
        ("total", cuenta.total),
        ("del_proyecto", cuenta.del_proyecto()),
        ("efimeros", cuenta.efimeros),
        ("esperan_verde", cuenta.esperan_verde),
        ("esperan_rojo", cuenta.esperan_rojo()),
    ];
    let discordancias = desafio.discordancias.iter().map(|it| {
        Valor::map([
            ("caso", Valor::Text(it.caso.clone())),
            ("esperado", Valor::from(polarity(it.esperado))),
            ("obtenido", Valor::from(it.obtenido.as_str())),
        ])
    });
    let mutacion = desafio.mutacion.as_ref();
    let count = |destino| Valor::from(mutacion.map_or(0, |it| it.cuantos(destino)));
    let undetected = mutacion.into_iter().flat_map(|it| it.no_detectados());
    let undetected =
        undetected.map(|(nombre, destino)| Valor::list([nombre, destino.as_str()].map(Valor::from)));
    Valor::map([
        ("casos", Valor::map(casos.map(|(name, count)| (name, Valor::from(count))))),
        ("discordancias", Valor::list(discordancias)),
        (
            "mutacion",
            Valor::map([
                ("generados", Valor::from(mutacion.map_or(0, |it| it.generados()))),
                ("detectados_por_conducta", count(Destino::Detectado)),
                ("rechazados_por_el_algebra", count(Destino::Rechazado)),
                ("no_detectados", Valor::list(undetected)),
            ]),
        ),
        ("conclusion", Valor::from(desafio.conclusion().as_str())),
    ])
}

#[test]
fn recorded_challenges_are_reproduced() {
    let mut different = Vec::new();
    let lines: Vec<&str> = include_str!("golden/desafiar.jsonl").lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let line = parse(line).expect("a golden line is JSON");
        let member = |name: &str| line.as_map().and_then(|map| map.get(name)).expect("a line has the member");
        let listed: Vec<_> = member("casos").as_list().expect("a list").iter().map(recorded).collect();
        let got = with_context(|contexto| {
            let medida = Medida::from_datos(member("medida"), contexto).expect("a recorded measure loads");
            told(&desafiar(&medida, casos(&listed), contexto).expect("nobody cancels"))
        });
        let expected = member("da");
        if got.to_canonical() != expected.to_canonical() {
            let (expected, got) = (expected.to_canonical(), got.to_canonical());
            different.push(format!("line {}: expected {expected}\n  got {got}", at + 1));
        }
    }
    assert_eq!(lines.len(), 150);
    assert!(different.is_empty(), "{} differ\n{}", different.len(), different.join("\n"));
}

/// Measures with mutants of every fate, over rows of two small fields.
fn measure() -> impl Strategy<Value = Medida> {
    let filter = prop_oneof![
        Just(r#"["donde",["<",["campo","a","n"],2]],"#),
        Just(r#"["donde",["==",["campo","a","activo"],true]],"#),
        Just(r#"["donde",["y",[">",["campo","a","n"],0],["no",["==",["campo","a","activo"],true]]]],"#),
        Just(r#"["sin",["de","pieza","s"],["==",["campo","a","n"],["campo","s","n"]]],"#),
        Just(""),
    ];
    let summary = prop_oneof![Just(r#""contar",1"#), Just(r#""max",["campo","a","n"]"#)];
    let operator = prop::sample::select(vec!["<", "<=", "==", ">=", ">"]);
    let requires = prop_oneof![Just(""), Just(r#"["requiere","item"],"#)];
    (filter, summary, operator, 0..3, requires).prop_map(|(filter, summary, operator, limit, requires)| {
        let steps = filter.trim_end_matches(',');
        let comma = if steps.is_empty() { "" } else { "," };
        let datos = format!(
            r#"["medida","a.b",["desde",["de","item","a"]{comma}{steps}],["resumen",{summary}],
            ["umbral","{operator}",{limit},"","contrato"],{requires}["alcance","x"]]"#
        );
        with_context(|contexto| {
            Medida::from_datos(&parse(&datos).expect("JSON"), contexto).expect("a measure")
        })
    })
}

fn evidence() -> impl Strategy<Value = Valor> {
    let value = prop_oneof![3 => (0..3_i64).prop_map(|n| n.to_string()), 1 => Just("1.0".to_owned())];
    let row = (value, any::<bool>()).prop_map(|(n, activo)| format!(r#"{{"n":{n},"activo":{activo}}}"#));
    let rows = || prop::collection::vec(row.clone(), 0..3);
    (rows(), rows()).prop_map(|(item, pieza)| {
        let text = format!(r#"{{"item":[{}],"pieza":[{}]}}"#, item.join(","), pieza.join(","));
        parse(&text).expect("JSON")
    })
}

/// What a measure says of evidence, if it says anything.
fn says(medida: &Medida, evidencia: &Valor, contexto: &Contexto<'_>) -> Option<(Espera, Valor, Valor)> {
    let evidencia = Evidencia::from_valor(evidencia.clone()).ok()?;
    let veredicto = medida.evaluar(&evidencia, contexto).ok()?;
    let estado = match veredicto.estado {
        Estado::Verde => Espera::Verde,
        Estado::Rojo => Espera::Rojo,
        Estado::SinEvidencia { .. } => Espera::SinEvidencia,
    };
    Some((estado, veredicto.valor, Valor::List(veredicto.testigos.first(usize::MAX))))
}

/// A measure, and cases that expect what it says of them, but for a few where the second is drawn.
fn challenge() -> impl Strategy<Value = (Medida, Vec<(String, Espera, Valor)>)> {
    let wrong = prop_oneof![
        15 => Just(None),
        1 => prop::sample::select(vec![Espera::Verde, Espera::Rojo, Espera::SinEvidencia]).prop_map(Some),
    ];
    (measure(), prop::collection::vec((evidence(), wrong), 0..7)).prop_map(|(medida, drawn)| {
        let caso = |(at, (evidencia, wrong)): (usize, (Valor, Option<Espera>))| {
            let said = with_context(|contexto| says(&medida, &evidencia, contexto));
            let espera = wrong.or(said.map(|(estado, ..)| estado)).unwrap_or(Espera::Rojo);
            (format!("c{at}"), espera, evidencia)
        };
        let listed = drawn.into_iter().enumerate().map(caso).collect();
        (medida, listed)
    })
}

proptest! {
    #[test]
    fn every_account_closes((medida, listed) in challenge()) {
        let desafio = with_context(|contexto| desafiar(&medida, casos(&listed), contexto)).expect("nobody cancels");
        let cuenta = desafio.casos;
        prop_assert_eq!(cuenta.total, listed.len());
        prop_assert_eq!(cuenta.total, cuenta.del_proyecto() + cuenta.efimeros);
        prop_assert_eq!(cuenta.total, cuenta.esperan_verde + cuenta.esperan_rojo());
        prop_assert!(desafio.discordancias.len() <= cuenta.total);
        let polarities = cuenta.esperan_verde > 0 && cuenta.esperan_rojo() > 0;
        let conclusion = desafio.conclusion();
        let Some(mutacion) = &desafio.mutacion else {
            let expected = if desafio.discordancias.is_empty() {
                Conclusion::FaltanPolaridades
            } else {
                Conclusion::OriginalNoReproduce
            };
            prop_assert_eq!(conclusion, expected);
            prop_assert!(!desafio.discordancias.is_empty() || !polarities);
            return Ok(());
        };
        prop_assert!(desafio.discordancias.is_empty() && polarities);
        let [detected, refused, survived] =
            [Destino::Detectado, Destino::Rechazado, Destino::Sobrevivio].map(|destino| mutacion.cuantos(destino));
        prop_assert_eq!(mutacion.generados(), mutantes(&medida.datos()).len());
        prop_assert_eq!(mutacion.generados(), detected + mutacion.no_detectados().count());
        prop_assert_eq!(mutacion.no_detectados().count(), refused + survived);
        prop_assert_eq!(conclusion == Conclusion::Sobrevivientes, survived > 0);
        prop_assert_eq!(conclusion == Conclusion::TodosDetectadosPorConducta, refused + survived == 0);
    }

    /// The fates are those that a plain loop over all cases gives, whichever thread met what first.
    #[test]
    fn fates_do_not_depend_on_who_ran_what((medida, listed) in challenge()) {
        let desafio = with_context(|contexto| desafiar(&medida, casos(&listed), contexto)).expect("nobody cancels");
        let Some(mutacion) = desafio.mutacion else { return Ok(()) };
        let told: Vec<(String, Destino)> =
            mutacion.no_detectados().map(|(nombre, destino)| (nombre.to_owned(), destino)).collect();
        let expected: Vec<(String, Destino)> = with_context(|contexto| {
            let fates = mutantes(&medida.datos()).into_iter().map(|mutante| {
                (mutante.nombre, plain_fate(&medida, &mutante.datos, &listed, contexto))
            });
            fates.filter(|(_, destino)| *destino != Destino::Detectado).collect()
        });
        prop_assert_eq!(told, expected);
    }
}

/// The fate of a mutant, told from what is printed of each verdict. Rows keep their order in these measures.
fn plain_fate(
    medida: &Medida,
    datos: &Valor,
    listed: &[(String, Espera, Valor)],
    contexto: &Contexto<'_>,
) -> Destino {
    let mutante = Medida::from_datos(datos, contexto).ok();
    let mut refused = false;
    let mut detected = false;
    for (_, _, evidencia) in listed {
        let (estado, valor, testigos) = says(medida, evidencia, contexto).expect("the original reproduces");
        match mutante.as_ref().and_then(|mutante| says(mutante, evidencia, contexto)) {
            None => refused = true,
            Some((other, mutated, others)) => {
                let green = |estado| estado == Espera::Verde;
                // The numbers drawn are small: what prints alike once `.0` is gone is one number.
                let plain = |valor: &Valor| valor.to_canonical().replace(".0", "");
                detected |= green(estado) != green(other)
                    || plain(&valor) != plain(&mutated)
                    || plain(&testigos) != plain(&others);
            }
        }
    }
    match (detected, refused) {
        (true, _) => Destino::Detectado,
        (false, true) => Destino::Rechazado,
        (false, false) => Destino::Sobrevivio,
    }
}

#[test]
fn a_cancelled_challenge_says_nothing() {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let limites = LimitesAlgebra::default();
    let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase };
    let datos = r#"["medida","a.b",["desde",["de","item","a"]],["resumen","contar",1],["umbral","<=",0,""],
        ["alcance","x"]]"#;
    let medida = Medida::from_datos(&parse(datos).expect("JSON"), &contexto).expect("a measure");
    let listed = [("uno".to_owned(), Espera::Verde, parse(r#"{"item":[]}"#).expect("JSON"))];
    assert_eq!(desafiar(&medida, casos(&listed), &contexto), Err(Fallo::Cancelado));
}
