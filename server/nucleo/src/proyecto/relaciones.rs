//! The relations that a project knows: those that come with the base catalogue and with the libraries it selects, and its
//! own under `relaciones/`.

use super::{Carpeta, Fuente, Lectura};
use crate::fallo::Fallo;
use crate::forma;
use crate::relacion::Relacion;
use std::collections::BTreeMap;

impl Lectura {
    /// Loads every declared relation: those of the base catalogue when the project selects it, those of its
    /// libraries, then its own in order of path. Empty when there is none.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for the configuration, and with the file that does not load or repeats a
    /// name. Contract: "oracle_evaluar" (a declaration that is invalid is no absence of declarations).
    pub fn relaciones(&self) -> Result<Vec<Relacion>, Fallo> {
        let broken =
            |fuente: String, why: String| Fallo::ProyectoInvalido { motivo: format!("«{fuente}»: {why}") };
        let mut fuentes = Vec::new();
        let configuracion = self.configuracion()?;
        if configuracion.catalogo_base {
            fuentes.extend(self.relaciones_base()?);
        }
        for id in &configuracion.bibliotecas {
            fuentes.extend(self.fuentes_de_biblioteca(id, Carpeta::Relaciones)?);
        }
        for path in self.fuentes(Carpeta::Relaciones)? {
            fuentes.push(self.fuente(&path, broken)?);
        }
        let mut first = BTreeMap::new();
        let mut found = Vec::new();
        for fuente in fuentes {
            let presentada = fuente.presentada().to_owned();
            let relacion = de_fuente(&fuente).map_err(|why| broken(presentada.clone(), why))?;
            if let Some(other) = first.insert(relacion.nombre().clone(), presentada.clone()) {
                let why = format!("declara la relación «{}», que ya está en {other}", relacion.nombre());
                return Err(broken(presentada, why));
            }
            found.push(relacion);
        }
        Ok(found)
    }
}

fn de_fuente(fuente: &Fuente) -> Result<Relacion, String> {
    if fuente.extension() == "oracle" {
        return Err("no se lee: una relación se escribe en .relacion".to_owned());
    }
    fuente.leer(|datos| Relacion::from_datos(&datos), forma::leer_relacion)
}
