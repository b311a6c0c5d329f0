//! What an installation may be on disk, what of it a project gets, and how each thing it may not be is told.

use super::manifiesto::tests::MANIFIESTO;
use super::registro::base64_url;
use super::*;
use crate::huella::Conjunto;
use crate::proyecto::Opciones;
use crate::proyecto::disk::{Disk, medida, told};
use crate::valor::{Text, Valor};
use sha2::{Digest, Sha256};
use std::os::unix::fs::symlink;

/// Files by path from where distributions are installed.
type Files = Vec<(String, String)>;

/// What is done to files before they are installed.
type Change<'a> = &'a dyn Fn(&mut Files);

/// The least that the published distribution has to hold.
fn base() -> Files {
    let file = |path: &str, text: &str| (format!("oracle_metalenguaje/{path}"), text.to_owned());
    vec![
        file("catalogos/d/d.base.oracle", &medida("d.base", "articulo")),
        file("catalogos/d/d.uso.oracle", &medida("d.uso", "articulo").replace("universal", "del_origen")),
        file("perfiles/casa/catalogos/p.de_la_casa.oracle", &medida("p.de_la_casa", "articulo")),
        file(
            "relaciones/articulo.relacion",
            "relacion articulo:\n    n: entero sin_unidad\n    alcance \"no ve más\"\n",
        ),
        file("nucleo/macros/ninguno.oracle", include_str!("../../base/macros/ninguno.oracle")),
    ]
}

/// What a library of this id installs, under the name of its distribution.
fn biblioteca(nombre: &str, id: &str) -> Files {
    let file = |path: &str, text: String| (format!("oracle_bibliotecas/{nombre}/{path}"), text);
    vec![
        file("oracle-biblioteca.toml", MANIFIESTO.replace("vecina.stock", id)),
        file(&format!("catalogos/{id}_m.oracle"), medida(&format!("{id}_m"), "articulo")),
        file("corpus/001-a.caso", "nadie lo lee acá\n".to_owned()),
    ]
}

/// A project and an environment beside it.
struct Entorno {
    disk: Disk,
}

