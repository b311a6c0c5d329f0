//! `oracle.json`: which sources a project selects, which measures it keeps in shadow, which versions it needs.
//!
//! Owns the whole reading of that file. Must not load what it selects.

use super::lectura::CONFIGURACION;
use super::{Fault, Lectura};
use crate::fallo::Fallo;
use crate::sintaxis::is_measure_id;
use crate::valor::{self, Integer, Map, Text, Valor};
use crate::version::{self, VersionError};
use std::collections::BTreeSet;

/// What a project declares. Without `oracle.json` every part is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuracion {
    /// Whether the base catalogue obliges.
    pub catalogo_base: bool,
    /// Profiles, in the order written.
    pub perfiles: Vec<Text>,
    /// Libraries, in the order written.
    pub bibliotecas: Vec<Text>,
    /// Measures in shadow, ordered by id.
    pub sombra: Vec<EnSombra>,
}

impl Configuracion {
    /// The declaration that keeps this measure in shadow, if any.
    pub fn sombra_de(&self, medida: &str) -> Option<&EnSombra> {
        let at = self.sombra.binary_search_by(|entry| (*entry.medida).cmp(medida)).ok()?;
        Some(&self.sombra[at])
    }
}

/// One measure in shadow, as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct EnSombra {
    /// Id of the measure; nothing demands that it exists.
    pub medida: Text,
    /// Since when, as written; empty when not declared.
    pub desde: Text,
    /// Why, as written; empty when not declared.
    pub porque: Text,
    /// The debt it may cover: zero or more.
    pub cota: Option<Integer>,
}

const ESQUEMA: &str = "oracle.proyecto/v1";

impl Lectura {
    /// Reads `oracle.json`; a project without one selects nothing but itself.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`], also for profiles and libraries that this program does not have.
    pub fn configuracion(&self) -> Result<Configuracion, Fallo> {
        let path = self.ruta(CONFIGURACION);
        let bytes = match self.bytes(&path) {
            Ok(bytes) => bytes,
            Err(Fault::Missing) => return Ok(Configuracion::default()),
            Err(fault) => return Err(self.invalid(&path, &fault)),
        };
        let texto = std::str::from_utf8(&bytes).map_err(|_| self.invalid(&path, &Fault::Encoding))?;
        let invalid = |why: String| Fallo::ProyectoInvalido { motivo: format!("`oracle.json`: {why}") };
        let configuracion = leer(texto).map_err(invalid)?;
        let perfiles = self.ausentes(&configuracion.perfiles, Lectura::hay_perfil)?;
        let bibliotecas = self.ausentes(&configuracion.bibliotecas, Lectura::hay_biblioteca)?;
        exigir_disponibles("perfiles", &perfiles).map_err(invalid)?;
        exigir_disponibles("bibliotecas", &bibliotecas).map_err(invalid)?;
        Ok(configuracion)
    }

    fn ausentes<'a>(
        &self,
        nombres: &'a [Text],
        is_there: fn(&Lectura, &str) -> Result<bool, Fallo>,
    ) -> Result<Vec<&'a str>, Fallo> {
        let mut missing = Vec::new();
        for nombre in nombres {
            if !is_there(self, nombre)? {
                missing.push(&**nombre);
            }
        }
        Ok(missing)
    }
}

fn leer(texto: &str) -> Result<Configuracion, String> {
    let datos = valor::parse(texto).map_err(|e| e.to_string())?;
    let datos = match &datos {
        Valor::Map(map) if map.get("esquema").and_then(Valor::as_str) == Some(ESQUEMA) => map,
        _ => return Err(format!("tiene que ser un objeto con `esquema` igual a \"{ESQUEMA}\"")),
    };
    let perfiles = nombres(datos, "perfiles", es_nombre_de_perfil)?;
    let catalogo_base = match datos.get("catalogo_base") {
        None => false,
        Some(Valor::Bool(selected)) => *selected,
        Some(_) => return Err("`catalogo_base` tiene que ser booleano".to_owned()),
    };
    let bibliotecas = nombres(datos, "bibliotecas", is_measure_id)?;
    exigir_version(datos, "algebra", version::require_algebra)?;
    exigir_version(datos, "sintaxis", version::require_sintaxis)?;
    Ok(Configuracion { catalogo_base, perfiles, bibliotecas, sombra: sombra(datos)? })
}

