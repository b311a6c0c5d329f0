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
use crate::medida::Estado;
use crate::proyecto::{Carpeta, Fuente, Lectura};
use crate::valor::{self, Text, Valor};

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
    let folder = lectura.ruta(Carpeta::Diferencial.nombre());
    let mut found = Vec::new();
    for path in lectura.fuentes(Carpeta::Diferencial)? {
        if path.parent() != Some(&folder) {
            continue;
        }
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
    let jueza = base::medida(base::FRESCURA, &lectura.contexto())?;
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
        match &self.formato.cuerpo {
            Cuerpo::Grupos(grupos) => Ok(self.de_grupos(grupos)),
            Cuerpo::Escenarios { medidas, escenarios } => {
                self.de_escenarios(catalogo, contexto, medidas, escenarios)
            }
        }
    }

    fn de_grupos<'a>(&self, grupos: &'a [Grupo]) -> Vec<CasoDeDiferencial<'a>> {
        let stem = self.fuente.stem();
        let of_group = |grupo: &'a Grupo| {
            grupo.casos.iter().enumerate().map(move |(i, (espera_verde, evidencia))| CasoDeDiferencial {
                id: format!("{stem}/{}[{i}]", grupo.medida),
                medida: &grupo.medida,
                espera_verde: *espera_verde,
                evidencia,
            })
        };
        grupos.iter().flat_map(of_group).collect()
    }

    fn de_escenarios<'a>(
        &self,
        catalogo: &Catalogo,
        contexto: &Contexto<'_>,
        medidas: &'a [Text],
        escenarios: &'a [Escenario],
    ) -> Result<Vec<CasoDeDiferencial<'a>>, AlgebraError> {
        let stem = self.fuente.stem();
        let mut found = Vec::new();
        for medida in medidas {
            let Some(entrada) = catalogo.cargada(medida) else { continue };
            for Escenario { id, evidencia } in escenarios {
                contexto.cancellation.check()?;
                let hechos = Evidencia::from_valor(evidencia.clone())?;
                let veredicto = entrada.medida.evaluar(&hechos, contexto)?;
                let espera_verde = veredicto.estado == Estado::Verde;
                found.push(CasoDeDiferencial {
                    id: format!("{stem}/{medida}[{id}]"),
                    medida,
                    espera_verde,
                    evidencia,
                });
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
