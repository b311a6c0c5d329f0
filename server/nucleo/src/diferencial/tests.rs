//! Which fixtures count, and how each thing that keeps one from counting is told.

use super::*;
use crate::proyecto::disk::{Disk, told};
use crate::valor::parse;
use std::fs;

const MEDIDA: &str = r#"["medida","d.uno",["desde",["de","item","a"]],["resumen","contar",1],
    ["umbral","<=",0,"","contrato"],["ambito","universal"],["alcance","no ve más"]]"#;

/// What a fixture over that measure and over the files of [`disk`] declares. The four digests were worked out
/// by another implementation.
const FRESCURA: &str = r#""frescura":{"algoritmo":"sha256","raiz_fuentes":".",
    "fuentes":{"emisor":["src"],"referencia":["ref.py","src/sub"]},"configuracion":{"semilla":7,"tasa":0.5},
    "huellas":{"emisor":"c8c066d6ae37fca0731c024a9d727c96890572c3f0ce2ba72273b2c28b9ba26c",
    "referencia":"163560c2e6a1e9b52306b491fa9dcd0643de247aeb901e2ff7be14a57a693d22",
    "catalogo":"e10c676dcc12e0ea74f827339ed896f0385839755cb2d00348d5246ddf49df13",
    "configuracion":"9fed2f2b0e9e87e31b03afa2433cc7bde7f1ad887a43cba13aba76aa84ba34cd"}}"#;

const ESCENARIOS: &str = r#""mundos":2,"medidas":["d.uno"],"escenarios":[
    {"id":"vacio","referencia_ok":true,"oracle_al_generar":{"global_ok":true,"por_medida":{"d.uno":true}},
     "evidencia":{"item":[]}},
    {"id":"con-uno","referencia_ok":false,"oracle_al_generar":{"global_ok":false,
     "por_medida":{"d.uno":{"ok":false,"valor":1}}},"evidencia":{"item":[{"n":1}]}}]"#;

const GRUPOS: &str = r#""mundos":2,"grupos":{"d.uno":[{"esperado_ok":true,"evidencia":{"item":[]}},
    {"esperado_ok":false,"evidencia":{"item":[["clave",["n"]],{"n":1},{"n":2}]}}]}"#;

