//! Which bytes stand under each fingerprint, in which order, and what counts as a change.

use super::*;
use crate::algebra::Evidencia;
use crate::caso::Espera;
use crate::desafio::Casos;
use crate::medida::Medida;
use crate::proyecto::disk::{Disk, caso, medida};
use crate::valor::parse;
use std::fs;

const RELACION: &str = "relacion item:\n    n: entero sin_unidad\n    alcance \"no ve más\"\n";
const MACRO: &str = r#"["defmacro","cero",["id","alcance"],[],["medida",["$","id"],["desde",["de","item","a"]],
    ["resumen","contar",1],["umbral","<=",0,"","contrato"],["alcance",["$","alcance"]]]]"#;
const EVERY: [Conjunto; 7] = [
    Conjunto::Catalogo,
    Conjunto::Evaluacion,
    Conjunto::EvaluacionDeTexto,
    desafio(true, true),
    desafio(true, false),
    desafio(false, true),
    desafio(false, false),
];

const fn desafio(catalogo: bool, evidencia: bool) -> Conjunto {
    Conjunto::Desafio { catalogo, evidencia }
}

const CASO: &str = "corpus/a/1.json";

/// A project with something in every place that a fingerprint may cover.
fn whole() -> Disk {
    let case = caso("001-a", "d.uno", "falso_verde", r#"{"item":[{"n":1}]}"#);
    Disk::with(&[
        ("oracle.json", r#"{"esquema":"oracle.proyecto/v1"}"#),
        ("catalogos/z/uno.oracle", &medida("d.uno", "item")),
        ("catalogos/z-y/dos.json", r#"["cero","d.dos","x"]"#),
        ("catalogos/LEEME.md", "nadie lo lee"),
        (CASO, &case),
        ("corpus/a-b/LEEME.md", "no es un caso y cuenta"),
        ("diferencial/LEEME.md", "cuenta"),
        ("macros/cero.json", MACRO),
        ("relaciones/item.relacion", RELACION),
        ("otros/x.txt", "no cuenta"),
    ])
}

fn initial(lectura: &Lectura, conjunto: Conjunto) -> String {
    let macros = lectura.macros().unwrap();
    lectura.relaciones().unwrap();
    let catalogo = lectura.catalogo(&macros).unwrap();
    let used = conjunto.has_catalogue().then_some(&catalogo);
    lectura.huella_inicial(conjunto, used).unwrap()
}

/// SHA-256 over these files in this order, worked out here.
fn expected(disk: &Disk, paths: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for path in paths {
        let path = disk.path(path);
        hasher.update(path.to_str().unwrap());
        hasher.update([0]);
        hasher.update(fs::read(path).unwrap());
        hasher.update([0]);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn each_call_covers_what_it_reads_in_order_of_path() {
    let disk = whole();
    let sources = ["catalogos/z/uno.oracle", "catalogos/z-y/dos.json"];
    let rest = [CASO, "corpus/a-b/LEEME.md", "diferencial/LEEME.md", "macros/cero.json", "oracle.json"];
    assert_eq!(
        initial(&disk.lectura(), Conjunto::Catalogo),
        expected(&disk, &[&sources[..], &rest].concat())
    );
    let rest = ["macros/cero.json", "oracle.json", "relaciones/item.relacion"];
    assert_eq!(
        initial(&disk.lectura(), Conjunto::Evaluacion),
        expected(&disk, &[&sources[..], &rest].concat())
    );
    assert_eq!(initial(&disk.lectura(), Conjunto::EvaluacionDeTexto), expected(&disk, &rest));
    assert_eq!(initial(&disk.lectura(), desafio(true, true)), initial(&disk.lectura(), Conjunto::Catalogo));
    let rest = &rest[..2];
    assert_eq!(initial(&disk.lectura(), desafio(false, false)), expected(&disk, rest));
    assert_eq!(
        initial(&disk.lectura(), desafio(true, false)),
        expected(&disk, &[&sources[..], rest].concat())
    );
}

#[test]
fn an_empty_project_has_the_fingerprint_of_nothing() {
    let disk = Disk::new();
    assert_eq!(
        initial(&disk.lectura(), Conjunto::Catalogo),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
}

#[test]
fn an_effective_base_source_stands_under_its_embedded_name_after_every_path() {
    let disk = Disk::with(&[("oracle.json", r#"{"esquema":"oracle.proyecto/v1","catalogo_base":true}"#)]);
    let mut hasher = Sha256::new();
    let config = disk.path("oracle.json");
    hasher.update(config.to_str().unwrap());
    hasher.update([0]);
    hasher.update(fs::read(config).unwrap());
    hasher.update([0]);
    let lectura = disk.lectura();
    let catalogo = lectura.catalogo(&lectura.macros().unwrap()).unwrap();
    for fuente in catalogo.efectivas().map(|entrada| &entrada.fuente) {
        hasher.update(fuente.identidad());
        hasher.update([0]);
        hasher.update(fuente.bytes());
        hasher.update([0]);
    }
    let expected: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(initial(&disk.lectura(), Conjunto::Catalogo), expected);
}

/// Whether `change`, made after the fingerprint was taken, is seen by a call of this kind.
#[track_caller]
fn check(conjunto: Conjunto, what: &str, change: impl Fn(&Disk), seen: bool) {
    let disk = whole();
    let lectura = disk.lectura();
    let before = initial(&lectura, conjunto);
    change(&disk);
    let after = lectura.huella_actual(conjunto, &before);
    assert_eq!(after != before, seen, "{conjunto:?}: {what}");
    assert!(after.len() == 64 && after.bytes().all(|b| b.is_ascii_hexdigit()), "{after}");
}

#[test]
fn a_change_is_seen_by_the_calls_that_read_it() {
    let sources = |conjunto: Conjunto| conjunto.has_catalogue();
    let cases = |conjunto: Conjunto| conjunto.carpetas().contains(&Carpeta::Corpus);
    let relations = |conjunto: Conjunto| conjunto.carpetas().contains(&Carpeta::Relaciones);
    type Sees = fn(Conjunto) -> bool;
    let rewrites: [(&str, &str, Sees); 14] = [
        ("otros/x.txt", "otro", |_| false),
        ("catalogos/LEEME.md", "otro", |_| false),
        ("catalogos/nueva.oracle", "no carga", sources),
        ("catalogos/z/uno.oracle", "no carga", sources),
        ("catalogos/z-y/dos.json", r#"["cero", "d.dos","x"]"#, sources),
        ("corpus/a-b/LEEME.md", "otro", cases),
        ("corpus/nuevo.txt", "", cases),
        (CASO, "ya no es un caso", cases),
        ("diferencial/LEEME.md", "otro", cases),
        ("oracle.json", "{\"esquema\": \"oracle.proyecto/v1\"}", |_| true),
        ("oracle.json", "{", |_| true),
        ("macros/LEEME.md", "", |_| true),
        ("relaciones/item.relacion", "ya no carga", relations),
        ("escalares.py", "", |_| true),
    ];
    for (path, text, sees) in rewrites {
        for conjunto in EVERY {
            check(conjunto, path, |disk| disk.write(path, text), sees(conjunto));
        }
    }
}

#[test]
fn what_each_call_reads() {
    use Conjunto::{Catalogo, Evaluacion, EvaluacionDeTexto};
    let with = |has: fn(&Conjunto) -> bool| EVERY.into_iter().filter(has).collect::<Vec<_>>();
    assert_eq!(
        with(|conjunto| conjunto.has_catalogue()),
        [Catalogo, Evaluacion, desafio(true, true), desafio(true, false)]
    );
    assert_eq!(
        with(|conjunto| conjunto.carpetas().contains(&Carpeta::Corpus)),
        [Catalogo, desafio(true, true), desafio(false, true)]
    );
    assert_eq!(
        with(|conjunto| conjunto.carpetas().contains(&Carpeta::Relaciones)),
        [Evaluacion, EvaluacionDeTexto]
    );
}

#[test]
fn what_went_away_or_became_a_link_is_a_change() {
    for conjunto in EVERY {
        check(conjunto, "nothing", |_| {}, false);
        check(conjunto, "removed", |disk| fs::remove_file(disk.path("macros/cero.json")).unwrap(), true);
        check(conjunto, "root", |disk| fs::remove_dir_all(disk.raiz()).unwrap(), true);
        let relink = |disk: &Disk| {
            fs::rename(disk.path("macros/cero.json"), disk.path("otros/cero.json")).unwrap();
            disk.link("macros/cero.json", disk.path("otros/cero.json"));
        };
        check(conjunto, "the same bytes behind a link", relink, true);
        let restore = |disk: &Disk| {
            fs::remove_file(disk.path("macros/cero.json")).unwrap();
            disk.write("macros/cero.json", MACRO);
        };
        check(conjunto, "written again with the same bytes", restore, false);
    }
}

#[test]
fn what_is_parsed_after_the_fingerprint_is_what_stood_under_it() {
    let disk = whole();
    let lectura = disk.lectura();
    let catalogo = lectura.catalogo(&lectura.macros().unwrap()).unwrap();
    let before = lectura.huella_inicial(Conjunto::Catalogo, Some(&catalogo)).unwrap();
    disk.write(CASO, "ya no es un caso");
    assert!(crate::fijacion::ejercicio(&lectura, &catalogo).is_ok());
    assert_ne!(lectura.huella_actual(Conjunto::Catalogo, &before), before);
    assert_eq!(lectura.huella_inicial(Conjunto::Catalogo, Some(&catalogo)).unwrap(), before);
}

#[test]
fn the_input_of_an_evaluation_is_its_canonical_form_and_its_evidence() {
    let datos = r#"["medida","d.uno",["desde",["de","item","a"]],["resumen","contar",1],
        ["umbral","<=",0,"ñandú","contrato"],["ambito","universal"],["alcance","no ve más"]]"#;
    let evidence = r#"{"z":[{"b":1e16,"a":0.0000001,"c":true},
        {"a":123456789012345678901234567890,"b":"línea\nrota \u2028\u0001"}],"item":[]}"#;
    let lectura = Disk::new().lectura();
    let medida = Medida::from_datos(&parse(datos).unwrap(), &lectura.contexto()).unwrap();
    let evidencia = Evidencia::from_valor(parse(evidence).unwrap()).unwrap();
    // Worked out by another implementation.
    let known = "4c0a6cb6fb7f92e923af3e318c257a6f58196933c2748c6d2447cfc13406df49";
    assert_eq!(entrada_sha256(&medida, &evidencia), known);
}

#[test]
fn a_verdict_and_its_fingerprint_are_the_same_side_by_side() {
    let datos = r#"["medida","d.uno",["desde",["de","item","a"],["donde",["<",["campo","a","n"],0]]],
        ["resumen","contar",1],["umbral","<=",0,""],["alcance","x"]]"#;
    let lectura = Disk::new().lectura();
    let contexto = lectura.contexto();
    let medida = Medida::from_datos(&parse(datos).unwrap(), &contexto).unwrap();
    for rows in [0, 1, 1_999, 2_000, 3_000] {
        let row = |i| format!(r#"{{"n":{},"peso":{i}.25}}"#, if i == 7 { -1 } else { i });
        let text = format!(r#"{{"item":[{}]}}"#, (0..rows).map(row).collect::<Vec<_>>().join(","));
        let evidencia = Evidencia::from_valor(parse(&text).unwrap()).unwrap();
        let (veredicto, entrada) = evaluar_con_entrada(&medida, &evidencia, &contexto).unwrap();
        assert_eq!(veredicto.valor, Valor::from(i64::from(rows > 7)));
        assert_eq!(entrada, entrada_sha256(&medida, &evidencia));
    }
    let broken = format!(r#"{{"item":[{}{{"n":""}}]}}"#, r#"{"n":1},"#.repeat(2_000));
    let broken = Evidencia::from_valor(parse(&broken).unwrap()).unwrap();
    assert!(evaluar_con_entrada(&medida, &broken, &contexto).is_err());
}

#[test]
fn a_digest_is_of_the_bytes_whatever_the_pieces() {
    use std::fmt::Write;
    let whole: String = (0..4_000).map(|i| if i % 3 == 0 { 'ñ' } else { 'n' }).collect();
    for size in [1, 2, 4095, 4096, 4097, 9_000] {
        let mut pieces = Sha256Text::new();
        let mut characters = Sha256Text::new();
        whole.as_bytes().chunks(size).for_each(|piece| pieces.update(piece));
        whole.chars().for_each(|c| characters.write_char(c).unwrap());
        let expected: String = Sha256::digest(&whole).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!([pieces.finish(), characters.finish()], [expected.clone(), expected]);
    }
}

#[test]
fn the_input_of_a_challenge_is_its_cases_in_order_and_of_a_judgement_its_measures() {
    let datos = r#"["medida","d.uno",["desde",["de","item","a"]],["resumen","contar",1],
        ["umbral","<=",0.0,"","contrato"],["alcance","no ve más"]]"#;
    let lectura = Disk::new().lectura();
    let medida = Medida::from_datos(&parse(datos).unwrap(), &lectura.contexto()).unwrap();
    let canonica = canonical(&medida);
    let evidence = r#"{"z":[{"b":1e16,"a":1}],"item":[]}"#;
    let hash = |text: &str| {
        let mut hasher = Sha256Text::new();
        hasher.update(text.as_bytes());
        hasher.finish()
    };
    let sorted = r#"{"item":[],"z":[{"a":1,"b":1e+16}]}"#;
    let casos = |ids: [&str; 2]| {
        let caso = |id: &str| (id.into(), Espera::SinEvidencia, parse(evidence).unwrap());
        Casos::new().y_efimeros(ids.map(caso)).unwrap()
    };
    let caso = |id: &str| format!(r#"{{"espera":"sin_evidencia","evidencia":{sorted},"id":{id}}}"#);
    assert_eq!(
        entrada_sha256_de_desafio(&medida, &casos(["b\"", "a"])),
        hash(&format!(r#"{{"casos":[{},{}],"medida":{canonica}}}"#, caso(r#""b\"""#), caso("\"a\"")))
    );
    assert_eq!(
        entrada_sha256_de_desafio(&medida, &Casos::new()),
        hash(&format!(r#"{{"casos":[],"medida":{canonica}}}"#))
    );
    let evidencia = Evidencia::from_valor(parse(evidence).unwrap()).unwrap();
    assert_eq!(
        entrada_sha256_de_juicio([&medida, &medida].into_iter(), &evidencia),
        hash(&format!(r#"{{"evidencia":{sorted},"medidas":[{canonica},{canonica}]}}"#))
    );
}

/// The canonical JSON of a measure.
fn canonical(medida: &Medida) -> String {
    let mut text = String::new();
    medida.datos().write_canonical(&mut text).unwrap();
    text
}