impl Entorno {
    /// A project that selects what `config` says, and an environment with the published distribution.
    fn new(config: &str) -> Entorno {
        let entorno = Entorno { disk: Disk::new() };
        let config = format!(r#"{{"esquema":"oracle.proyecto/v1"{config}}}"#);
        entorno.disk.write("oracle.json", config);
        entorno.publicar("oracle-metalenguaje", "0.33.0", &base());
        entorno
    }

    /// One with a library too.
    fn con_biblioteca(config: &str) -> Entorno {
        let entorno = Entorno::new(config);
        entorno.publicar("Vecina-Stock", "1.2.0", &biblioteca("vecina_stock", "vecina.stock"));
        entorno
    }

    fn raiz(&self) -> PathBuf {
        self.disk.raiz().parent().unwrap().join("entorno")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.raiz().join("lib/python3.12/site-packages").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Installs a distribution: its files, its metadata and its list.
    fn publicar(&self, nombre: &str, version: &str, files: &[(String, String)]) {
        let mut record = String::new();
        for (path, text) in files {
            self.write(path, text);
            record += &format!("{path},sha256={},\n", base64_url(&Sha256::digest(text)));
        }
        let info = format!("{}-{version}.dist-info", distribucion::normalizar(nombre).unwrap_or_default());
        self.write(
            &format!("{info}/METADATA"),
            &format!("Metadata-Version: 2.1\nName: {nombre}\nVersion: {version}\n"),
        );
        self.write(&format!("{info}/RECORD"), &format!("{record}{info}/RECORD,,\n"));
    }

    fn lectura(&self) -> Lectura {
        let instalacion = Instalacion::open(&self.raiz()).unwrap();
        self.disk.proyecto().con_instalacion(instalacion).lectura(Opciones::default())
    }
}

/// Origin and id of every measure that loads, in order.
fn cargadas(lectura: &Lectura) -> Result<Vec<(String, String)>, Fallo> {
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    lectura.relaciones()?;
    Ok(catalogo.cargadas().iter().map(|e| (e.origen.to_string(), e.medida.id().to_string())).collect())
}

#[track_caller]
fn refused(entorno: &Entorno, parts: &[&str]) {
    let told = told(&cargadas(&entorno.lectura()));
    assert!(parts.iter().all(|part| told.contains(part)), "expected {parts:?} in {told:?}");
}

#[track_caller]
fn closed(ruta: &Path, why: &str) {
    let told = Instalacion::open(ruta).unwrap_err().to_string();
    assert!(told.contains(why), "expected {why:?} in {told:?}");
}

const BIBLIOTECA: &str = r#","bibliotecas":["vecina.stock"]"#;
const TODO: &str = r#","catalogo_base":true,"perfiles":["casa"],"bibliotecas":["vecina.stock"]"#;

#[test]
fn everything_comes_from_the_installation_in_the_order_of_its_sources() {
    let entorno = Entorno::con_biblioteca(TODO);
    entorno.disk.write("catalogos/a.oracle", medida("a.propia", "articulo"));
    let lectura = entorno.lectura();
    let shown = cargadas(&lectura).unwrap();
    let shown: Vec<(&str, &str)> = shown.iter().map(|(origen, id)| (&**origen, &**id)).collect();
    assert_eq!(
        shown,
        [
            ("catalogo_base:oracle", "d.base"),
            ("catalogo_base:oracle", "d.uso"),
            ("perfil:casa", "p.de_la_casa"),
            ("biblioteca:vecina.stock", "vecina.stock_m"),
            ("proyecto", "a.propia"),
        ]
    );
    let catalogo = lectura.catalogo(&lectura.macros().unwrap()).unwrap();
    let fuente = &catalogo.cargada("vecina.stock_m").unwrap().fuente;
    let absolute = entorno.path("oracle_bibliotecas/vecina_stock/catalogos/vecina.stock_m.oracle");
    assert_eq!(
        (fuente.presentada(), fuente.identidad()),
        (absolute.to_str().unwrap(), absolute.to_str().unwrap())
    );
    assert!(matches!(catalogo.efectiva("d.uso"), Err(Fallo::MedidaNoEfectiva { .. })));
    assert_eq!(lectura.relaciones().unwrap().len(), 1);
    assert_eq!(lectura.macros().unwrap().nombres().collect::<Vec<_>>(), ["ninguno"]);
}

#[test]
fn without_an_installation_there_is_no_library() {
    let disk =
        Disk::with(&[("oracle.json", r#"{"esquema":"oracle.proyecto/v1","bibliotecas":["vecina.stock"]}"#)]);
    let told = told(&cargadas(&disk.lectura()));
    assert!(told.starts_with("proyecto: `oracle.json`") && told.contains("«vecina.stock»"), "{told}");
}

#[test]
fn an_installed_library_that_nobody_selects_is_not_even_read() {
    let entorno = Entorno::con_biblioteca(r#","catalogo_base":true"#);
    entorno.write("oracle_bibliotecas/vecina_stock/oracle-biblioteca.toml", "roto");
    assert_eq!(cargadas(&entorno.lectura()).unwrap().len(), 2);
}

#[test]
fn what_is_selected_and_not_installed_is_named() {
    refused(&Entorno::new(BIBLIOTECA), &["proyecto: `oracle.json`", "«vecina.stock»"]);
    refused(&Entorno::new(r#","perfiles":["python"]"#), &["proyecto: `oracle.json`", "«python»"]);
}

#[test]
fn an_environment_is_found_from_its_root_or_from_where_things_are_installed() {
    let entorno = Entorno::new("");
    let sitio = entorno.path("");
    for ruta in [entorno.raiz(), sitio.clone(), entorno.raiz().join("lib/../lib/python3.12/site-packages")] {
        assert!(Instalacion::open(&ruta).unwrap().contiene(&sitio), "{}", ruta.display());
    }
    let linked = entorno.raiz().with_file_name("enlace");
    symlink(entorno.raiz(), &linked).unwrap();
    assert!(Instalacion::open(&linked).unwrap().contiene(&sitio));
}

#[test]
fn a_folder_that_is_no_installation_says_why() {
    let entorno = Entorno::new("");
    let raiz = entorno.raiz();
    closed(&entorno.disk.raiz(), "oracle_metalenguaje");
    closed(&raiz.join("nada"), "no se puede resolver");
    let info = entorno.path("oracle_metalenguaje-0.33.0.dist-info");
    let rest = |name: &str, text: &str| fs::write(info.join(name), text).unwrap();
    let record = fs::read_to_string(info.join("RECORD")).unwrap();
    rest("RECORD", "a,b,c,d\n");
    closed(&raiz, "RECORD está roto: línea 1");
    rest("RECORD", "__editable__.pth,,\n");
    closed(&raiz, "editable");
    rest("RECORD", &record);
    rest("METADATA", "Name: otra\n");
    closed(&raiz, "«otra»");
    fs::remove_file(info.join("METADATA")).unwrap();
    closed(&raiz, "METADATA no existe");
    fs::rename(&info, entorno.path("guardado")).unwrap();
    closed(&raiz, "faltan los metadatos");
    symlink(entorno.path("guardado"), &info).unwrap();
    closed(&raiz, "carpeta física");
    fs::create_dir_all(entorno.path("oracle.metalenguaje-0.1.dist-info")).unwrap();
    closed(&raiz, "más de una vez");
    fs::create_dir_all(raiz.join("lib/python3.9/site-packages/oracle_metalenguaje")).unwrap();
    closed(&raiz, "más de una vez");
}

#[test]
fn an_environment_does_not_reach_outside_of_itself() {
    let entorno = Entorno::new("");
    let other = entorno.raiz().with_file_name("otro");
    fs::create_dir_all(&other).unwrap();
    symlink(entorno.raiz().join("lib"), other.join("lib")).unwrap();
    closed(&other, "enlace simbólico");
}

#[test]
fn what_is_read_is_what_was_installed() {
    let base = "oracle_metalenguaje/catalogos/d/d.base.oracle";
    let library = "oracle_bibliotecas/vecina_stock/catalogos/vecina.stock_m.oracle";
    for path in [
        base,
        library,
        "oracle_metalenguaje/nucleo/macros/ninguno.oracle",
        "oracle_metalenguaje/relaciones/articulo.relacion",
    ] {
        let name = path.rsplit('/').next().unwrap();
        let entorno = Entorno::con_biblioteca(TODO);
        let text = fs::read_to_string(entorno.path(path)).unwrap();
        entorno.write(path, &format!("{text}\n"));
        refused(&entorno, &["proyecto: la instalación", name, "no coincide con su huella"]);
        fs::remove_file(entorno.path(path)).unwrap();
        refused(&entorno, &["proyecto: la instalación", name, "figura en RECORD y no está"]);
        symlink("/etc/passwd", entorno.path(path)).unwrap();
        refused(&entorno, &["proyecto:", name, "enlace simbólico"]);
    }
    let entorno = Entorno::con_biblioteca(TODO);
    entorno.write("oracle_metalenguaje/catalogos/d/d.nueva.oracle", &medida("d.nueva", "articulo"));
    refused(&entorno, &["d.nueva.oracle", "no figura en RECORD"]);
}

#[test]
fn files_that_are_no_sources_may_lie_about_in_the_base() {
    let entorno = Entorno::con_biblioteca(TODO);
    entorno.write("oracle_metalenguaje/catalogos/__pycache__/x.pyc", "");
    entorno.write("oracle_metalenguaje/catalogos/__init__.py", "raise SystemExit");
    assert!(cargadas(&entorno.lectura()).is_ok());
}

#[test]
fn no_folder_on_the_way_to_a_source_is_a_symlink() {
    for folder in [
        "oracle_metalenguaje/catalogos",
        "oracle_metalenguaje/catalogos/d",
        "oracle_metalenguaje/perfiles",
        "oracle_metalenguaje/nucleo",
        "oracle_bibliotecas",
        "oracle_bibliotecas/vecina_stock",
        "oracle_bibliotecas/vecina_stock/catalogos",
    ] {
        let entorno = Entorno::con_biblioteca(TODO);
        let away = entorno.raiz().with_file_name("afuera");
        fs::rename(entorno.path(folder), &away).unwrap();
        symlink(&away, entorno.path(folder)).unwrap();
        refused(&entorno, &["proyecto:", "enlace simbólico"]);
    }
}

#[test]
fn an_installation_without_macros_of_the_language_is_broken() {
    let entorno = Entorno::new("");
    let files: Vec<_> = base().into_iter().filter(|(path, _)| !path.contains("macros")).collect();
    fs::remove_dir_all(entorno.path("oracle_metalenguaje/nucleo")).unwrap();
    entorno.publicar("oracle-metalenguaje", "0.33.0", &files);
    refused(&entorno, &["proyecto: la instalación", "macros"]);
}

#[test]
fn one_library_that_is_not_in_form_leaves_none() {
    let manifest = "oracle_bibliotecas/otra/oracle-biblioteca.toml";
    let check = |version: &str, nombre: &str, change: Change<'_>, why: &str| {
        let entorno = Entorno::con_biblioteca(BIBLIOTECA);
        let mut files = biblioteca("otra", "otra.cosa");
        change(&mut files);
        entorno.publicar(nombre, version, &files);
        refused(&entorno, &["proyecto: bibliotecas instaladas: ", why]);
    };
    let in_manifest = |from: &'static str, to: &'static str| {
        move |files: &mut Files| files[0].1 = files[0].1.replace(from, to)
    };
    let also = |path: &'static str| move |files: &mut Files| files.push((path.to_owned(), String::new()));
    check("1.2.1", "otra", &|_| {}, "instala la versión «1.2.1»");
    check("1.2.0", "otra", &in_manifest("biblioteca/v1", "biblioteca/v2"), "`esquema`");
    check("1.2.0", "otra", &in_manifest("otra.cosa", "vecina.stock"), "también publica");
    check("1.2.0", "otra", &in_manifest("[\"corpus\"]", "[\"corpus\", \"nada\"]"), "carpeta física");
    check("1.2.0", "otra", &in_manifest("[\"corpus\"]", "[\"oracle-biblioteca.toml\"]"), "carpeta física");
    check("1.2.0", "otra", &also("otra/__init__.PY"), "no es sólo datos: instala «otra/__init__.PY»");
    check("1.2.0", "otra", &also("oracle_bibliotecas/otra/x.so"), "no es sólo datos");
    check("1.2.0", "otra cosa", &|_| {}, "«otra cosa»");
    let entorno = Entorno::con_biblioteca(BIBLIOTECA);
    entorno.publicar("otra", "1.2.0", &biblioteca("otra", "otra.cosa"));
    let text = fs::read_to_string(entorno.path(manifest)).unwrap();
    entorno.write(manifest, &text.replace("mutantes = 3", "mutantes = 4"));
    refused(&entorno, &["bibliotecas instaladas", "no coincide con su huella"]);
    entorno.write(manifest, &text);
    entorno.write("oracle_bibliotecas/otra/suelto.py", "raise SystemExit");
    refused(&entorno, &["bibliotecas instaladas", "suelto.py", "no es sólo datos"]);
    fs::remove_file(entorno.path("oracle_bibliotecas/otra/suelto.py")).unwrap();
    symlink("corpus", entorno.path("oracle_bibliotecas/otra/enlace")).unwrap();
    refused(&entorno, &["bibliotecas instaladas", "enlace simbólico"]);
    fs::remove_file(entorno.path("oracle_bibliotecas/otra/enlace")).unwrap();
    assert!(cargadas(&entorno.lectura()).is_ok());
    entorno.write("rota-1.dist-info/METADATA", "Name: rota\n");
    entorno.write("rota-1.dist-info/RECORD", "\n");
    refused(&entorno, &["proyecto:", "rota-1.dist-info/RECORD", "línea 1"]);
}

#[test]
fn what_publishes_no_library_is_left_alone() {
    let entorno = Entorno::con_biblioteca(BIBLIOTECA);
    entorno.write("suelta-1.dist-info/top_level.txt", "x");
    entorno.write("sin_nombre-1.dist-info/METADATA", "Version: 1\n");
    entorno.write("sin_nombre-1.dist-info/RECORD", "roto\n");
    entorno.write("archivo.dist-info", "x");
    entorno.write("vieja.egg-info/PKG-INFO", "Name: vieja\n");
    entorno.publicar("con-codigo", "1", &[("con_codigo.py".to_owned(), "raise SystemExit".to_owned())]);
    let files: Vec<_> = biblioteca("otra", "otra.cosa");
    for (path, text) in &files {
        entorno.write(path, text);
    }
    entorno.publicar("otra", "1.2.0", &files[1..]);
    assert_eq!(cargadas(&entorno.lectura()).unwrap().len(), 1);
}

#[test]
fn a_library_brings_macros_and_relations_and_its_names_collide_with_the_rest() {
    let library = |mutate: Change<'_>| {
        let entorno = Entorno::new(r#","catalogo_base":true,"bibliotecas":["vecina.stock"]"#);
        let mut files = biblioteca("vecina", "vecina.stock");
        files[0].1 = files[0]
            .1
            .replace("relaciones = []", "relaciones = [\"r\"]")
            .replace("macros = []", "macros = [\"z\", \"./m//\"]");
        let file = |path: &str, text: &str| (format!("oracle_bibliotecas/vecina/{path}"), text.to_owned());
        let macro_text = include_str!("../../base/macros/ninguno.oracle");
        files.push(file(
            "r/stock.relacion",
            "relacion stock:\n    n: entero sin_unidad\n    alcance \"no ve más\"\n",
        ));
        files.push(file("m/a.oracle", &macro_text.replace("ninguno", "nada")));
        files.push(file("z/b.oracle", &macro_text.replace("ninguno", "cero")));
        mutate(&mut files);
        entorno.publicar("vecina", "1.2.0", &files);
        entorno
    };
    let entorno = library(&|_| {});
    let lectura = entorno.lectura();
    assert_eq!(lectura.macros().unwrap().nombres().collect::<Vec<_>>(), ["cero", "nada", "ninguno"]);
    let relaciones: Vec<Text> = lectura.relaciones().unwrap().iter().map(|r| r.nombre().clone()).collect();
    assert_eq!(relaciones.iter().map(|r| &**r).collect::<Vec<_>>(), ["articulo", "stock"]);
    let renamed = |from: &'static str, to: &'static str| {
        move |files: &mut Files| files.iter_mut().for_each(|(_, text)| *text = text.replace(from, to))
    };
    refused(
        &library(&renamed("relacion stock", "relacion articulo")),
        &["proyecto:", "stock.relacion", "«articulo»"],
    );
    refused(&library(&renamed("defmacro nada", "defmacro ninguno")), &["catalogo:", "a.oracle", "«ninguno»"]);
    refused(
        &library(&renamed("vecina.stock_m", "d.base")),
        &["catalogo:", "vecina.stock_m.oracle", "«d.base»"],
    );
    refused(
        &library(&renamed("a.n < 0", "a.n  < 0")),
        &["catalogo:", "vecina.stock_m.oracle", "forma única"],
    );
}

#[test]
fn a_change_of_the_installation_in_the_middle_of_a_call_is_a_change() {
    let other = |path: &str, text: &str| {
        let entorno = Entorno::con_biblioteca(TODO);
        let lectura = entorno.lectura();
        let catalogo = lectura.catalogo(&lectura.macros().unwrap()).unwrap();
        let inicial = lectura.huella_inicial(Conjunto::Catalogo, Some(&catalogo)).unwrap();
        assert_eq!(lectura.huella_actual(Conjunto::Catalogo, &inicial), inicial);
        entorno.write(path, text);
        lectura.huella_actual(Conjunto::Catalogo, &inicial) != inicial
    };
    assert!(other("oracle_metalenguaje/catalogos/d/d.base.oracle", "roto"));
    assert!(other("nueva-1.dist-info/METADATA", "Name: nueva\n"));
    assert!(other("oracle_metalenguaje/nucleo/macros/LEEME", "x"));
    assert!(!other("oracle_metalenguaje/cosa.txt", "x"));
}

#[test]
fn the_judges_come_from_the_installation() {
    let entorno = Entorno::new("");
    let told = told(&entorno.lectura().jueza("d.nadie"));
    assert_eq!(told, "incompleta: falta la medida jueza d.nadie");
    let jueza = entorno.lectura().jueza("d.base").unwrap();
    assert_eq!(
        jueza.datos().as_list().and_then(|parts| parts.get(1)).and_then(Valor::as_str),
        Some("d.base")
    );
}
