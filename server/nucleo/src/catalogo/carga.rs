//! From files to a catalogue: every selected source, or the first one that does not load.
//!
//! Owns the order of the sources and that an id stands once. A catalogue is loaded whole or not at all.

use super::{Catalogo, Entrada, Origen};
use crate::algebra::Contexto;
use crate::fallo::Fallo;
use crate::forma;
use crate::macros::{self, Macros};
use crate::medida::Medida;
use crate::proyecto::{Carpeta, Fuente, Lectura};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

impl Lectura {
    /// Loads everything that the project selects: the base catalogue if it asks for it, its profiles and its
    /// libraries in the order it names them, then its own.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for structure, configuration, symlinks; [`Fallo::CatalogoInvalido`]
    /// with the source that does not load or repeats an id. Contract: "Rechazos y forma de los errores".
    pub fn catalogo(&self, macros: &Macros) -> Result<Catalogo, Fallo> {
        let configuracion = self.configuracion()?;
        let mut found = Vec::new();
        if configuracion.catalogo_base {
            for fuente in self.catalogo_base()? {
                found.push(self.entrada(fuente, Origen::CatalogoBase, macros)?);
            }
        }
        for nombre in &configuracion.perfiles {
            for fuente in self.catalogo_de_perfil(nombre)?.into_iter().flatten() {
                found.push(self.entrada(fuente, Origen::Perfil(nombre.clone()), macros)?);
            }
        }
        for id in &configuracion.bibliotecas {
            for fuente in self.fuentes_de_biblioteca(id, Carpeta::Catalogos)? {
                found.push(self.entrada(fuente, Origen::Biblioteca(id.clone()), macros)?);
            }
        }
        if self.carpeta(Carpeta::Catalogos)?.is_none() {
            return Err(Fallo::ProyectoInvalido { motivo: "falta `catalogos/`".to_owned() });
        }
        for path in self.fuentes(Carpeta::Catalogos)? {
            let fuente = self.fuente(&path, invalida)?;
            found.push(self.entrada(fuente, Origen::Proyecto, macros)?);
        }
        Self::indexar(found)
    }

    fn entrada(&self, fuente: Fuente, origen: Origen, macros: &Macros) -> Result<Entrada, Fallo> {
        self.check_cancelled()?;
        let medida = medida_de_fuente(&fuente, macros, &self.contexto())
            .map_err(|why| invalida(fuente.presentada().to_owned(), why))?;
        Ok(Entrada { medida, origen, fuente })
    }

    fn indexar(entradas: Vec<Entrada>) -> Result<Catalogo, Fallo> {
        let mut by_id = BTreeMap::new();
        for (at, entrada) in entradas.iter().enumerate() {
            match by_id.entry(entrada.medida.id().clone()) {
                Entry::Vacant(place) => {
                    place.insert(at);
                }
                Entry::Occupied(first) => {
                    let first: &Entrada = &entradas[*first.get()];
                    let why =
                        format!("el id «{}» ya está en {}", entrada.medida.id(), first.fuente.presentada());
                    return Err(invalida(entrada.fuente.presentada().to_owned(), why));
                }
            }
        }
        Ok(Catalogo { entradas, by_id })
    }
}

fn invalida(fuente: String, motivo: String) -> Fallo {
    Fallo::CatalogoInvalido { fuente, motivo }
}

/// Reads one measure from its file, in either of its forms. The error says, in Spanish, why it does not load.
pub(crate) fn medida_de_fuente(
    fuente: &Fuente,
    macros: &Macros,
    contexto: &Contexto<'_>,
) -> Result<Medida, String> {
    let surface = |texto: &str| forma::leer_oracle(texto, macros).map(|read| read.datos);
    let datos = fuente.leer(Ok::<_, String>, surface)?;
    let canonica = macros::expandir(&datos, macros, contexto).map_err(|e| e.to_string())?;
    Medida::from_datos(&canonica, contexto).map_err(|e| e.to_string())
}
