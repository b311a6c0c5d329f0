//! Cases of the corpus: recorded evidence, what a measure should say of it, and the story around it.
//!
//! Owns what a case must have to be loaded and its two forms, JSON and surface. Must not know files, nor
//! evaluate anything.

mod evidence;
mod print;
mod read;

pub use print::imprimir;
pub use read::leer;

pub(crate) use print::written;

use crate::valor::{Text, Valor};
use crate::vocabulario::{ESPERAS, ETIQUETA_VERDE};
use std::fmt;

/// A case that can be loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Caso {
    id: Text,
    datos: Valor,
}

/// What a case expects of its measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Espera {
    /// Green.
    Verde,
    /// Red.
    Rojo,
    /// That there is nothing to judge by.
    SinEvidencia,
}

impl Espera {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Espera::Verde => "verde",
            Espera::Rojo => "rojo",
            Espera::SinEvidencia => "sin_evidencia",
        }
    }

    /// What is expected by that word.
    pub fn parse(text: &str) -> Option<Espera> {
        [Espera::Verde, Espera::Rojo, Espera::SinEvidencia].into_iter().find(|espera| espera.as_str() == text)
    }
}

impl Caso {
    /// Checks what every case must keep to be loaded: it is a map, its id is well formed, and `espera` says
    /// something its label allows. A case is a historical record: members beyond the known ones stay.
    pub fn from_datos(datos: Valor) -> Result<Caso, CasoError> {
        let Some(members) = datos.as_map() else {
            return Err(CasoError::new("la raíz de un caso es un mapa"));
        };
        if let Some(expected) = members.get("espera") {
            let expected = expected.as_str().unwrap_or_default();
            check_espera(expected, members.get("etiqueta").and_then(Valor::as_str).unwrap_or_default())
                .map_err(CasoError::new)?;
        }
        match members.get("id") {
            Some(Valor::Text(id)) if is_case_id(id) => Ok(Caso { id: id.clone(), datos }),
            Some(id) => Err(CasoError::new(format!("{} no es un id de caso: {ID_SHAPE}", id.to_compact()))),
            None => Err(CasoError::new(format!("falta el id del caso: {ID_SHAPE}"))),
        }
    }

    /// The id.
    pub fn id(&self) -> &Text {
        &self.id
    }

    /// The measure it is about; `None` when it names none.
    pub fn medida(&self) -> Option<&str> {
        self.member("medida").and_then(Valor::as_str)
    }

    /// Its label, where it has one.
    pub fn etiqueta(&self) -> Option<&str> {
        self.member("etiqueta").and_then(Valor::as_str)
    }

    /// How its evidence came to be, where it says so.
    pub fn procedencia(&self) -> Option<&str> {
        self.member("procedencia").and_then(Valor::as_str)
    }

    /// What its measure should say: no evidence where it says so, else what its label means.
    pub fn espera(&self) -> Espera {
        match (self.member("espera"), self.etiqueta()) {
            (Some(_), _) => Espera::SinEvidencia,
            (None, Some(ETIQUETA_VERDE)) => Espera::Verde,
            (None, _) => Espera::Rojo,
        }
    }

    /// The evidence as written: relations with their rows, some headed by a `["clave", […]]`. `None` when the
    /// case has none.
    pub fn evidencia(&self) -> Option<&Valor> {
        self.member("evidencia")
    }

    /// The whole case as written.
    pub fn datos(&self) -> &Valor {
        &self.datos
    }

    fn member(&self, name: &str) -> Option<&Valor> {
        self.datos.as_map().and_then(|members| members.get(name))
    }
}

/// Why a value is no case. Spanish, lower case, without a final stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasoError {
    /// What is wrong.
    pub mensaje: String,
}

impl CasoError {
    fn new(mensaje: impl Into<String>) -> CasoError {
        CasoError { mensaje: mensaje.into() }
    }
}

impl fmt::Display for CasoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mensaje)
    }
}

impl std::error::Error for CasoError {}

const ID_SHAPE: &str = "es «NNN-descripcion», con minúsculas ASCII, dígitos y «-»";

/// Whether `id` can be the id of a case: groups of lower-case ASCII and digits joined by single hyphens, with
/// at least one digit.
pub fn is_case_id(id: &str) -> bool {
    let plain = |group: &str| {
        !group.is_empty() && group.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    id.bytes().any(|b| b.is_ascii_digit()) && id.split('-').all(plain)
}

/// What `espera` may say beside a label.
fn check_espera(expected: &str, label: &str) -> Result<(), String> {
    if !ESPERAS.contains(&expected) {
        return Err(format!("«espera» sólo admite {}", ESPERAS.join(", ")));
    }
    if label == ETIQUETA_VERDE {
        return Err(format!("«espera: {expected}» no va con la etiqueta «{ETIQUETA_VERDE}»"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
