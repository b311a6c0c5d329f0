//! What a challenge gathers, what counts as noticing a mutant, and what the whole comes to.

use super::*;
use crate::huella::{Sha256Text, sha256_canonico};
use crate::proyecto::Lectura;
use crate::proyecto::disk::{Disk, caso, medida, told};
use crate::valor::parse;

/// What the project has about `id`: each case as `id espera origen`.
fn gathered(lectura: &Lectura, id: &str) -> Result<Vec<String>, Fallo> {
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    let casos = Casos::del_proyecto(lectura, id, Some(&catalogo))?;
    let tell = |caso: &CasoDeDesafio| format!("{} {} {}", caso.id, caso.espera.as_str(), caso.origen);
    Ok(casos.iter().map(tell).collect())
}

fn efimero(id: &str) -> (Text, Espera, Valor) {
    (id.into(), Espera::Rojo, parse(r#"{"item":[]}"#).unwrap())
}

const EVIDENCIA: &str = r#"{"item":[{"n":-1}]}"#;

fn project() -> Disk {
    let sin_evidencia = caso("003-c", "d.uno", "falso_verde", "{}")
        .replace("\"sintoma\"", "\"espera\":\"sin_evidencia\",\"sintoma\"");
    Disk::with(&[
        ("catalogos/uno.oracle", &medida("d.uno", "item")),
        ("corpus/b/1.json", &caso("001-a", "d.uno", "falso_verde", EVIDENCIA)),
        ("corpus/a/2.json", &caso("002-b", "d.uno", "verde_correcto", EVIDENCIA)),
        ("corpus/c/3.json", &sin_evidencia),
        ("corpus/c/4.json", &caso("004-d", "d.otra", "falso_verde", EVIDENCIA)),
        ("corpus/c/5.json", &caso("005-e", "d.uno", "deuda_de_diseño", EVIDENCIA)),
        ("corpus/c/6.json", &caso("006-f", "", "falso_verde", EVIDENCIA).replace("\"\",\n", "null,\n")),
        ("corpus/LEEME.md", "no es un caso"),
    ])
}

#[test]
fn the_corpus_gives_what_names_the_measure_in_order_of_path() {
    let disk = project();
    assert_eq!(
        gathered(&disk.lectura(), "d.uno").unwrap(),
        [
            "002-b verde corpus/a/2.json",
            "001-a rojo corpus/b/1.json",
            "003-c sin_evidencia corpus/c/3.json",
            "005-e rojo corpus/c/5.json",
        ]
    );
    assert_eq!(gathered(&disk.lectura(), "d.otra").unwrap(), ["004-d rojo corpus/c/4.json"]);
    assert_eq!(gathered(&disk.lectura(), "d.nadie").unwrap(), [""; 0]);
    assert_eq!(gathered(&Disk::new().lectura(), "d.uno").unwrap(), [""; 0]);
}

#[test]
fn a_scaffold_is_a_case_like_any_other() {
    let text = "# ANDAMIO: completar\ncaso 001-a:\n    fecha: \"2026-01-01\"\n    origen:\n        tipo: \"prueba\"\n    \
                procedencia: construida\n    titulo: \"t\"\n    etiqueta: falso_verde\n    sintoma:\n        s\n    \
                como_se_detecto: persona\n    medida: d.uno\n    evidencia:\n        item: n\n            -1\n    \
                leccion:\n        l\n";
    let disk = Disk::with(&[("corpus/1.caso", text)]);
    assert_eq!(gathered(&disk.lectura(), "d.uno").unwrap(), ["001-a rojo corpus/1.caso"]);
}

#[test]
fn a_corpus_that_does_not_load_is_not_a_smaller_one() {
    let disk = project();
    disk.write("corpus/c/4.json", "{");
    let told = told(&gathered(&disk.lectura(), "d.uno"));
    assert!(told.starts_with("proyecto: «corpus/c/4.json»: no es JSON"), "{told}");
}

#[test]
fn an_id_stands_once_whoever_brings_it() {
    let repeated = |outcome: Result<Casos, Fallo>| match outcome {
        Err(Fallo::CasoRepetido { id, origen_1, origen_2 }) => format!("{id}: {origen_1}, {origen_2}"),
        other => panic!("{other:?}"),
    };
    let disk = project();
    let own = |disk: &Disk| Casos::del_proyecto(&disk.lectura(), "d.uno", None);
    let call = |ids: &[&str]| own(&disk).unwrap().y_efimeros(ids.iter().map(|id| efimero(id)));
    assert_eq!(repeated(call(&["x", "001-a"])), "001-a: corpus/b/1.json, casos[1] de la llamada");
    assert_eq!(repeated(call(&["x", "y", "x"])), "x: casos[0] de la llamada, casos[2] de la llamada");
    // A case about another measure is no part of this challenge.
    assert_eq!(call(&["x", "004-d"]).unwrap().iter().len(), 6);
    disk.write("corpus/z.json", caso("004-d", "d.uno", "falso_verde", EVIDENCIA));
    assert_eq!(repeated(own(&disk)), "004-d: corpus/c/4.json, corpus/z.json");
}

/// A measure that counts rows, in canonical JSON.
const CUENTA: &str = r#"["medida","d.uno",["desde",["de","item","a"]],["resumen","contar",1],
    ["umbral","<=",0,"","contrato"],["ambito","universal"],["alcance","no ve más"]]"#;

/// A project with one differential, whose fingerprints are worked out here.
fn with_differential(cuerpo: &str) -> Disk {
    let disk = Disk::with(&[
        ("catalogos/d.json", CUENTA),
        ("corpus/1.json", &caso("001-a", "d.uno", "falso_verde", r#"{"item":[{"n":1}]}"#)),
        ("emisor.py", "emite"),
    ]);
    let hash = |text: &str| sha256_canonico(&parse(text).unwrap());
    let mut emisor = Sha256Text::new();
    emisor.update(b"emite");
    let manifest = hash(&format!(r#"[{{"ruta":"emisor.py","sha256":"{}"}}]"#, emisor.finish()));
    let catalogo = hash(&format!(r#"{{"d.uno":{CUENTA}}}"#));
    disk.write(
        "diferencial/x.json",
        format!(
            r#"{{"esquema":"oracle.diferencial/v1","origen":"prueba","mundos":2,"frescura":{{
            "algoritmo":"sha256","raiz_fuentes":".","configuracion":{{}},
            "fuentes":{{"emisor":["emisor.py"],"referencia":["emisor.py"]}},
            "huellas":{{"emisor":"{manifest}","referencia":"{manifest}","catalogo":"{catalogo}",
            "configuracion":"{}"}}}},{cuerpo}}}"#,
            hash("{}")
        ),
    );
    disk
}

const GRUPOS: &str = r#""grupos":{"d.uno":[{"esperado_ok":true,"evidencia":{"item":[]}},
    {"esperado_ok":false,"evidencia":{"item":[{"n":1}]}}]}"#;

const ESCENARIOS: &str = r#""medidas":["d.uno"],"escenarios":[
    {"id":"vacio","referencia_ok":true,"oracle_al_generar":{"global_ok":true,"por_medida":{"d.uno":true}},
     "evidencia":{"item":[]}},
    {"id":"uno","referencia_ok":false,"oracle_al_generar":{"global_ok":false,"por_medida":{"d.uno":false}},
     "evidencia":{"item":[{"n":1}]}}]"#;

