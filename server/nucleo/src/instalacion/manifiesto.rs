//! `oracle-biblioteca.toml`: what a library of policies says of itself, in the form `oracle.biblioteca/v1`.
//!
//! Owns what a manifest may say. Must not look at the disk: whether the folders it names are there is its caller's.

use crate::proyecto::Carpeta;
use crate::sintaxis::fragment::is_space;
use crate::sintaxis::is_measure_id;
use crate::valor::Text;
use crate::version;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const ESQUEMA: &str = "oracle.biblioteca/v1";

/// What a library may hold.
const CARPETAS: [Carpeta; 4] = [Carpeta::Catalogos, Carpeta::Corpus, Carpeta::Macros, Carpeta::Relaciones];

/// What a manifest says, as far as a consumer needs it. Folders are as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Manifiesto {
    pub(super) id: Text,
    pub(super) version: String,
    pub(super) carpetas: BTreeMap<Carpeta, Vec<String>>,
}

impl Manifiesto {
    /// Reads a manifest. The error says, in Spanish, what of it is not as the form asks.
    pub(super) fn parse(texto: &str) -> Result<Manifiesto, String> {
        if texto.starts_with('\u{feff}') {
            return Err("empieza con una marca de orden de bytes".to_owned());
        }
        let texto = texto.replace("\r\n", "\n").replace('\r', "\n");
        let datos = DeTable::parse(&texto).map_err(|e| format!("no es TOML: {}", e.message()))?.into_inner();
        let claves = [
            "algebra",
            "certificacion",
            "contenido",
            "datos_solamente",
            "esquema",
            "id",
            "requiere",
            "sintaxis",
            "version",
        ];
        exactas(&datos, &claves, "el manifiesto")?;
        if texto_de(&datos, "esquema")? != ESQUEMA {
            return Err(format!("`esquema` tiene que ser \"{ESQUEMA}\""));
        }
        let id = texto_de(&datos, "id")?;
        if !is_measure_id(id) {
            return Err("`id` tiene que ser palabras ASCII en minúsculas separadas por puntos".to_owned());
        }
        let version = texto_de(&datos, "version")?;
        if !is_release(version) {
            return Err("`version` tiene que ser MAYOR.MENOR.PARCHE".to_owned());
        }
        version::require_algebra(texto_de(&datos, "algebra")?).map_err(|e| format!("`algebra`: {e}"))?;
        version::require_sintaxis(texto_de(&datos, "sintaxis")?).map_err(|e| format!("`sintaxis`: {e}"))?;
        if valor(&datos, "datos_solamente").and_then(DeValue::as_bool) != Some(true) {
            return Err("`datos_solamente` tiene que ser true".to_owned());
        }
        let (contenido, requiere) = (tabla(&datos, "contenido")?, tabla(&datos, "requiere")?);
        exactas(contenido, &CARPETAS.map(Carpeta::nombre), "`contenido`")?;
        exactas(requiere, &["relaciones"], "`requiere`")?;
        requeridas(requiere)?;
        certificacion(tabla(&datos, "certificacion")?)?;
        Ok(Manifiesto {
            id: Text::from(id),
            version: version.to_owned(),
            carpetas: CARPETAS
                .into_iter()
                .map(|carpeta| Ok((carpeta, rutas(contenido, carpeta)?)))
                .collect::<Result<_, String>>()?,
        })
    }
}

fn valor<'a, 'i>(datos: &'a DeTable<'i>, clave: &str) -> Option<&'a DeValue<'i>> {
    datos.get(clave).map(Spanned::get_ref)
}

fn texto_de<'a>(datos: &'a DeTable<'_>, clave: &str) -> Result<&'a str, String> {
    valor(datos, clave).and_then(DeValue::as_str).ok_or_else(|| format!("`{clave}` tiene que ser texto"))
}

fn tabla<'a, 'i>(datos: &'a DeTable<'i>, clave: &str) -> Result<&'a DeTable<'i>, String> {
    valor(datos, clave)
        .and_then(DeValue::as_table)
        .ok_or_else(|| format!("`{clave}` tiene que ser una tabla"))
}

