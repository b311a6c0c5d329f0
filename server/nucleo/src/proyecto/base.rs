//! Where the base set of a project comes from: the one that ships inside the program, or an installation.
//!
//! Owns that choice and nothing else: every reader of the base catalogue, its profiles, relations and macros asks here.

use super::macros::de_fuente;
use super::{Fuente, Lectura};
use crate::base;
use crate::catalogo::medida_de_fuente;
use crate::fallo::Fallo;
use crate::macros::Macros;
use crate::medida::Medida;

impl Lectura {
    /// The sources of the base catalogue, in order.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for an installation that is not what was installed.
    pub(crate) fn catalogo_base(&self) -> Result<Vec<Fuente>, Fallo> {
        match self.proyecto().instalacion() {
            None => Ok(base::catalogo().collect()),
            Some(instalacion) => self.catalogo_instalado(instalacion, None),
        }
    }

    /// The catalogue of a profile, in order; `None` when there is no profile of that name.
    ///
    /// Errors: as [`Lectura::catalogo_base`].
    pub(crate) fn catalogo_de_perfil(&self, nombre: &str) -> Result<Option<Vec<Fuente>>, Fallo> {
        match self.proyecto().instalacion() {
            None => Ok(base::perfil(nombre).map(Iterator::collect)),
            Some(instalacion) if self.hay_perfil_instalado(instalacion, nombre)? => {
                self.catalogo_instalado(instalacion, Some(nombre)).map(Some)
            }
            Some(_) => Ok(None),
        }
    }

    /// Whether there is a profile of that name.
    ///
    /// Errors: as [`Lectura::catalogo_base`].
    pub(crate) fn hay_perfil(&self, nombre: &str) -> Result<bool, Fallo> {
        match self.proyecto().instalacion() {
            None => Ok(base::perfil(nombre).is_some()),
            Some(instalacion) => self.hay_perfil_instalado(instalacion, nombre),
        }
    }

    /// The declarations of relations that come with the base catalogue, in order.
    ///
    /// Errors: as [`Lectura::catalogo_base`].
    pub(crate) fn relaciones_base(&self) -> Result<Vec<Fuente>, Fallo> {
        match self.proyecto().instalacion() {
            None => Ok(base::relaciones().collect()),
            Some(instalacion) => self.relaciones_instaladas(instalacion),
        }
    }

    /// The standard macros of the language.
    ///
    /// Errors: as [`Lectura::catalogo_base`]; [`Fallo::CatalogoInvalido`] for one that does not load.
    pub(crate) fn macros_base(&self) -> Result<Macros, Fallo> {
        let Some(instalacion) = self.proyecto().instalacion() else { return Ok(Macros::estandar()) };
        let mut macros = Macros::new();
        for fuente in self.macros_instaladas(instalacion)? {
            de_fuente(&fuente, &mut macros)?;
        }
        Ok(macros)
    }

    /// One measure of the base catalogue, for what the core itself asks of it, whether the project selects the base
    /// or not.
    ///
    /// Errors: [`Fallo::EvidenciaIncompleta`] when the set does not have it or it does not load, and those of
    /// [`Lectura::macros_base`].
    pub(crate) fn jueza(&self, id: &str) -> Result<Medida, Fallo> {
        let missing =
            |why: String| Fallo::EvidenciaIncompleta { motivo: format!("falta la medida jueza {id}{why}") };
        let fuente = match self.proyecto().instalacion() {
            None => base::catalogo().find(|fuente| fuente.stem() == id),
            Some(instalacion) => self.fuente_de_jueza(instalacion, id)?,
        };
        let fuente = fuente.ok_or_else(|| missing(String::new()))?;
        medida_de_fuente(&fuente, &self.macros_base()?, &self.contexto())
            .map_err(|why| missing(format!(": {why}")))
    }
}
