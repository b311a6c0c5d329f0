//! The macros a measure of this project may use: the standard ones and those under `macros/`.

use super::{Carpeta, Fuente, Lectura};
use crate::fallo::Fallo;
use crate::forma;
use crate::macros::{Macro, MacroError, Macros};

impl Lectura {
    /// Loads the standard macros and then the project's, in order of path, each in sight of those before it.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for the folder's structure; [`Fallo::CatalogoInvalido`] with the
    /// file that does not load or takes a name that is taken.
    pub fn macros(&self) -> Result<Macros, Fallo> {
        let broken = |fuente: String, motivo: String| Fallo::CatalogoInvalido { fuente, motivo };
        self.configuracion()?;
        let mut macros = Macros::estandar();
        for path in self.fuentes(Carpeta::Macros)? {
            let fuente = self.fuente(&path, broken)?;
            let loaded = de_fuente(&fuente, &macros)
                .and_then(|nueva| macros.declarar(nueva).map_err(|e| e.to_string()));
            loaded.map_err(|why| broken(fuente.presentada().to_owned(), why))?;
        }
        Ok(macros)
    }
}

fn de_fuente(fuente: &Fuente, macros: &Macros) -> Result<Macro, String> {
    let surface = |texto: &str| {
        let read = forma::leer_oracle(texto, macros).map_err(MacroError::Texto)?;
        Macro::from_datos(&read.datos)
    };
    fuente.leer(|datos| Macro::from_datos(&datos), surface)
}
