//! The cases that a challenge runs, each with where it comes from.
//!
//! Owns which cases of the project speak of a measure and that an id stands once. Must not evaluate the
//! measure that is challenged.

use crate::algebra::AlgebraErrorKind;
use crate::caso::Espera;
use crate::catalogo::Catalogo;
use crate::diferencial;
use crate::fallo::Fallo;
use crate::proyecto::{Andamios, CasoDeCorpus, Lectura};
use crate::valor::{Text, Valor};
use std::collections::HashMap;
use std::fmt;

/// Where a case comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrigenDeCaso {
    /// A file of the corpus.
    Corpus(Text),
    /// A differential fixture.
    Diferencial(Text),
    /// The call itself, at this place of its list: it was never written down.
    Efimero(usize),
}

impl OrigenDeCaso {
    /// Whether the case came with the call.
    pub fn es_efimero(&self) -> bool {
        matches!(self, OrigenDeCaso::Efimero(_))
    }
}

impl fmt::Display for OrigenDeCaso {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrigenDeCaso::Corpus(fuente) | OrigenDeCaso::Diferencial(fuente) => f.write_str(fuente),
            OrigenDeCaso::Efimero(at) => write!(f, "casos[{at}] de la llamada"),
        }
    }
}

/// Evidence, and what a measure should say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CasoDeDesafio {
    /// Its id, unlike that of any other case of the challenge.
    pub id: Text,
    /// What the measure should say.
    pub espera: Espera,
    /// Relation to rows, as written.
    pub evidencia: Valor,
    /// Where it comes from.
    pub origen: OrigenDeCaso,
}

/// The cases of one challenge: those of the project, then those of the call, each id once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Casos(Vec<CasoDeDesafio>);

impl Casos {
    /// No case yet.
    pub fn new() -> Casos {
        Casos::default()
    }

    /// The cases of the project about `medida`: the corpus by path, then the differentials by name.
    ///
    /// `catalogo` is what a differential is held against; only where there is none may it be missing.
    /// Contract: "oracle_desafiar", step 2.
    ///
    /// # Errors
    /// [`Fallo::ProyectoInvalido`] for a corpus that does not load, [`Fallo::CasoRepetido`] for an id that
    /// stands twice in it, [`Fallo::EvidenciaIncompleta`] for a differential that is stale or unreadable.
    pub fn del_proyecto(
        lectura: &Lectura,
        medida: &str,
        catalogo: Option<&Catalogo>,
    ) -> Result<Casos, Fallo> {
        let mut found = del_corpus(lectura, medida)?;
        if diferencial::hay(lectura)? {
            let catalogo = catalogo.ok_or_else(|| Fallo::EvidenciaIncompleta {
                motivo: "hay diferenciales y no se cargó el catálogo que los comprueba".to_owned(),
            })?;
            found.extend(de_diferenciales(lectura, medida, catalogo)?);
        }
        Casos::new().y(found)
    }

    /// These and the cases of a call: id, expectation and evidence of each.
    ///
    /// # Errors
    /// [`Fallo::CasoRepetido`] with both origins; neither wins.
    pub fn y_efimeros(
        self,
        efimeros: impl IntoIterator<Item = (Text, Espera, Valor)>,
    ) -> Result<Casos, Fallo> {
        let efimero = |(at, (id, espera, evidencia))| CasoDeDesafio {
            id,
            espera,
            evidencia,
            origen: OrigenDeCaso::Efimero(at),
        };
        self.y(efimeros.into_iter().enumerate().map(efimero))
    }

    fn y(mut self, more: impl IntoIterator<Item = CasoDeDesafio>) -> Result<Casos, Fallo> {
        self.0.extend(more);
        let mut first = HashMap::with_capacity(self.0.len());
        for caso in &self.0 {
            if let Some(origen) = first.insert(&caso.id, &caso.origen) {
                return Err(Fallo::CasoRepetido {
                    id: caso.id.to_string(),
                    origen_1: origen.to_string(),
                    origen_2: caso.origen.to_string(),
                });
            }
        }
        Ok(self)
    }

    /// The cases in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &CasoDeDesafio> {
        self.0.iter()
    }
}

impl IntoIterator for Casos {
    type Item = CasoDeDesafio;
    type IntoIter = std::vec::IntoIter<CasoDeDesafio>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A scaffold is a case like any other here: whoever left its evidence open hears of it.
fn del_corpus(lectura: &Lectura, medida: &str) -> Result<Vec<CasoDeDesafio>, Fallo> {
    let broken =
        |fuente: String, why: String| Fallo::ProyectoInvalido { motivo: format!("«{fuente}»: {why}") };
    let corpus = lectura.corpus(Andamios::Incluidos, broken)?;
    corpus.sin_repetidos()?;
    let about_it = corpus.casos().iter().filter(|found| found.caso.medida() == Some(medida));
    let of_challenge = |found: &CasoDeCorpus| CasoDeDesafio {
        id: found.caso.id().clone(),
        espera: found.caso.espera(),
        // A case without evidence stays one that cannot be evaluated.
        evidencia: found.caso.evidencia().cloned().unwrap_or(Valor::Null),
        origen: OrigenDeCaso::Corpus(found.fuente.as_str().into()),
    };
    Ok(about_it.map(of_challenge).collect())
}

fn de_diferenciales(
    lectura: &Lectura,
    medida: &str,
    catalogo: &Catalogo,
) -> Result<Vec<CasoDeDesafio>, Fallo> {
    let contexto = lectura.contexto();
    let mut found = Vec::new();
    for diferencial in diferencial::cargar(lectura, catalogo)? {
        let fuente: Text = diferencial.fuente.presentada().into();
        let casos = diferencial.casos_de(medida, catalogo, &contexto).map_err(|error| match error.kind {
            AlgebraErrorKind::Cancelled => Fallo::Cancelado,
            _ => Fallo::EvidenciaIncompleta {
                motivo: format!("el diferencial «{fuente}» no se evalúa: {error}"),
            },
        })?;
        found.extend(casos.into_iter().map(|caso| CasoDeDesafio {
            id: caso.id.into(),
            espera: if caso.espera_verde { Espera::Verde } else { Espera::Rojo },
            evidencia: caso.evidencia.clone(),
            origen: OrigenDeCaso::Diferencial(fuente.clone()),
        }));
    }
    Ok(found)
}