/// Neither a key less nor one more: a manifest of a later form is not half understood.
fn exactas(datos: &DeTable<'_>, claves: &[&str], donde: &str) -> Result<(), String> {
    if let Some(missing) = claves.iter().find(|clave| !datos.contains_key(**clave)) {
        return Err(format!("a {donde} le falta `{missing}`"));
    }
    match datos.keys().find(|clave| !claves.contains(&&**clave.get_ref())) {
        Some(extra) => Err(format!("a {donde} le sobra `{}`", extra.get_ref())),
        None => Ok(()),
    }
}

/// A list of distinct texts; none when it is anything else.
fn distintos(datos: &DeTable<'_>, clave: &str) -> Option<Vec<String>> {
    let items = valor(datos, clave)?.as_array()?;
    let texts: Vec<String> =
        items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let distinct: BTreeSet<&String> = texts.iter().collect();
    (distinct.len() == texts.len()).then_some(texts)
}

/// The folders of one kind. Measures and the cases that fix them are what makes a library one.
fn rutas(contenido: &DeTable<'_>, carpeta: Carpeta) -> Result<Vec<String>, String> {
    let clave = carpeta.nombre();
    let at_least_one = matches!(carpeta, Carpeta::Catalogos | Carpeta::Corpus);
    let found = distintos(contenido, clave)
        .ok_or_else(|| format!("`contenido.{clave}` tiene que ser una lista de rutas sin repetir"))?;
    if at_least_one && found.is_empty() {
        return Err(format!("`contenido.{clave}` no puede quedar vacía"));
    }
    let confined = |ruta: &String| {
        !ruta.is_empty()
            && !ruta.contains('\\')
            && !ruta.starts_with('/')
            && ruta.split('/').all(|part| part != "..")
    };
    match found.iter().find(|ruta| !confined(ruta)) {
        Some(ruta) => Err(format!("`contenido.{clave}`: \"{ruta}\" no es una ruta dentro de la biblioteca")),
        None => Ok(found),
    }
}

fn requeridas(requiere: &DeTable<'_>) -> Result<(), String> {
    let is_name = |name: &String| !name.is_empty() && name.trim_matches(is_space) == name;
    match distintos(requiere, "relaciones") {
        Some(names) if names.iter().all(is_name) => Ok(()),
        _ => Err("`requiere.relaciones` tiene que ser una lista de nombres sin repetir".to_owned()),
    }
}

/// How many mutants its publisher counted. Nobody counts them again here; a library without the claim is none.
fn certificacion(datos: &DeTable<'_>) -> Result<(), String> {
    exactas(datos, &["mutantes"], "`certificacion`")?;
    let count = valor(datos, "mutantes").and_then(DeValue::as_integer);
    let is_positive =
        |digits: &str| !digits.starts_with('-') && digits.chars().any(|c| c.is_alphanumeric() && c != '0');
    if count.is_some_and(|count| is_positive(count.as_str())) {
        return Ok(());
    }
    Err("`certificacion.mutantes` tiene que ser un entero positivo".to_owned())
}

