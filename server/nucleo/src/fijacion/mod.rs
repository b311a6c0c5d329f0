//! What holds each measure in place: evidence, the harness, whoever published it, or nothing.
//!
//! Owns the facts about use and the projection of the judge's answer. Whether a measure is exercised is not
//! decided here: the measure `meta.toda_medida_esta_ejercitada` does. It is judged whole or not at all.

use crate::algebra::{AlgebraError, AlgebraErrorKind, Evidencia};
use crate::base;
use crate::catalogo::{Catalogo, Entrada, Origen};
use crate::diferencial;
use crate::fallo::Fallo;
use crate::medida::Medida;
use crate::proyecto::{Andamios, Lectura};
use crate::valor::{Map, Text, Valor};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What holds a measure in place. Contract: "oracle_catalogo_efectivo".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fijacion {
    /// The corpus or a differential exercises it.
    Evidencia,
    /// A harness evaluates it over relations of the language itself.
    Arnes,
    /// The corpus of whoever published it answers for it.
    Heredada,
    /// The judge found nothing that exercises it.
    SinFijar,
}

impl Fijacion {
    /// As the contract spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Fijacion::Evidencia => "evidencia",
            Fijacion::Arnes => "arnes",
            Fijacion::Heredada => "heredada",
            Fijacion::SinFijar => "sin_fijar",
        }
    }
}

/// The fixation of every measure that obliges the project, by id.
#[derive(Clone, Debug, PartialEq)]
pub struct Fijaciones(BTreeMap<Text, Fijacion>);

impl Fijaciones {
    /// The fixation of one measure; `None` when it does not oblige the project.
    pub fn de(&self, id: &str) -> Option<Fijacion> {
        self.0.get(id).copied()
    }
}

/// Relations that the language emits about itself: whoever evaluates over them is a harness, not a case.
const RELACIONES_DEL_LENGUAJE: [&str; 27] = [
    "ambito_de_relacion",
    "ancestro",
    "archivo_de_autoria",
    "campo_declarado",
    "campo_diagnostico",
    "campo_leido",
    "cantidad_comparada",
    "caso",
    "dependencia_de_medida",
    "equivalencia",
    "fuente",
    "medida",
    "medida_en_uso",
    "mutador_excluido",
    "nodo",
    "opcion_del_vocabulario",
    "paso",
    "paso_de_medida",
    "producto",
    "referente_comparado",
    "referente_declarado",
    "relacion_declarada",
    "relacion_documentada",
    "requiere",
    "sombra",
    "termino",
    "verbo_del_cli",
];

/// Gathers all the evidence that the judge knows how to look at and lets it judge the whole catalogue.
///
/// Errors: [`Fallo::EvidenciaIncompleta`] when the judge is missing or cannot judge, the corpus does not load
/// or a differential is stale or unreadable; [`Fallo::ProyectoInvalido`] for the structure of either folder.
pub fn ejercicio(lectura: &Lectura, catalogo: &Catalogo) -> Result<Fijaciones, Fallo> {
    let casos = casos_por_medida(lectura, catalogo)?;
    let heredadas = heredadas(catalogo);
    let usos: Vec<Uso<'_>> = catalogo
        .efectivas_por_id()
        .map(|entrada| {
            let id = entrada.medida.id();
            Uso {
                entrada,
                casos: casos.get(id).copied().unwrap_or(0),
                aparte: es_del_lenguaje(&entrada.medida),
                heredada: heredadas.contains(&**id),
            }
        })
        .collect();
    let acusadas = acusadas(lectura, catalogo, &usos)?;
    let fijacion = |uso: &Uso<'_>| {
        let id = uso.entrada.medida.id();
        let fijacion = match () {
            () if uso.heredada => Fijacion::Heredada,
            () if uso.casos > 0 => Fijacion::Evidencia,
            () if uso.aparte => Fijacion::Arnes,
            () if acusadas.contains(id) => Fijacion::SinFijar,
            () => return Err(incompleta(format!("la jueza no se pronunció sobre «{id}»"))),
        };
        Ok((id.clone(), fijacion))
    };
    usos.iter().map(fijacion).collect::<Result<_, _>>().map(Fijaciones)
}

fn incompleta(motivo: String) -> Fallo {
    Fallo::EvidenciaIncompleta { motivo }
}

