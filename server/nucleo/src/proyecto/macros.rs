//! The macros a measure of this project may use: the standard ones and those under `macros/`.

use super::{Carpeta, Fuente, Lectura};
use crate::fallo::Fallo;
use crate::forma;
use crate::macros::{Macro, MacroError, Macros};

impl Lectura {
    /// Loads the standard macros, then those of the libraries that the project selects, then its own, in order of
    /// path, each in sight of those before it.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for the folder's structure; [`Fallo::CatalogoInvalido`] with the
    /// file that does not load or takes a name that is taken.
    pub fn macros(&self) -> Result<Macros, Fallo> {
        let configuracion = self.configuracion()?;
        let mut macros = self.macros_base()?;
        for id in &configuracion.bibliotecas {
            for fuente in self.fuentes_de_biblioteca(id, Carpeta::Macros)? {
                de_fuente(&fuente, &mut macros)?;
            }
        }
        for path in self.fuentes(Carpeta::Macros)? {
            de_fuente(&self.fuente(&path, broken)?, &mut macros)?;
        }
        Ok(macros)
    }
}

/// Adds the macro that a source declares, in sight of those that are known.
pub(super) fn de_fuente(fuente: &Fuente, macros: &mut Macros) -> Result<(), Fallo> {
    let surface = |texto: &str| {
        let read = forma::leer_oracle(texto, macros).map_err(MacroError::Texto)?;
        Macro::from_datos(&read.datos)
    };
    let nueva = fuente.leer(|datos| Macro::from_datos(&datos), surface);
    nueva
        .and_then(|nueva| macros.declarar(nueva).map_err(|e| e.to_string()))
        .map_err(|why| broken(fuente.presentada().to_owned(), why))
}

fn broken(fuente: String, motivo: String) -> Fallo {
    Fallo::CatalogoInvalido { fuente, motivo }
}
