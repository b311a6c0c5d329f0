//! What loads, in which order, and which of it obliges.

use super::*;
use crate::proyecto::disk::{Disk, medida, told};
use crate::valor::parse;

fn catalogo(disk: &Disk) -> Result<Catalogo, Fallo> {
    let lectura = disk.lectura();
    lectura.catalogo(&lectura.macros()?)
}

/// A measure as canonical JSON, with or without a scope.
fn canonica(id: &str, ambito: &str) -> String {
    let ambito = if ambito.is_empty() { String::new() } else { format!(r#"["ambito","{ambito}"],"#) };
    format!(
        r#"["medida","{id}",["desde",["de","item","a"]],["resumen","contar",1],["umbral","<=",0,""],{ambito}
        ["alcance","no ve más"]]"#
    )
}

const BASE: &str = r#"{"esquema":"oracle.proyecto/v1","catalogo_base":true}"#;

fn ids<'a>(entradas: impl Iterator<Item = &'a Entrada>) -> Vec<&'a str> {
    entradas.map(|entrada| &**entrada.medida.id()).collect()
}

#[test]
fn sources_load_by_path_and_are_told_by_id() {
    // The parts of a path are compared, not its characters: `x` goes before `x-y`, which goes before `z`.
    let disk = Disk::with(&[
        ("catalogos/z.json", &canonica("d.uno", "universal")),
        ("catalogos/x-y/a.json", &canonica("d.dos", "universal")),
        ("catalogos/x/z/z.json", &canonica("d.tres", "universal")),
        ("catalogos/x/.oculta.oracle", &medida("d.cero", "item")),
        ("catalogos/x/.oracle", "no es una fuente"),
        ("catalogos/x/a.ORACLE", "tampoco"),
        ("catalogos/x/LEEME.md", "tampoco"),
    ]);
    let catalogo = catalogo(&disk).unwrap();
    assert_eq!(ids(catalogo.efectivas()), ["d.cero", "d.tres", "d.dos", "d.uno"]);
    assert_eq!(ids(catalogo.efectivas_por_id()), ["d.cero", "d.dos", "d.tres", "d.uno"]);
    assert_eq!(catalogo.cargada("d.tres").unwrap().fuente.presentada(), "catalogos/x/z/z.json");
}

#[test]
fn the_base_goes_first_and_is_known_by_its_embedded_name() {
    let disk = Disk::with(&[("oracle.json", BASE), ("catalogos/a.json", &canonica("a.b", "universal"))]);
    let catalogo = catalogo(&disk).unwrap();
    assert_eq!(catalogo.cargadas()[0].origen.to_string(), "catalogo_base:oracle");
    let judge = catalogo.cargada(crate::base::EJERCITADA).unwrap();
    let identity = "embebido:catalogos/meta/meta.toda_medida_esta_ejercitada.oracle";
    assert_eq!((judge.fuente.presentada(), judge.fuente.identidad()), (identity, identity));
    assert_eq!(catalogo.cargada("a.b").unwrap().origen.to_string(), "proyecto");
}

