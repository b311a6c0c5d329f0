//! What a project may be on disk, and how each thing it may not be is told.

use super::disk::{Disk, caso, medida, told};
use super::*;
use crate::valor::{Integer, Text};
use std::fs;
use std::os::unix::net::UnixListener;

#[track_caller]
fn expect<T>(outcome: Result<T, Fallo>, parts: &[&str]) {
    let told = told(&outcome);
    assert!(parts.iter().all(|part| told.contains(part)), "expected {parts:?} in {told:?}");
}

/// Every reading of the core over one project, up to the first failure.
fn everything(disk: &Disk) -> Result<(), Fallo> {
    let lectura = disk.lectura();
    lectura.escalares()?;
    let macros = lectura.macros()?;
    let catalogo = lectura.catalogo(&macros)?;
    lectura.relaciones()?;
    lectura.huella_inicial(crate::huella::Conjunto::Catalogo, Some(&catalogo))?;
    crate::fijacion::ejercicio(&lectura, &catalogo).map(|_| ())
}

#[test]
fn a_project_is_a_folder_with_catalogos() {
    let disk = Disk::new();
    assert_eq!(disk.proyecto().raiz(), disk.raiz().to_str().unwrap());
    fs::remove_dir(disk.path("catalogos")).unwrap();
    expect(Proyecto::open(&disk.raiz()), &["proyecto:", "catalogos/"]);
    expect(Proyecto::open(&disk.path("nada")), &["proyecto:", "no existe"]);
    disk.write("catalogos", "un archivo");
    expect(Proyecto::open(&disk.raiz()), &["proyecto:", "catalogos/"]);
}

#[test]
fn the_root_is_physical_and_fixed() {
    let (disk, other) = (Disk::new(), Disk::new());
    other.link("entrada", disk.raiz());
    let proyecto = Proyecto::open(&other.path("entrada")).unwrap();
    assert_eq!(proyecto.raiz(), disk.raiz().to_str().unwrap());
    fs::remove_file(other.path("entrada")).unwrap();
    other.link("entrada", "/");
    assert!(proyecto.lectura(Opciones::default()).configuracion().is_ok());
}

#[test]
fn a_project_without_anything_is_whole() {
    expect(everything(&Disk::new()), &["ok"]);
}

#[test]
fn catalogos_that_went_away_is_no_empty_catalogue() {
    let disk = Disk::new();
    let proyecto = disk.proyecto();
    fs::remove_dir(disk.path("catalogos")).unwrap();
    let lectura = proyecto.lectura(Opciones::default());
    expect(lectura.catalogo(&lectura.macros().unwrap()), &["proyecto:", "catalogos/"]);
}