/// A list of distinct names of one grammar; empty when absent.
fn nombres(datos: &Map, clave: &str, gramatica: fn(&str) -> bool) -> Result<Vec<Text>, String> {
    let malformed = || format!("`{clave}` tiene que ser una lista de nombres portables sin repetir");
    let Some(valor) = datos.get(clave) else { return Ok(Vec::new()) };
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for item in valor.as_list().ok_or_else(malformed)? {
        match item {
            Valor::Text(name) if gramatica(name) && seen.insert(name) => names.push(name.clone()),
            _ => return Err(malformed()),
        }
    }
    Ok(names)
}

/// Selecting what is not there is an error that names all of it: a project is not judged by less than it asks for.
fn exigir_disponibles(clave: &str, ausentes: &[&str]) -> Result<(), String> {
    let missing: Vec<String> = ausentes.iter().map(|nombre| format!("«{nombre}»")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("selecciona {clave} que no están disponibles: {}", missing.join(", ")))
}

fn es_nombre_de_perfil(nombre: &str) -> bool {
    nombre.starts_with(|c: char| c.is_ascii_lowercase())
        && nombre.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b))
}

fn exigir_version(
    datos: &Map,
    clave: &str,
    require: fn(&str) -> Result<(), VersionError>,
) -> Result<(), String> {
    match datos.get(clave) {
        None | Some(Valor::Null) => Ok(()),
        Some(Valor::Text(needed)) => require(needed).map_err(|e| format!("`{clave}`: {e}")),
        Some(_) => Err(format!("`{clave}` tiene que ser un texto MAYOR.MENOR, por ejemplo \"1.0\"")),
    }
}

fn sombra(datos: &Map) -> Result<Vec<EnSombra>, String> {
    let declared = match datos.get("sombra") {
        None => return Ok(Vec::new()),
        Some(Valor::Map(map)) => map,
        Some(_) => {
            return Err("`sombra` tiene que ser un objeto de id de medida a {desde, porque}".to_owned());
        }
    };
    let mut entries = declared.iter().map(en_sombra).collect::<Result<Vec<_>, _>>()?;
    entries.sort_by(|a, b| a.medida.cmp(&b.medida));
    Ok(entries)
}

fn en_sombra((medida, valor): (&Text, &Valor)) -> Result<EnSombra, String> {
    if sin_espacios(medida).is_empty() {
        return Err("`sombra` tiene un id de medida vacío".to_owned());
    }
    let Valor::Map(campos) = valor else {
        return Err(format!("`sombra[{medida}]` tiene que ser un objeto con `desde` y `porque`"));
    };
    let texto = |clave: &str| match campos.get(clave) {
        None => Ok(Text::from("")),
        Some(Valor::Text(text)) => Ok(Text::from(sin_espacios(text))),
        Some(_) => Err(format!("`sombra[{medida}].{clave}` tiene que ser texto")),
    };
    let (desde, porque) = (texto("desde")?, texto("porque")?);
    let cota = match campos.get("cota") {
        None => None,
        Some(Valor::Int(cota)) if *cota >= Integer::ZERO => Some(cota.clone()),
        Some(_) => {
            return Err(format!("`sombra[{medida}].cota` tiene que ser un entero mayor o igual que 0"));
        }
    };
    Ok(EnSombra { medida: medida.clone(), desde, porque, cota })
}

/// Without white space at either end, counting the four separators that the reference counts as such.
fn sin_espacios(texto: &str) -> &str {
    texto.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
