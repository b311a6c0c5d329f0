//! The base set that ships inside the program: every source loads and says what it must, and each measure is held
//! in place by cases of our own.
//!
//! A line of `base/*.jsonl` is a case: the measure, what it should say, what the case shows, and its evidence.

use nucleo::alcance::alcance_derivado;
use nucleo::algebra::{Cancellation, Contexto, EscalaresBase, LimitesAlgebra};
use nucleo::caso::Espera;
use nucleo::catalogo::Catalogo;
use nucleo::desafio::{Casos, Destino, desafiar};
use nucleo::forma;
use nucleo::macros::Macros;
use nucleo::proyecto::{Opciones, Proyecto};
use nucleo::relacion::Relacion;
use nucleo::valor::{Text, Valor, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CASOS: [&str; 4] = [
    include_str!("base/meta.jsonl"),
    include_str!("base/proceso.jsonl"),
    include_str!("base/python.jsonl"),
    include_str!("base/simulacion.jsonl"),
];

/// What a project that selects the base catalogue and the profile, and has nothing of its own, loads.
fn base() -> (Catalogo, Vec<Relacion>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("catalogos")).expect("a folder");
    let configuracion = r#"{"esquema":"oracle.proyecto/v1","catalogo_base":true,"perfiles":["python"]}"#;
    fs::write(folder.path().join("oracle.json"), configuracion).expect("a file");
    let lectura = Proyecto::open(folder.path()).expect("a project").lectura(Opciones::default());
    let catalogo = lectura.catalogo(&Macros::estandar()).expect("the base set loads");
    (catalogo, lectura.relaciones().expect("the relations load"))
}

/// The files under a folder of `base/`, by their path from there, in order.
fn files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("base");
    let mut found = Vec::new();
    let mut pending: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending
                .extend(fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else {
            let inside = path.strip_prefix(&root).expect("a path under the root").to_str().expect("UTF-8");
            found.push((inside.to_owned(), fs::read_to_string(&path).expect("a text")));
        }
    }
    found.sort();
    found
}

#[test]
fn every_file_is_embedded_and_loads_in_order() {
    let (catalogo, relaciones) = base();
    let embedded: Vec<(String, String)> = catalogo
        .cargadas()
        .iter()
        .map(|entrada| {
            let ruta = entrada.fuente.presentada().strip_prefix("embebido:").expect("an embedded source");
            (ruta.to_owned(), entrada.fuente.texto().expect("a text").to_owned())
        })
        .collect();
    assert_eq!(embedded, [files("catalogos"), files("perfiles")].concat());
    assert_eq!(embedded.len(), 63);
    for ((ruta, _), entrada) in embedded.iter().zip(catalogo.cargadas()) {
        let id = entrada.medida.id();
        let dominio = id.split('.').next().unwrap_or_default();
        let origen = entrada.origen.to_string();
        let carpeta = if origen == "perfil:python" { "perfiles/python/catalogos" } else { "catalogos" };
        assert_eq!(*ruta, format!("{carpeta}/{dominio}/{id}.oracle"));
    }
    let declared: Vec<String> =
        relaciones.iter().map(|relacion| format!("relaciones/{}.relacion", relacion.nombre())).collect();
    let on_disk: Vec<String> = files("relaciones").into_iter().map(|(ruta, _)| ruta).collect();
    assert_eq!(declared.iter().collect::<BTreeSet<_>>(), on_disk.iter().collect());
    assert_eq!(declared.len(), 13);
}

#[test]
fn every_file_stands_in_its_one_form() {
    for (ruta, texto) in ["catalogos", "perfiles", "macros"].into_iter().flat_map(files) {
        forma::leer_oracle(&texto, &Macros::estandar()).unwrap_or_else(|e| panic!("{ruta}: {e}"));
    }
    for (ruta, texto) in files("relaciones") {
        forma::leer_relacion(&texto).unwrap_or_else(|e| panic!("{ruta}: {e}"));
    }
}

/// The sentences of the set, each with the file that says it.
fn sentences() -> Vec<(String, String)> {
    let (catalogo, relaciones) = base();
    let of_measure = catalogo.cargadas().iter().flat_map(|entrada| {
        let medida = &entrada.medida;
        [&medida.umbral().porque, medida.alcance()].map(|said| (medida.id().to_string(), said.to_string()))
    });
    let of_relation = relaciones.iter().map(|r| (r.nombre().to_string(), r.alcance().to_string()));
    of_measure.chain(of_relation).collect()
}

#[test]
fn nothing_is_said_twice_nor_at_length() {
    let mut seen = BTreeMap::new();
    for (whose, said) in sentences() {
        assert!(said.split_whitespace().count() > 8, "{whose}: {said}");
        assert!(said.chars().count() <= 260, "{whose}: {said}");
        assert!(!said.ends_with('.') && said.trim() == said, "{whose}: {said}");
        if let Some(other) = seen.insert(said, whose.clone()) {
            panic!("{whose} says what {other} says");
        }
    }
}