fn fixture(cuerpo: &str) -> String {
    format!(r#"{{"esquema":"oracle.diferencial/v1","origen":"prueba",{FRESCURA},{cuerpo}}}"#)
}

fn disk(text: &str) -> Disk {
    Disk::with(&[
        ("catalogos/d.json", MEDIDA),
        ("src/em.py", "emite\n"),
        ("src/sub/a-b.py", "ayuda\n"),
        ("src/sub.py", "z"),
        ("src/.oculto", "no cuenta"),
        ("src/__pycache__/em.pyc", "no cuenta"),
        ("ref.py", "referencia\n"),
        ("diferencial/x.json", text),
    ])
}

/// The cases that the project's fixtures contribute: id and whether green is expected.
fn casos(disk: &Disk) -> Result<Vec<(String, bool)>, Fallo> {
    let lectura = disk.lectura();
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    let mut found = Vec::new();
    for diferencial in cargar(&lectura, &catalogo)? {
        let casos = diferencial.casos(&catalogo, &lectura.contexto())?;
        found.extend(casos.iter().map(|caso| (caso.id.clone(), caso.espera_verde)));
    }
    Ok(found)
}

#[track_caller]
fn refused(disk: &Disk, why: &str) {
    let told = told(&casos(disk));
    assert!(told.starts_with("incompleta: el diferencial «diferencial/x.json»: "), "{told}");
    assert!(told.contains(why), "expected {why:?} in {told:?}");
}

#[test]
fn both_shapes_contribute_their_cases() {
    let expected = |names: [&str; 2]| vec![(names[0].to_owned(), true), (names[1].to_owned(), false)];
    assert_eq!(casos(&disk(&fixture(ESCENARIOS))).unwrap(), expected(["x/d.uno[vacio]", "x/d.uno[con-uno]"]));
    assert_eq!(casos(&disk(&fixture(GRUPOS))).unwrap(), expected(["x/d.uno[0]", "x/d.uno[1]"]));
}

#[test]
fn only_json_directly_in_the_folder_is_a_fixture() {
    let disk = disk(&fixture(GRUPOS));
    disk.write("diferencial/LEEME.md", "no es un diferencial");
    disk.write("diferencial/viejos/y.json", "tampoco");
    assert_eq!(casos(&disk).unwrap().len(), 2);
    assert_eq!(casos(&Disk::new()).unwrap().len(), 0);
}

#[test]
fn what_it_was_generated_from_has_to_be_what_there_is() {
    let fresh = || disk(&fixture(GRUPOS));
    let change = |path: &str, text: &str| {
        let disk = fresh();
        disk.write(path, text);
        disk
    };
    refused(&change("src/em.py", "otra cosa"), "está vencido: cambió emisor");
    refused(&change("src/nuevo.py", ""), "está vencido: cambió emisor");
    refused(&change("src/sub/a-b.py", "otra cosa"), "está vencido: cambió emisor, referencia");
    refused(&change("ref.py", "otra cosa"), "está vencido: cambió referencia");
    refused(
        &change("catalogos/d.json", &MEDIDA.replace("[\"umbral\",\"<=\",0", "[\"umbral\",\"<=\",1")),
        "catalogo",
    );
    refused(&change("catalogos/d.json", &MEDIDA.replace("d.uno", "d.dos")), "falta la medida «d.uno»");
    refused(&disk(&fixture(GRUPOS).replace("\"semilla\":7", "\"semilla\":7.0")), "cambió configuracion");
    assert!(casos(&change("src/.otro", "no cuenta")).is_ok());
    let gone = fresh();
    fs::remove_file(gone.path("ref.py")).unwrap();
    refused(&gone, "no se puede comprobar referencia");
    let linked = fresh();
    linked.link("src/enlace.py", linked.path("ref.py"));
    refused(&linked, "enlace simbólico");
    let emptied = fresh();
    fs::remove_file(emptied.path("src/sub/a-b.py")).unwrap();
    refused(&emptied, "no contiene archivos");
}

#[test]
fn a_reformatted_source_keeps_a_fixture_fresh_as_its_canonical_form_does_not_change() {
    let disk = disk(&fixture(GRUPOS));
    disk.write("catalogos/d.json", MEDIDA.replace(',', " ,\n"));
    assert_eq!(casos(&disk).unwrap().len(), 2);
}

#[test]
fn nothing_outside_of_the_root_is_read_even_if_its_fingerprint_would_match() {
    let disk = disk(&fixture(GRUPOS).replace("\"raiz_fuentes\":\".\"", "\"raiz_fuentes\":\"..\""));
    let parent = disk.raiz().parent().unwrap().to_owned();
    fs::create_dir_all(parent.join("src/sub")).unwrap();
    for name in ["src/em.py", "src/sub/a-b.py", "src/sub.py", "ref.py"] {
        fs::copy(disk.path(name), parent.join(name)).unwrap();
    }
    refused(&disk, "`frescura.raiz_fuentes` es \"..\", que sale de la raíz del proyecto");
    disk.write("diferencial/x.json", fixture(GRUPOS));
    assert_eq!(casos(&disk).unwrap().len(), 2);
    fs::remove_dir_all(disk.path("src")).unwrap();
    disk.link("src", parent.join("src"));
    refused(&disk, "«src» no queda dentro de la raíz del proyecto");
}

#[test]
fn every_fault_of_the_common_part_is_told() {
    for (from, to, why) in [
        ("oracle.diferencial/v1", "oracle.diferencial/v2", "esquema"),
        ("\"origen\":\"prueba\"", "\"origen\":\" \"", "origen"),
        ("\"mundos\":2", "\"mundos\":0", "mundos"),
        ("\"mundos\":2", "\"mundos\":2.0", "mundos"),
        ("\"mundos\":2", "\"mundos\":true", "mundos"),
        ("\"sha256\"", "\"md5\"", "algoritmo"),
        ("\"raiz_fuentes\":\".\"", "\"raiz_fuentes\":\"../..\"", "sale de la raíz del proyecto"),
        ("\"raiz_fuentes\":\".\"", "\"raiz_fuentes\":\"/\"", "sale de la raíz del proyecto"),
        ("\"raiz_fuentes\":\".\"", "\"raiz_fuentes\":\"src\"", "sólo admite \".\""),
        ("\"raiz_fuentes\":\".\"", "\"raiz_fuentes\":null", "sólo admite \".\""),
        ("[\"src\"]", "[]", "emisor"),
        ("[\"src\"]", "[\"\"]", "emisor"),
        ("[\"src\"]", "[\"/etc/hosts\"]", "emisor"),
        ("[\"src\"]", "[\"src/../..\"]", "emisor"),
        ("[\"src\"]", "[\".\"]", "raíz del proyecto"),
        ("\"ref.py\"", "1", "referencia"),
        ("{\"semilla\":7,\"tasa\":0.5}", "[]", "configuracion"),
        ("\"emisor\":\"c8c0", "\"emisor\":\"C8C0", "huellas"),
        ("\"emisor\":\"c8c0", "\"emisor\":\"8c0", "huellas"),
        ("\"catalogo\":\"", "\"otra\":\"", "huellas"),
        ("\"grupos\":", "\"escenarios\":[],\"grupos\":", "mezcla"),
        ("\"grupos\":", "\"otros\":", "escenarios"),
    ] {
        let text = fixture(GRUPOS);
        assert!(text.contains(from), "{from}");
        refused(&disk(&text.replace(from, to)), why);
    }
    for text in ["", "[]", "{", "\u{feff}{}"] {
        refused(&disk(text), "");
    }
}

#[test]
fn every_fault_of_groups_is_told() {
    for (from, to, why) in [
        ("\"mundos\":2", "\"mundos\":3", "3 mundos"),
        ("{\"d.uno\":", "{\"duno\":", "«duno»"),
        ("\"esperado_ok\":true", "\"esperado_ok\":1", "esperado_ok"),
        ("\"esperado_ok\":true", "\"esperado_ok\":false", "un verde y un rojo"),
        ("{\"item\":[]}", "{}", "evidencia"),
        ("{\"item\":[]}", "{\" \":[]}", "sin nombre"),
        ("{\"item\":[]}", "{\"item\":{}}", "«item»"),
        ("{\"n\":2}", "2", "«item[2]», que no es una fila"),
        ("{\"n\":2}", "{\"n\":[2]}", "«item[2]», que no trae un escalar en «n»"),
        ("{\"n\":2}", "{\"\":2}", "«item[2]»"),
        ("{\"n\":2}", "{\"n\":1}", "clave"),
        ("[\"clave\",[\"n\"]]", "[\"clave\",[]]", "clave"),
    ] {
        let text = fixture(GRUPOS);
        assert!(text.contains(from), "{from}");
        refused(&disk(&text.replace(from, to)), why);
    }
}

#[test]
fn every_fault_of_scenarios_is_told() {
    for (from, to, why) in [
        ("\"mundos\":2", "\"mundos\":1", "1 mundos"),
        ("[\"d.uno\"]", "[]", "medidas"),
        ("[\"d.uno\"]", "[\"d.uno\",\"d.uno\"]", "medidas"),
        ("[\"d.uno\"]", "[\"uno\"]", "medidas"),
        ("\"con-uno\"", "\"vacio\"", "dos escenarios"),
        ("\"con-uno\"", "\"con uno\"", "id"),
        ("\"referencia_ok\":true", "\"referencia_ok\":null", "referencia_ok"),
        ("\"referencia_ok\":true", "\"referencia_ok\":false", "discrepaba"),
        ("\"global_ok\":true", "\"global_ok\":0", "global_ok"),
        ("\"global_ok\":true", "\"global_ok\":false", "global_ok"),
        ("{\"d.uno\":true}", "{}", "por_medida"),
        ("{\"d.uno\":true}", "{\"d.dos\":true}", "d.uno"),
        ("{\"d.uno\":true}", "{\"d.uno\":1}", "veredicto"),
        ("{\"ok\":false,\"valor\":1}", "{\"valor\":1}", "ok"),
        ("{\"ok\":false,\"valor\":1}", "{\"ok\":false,\"otro\":1}", "otro"),
        ("{\"ok\":false,\"valor\":1}", "{\"ok\":false,\"valor\":true}", "valor"),
        ("{\"ok\":false,\"valor\":1}", "{\"ok\":false,\"valor\":\"1\"}", "valor"),
        ("{\"ok\":false,\"valor\":1}", "{\"ok\":false,\"valor\":1,\"levanta\":true}", "levanta"),
        ("{\"ok\":false,\"valor\":1}", "{\"ok\":false,\"levanta\":0}", "levanta"),
        ("{\"d.uno\":true}", "{\"d.uno\":{\"ok\":true,\"levanta\":true}}", "levanta"),
        ("{\"d.uno\":true}", "{\"d.uno\":{\"ok\":true,\"valor\":\"SIN EVIDENCIA\"}}", "evidencia"),
        ("\"medidas\":", "\"medidas_declaradas\":{},\"medidas\":", "medidas_declaradas"),
        ("\"medidas\":", "\"medidas_declaradas\":{\"d.uno\":[]},\"medidas\":", "d.uno"),
        (
            "\"medidas\":",
            "\"medidas_declaradas\":{\"d.dos\":[\"medida\",\"d.dos\",1,1,1,1]},\"medidas\":",
            "«d.dos», que no está en `medidas`",
        ),
    ] {
        let text = fixture(ESCENARIOS);
        assert!(text.contains(from), "{from}");
        refused(&disk(&text.replace(from, to)), why);
    }
    for good in
        ["{\"ok\":false,\"levanta\":true}", "{\"ok\":false,\"valor\":\"SIN EVIDENCIA\"}", "{\"ok\":false}"]
    {
        let text = fixture(ESCENARIOS).replace("{\"ok\":false,\"valor\":1}", good);
        assert!(casos(&disk(&text)).is_ok(), "{good}");
    }
}

#[test]
fn a_scenario_whose_measure_cannot_judge_it_is_a_failure() {
    let text = fixture(ESCENARIOS).replace("{\"n\":1}", "{\"n\":null}");
    assert!(matches!(casos(&disk(&text)), Err(Fallo::EvidenciaInvalida { .. })));
}

#[test]
fn evidence_is_kept_as_it_was_written() {
    let lectura = Disk::new().lectura();
    let formato = Formato::from_valor(&parse(&fixture(GRUPOS)).unwrap(), &lectura.contexto()).unwrap();
    let Cuerpo::Grupos(grupos) = formato.cuerpo else { panic!() };
    assert_eq!(grupos[0].casos[1].1, parse(r#"{"item":[["clave",["n"]],{"n":1},{"n":2}]}"#).unwrap());
}