/// An evaluation that fixation depends on and that failed.
fn fallida(que: &str, error: AlgebraError) -> Fallo {
    match error.kind {
        AlgebraErrorKind::Cancelled => Fallo::Cancelado,
        _ => incompleta(format!("{que}: {error}")),
    }
}

/// How one measure is used.
struct Uso<'a> {
    entrada: &'a Entrada,
    casos: usize,
    aparte: bool,
    heredada: bool,
}

impl Uso<'_> {
    /// The row of `medida_en_uso`. No mutants are run here, so none is counted.
    fn hecho(&self) -> Map {
        let member = |name: &str, valor: Valor| (Text::from(name), valor);
        Map::from_iter([
            member("id", Valor::Text(self.entrada.medida.id().clone())),
            member("casos_que_la_evaluan", Valor::from(self.casos + usize::from(self.aparte))),
            member("mutantes", Valor::from(0_usize)),
            member("mutantes_vivos", Valor::from(0_usize)),
            member("es_heredada", Valor::Bool(self.heredada)),
            member("debe_tener_mutantes", Valor::Bool(!self.heredada && (self.casos > 0 || !self.aparte))),
        ])
    }
}

/// Whether everything it reads is emitted by the language.
fn es_del_lenguaje(medida: &Medida) -> bool {
    let relaciones = medida.relaciones();
    !relaciones.is_empty() && relaciones.iter().all(|r| RELACIONES_DEL_LENGUAJE.binary_search(&&**r).is_ok())
}

/// Ids of the files that others publish, but those for which the project has a file of the same name.
fn heredadas(catalogo: &Catalogo) -> BTreeSet<&str> {
    let stems = |own: bool| {
        let of = move |entrada: &&Entrada| (entrada.origen == Origen::Proyecto) == own;
        catalogo.cargadas().iter().filter(of).map(|entrada| entrada.fuente.stem())
    };
    let propias: BTreeSet<&str> = stems(true).collect();
    stems(false).filter(|stem| !propias.contains(stem)).collect()
}

fn casos_por_medida(lectura: &Lectura, catalogo: &Catalogo) -> Result<BTreeMap<Text, usize>, Fallo> {
    let mut count = BTreeMap::new();
    let mut note = |medida: &str| *count.entry(Text::from(medida)).or_insert(0) += 1;
    let broken = |fuente, why| incompleta(format!("el caso «{fuente}»: {why}"));
    let corpus = lectura.corpus(Andamios::Omitidos, broken)?;
    corpus.casos().iter().filter_map(|c| c.caso.medida()).for_each(&mut note);
    for diferencial in diferencial::cargar(lectura, catalogo)? {
        let casos = diferencial.casos(catalogo, &lectura.contexto()).map_err(|e| {
            fallida(&format!("el diferencial «{}» no se evalúa", diferencial.fuente.presentada()), e)
        })?;
        casos.iter().map(|caso| &**caso.medida).for_each(&mut note);
    }
    Ok(count)
}

/// The measures that the judge finds without exercise: its witnesses. A judge of the project, if it has one,
/// goes before the one of the base set.
fn acusadas(lectura: &Lectura, catalogo: &Catalogo, usos: &[Uso<'_>]) -> Result<BTreeSet<Text>, Fallo> {
    let contexto = lectura.contexto();
    let jueza = match catalogo.cargada(base::EJERCITADA) {
        Some(entrada) => Cow::Borrowed(&entrada.medida),
        None => Cow::Owned(lectura.jueza(base::EJERCITADA)?),
    };
    let relacion = Text::from("medida_en_uso");
    let hechos = Evidencia::from_filas([(relacion, usos.iter().map(Uso::hecho).collect())]);
    let veredicto = jueza
        .evaluar(&hechos, &contexto)
        .map_err(|e| fallida(&format!("la medida jueza {} no puede juzgar", base::EJERCITADA), e))?;
    let accused = |witness: &Valor| match witness.as_map()?.get("m")?.as_map()?.get("id")? {
        Valor::Text(id) => Some(id.clone()),
        _ => None,
    };
    let named: Option<BTreeSet<Text>> =
        veredicto.testigos.first(veredicto.testigos.len()).iter().map(accused).collect();
    named.ok_or_else(|| incompleta(format!("la medida jueza {} no nombra a quién acusa", base::EJERCITADA)))
}

#[cfg(test)]
mod tests;