#[test]
fn differentials_come_after_the_corpus() {
    for (cuerpo, first, second) in [(GRUPOS, "0", "1"), (ESCENARIOS, "vacio", "uno")] {
        let disk = with_differential(cuerpo);
        let expected = [
            "001-a rojo corpus/1.json".to_owned(),
            format!("x/d.uno[{first}] verde diferencial/x.json"),
            format!("x/d.uno[{second}] rojo diferencial/x.json"),
        ];
        assert_eq!(gathered(&disk.lectura(), "d.uno").unwrap(), expected);
        assert_eq!(gathered(&disk.lectura(), "d.otra").unwrap(), [""; 0]);
    }
}

#[test]
fn a_differential_that_cannot_be_held_against_anything_is_told() {
    let disk = with_differential(GRUPOS);
    let unchecked = Casos::del_proyecto(&disk.lectura(), "d.uno", None);
    assert!(told(&unchecked).starts_with("incompleta: hay diferenciales"));
    let repeated = gathered(&disk.lectura(), "d.uno").and_then(|_| {
        let lectura = disk.lectura();
        let catalogo = lectura.catalogo(&lectura.macros()?)?;
        Casos::del_proyecto(&lectura, "d.uno", Some(&catalogo))?.y_efimeros([efimero("x/d.uno[1]")])
    });
    assert!(
        matches!(repeated, Err(Fallo::CasoRepetido { origen_1, .. }) if origen_1 == "diferencial/x.json")
    );
    disk.write("emisor.py", "emite otra cosa");
    let stale = told(&gathered(&disk.lectura(), "d.uno"));
    assert!(stale.starts_with("incompleta: el diferencial «diferencial/x.json»: está vencido"), "{stale}");
    disk.write("diferencial/x.json", "{");
    assert!(told(&gathered(&disk.lectura(), "d.nadie")).starts_with("incompleta: "));
}