#[test]
fn every_scope_says_what_is_left_out() {
    let (catalogo, relaciones) = base();
    let of_measure = catalogo.cargadas().iter().map(|entrada| entrada.medida.alcance());
    for said in of_measure.chain(relaciones.iter().map(|relacion| relacion.alcance())) {
        assert!(said.contains(" NO "), "{said}");
    }
}

#[test]
fn measures_read_only_what_the_relations_of_the_set_declare() {
    let (catalogo, relaciones) = base();
    for entrada in catalogo.cargadas() {
        let derived = alcance_derivado(&entrada.medida, &relaciones);
        let undeclared = derived.iter().find(|line| line.contains("no declara:"));
        assert_eq!(undeclared, None, "{}", entrada.medida.id());
    }
}

/// A case of ours.
struct Ejemplo {
    espera: Espera,
    que: Text,
    evidencia: Valor,
}

/// Our cases by measure, in the order written.
fn ejemplos() -> BTreeMap<Text, Vec<Ejemplo>> {
    let mut found: BTreeMap<Text, Vec<Ejemplo>> = BTreeMap::new();
    for line in CASOS.into_iter().flat_map(str::lines) {
        let case = parse(line).expect("a case is JSON");
        let case = case.as_map().expect("a case is a map");
        let text = |clave: &str| match case.get(clave) {
            Some(Valor::Text(text)) => text.clone(),
            _ => panic!("no text in `{clave}`: {line}"),
        };
        let espera = Espera::parse(&text("espera")).unwrap_or_else(|| panic!("no expectation: {line}"));
        let evidencia = case.get("evidencia").expect("a case has evidence").clone();
        found.entry(text("medida")).or_default().push(Ejemplo { espera, que: text("que"), evidencia });
    }
    found
}

#[test]
fn every_measure_has_a_red_and_a_green_case() {
    let (catalogo, _) = base();
    let ejemplos = ejemplos();
    let loaded: BTreeSet<&Text> = catalogo.cargadas().iter().map(|entrada| entrada.medida.id()).collect();
    assert_eq!(ejemplos.keys().collect::<BTreeSet<_>>(), loaded);
    for (id, ejemplos) in &ejemplos {
        for espera in [Espera::Verde, Espera::Rojo] {
            assert!(ejemplos.iter().any(|ejemplo| ejemplo.espera == espera), "{id}: {espera:?}");
        }
    }
}

#[test]
fn every_measure_says_of_each_case_what_is_expected_and_no_mutant_survives_them() {
    let (catalogo, _) = base();
    let (limites, cancellation) = (LimitesAlgebra::default(), Cancellation::new());
    let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase };
    let mut mutants = 0;
    for (id, ejemplos) in ejemplos() {
        let medida = &catalogo.cargada(&id).unwrap_or_else(|| panic!("{id} is not loaded")).medida;
        let efimeros = ejemplos.into_iter().map(|e| (e.que, e.espera, e.evidencia));
        let casos = Casos::new().y_efimeros(efimeros).unwrap_or_else(|e| panic!("{id}: {e:?}"));
        let desafio = desafiar(medida, casos, &contexto).unwrap_or_else(|e| panic!("{id}: {e:?}"));
        assert_eq!(desafio.discordancias, [], "{id}");
        let mutacion = desafio.mutacion.unwrap_or_else(|| panic!("{id}: nothing was mutated"));
        let survivors: Vec<_> =
            mutacion.no_detectados().filter(|(_, destino)| *destino == Destino::Sobrevivio).collect();
        assert_eq!(survivors, [], "{id}");
        mutants += mutacion.generados();
    }
    assert_eq!(mutants, 1103);
}

#[test]
fn the_rows_of_a_case_have_only_fields_that_their_relation_declares() {
    let (_, relaciones) = base();
    let declared: BTreeMap<&str, BTreeSet<&str>> = relaciones
        .iter()
        .map(|r| (&**r.nombre(), r.todos_los_campos().into_iter().map(|campo| &*campo.nombre).collect()))
        .collect();
    for (id, ejemplos) in ejemplos() {
        for ejemplo in ejemplos {
            for (relacion, filas) in ejemplo.evidencia.as_map().expect("evidence is a map").iter() {
                let Some(known) = declared.get(&**relacion) else { continue };
                for fila in filas.as_list().expect("rows are a list") {
                    let mut campos = fila.as_map().expect("a row is a map").keys();
                    let unknown = campos.find(|campo| !known.contains(&***campo));
                    assert_eq!(unknown, None, "{id}, {}: {relacion}", ejemplo.que);
                }
            }
        }
    }
}