/// Three numbers without leading zeros.
fn is_release(version: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    version.split('.').count() == 3 && version.split('.').all(is_number)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A manifest that says the least a library has to say.
    pub(in crate::instalacion) const MANIFIESTO: &str = r#"esquema = "oracle.biblioteca/v1"
id = "vecina.stock"
version = "1.2.0"
algebra = "1.0"
sintaxis = "1.0"
datos_solamente = true

[contenido]
catalogos = ["catalogos"]
corpus = ["corpus"]
relaciones = []
macros = []

[requiere]
relaciones = ["articulo"]

[certificacion]
mutantes = 3
"#;

    #[test]
    fn a_manifest_in_form_is_read() {
        for texto in [MANIFIESTO.to_owned(), MANIFIESTO.replace('\n', "\r\n")] {
            let read = Manifiesto::parse(&texto).unwrap();
            assert_eq!((&*read.id, &*read.version), ("vecina.stock", "1.2.0"));
            assert_eq!(read.carpetas[&Carpeta::Catalogos], ["catalogos"]);
            assert_eq!(read.carpetas[&Carpeta::Corpus], ["corpus"]);
            assert!(
                read.carpetas[&Carpeta::Relaciones].is_empty() && read.carpetas[&Carpeta::Macros].is_empty()
            );
        }
    }

    #[test]
    fn numbers_of_any_size_and_radix_are_counts() {
        for (count, is_count) in [
            ("0x1F", true),
            ("1_000", true),
            ("99999999999999999999999", true),
            ("+1", true),
            ("0", false),
            ("+0", false),
            ("-0", false),
            ("0x0", false),
            ("0b0_0", false),
            ("-3", false),
            ("true", false),
            ("3.0", false),
            ("\"3\"", false),
        ] {
            let texto = MANIFIESTO.replace("mutantes = 3", &format!("mutantes = {count}"));
            assert_eq!(Manifiesto::parse(&texto).is_ok(), is_count, "{count}");
        }
    }

    #[test]
    fn whatever_is_not_as_the_form_asks_is_refused() {
        for (from, to, why) in [
            ("biblioteca/v1", "biblioteca/v2", "`esquema`"),
            ("\"oracle.biblioteca/v1\"", "1", "`esquema`"),
            ("vecina.stock", "vecina", "`id`"),
            ("vecina.stock", "Vecina.stock", "`id`"),
            ("1.2.0", "1.2", "`version`"),
            ("1.2.0", "1.02.0", "`version`"),
            ("1.2.0", "1.2.0.0", "`version`"),
            ("algebra = \"1.0\"", "algebra = \"9.0\"", "`algebra`"),
            ("algebra = \"1.0\"", "algebra = 1.0", "`algebra`"),
            ("sintaxis = \"1.0\"", "sintaxis = \"2.0\"", "`sintaxis`"),
            ("datos_solamente = true", "datos_solamente = false", "`datos_solamente`"),
            ("datos_solamente = true", "datos_solamente = 1", "`datos_solamente`"),
            ("datos_solamente = true\n", "", "le falta `datos_solamente`"),
            ("datos_solamente = true\n", "datos_solamente = true\nautor = \"x\"\n", "le sobra `autor`"),
            ("id = \"vecina.stock\"\n", "id = \"vecina.stock\"\nid = \"a.b\"\n", "no es TOML"),
            ("[contenido]", "[contenidos]", "le falta `contenido`"),
            ("macros = []\n", "", "le falta `macros`"),
            ("macros = []\n", "macros = []\notra = []\n", "le sobra `otra`"),
            ("catalogos = [\"catalogos\"]", "catalogos = []", "`contenido.catalogos`"),
            ("corpus = [\"corpus\"]", "corpus = []", "`contenido.corpus`"),
            ("corpus = [\"corpus\"]", "corpus = \"corpus\"", "`contenido.corpus`"),
            ("catalogos = [\"catalogos\"]", "catalogos = [\"a\", \"a\"]", "sin repetir"),
            ("catalogos = [\"catalogos\"]", "catalogos = [1]", "sin repetir"),
            ("macros = []", "macros = [\"\"]", "dentro de la biblioteca"),
            ("macros = []", "macros = [\"/a\"]", "dentro de la biblioteca"),
            ("macros = []", "macros = [\"a/../../b\"]", "dentro de la biblioteca"),
            ("macros = []", "macros = ['a\\b']", "dentro de la biblioteca"),
            ("[\"articulo\"]", "[\" articulo\"]", "`requiere.relaciones`"),
            ("[\"articulo\"]", "[\"a\", \"a\"]", "`requiere.relaciones`"),
            ("[\"articulo\"]", "[\"\"]", "`requiere.relaciones`"),
            ("[\"articulo\"]", "3", "`requiere.relaciones`"),
            ("mutantes = 3", "mutantes = 3\nvivos = 0", "le sobra `vivos`"),
            ("esquema", "\u{feff}esquema", "marca"),
            ("esquema =", "esquema :", "no es TOML"),
        ] {
            assert!(MANIFIESTO.contains(from), "{from}");
            let told = Manifiesto::parse(&MANIFIESTO.replacen(from, to, 1)).unwrap_err();
            assert!(told.contains(why), "{from} -> {to}: {told}");
        }
    }
}
