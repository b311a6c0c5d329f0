//! The cases of a project, under `corpus/`.
//!
//! Owns which files are cases and which are scaffolds. Must not judge what a case expects.

use super::{Carpeta, Fuente, Lectura};
use crate::caso::Caso;
use crate::fallo::Fallo;
use crate::forma;
use crate::sintaxis::fragment::{is_space, lines_with_ends};
use std::collections::BTreeMap;

/// The cases of a project, in order of path.
#[derive(Debug, Default)]
pub struct Corpus {
    casos: Vec<CasoDeCorpus>,
}

/// One case with its file.
#[derive(Debug)]
pub struct CasoDeCorpus {
    /// The case.
    pub caso: Caso,
    /// Its file, as it is shown.
    pub fuente: String,
}

/// What becomes of a scaffold: a form that somebody still has to fill in, marked as one in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Andamios {
    /// It is not even read as a case: it exercises nothing.
    Omitidos,
    /// It is a case like any other.
    Incluidos,
}

impl Corpus {
    /// The cases.
    pub fn casos(&self) -> &[CasoDeCorpus] {
        &self.casos
    }

    /// Fails when two cases have the same id: neither goes before the other. Contract: `CASO_REPETIDO`.
    pub fn sin_repetidos(&self) -> Result<(), Fallo> {
        let mut first = BTreeMap::new();
        for CasoDeCorpus { caso, fuente } in &self.casos {
            if let Some(origen_1) = first.insert(caso.id(), fuente) {
                let (id, origen_1, origen_2) = (caso.id().to_string(), origen_1.clone(), fuente.clone());
                return Err(Fallo::CasoRepetido { id, origen_1, origen_2 });
            }
        }
        Ok(())
    }
}

impl Lectura {
    /// Loads the corpus whole; empty when the project has none.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for the folder's structure; what `roto` makes of the file and the
    /// reason for a case that does not load, since what that means depends on who asked.
    pub fn corpus(
        &self,
        andamios: Andamios,
        roto: impl Fn(String, String) -> Fallo,
    ) -> Result<Corpus, Fallo> {
        let mut casos = Vec::new();
        for path in self.fuentes(Carpeta::Corpus)? {
            let fuente = self.fuente(&path, &roto)?;
            let presentada = fuente.presentada().to_owned();
            let texto = fuente.texto().map_err(|why| roto(presentada.clone(), why))?;
            if andamios == Andamios::Omitidos && is_andamio(texto) {
                continue;
            }
            let caso = leer(&fuente).map_err(|why| roto(presentada.clone(), why))?;
            casos.push(CasoDeCorpus { caso, fuente: presentada });
        }
        Ok(Corpus { casos })
    }
}

fn is_andamio(texto: &str) -> bool {
    lines_with_ends(texto).any(|line| line.trim_start_matches(is_space).starts_with("# ANDAMIO:"))
}

fn leer(fuente: &Fuente) -> Result<Caso, String> {
    fuente.leer(Caso::from_datos, forma::leer_caso)
}
