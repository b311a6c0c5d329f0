//! Differential fixtures: evidence whose verdict an independent implementation gave too.
//!
//! Owns the form of `oracle.diferencial/v1` and whether what a fixture was generated from is still what the
//! project holds. The verdict on freshness is not decided here: a measure of the base set gives it.

mod formato;
mod frescura;

pub use formato::{Cuerpo, Escenario, Formato, Grupo};

use crate::algebra::{AlgebraError, Contexto, Evidencia};
use crate::base;
use crate::catalogo::Catalogo;
use crate::fallo::Fallo;
use crate::medida::{Estado, Medida};
use crate::proyecto::{Carpeta, Fuente, Lectura};
use crate::valor::{self, Text, Valor};
use std::path::PathBuf;

/// One fixture that is well formed and fresh.
#[derive(Clone, Debug)]
pub struct Diferencial {
    /// The file it was read from.
    pub fuente: Fuente,
    /// What it holds.
    pub formato: Formato,
}

/// One case that a fixture contributes to a measure of the catalogue.
#[derive(Clone, Debug)]
pub struct CasoDeDiferencial<'a> {
    /// `<file>/<measure>[<scenario or index>]`.
    pub id: String,
    /// The measure it exercises.
    pub medida: &'a Text,
    /// Whether it expects green; otherwise red or no evidence.
    pub espera_verde: bool,
    /// Relation to rows.
    pub evidencia: &'a Valor,
}

/// Reads the project's fixtures, checks their form and that they are fresh, in order of name.
///
/// `catalogo` is what the project's sources load. Errors: [`Fallo::ProyectoInvalido`] for the folder's
/// structure, [`Fallo::EvidenciaIncompleta`] for a fixture that is unreadable, malformed or stale.
pub fn cargar(lectura: &Lectura, catalogo: &Catalogo) -> Result<Vec<Diferencial>, Fallo> {
    let mut found = Vec::new();
    for path in rutas(lectura)? {
        let fuente = lectura.fuente(&path, incompleta)?;
        let broken = |why: String| incompleta(fuente.presentada().to_owned(), why);
        let texto = fuente.texto().map_err(broken)?;
        let datos = valor::parse(texto).map_err(|e| broken(format!("no es JSON: {e}")))?;
        let formato = Formato::from_valor(&datos, &lectura.contexto()).map_err(broken)?;
        let stale = vencimiento(lectura, catalogo, &formato)?;
        if let Some(why) = stale {
            return Err(broken(format!("está vencido: {why}")));
        }
        found.push(Diferencial { fuente, formato });
    }
    Ok(found)
}

/// Whether the project has any fixture.
///
/// # Errors
/// [`Fallo::ProyectoInvalido`] for the folder's structure.
pub fn hay(lectura: &Lectura) -> Result<bool, Fallo> {
    Ok(!rutas(lectura)?.is_empty())
}

/// The files that are fixtures: those that lie right in the folder.
fn rutas(lectura: &Lectura) -> Result<Vec<PathBuf>, Fallo> {
    let folder = lectura.ruta(Carpeta::Diferencial.nombre());
    let mut rutas = lectura.fuentes(Carpeta::Diferencial)?;
    rutas.retain(|path| path.parent() == Some(&folder));
    Ok(rutas)
}

fn incompleta(fuente: String, motivo: String) -> Fallo {
    Fallo::EvidenciaIncompleta { motivo: format!("el diferencial «{fuente}»: {motivo}") }
}

/// Why a fixture is stale, if it is: the measure of freshness judges the fingerprints it declares beside
/// those of now.
fn vencimiento(lectura: &Lectura, catalogo: &Catalogo, formato: &Formato) -> Result<Option<String>, Fallo> {
    lectura.check_cancelled()?;
    let actuales = match frescura::actuales(lectura, catalogo, formato) {
        Ok(actuales) => actuales,
        Err(why) => return Ok(Some(why)),
    };
    let referentes = frescura::referentes_comparados(&formato.frescura.huellas, &actuales);
    let jueza = lectura.jueza(base::FRESCURA)?;
    let veredicto = jueza.evaluar(&Evidencia::from_valor(referentes)?, &lectura.contexto())?;
    if veredicto.estado == Estado::Verde {
        return Ok(None);
    }
    let witnesses = veredicto.testigos.first(veredicto.testigos.len());
    let changed = witnesses.iter().filter_map(|w| w.as_map()?.get("r")?.as_map()?.get("que")?.as_str());
    Ok(Some(format!("cambió {}", changed.collect::<Vec<_>>().join(", "))))
}

impl Diferencial {
    /// The cases it contributes to measures that `catalogo` loaded, in the order of the file. A scenario
    /// expects what its measure says of it now.
    ///
    /// Errors: the failure of an evaluation.
    pub fn casos(
        &self,
        catalogo: &Catalogo,
        contexto: &Contexto<'_>,
    ) -> Result<Vec<CasoDeDiferencial<'_>>, AlgebraError> {
        self.casos_si(catalogo, contexto, |_| true)
    }

    /// Those of [`Diferencial::casos`] that exercise `medida`; no other measure is evaluated.
    ///
    /// # Errors
    /// The failure of an evaluation.
    pub fn casos_de(
        &self,
        medida: &str,
        catalogo: &Catalogo,
        contexto: &Contexto<'_>,
    ) -> Result<Vec<CasoDeDiferencial<'_>>, AlgebraError> {
        self.casos_si(catalogo, contexto, |id| id == medida)
    }

    fn casos_si(
        &self,
        catalogo: &Catalogo,
        contexto: &Contexto<'_>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<CasoDeDiferencial<'_>>, AlgebraError> {
        match &self.formato.cuerpo {
            Cuerpo::Grupos(grupos) => {
                let wanted = grupos.iter().filter(|grupo| wanted(&grupo.medida));
                Ok(wanted.flat_map(|grupo| self.de_grupo(grupo)).collect())
            }
            Cuerpo::Escenarios { medidas, escenarios } => {
                let mut found = Vec::new();
                for medida in medidas.iter().filter(|medida| wanted(medida)) {
                    if let Some(entrada) = catalogo.cargada(medida) {
                        found.extend(self.de_escenarios(&entrada.medida, medida, escenarios, contexto)?);
                    }
                }
                Ok(found)
            }
        }
    }

    fn de_grupo<'a>(&self, grupo: &'a Grupo) -> impl Iterator<Item = CasoDeDiferencial<'a>> {
        let stem = self.fuente.stem();
        grupo.casos.iter().enumerate().map(move |(i, (espera_verde, evidencia))| CasoDeDiferencial {
            id: format!("{stem}/{}[{i}]", grupo.medida),
            medida: &grupo.medida,
            espera_verde: *espera_verde,
            evidencia,
        })
    }

    fn de_escenarios<'a>(
        &self,
        juez: &Medida,
        medida: &'a Text,
        escenarios: &'a [Escenario],
        contexto: &Contexto<'_>,
    ) -> Result<Vec<CasoDeDiferencial<'a>>, AlgebraError> {
        let stem = self.fuente.stem();
        let caso = |escenario: &'a Escenario| {
            contexto.cancellation.check()?;
            let hechos = Evidencia::from_valor(escenario.evidencia.clone())?;
            let veredicto = juez.evaluar(&hechos, contexto)?;
            Ok(CasoDeDiferencial {
                id: format!("{stem}/{medida}[{}]", escenario.id),
                medida,
                espera_verde: veredicto.estado == Estado::Verde,
                evidencia: &escenario.evidencia,
            })
        };
        escenarios.iter().map(caso).collect()
    }
}

#[cfg(test)]
mod tests;