#[test]
fn profiles_go_after_the_base_and_before_the_project() {
    let config = BASE.replace('}', r#","perfiles":["python"]}"#);
    let disk = Disk::with(&[("oracle.json", &config), ("catalogos/a.json", &canonica("a.b", "universal"))]);
    let catalogo = catalogo(&disk).unwrap();
    let shown: Vec<(String, &str)> =
        catalogo.cargadas()[60..].iter().map(|e| (e.origen.to_string(), &**e.medida.id())).collect();
    let shown: Vec<(&str, &str)> = shown.iter().map(|(origen, id)| (&**origen, *id)).collect();
    assert_eq!(
        shown,
        [
            ("perfil:python", "proceso.arnes_con_bytecode_frio"),
            ("perfil:python", "proceso.modulo_alcanzable"),
            ("perfil:python", "proceso.modulo_con_consumidor"),
            ("proyecto", "a.b"),
        ]
    );
    let source = &catalogo.cargada("proceso.modulo_alcanzable").unwrap().fuente;
    assert_eq!(
        source.presentada(),
        "embebido:perfiles/python/catalogos/proceso/proceso.modulo_alcanzable.oracle"
    );
}

#[test]
fn every_measure_of_the_base_is_named_for_its_id_and_loads() {
    let disk = Disk::with(&[("oracle.json", BASE)]);
    let catalogo = catalogo(&disk).unwrap();
    for entrada in catalogo.cargadas() {
        assert_eq!(entrada.fuente.stem(), &**entrada.medida.id());
        let domain = entrada.medida.id().split('.').next().unwrap();
        assert!(entrada.fuente.identidad().starts_with(&format!("embebido:catalogos/{domain}/")));
    }
    assert_eq!(catalogo.cargadas().len(), 60);
}

#[test]
fn the_judges_keep_the_logic_of_the_language() {
    let disk = Disk::with(&[("oracle.json", BASE)]);
    let catalogo = catalogo(&disk).unwrap();
    for (id, pipeline) in [
        (
            crate::base::EJERCITADA,
            r#"["desde",["de","medida_en_uso","m"],["donde",["y",["==",["campo","m","es_heredada"],false],
            ["==",["campo","m","casos_que_la_evaluan"],0]]]]"#,
        ),
        (
            crate::base::FRESCURA,
            r#"["desde",["de","referente_comparado","r"],
            ["donde",["!=",["campo","r","huella_leida"],["campo","r","huella_actual"]]]]"#,
        ),
    ] {
        let medida = &catalogo.cargada(id).unwrap().medida;
        assert_eq!(*medida.tuberia(), parse(pipeline).unwrap());
        assert_eq!(*medida.resumen(), parse(r#"["resumen","contar",1]"#).unwrap());
        let umbral = medida.umbral();
        assert_eq!((umbral.operador.as_str(), umbral.valor.to_compact().as_str()), ("<=", "0"));
        assert_eq!((&*umbral.segun, medida.ambito()), ("contrato", Ambito::Universal));
    }
}

#[test]
fn scope_decides_by_origin() {
    let disk = Disk::with(&[
        ("catalogos/u.json", &canonica("d.u", "universal")),
        ("catalogos/o.json", &canonica("d.o", "del_origen")),
        ("catalogos/s.json", &canonica("d.s", "")),
    ]);
    let mut catalogo = catalogo(&disk).unwrap();
    assert_eq!(ids(catalogo.efectivas_por_id()), ["d.o", "d.s", "d.u"]);
    for origen in [Origen::Perfil("x".into()), Origen::CatalogoBase] {
        catalogo.entradas.iter_mut().for_each(|entrada| entrada.origen = origen.clone());
        assert_eq!(ids(catalogo.efectivas_por_id()), ["d.s", "d.u"]);
    }
    assert_eq!(catalogo.efectiva("d.x").unwrap_err(), Fallo::MedidaDesconocida { id: "d.x".to_owned() });
    assert_eq!(
        catalogo.efectiva("d.o").unwrap_err(),
        Fallo::MedidaNoEfectiva {
            id: "d.o".to_owned(),
            origen: "catalogo_base:oracle".to_owned(),
            ambito: "del_origen".to_owned()
        }
    );
    assert!(catalogo.efectiva("d.s").is_ok());
}

#[test]
fn an_id_stands_once_over_all_sources() {
    let disk = Disk::with(&[
        ("catalogos/a.json", &canonica("d.u", "universal")),
        ("catalogos/b/d.u.oracle", &medida("d.u", "item")),
    ]);
    assert_eq!(
        told(&catalogo(&disk)),
        "catalogo: catalogos/b/d.u.oracle: el id «d.u» ya está en catalogos/a.json"
    );
    let base = Disk::with(&[
        ("oracle.json", BASE),
        ("catalogos/a.json", &canonica(crate::base::EJERCITADA, "universal")),
    ]);
    let told = told(&catalogo(&base));
    assert!(told.starts_with("catalogo: catalogos/a.json: ") && told.contains("embebido:"), "{told}");
}

#[test]
fn one_source_that_does_not_load_leaves_no_catalogue() {
    let good = medida("a.b", "item");
    for (name, text, why) in [
        ("x.json", "{", "JSON"),
        ("x.json", "{}", ""),
        ("x.json", r#"["medida","sin_punto"]"#, ""),
        ("x.json", r#"["ninguno","a.x"]"#, ""),
        ("x.json", "\u{feff}[]", "JSON"),
        ("x.oracle", "", "línea 1"),
        ("x.oracle", "medida a.x:\n", "línea"),
        ("x.oracle", &good.replace("a.n < 0", "a.n  <  0"), "forma única"),
        ("x.oracle", &good.replace('\n', "\r\n"), "forma única"),
        ("x.oracle", good.trim_end(), "forma única"),
        ("x.oracle", &format!("sintaxis 9.0\n{good}"), "9.0"),
        ("x.oracle", &good.replace("ninguno", "ninguna"), ""),
    ] {
        let disk = Disk::with(&[("catalogos/a.oracle", &good)]);
        disk.write(&format!("catalogos/{name}"), text);
        let told = told(&catalogo(&disk));
        assert!(
            told.starts_with(&format!("catalogo: catalogos/{name}: ")) && told.contains(why),
            "{text}: {told}"
        );
    }
}

#[test]
fn a_text_of_a_call_is_a_measure_or_says_where_it_is_not() {
    let disk = Disk::new();
    let lectura = disk.lectura();
    let macros = lectura.macros().unwrap();
    let read = |text: &str| medida_de_texto(text, &macros, &lectura.contexto());
    let good = medida("a.b", "item");
    assert_eq!(&**read(&good).unwrap().id(), "a.b");
    for (text, donde) in [
        (String::new(), "línea 1, columna 1"),
        (good.replace("a.n < 0", "a.n < "), "línea 3"),
        (good.replace("    de", "     de"), "línea 2"),
        (good.replace("<= 0", "<=  0"), "línea 4"),
        (good.replace("contrato", "capricho"), "línea 4"),
    ] {
        match read(&text) {
            Err(Fallo::MedidaInvalida { donde: told, .. }) => {
                assert!(told.starts_with(donde), "{text}: {told}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let deep = format!("{}1{}", "(".repeat(70), ")".repeat(70));
    let nested = good.replace("a.n < 0", &format!("mas(a.n, {deep}) < 0"));
    assert!(read(&nested).is_err());
}