#[test]
fn a_scenario_of_another_measure_is_not_evaluated() {
    // `d.otra` fails on these scenarios; that is no matter of a challenge of `d.uno`.
    let cuerpo = ESCENARIOS
        .replace("\"d.uno\"]", "\"d.uno\",\"d.otra\"]")
        .replace("{\"d.uno\":true}", "{\"d.uno\":true,\"d.otra\":true}")
        .replace("{\"d.uno\":false}", "{\"d.uno\":false,\"d.otra\":false}");
    let disk = with_differential(&cuerpo);
    let otra = CUENTA.replace("d.uno", "d.otra").replace("\"item\"", "\"pieza\"");
    disk.write("catalogos/otra.json", &otra);
    let both = sha256_canonico(&parse(&format!(r#"{{"d.otra":{otra},"d.uno":{CUENTA}}}"#)).unwrap());
    let alone = sha256_canonico(&parse(&format!(r#"{{"d.uno":{CUENTA}}}"#)).unwrap());
    let text = std::fs::read_to_string(disk.path("diferencial/x.json")).unwrap().replace(&alone, &both);
    disk.write("diferencial/x.json", text);
    assert_eq!(gathered(&disk.lectura(), "d.uno").unwrap().len(), 3);
    let fails = told(&gathered(&disk.lectura(), "d.otra"));
    assert!(fails.starts_with("incompleta: el diferencial «diferencial/x.json» no se evalúa"), "{fails}");
}

/// Challenges a measure `["medida","d.uno",<rest>` with cases `(espera, evidencia)`.
fn challenge(rest: &str, cases: &[(Espera, &str)]) -> Desafio {
    let lectura = Disk::new().lectura();
    let contexto = lectura.contexto();
    let datos = parse(&format!(r#"["medida","d.uno",{rest},["alcance","x"]]"#)).unwrap();
    let medida = Medida::from_datos(&datos, &contexto).unwrap();
    let listed = cases.iter().enumerate();
    let listed = listed
        .map(|(at, (espera, evidencia))| (Text::from(format!("c{at}")), *espera, parse(evidencia).unwrap()));
    desafiar(&medida, Casos::new().y_efimeros(listed).unwrap(), &contexto).unwrap()
}

/// The fates of the named mutants.
#[track_caller]
fn fates(desafio: &Desafio, expected: &[(&str, Destino)]) {
    let mutacion = desafio.mutacion.as_ref().expect("it came to mutants");
    for (nombre, destino) in expected {
        let found = mutacion.destinos.iter().find(|(found, _)| found == nombre);
        assert_eq!(found.map(|(_, destino)| *destino), Some(*destino), "{nombre} in {mutacion:?}");
    }
}

const COUNT: &str = r#"["desde",["de","item","a"]],["resumen","contar",1],["umbral","<=",0,""]"#;
const EMPTY: &str = r#"{"item":[]}"#;
const ONE: &str = r#"{"item":[{"n":1}]}"#;

#[test]
fn an_original_that_does_not_reproduce_is_not_mutated() {
    use Espera::{Rojo, SinEvidencia, Verde};
    let broken = r#"{"item":[{"n":null}]}"#;
    let cases = [
        (Verde, ONE),
        (Rojo, ONE),
        (SinEvidencia, ONE),
        (Rojo, "{}"),
        (Rojo, "null"),
        (Rojo, "[]"),
        (Rojo, r#"{"item":1}"#),
        (Rojo, broken),
        (SinEvidencia, broken),
    ];
    let desafio = challenge(COUNT, &cases);
    let told: Vec<_> =
        desafio.discordancias.iter().map(|it| (&*it.caso, it.esperado, it.obtenido.as_str())).collect();
    assert_eq!(
        told,
        [
            ("c0", Verde, "rojo"),
            ("c2", SinEvidencia, "rojo"),
            ("c3", Rojo, "error"),
            ("c4", Rojo, "error"),
            ("c5", Rojo, "error"),
            ("c6", Rojo, "error"),
            ("c7", Rojo, "error"),
            ("c8", SinEvidencia, "error"),
        ]
    );
    assert_eq!((desafio.conclusion(), &desafio.mutacion), (Conclusion::OriginalNoReproduce, &None));
    let cuenta = CuentaDeCasos { total: 9, efimeros: 9, esperan_verde: 1 };
    assert_eq!((desafio.casos, cuenta.esperan_rojo(), cuenta.del_proyecto()), (cuenta, 8, 0));
}

#[test]
fn red_and_no_evidence_are_told_apart_by_what_is_obtained() {
    use Espera::{Rojo, SinEvidencia, Verde};
    let requires = format!(r#"{COUNT},["requiere","item"]"#);
    let desafio = challenge(&requires, &[(Rojo, EMPTY), (SinEvidencia, EMPTY), (Verde, EMPTY)]);
    let told: Vec<_> = desafio.discordancias.iter().map(|it| (&*it.caso, it.obtenido.as_str())).collect();
    assert_eq!(told, [("c0", "sin_evidencia"), ("c2", "sin_evidencia")]);
}

#[test]
fn both_polarities_are_needed_before_any_mutant() {
    use Espera::{Rojo, SinEvidencia, Verde};
    let requires =
        r#"["desde",["de","item","a"]],["resumen","contar",1],["umbral","<=",1,""],["requiere","item"]"#;
    for cases in [&[][..], &[(Verde, ONE)], &[(Rojo, r#"{"item":[{},{}]}"#), (SinEvidencia, EMPTY)]] {
        let desafio = challenge(requires, cases);
        assert_eq!((desafio.conclusion(), &desafio.mutacion), (Conclusion::FaltanPolaridades, &None));
    }
    // No evidence counts as the other polarity.
    let desafio = challenge(requires, &[(Verde, ONE), (SinEvidencia, EMPTY)]);
    assert!(desafio.mutacion.is_some());
}

#[test]
fn any_of_three_observations_is_enough() {
    use Espera::{Rojo, Verde};
    let two = r#"{"item":[{"n":1,"m":5},{"n":9,"m":2}]}"#;
    let max = |limit: &str| {
        format!(
            r#"["desde",["de","item","a"],["donde",[">",["campo","a","n"],0]]],
            ["resumen","max",["campo","a","n"]],["umbral","<=",{limit},""]"#
        )
    };
    // The value alone: `min` stays within the bound, and every row stays a witness.
    fates(
        &challenge(&max("20"), &[(Verde, two), (Rojo, r#"{"item":[{"n":21}]}"#)]),
        &[("maximo_por_minimo", Destino::Detectado)],
    );
    // The witnesses alone: without the filter one more row is seen, and the maximum stays.
    let zero = r#"{"item":[{"n":0},{"n":9}]}"#;
    fates(
        &challenge(&max("20"), &[(Verde, zero), (Rojo, r#"{"item":[{"n":21}]}"#)]),
        &[("quitar_filtro", Destino::Detectado)],
    );
    // The verdict alone: the comparator is another one, what it compares is the same.
    fates(&challenge(COUNT, &[(Verde, EMPTY), (Rojo, ONE)]), &[("invertir_comparador", Destino::Detectado)]);
    // None of them: one row is its own maximum and its own minimum.
    fates(
        &challenge(&max("20"), &[(Verde, r#"{"item":[{"n":1}]}"#), (Rojo, r#"{"item":[{"n":21}]}"#)]),
        &[
            ("maximo_por_minimo", Destino::Sobrevivio),
            ("quitar_filtro", Destino::Sobrevivio),
            ("negar_filtro", Destino::Detectado),
        ],
    );
}

#[test]
fn equal_numbers_of_another_kind_are_the_same_value() {
    // Of one row the sum is an integer and the mean a float, and they are equal.
    let sum = r#"["desde",["de","item","a"]],["resumen","suma",["campo","a","n"]],["umbral","<=",1,""]"#;
    let (one, two, both) = (ONE, r#"{"item":[{"n":2}]}"#, r#"{"item":[{"n":1},{"n":1}]}"#);
    let mean = "agregado:3.1:suma→promedio";
    let desafio = challenge(sum, &[(Espera::Verde, one), (Espera::Rojo, two)]);
    fates(&desafio, &[(mean, Destino::Sobrevivio)]);
    let desafio = challenge(sum, &[(Espera::Verde, one), (Espera::Rojo, both)]);
    fates(&desafio, &[(mean, Destino::Detectado)]);
}

#[test]
fn red_over_nothing_and_no_evidence_show_the_same() {
    // Without `requiere` nothing is counted, which is red as well: no verdict turned, no value changed.
    let least =
        r#"["desde",["de","item","a"]],["resumen","contar",1],["umbral",">=",1,""],["requiere","item"]"#;
    let desafio = challenge(least, &[(Espera::Verde, ONE), (Espera::SinEvidencia, EMPTY)]);
    fates(&desafio, &[("quitar_requiere", Destino::Sobrevivio)]);
}

#[test]
fn a_refused_mutant_is_not_a_detected_one() {
    // Reading the field of the other relation fails wherever there is a row, and `unir` of two relations
    // offers the exchange.
    let joined = r#"["desde",["unir",["de","item","a"],["de","pieza","b"]],
        ["donde",["==",["campo","a","n"],["campo","b","m"]]]],["resumen","contar",1],["umbral","<=",0,""]"#;
    let green = r#"{"item":[{"n":1}],"pieza":[{"m":2}]}"#;
    let red = r#"{"item":[{"n":1}],"pieza":[{"m":1}]}"#;
    let refused = "fuente:2.1.1.1:item→pieza";
    let desafio = challenge(joined, &[(Espera::Verde, green), (Espera::Rojo, red)]);
    fates(&desafio, &[(refused, Destino::Rechazado)]);
    // Refused by one case and noticed by another is noticed, in whichever order.
    let empty_a = r#"{"item":[],"pieza":[{"m":1,"n":1}]}"#;
    for cases in [
        [(Espera::Verde, green), (Espera::Rojo, red), (Espera::Verde, empty_a)],
        [(Espera::Verde, empty_a), (Espera::Verde, green), (Espera::Rojo, red)],
    ] {
        fates(&challenge(joined, &cases), &[(refused, Destino::Detectado)]);
    }
}

#[test]
fn what_the_fates_let_one_say() {
    use Destino::{Detectado, Rechazado, Sobrevivio};
    let conclusion = |destinos: &[Destino]| {
        let destinos =
            destinos.iter().enumerate().map(|(at, destino)| (format!("m{at}"), *destino)).collect();
        let mutacion = Some(Mutacion { destinos });
        let casos = CuentaDeCasos::default();
        Desafio { medida: "a.b".into(), casos, discordancias: Vec::new(), mutacion }.conclusion().as_str()
    };
    assert_eq!(conclusion(&[]), "sin_mutantes");
    assert_eq!(conclusion(&[Detectado, Detectado]), "todos_detectados_por_conducta");
    assert_eq!(conclusion(&[Detectado, Rechazado]), "sin_sobrevivientes_con_rechazos");
    assert_eq!(conclusion(&[Rechazado]), "sin_sobrevivientes_con_rechazos");
    assert_eq!(conclusion(&[Rechazado, Sobrevivio, Detectado]), "sobrevivientes");
    assert_eq!(conclusion(&[Sobrevivio]), "sobrevivientes");
    for (conclusion, word) in [
        (Conclusion::OriginalNoReproduce, "original_no_reproduce"),
        (Conclusion::FaltanPolaridades, "faltan_polaridades"),
    ] {
        assert_eq!(conclusion.as_str(), word);
    }
}

#[test]
fn mutants_are_told_in_the_order_of_their_generation() {
    let desafio = challenge(COUNT, &[(Espera::Verde, EMPTY), (Espera::Rojo, ONE)]);
    assert_eq!(desafio.id_de_mutante("quitar_filtro"), "d.uno·quitar_filtro");
    let mutacion = desafio.mutacion.unwrap();
    let datos = parse(&format!(r#"["medida","d.uno",{COUNT},["alcance","x"]]"#)).unwrap();
    let generated: Vec<String> = mutantes(&datos).into_iter().map(|mutante| mutante.nombre).collect();
    let told: Vec<String> = mutacion.destinos.iter().map(|(nombre, _)| nombre.clone()).collect();
    assert_eq!(told, generated);
}