#[test]
fn every_fault_of_the_configuration_is_told() {
    let head = r#""esquema":"oracle.proyecto/v1""#;
    for (rest, parts) in [
        (r#","perfiles":"x""#, &["perfiles"][..]),
        (r#","perfiles":["X"]"#, &["perfiles"]),
        (r#","perfiles":["a","a"]"#, &["perfiles"]),
        (r#","perfiles":[1]"#, &["perfiles"]),
        (r#","perfiles":["python","otro"]"#, &["perfiles", "disponibles: «otro»"]),
        (r#","bibliotecas":["sin_punto"]"#, &["bibliotecas"]),
        (r#","bibliotecas":["a.b"]"#, &["bibliotecas", "«a.b»"]),
        (r#","bibliotecas":{}"#, &["bibliotecas"]),
        (r#","catalogo_base":1"#, &["catalogo_base"]),
        (r#","catalogo_base":null"#, &["catalogo_base"]),
        (r#","algebra":1.0"#, &["algebra"]),
        (r#","algebra":"1""#, &["algebra"]),
        (r#","algebra":"2.0""#, &["algebra", "2.0"]),
        (r#","algebra":"1.1""#, &["algebra", "1.1"]),
        (r#","sintaxis":"0.9""#, &["sintaxis", "0.9"]),
        (r#","sombra":[]"#, &["sombra"]),
        (r#","sombra":{"":{}}"#, &["sombra"]),
        (r#","sombra":{" \u001f":{}}"#, &["sombra"]),
        (r#","sombra":{"a.b":true}"#, &["sombra[a.b]"]),
        (r#","sombra":{"a.b":{"desde":1}}"#, &["sombra[a.b].desde"]),
        (r#","sombra":{"a.b":{"porque":null}}"#, &["sombra[a.b].porque"]),
        (r#","sombra":{"a.b":{"cota":-1}}"#, &["sombra[a.b].cota"]),
        (r#","sombra":{"a.b":{"cota":1.0}}"#, &["sombra[a.b].cota"]),
        (r#","sombra":{"a.b":{"cota":true}}"#, &["sombra[a.b].cota"]),
        (r#","sombra":{"a.b":{"cota":null}}"#, &["sombra[a.b].cota"]),
        (r#","sombra":{"a.b":{"cota":"1"}}"#, &["sombra[a.b].cota"]),
    ] {
        let disk = Disk::with(&[("oracle.json", &format!("{{{head}{rest}}}"))]);
        expect(disk.lectura().configuracion(), &[&["proyecto:", "oracle.json"], parts].concat());
    }
    for text in ["", "[]", "null", "{}", r#"{"esquema":"oracle.proyecto/v2"}"#, "{", "{\"esquema\":NaN}"] {
        let disk = Disk::with(&[("oracle.json", text)]);
        expect(disk.lectura().configuracion(), &["proyecto:", "oracle.json"]);
    }
}

#[test]
fn what_the_configuration_declares_is_kept() {
    let text = r#"{"esquema":"oracle.proyecto/v1","catalogo_base":true,"algebra":"1.0","sintaxis":null,"otro":1,
        "sombra":{"z.z":{},"a.b":{"desde":" 2026-01-01 ","porque":"x","cota":99999999999999999999}}}"#;
    let configuracion = Disk::with(&[("oracle.json", text)]).lectura().configuracion().unwrap();
    assert!(configuracion.catalogo_base);
    let ids: Vec<&str> = configuracion.sombra.iter().map(|entry| &*entry.medida).collect();
    assert_eq!(ids, ["a.b", "z.z"]);
    let shadow = configuracion.sombra_de("a.b").unwrap();
    assert_eq!((&*shadow.desde, &*shadow.porque), ("2026-01-01", "x"));
    assert_eq!(shadow.cota, Integer::parse("99999999999999999999"));
    assert_eq!(configuracion.sombra_de("z.z").unwrap().cota, None);
    assert_eq!(configuracion.sombra_de("m.m"), None);
    assert_eq!(Disk::new().lectura().configuracion().unwrap(), Configuracion::default());
}

#[test]
fn nothing_that_is_read_may_be_a_symlink() {
    let inside = medida("a.b", "item");
    let places = [
        "oracle.json",
        "catalogos/a/a.b.oracle",
        "catalogos/a/a.b.json",
        "corpus/001.caso",
        "corpus/leeme.md",
        "diferencial/x.json",
        "macros/m.oracle",
        "relaciones/r.relacion",
    ];
    for place in places {
        // To the inside, to the outside, to nothing: the kind of target does not matter.
        for target in ["/etc/hosts", "adentro.txt", "no-hay-nada"] {
            let disk = Disk::with(&[("adentro.txt", &inside)]);
            let target = if target.starts_with('/') { target.into() } else { disk.path(target) };
            disk.link(place, target);
            expect(
                everything(&disk),
                &["proyecto:", place.split('/').next_back().unwrap(), "enlace simbólico"],
            );
        }
    }
}

#[test]
fn no_folder_that_is_read_may_be_a_symlink() {
    for folder in ["catalogos", "corpus", "diferencial", "macros", "relaciones"] {
        let disk = Disk::new();
        disk.write("otro/x.txt", "");
        let proyecto = disk.proyecto();
        let _absent = fs::remove_dir(disk.path(folder));
        disk.link(folder, disk.path("otro"));
        expect(everything(&disk), &["proyecto:", folder, "carpeta física"]);
        // A folder below it would bring sources in just as well.
        let below = Disk::new();
        below.link(&format!("{folder}/otro"), "/etc");
        expect(everything(&below), &["proyecto:", folder, "enlace simbólico"]);
        drop(proyecto);
    }
}

#[test]
fn a_folder_that_is_a_file_is_told() {
    for folder in ["corpus", "diferencial", "macros", "relaciones"] {
        let disk = Disk::with(&[(folder, "")]);
        let lectura = disk.lectura();
        let outcome = everything(&disk).and_then(|()| lectura.relaciones().map(|_| ()));
        expect(outcome, &["proyecto:", folder, "carpeta física"]);
    }
}

#[test]
fn symlinks_that_are_no_sources_do_not_matter_in_catalogos() {
    let disk = Disk::new();
    disk.link("catalogos/LEEME.md", "/etc/hosts");
    disk.link("catalogos/roto", "no-hay-nada");
    expect(everything(&disk), &["ok"]);
}

#[test]
fn pipes_and_sockets_are_refused_without_waiting_for_anyone() {
    for place in [
        "oracle.json",
        "catalogos/a/a.b.oracle",
        "corpus/001.caso",
        "diferencial/x.json",
        "macros/m.json",
        "relaciones/r.json",
    ] {
        let pipe = Disk::new();
        pipe.pipe(place);
        expect(everything(&pipe), &["proyecto:", "no es un archivo regular"]);
        let socket = Disk::with(&[(place, "")]);
        fs::remove_file(socket.path(place)).unwrap();
        let _listener = UnixListener::bind(socket.path(place)).unwrap();
        expect(everything(&socket), &["proyecto:", "no es un archivo regular"]);
    }
}

#[test]
fn a_folder_named_as_a_source_does_not_load() {
    for (place, told) in [
        ("catalogos/a.b.oracle", "catalogo: catalogos/a.b.oracle"),
        ("macros/m.oracle", "catalogo: macros/m.oracle"),
        ("relaciones/r.relacion", "proyecto: «relaciones/r.relacion»"),
        ("corpus/001.caso", "incompleta: el caso «corpus/001.caso»"),
        ("diferencial/x.json", "incompleta: el diferencial «diferencial/x.json»"),
        ("oracle.json", "proyecto: «oracle.json»"),
    ] {
        let disk = Disk::new();
        fs::create_dir_all(disk.path(place)).unwrap();
        expect(everything(&disk), &[told, "es una carpeta"]);
    }
}

#[test]
fn a_name_that_is_no_utf8_is_told() {
    use std::os::unix::ffi::OsStrExt;
    for folder in ["catalogos", "corpus", "macros", "relaciones", "diferencial"] {
        let disk = Disk::new();
        fs::create_dir_all(disk.path(folder)).unwrap();
        let name = std::ffi::OsStr::from_bytes(b"a\xff.txt");
        if fs::write(disk.path(folder).join(name), "").is_err() {
            continue; // a file system that only takes UTF-8 cannot show the fault
        }
        expect(everything(&disk), &["proyecto:", "UTF-8"]);
    }
}

#[test]
fn a_source_that_is_no_utf8_does_not_load() {
    for (place, told) in [
        ("catalogos/a.b.oracle", "catalogo: catalogos/a.b.oracle"),
        ("catalogos/a.b.json", "catalogo: catalogos/a.b.json"),
        ("macros/m.oracle", "catalogo: macros/m.oracle"),
        ("relaciones/r.json", "proyecto: «relaciones/r.json»"),
        ("corpus/001.json", "incompleta: el caso «corpus/001.json»"),
        ("diferencial/x.json", "incompleta: el diferencial «diferencial/x.json»"),
        ("oracle.json", "proyecto: «oracle.json»"),
    ] {
        let disk = Disk::new();
        disk.write(place, b"{\"a\":\"\xe9\"}");
        expect(everything(&disk), &[told, "UTF-8"]);
    }
}

#[test]
fn a_source_that_is_too_large_is_not_read_whole() {
    let disk = Disk::new();
    disk.write("catalogos/a.b.oracle", "");
    let file = fs::File::options().write(true).open(disk.path("catalogos/a.b.oracle")).unwrap();
    file.set_len(FILE_LIMIT_BYTES + 1).unwrap();
    expect(everything(&disk), &["catalogo: catalogos/a.b.oracle", "máximo"]);
}

#[test]
fn sources_that_are_too_large_together_are_not_all_kept() {
    let disk = Disk::with(&[
        ("catalogos/a.b.oracle", &medida("a.b", "item")),
        ("catalogos/a.c.oracle", &medida("a.c", "item")),
    ]);
    let lectura = disk.lectura();
    lectura.room.set(medida("a.b", "item").len() as u64);
    expect(
        lectura.catalogo(&lectura.macros().unwrap()),
        &["catalogo: catalogos/a.c.oracle: pasa, con lo ya leído"],
    );
}

#[test]
fn scalars_of_the_project_hold_every_call_back() {
    let disk = Disk::with(&[("escalares.py", "import os")]);
    let archivo = disk.path("escalares.py").to_str().unwrap().to_owned();
    assert_eq!(disk.lectura().escalares(), Err(Fallo::EscalaresNoAutorizadas { archivo }));
    let linked = Disk::new();
    linked.link("escalares.py", "/etc/hosts");
    assert!(matches!(linked.lectura().escalares(), Err(Fallo::EscalaresNoAutorizadas { .. })));
    let broken = Disk::new();
    broken.link("escalares.py", "no-hay-nada");
    expect(broken.lectura().escalares(), &["proyecto:", "escalares.py", "enlace simbólico"]);
}

#[test]
fn a_view_answers_from_what_it_read_first() {
    let disk = Disk::with(&[("catalogos/a.b.oracle", &medida("a.b", "item"))]);
    let lectura = disk.lectura();
    let macros = lectura.macros().unwrap();
    let first = lectura.catalogo(&macros).unwrap();
    disk.write("catalogos/a.b.oracle", "otra cosa");
    disk.write("catalogos/c.d.oracle", "otra cosa");
    disk.write("oracle.json", "{}");
    let again = lectura.catalogo(&macros).unwrap();
    assert_eq!(first.cargada("a.b").unwrap().medida, again.cargada("a.b").unwrap().medida);
    assert_eq!(again.cargadas().len(), 1);
    assert!(disk.lectura().catalogo(&macros).is_err());
}

#[test]
fn a_cancelled_view_reads_nothing_more() {
    let disk = Disk::with(&[("catalogos/a.b.oracle", &medida("a.b", "item"))]);
    let lectura = disk.lectura();
    let macros = lectura.macros().unwrap();
    lectura.cancellation().cancel();
    assert_eq!(told(&lectura.catalogo(&macros)), "Cancelado");
}

#[test]
fn macros_of_the_project_are_declared_in_order_and_once() {
    let macro_text = r#"["defmacro","cero",["id","alcance"],[],
        ["medida",["$","id"],["desde",["de","item","a"]],["resumen","contar",1],["umbral","<=",0,"",
        "contrato"],["ambito","universal"],["alcance",["$","alcance"]]]]"#;
    let disk = Disk::with(&[("macros/sub/b.json", macro_text), ("macros/LEEME", "no es una macro")]);
    assert!(disk.lectura().macros().unwrap().get("cero").is_some());
    disk.write("catalogos/a.b.json", r#"["cero","a.b","no ve más"]"#);
    let lectura = disk.lectura();
    let catalogo = lectura.catalogo(&lectura.macros().unwrap()).unwrap();
    assert_eq!(catalogo.cargada("a.b").unwrap().medida.relaciones(), [Text::from("item")]);
    disk.write("macros/z.json", macro_text);
    expect(disk.lectura().macros(), &["catalogo: macros/z.json", "cero"]);
    let standard = Disk::with(&[("macros/n.json", &macro_text.replace("\"cero\"", "\"ninguno\""))]);
    expect(standard.lectura().macros(), &["catalogo: macros/n.json", "ninguno"]);
    let broken = Disk::with(&[("macros/n.json", "[")]);
    expect(broken.lectura().macros(), &["catalogo: macros/n.json", "JSON"]);
}

#[test]
fn relations_are_declared_once() {
    let text = "relacion item:\n    n: entero sin_unidad\n    alcance \"no ve más\"\n";
    let disk = Disk::with(&[("relaciones/sub/item.relacion", text)]);
    let relaciones = disk.lectura().relaciones().unwrap();
    assert_eq!(relaciones.len(), 1);
    disk.write("relaciones/z.relacion", text);
    expect(disk.lectura().relaciones(), &["proyecto: «relaciones/z.relacion»", "item", "sub/item.relacion"]);
    disk.write("relaciones/a.oracle", text);
    expect(disk.lectura().relaciones(), &["proyecto: «relaciones/a.oracle»", ".relacion"]);
}

#[test]
fn two_cases_with_one_id_are_told_to_who_asks() {
    let evidence = r#"{"item":[{"n":1}]}"#;
    let disk = Disk::with(&[
        ("corpus/a/1.json", &caso("001-a", "a.b", "verde_correcto", evidence)),
        ("corpus/b/2.json", &caso("001-a", "a.b", "falso_verde", evidence)),
    ]);
    let corpus = disk
        .lectura()
        .corpus(Andamios::Incluidos, |fuente, motivo| Fallo::CatalogoInvalido { fuente, motivo })
        .unwrap();
    assert_eq!(corpus.casos().len(), 2);
    assert_eq!(
        corpus.sin_repetidos(),
        Err(Fallo::CasoRepetido {
            id: "001-a".to_owned(),
            origen_1: "corpus/a/1.json".to_owned(),
            origen_2: "corpus/b/2.json".to_owned(),
        })
    );
}
