//! A challenge: does a measure say of each case what is expected of it, and would these cases notice if it
//! were another measure?
//!
//! Owns the order of the contract's seven steps, what counts as noticing, and what the whole came to. A
//! mutant that the algebra refuses was noticed by no case. Nothing here says that the measure is right.
//! Gathering cases is `casos`', what mutants there are `mutacion`'s. Must not read files.

mod casos;

pub use casos::{CasoDeDesafio, Casos, OrigenDeCaso};

use crate::algebra::{Contexto, Evidencia, same_value};
use crate::caso::Espera;
use crate::cores;
use crate::fallo::Fallo;
use crate::medida::{Estado, Medida, Veredicto};
use crate::mutacion::{Mutante, mutantes};
use crate::valor::{Text, Valor};

/// What the challenge of one measure came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Desafio {
    /// The measure.
    pub medida: Text,
    /// How many cases there were.
    pub casos: CuentaDeCasos,
    /// The cases of which the measure does not say what is expected, in order.
    pub discordancias: Vec<Discordancia>,
    /// The mutants with their fates, in the order they were generated; `None` when it was not reached.
    pub mutacion: Option<Mutacion>,
}

/// The cases of a challenge, counted by origin and by what they expect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CuentaDeCasos {
    /// All of them.
    pub total: usize,
    /// Those that came with the call.
    pub efimeros: usize,
    /// Those that expect green.
    pub esperan_verde: usize,
}

impl CuentaDeCasos {
    fn of(casos: &Casos) -> CuentaDeCasos {
        CuentaDeCasos {
            total: casos.iter().len(),
            efimeros: casos.iter().filter(|caso| caso.origen.es_efimero()).count(),
            esperan_verde: casos.iter().filter(|caso| caso.espera == Espera::Verde).count(),
        }
    }

    /// Those of the corpus and of the differentials.
    pub fn del_proyecto(&self) -> usize {
        self.total - self.efimeros
    }

    /// Those that expect red, or no evidence to judge by.
    pub fn esperan_rojo(&self) -> usize {
        self.total - self.esperan_verde
    }

    fn has_both_polarities(&self) -> bool {
        self.esperan_verde > 0 && self.esperan_rojo() > 0
    }
}

/// A case of which the measure does not say what is expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Discordancia {
    /// The id of the case.
    pub caso: Text,
    /// What was expected.
    pub esperado: Espera,
    /// What the measure says.
    pub obtenido: Obtenido,
}

/// What came of evaluating a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Obtenido {
    /// The state of a verdict.
    Estado(Estado),
    /// The evaluation failed. It is no red: nothing was measured.
    Error,
}

impl Obtenido {
    fn of(veredicto: Option<&Veredicto>) -> Obtenido {
        veredicto.map_or(Obtenido::Error, |veredicto| Obtenido::Estado(veredicto.estado.clone()))
    }

    fn is(&self, espera: Espera) -> bool {
        match self {
            Obtenido::Estado(Estado::Verde) => espera == Espera::Verde,
            Obtenido::Estado(Estado::Rojo) => espera == Espera::Rojo,
            Obtenido::Estado(Estado::SinEvidencia { .. }) => espera == Espera::SinEvidencia,
            Obtenido::Error => false,
        }
    }

    /// As the contract writes it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Obtenido::Estado(estado) => estado.as_str(),
            Obtenido::Error => "error",
        }
    }
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destino {
    /// Some case showed another verdict, another value or other witnesses.
    Detectado,
    /// No case showed anything, and the algebra refused it at least once.
    Rechazado,
    /// Every case was the same as with the original.
    Sobrevivio,
}

impl Destino {
    /// As the contract spells it, where it lists a mutant.
    pub fn as_str(self) -> &'static str {
        match self {
            Destino::Detectado => "detectado_por_conducta",
            Destino::Rechazado => "rechazado_por_el_algebra",
            Destino::Sobrevivio => "sobrevivio",
        }
    }
}

/// The mutants of a challenge, each with its one fate.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutacion {
    destinos: Vec<(String, Destino)>,
}

impl Mutacion {
    /// How many mutants were generated, before any ran.
    pub fn generados(&self) -> usize {
        self.destinos.len()
    }

    /// How many met this fate.
    pub fn cuantos(&self, destino: Destino) -> usize {
        self.destinos.iter().filter(|(_, met)| *met == destino).count()
    }

    /// The name and fate of each mutant that no case detected.
    pub fn no_detectados(&self) -> impl Iterator<Item = (&str, Destino)> {
        let all = self.destinos.iter().map(|(nombre, destino)| (&**nombre, *destino));
        all.filter(|(_, destino)| *destino != Destino::Detectado)
    }
}

/// What a challenge lets one say, and nothing stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Some case is not what the measure says of it; nothing was mutated.
    OriginalNoReproduce,
    /// There is no case that expects green, or none that expects otherwise; nothing was mutated.
    FaltanPolaridades,
    /// The measure has no mutants: nothing was put to the test.
    SinMutantes,
    /// Some mutant passed for the original.
    Sobrevivientes,
    /// No mutant passed, but the algebra refused some that no case told apart.
    SinSobrevivientesConRechazos,
    /// Some case told each mutant from the original.
    TodosDetectadosPorConducta,
}

impl Conclusion {
    /// As the contract spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Conclusion::OriginalNoReproduce => "original_no_reproduce",
            Conclusion::FaltanPolaridades => "faltan_polaridades",
            Conclusion::SinMutantes => "sin_mutantes",
            Conclusion::Sobrevivientes => "sobrevivientes",
            Conclusion::SinSobrevivientesConRechazos => "sin_sobrevivientes_con_rechazos",
            Conclusion::TodosDetectadosPorConducta => "todos_detectados_por_conducta",
        }
    }
}

impl Desafio {
    /// The stable id of one of its mutants, by name: the measure is part of it.
    pub fn id_de_mutante(&self, nombre: &str) -> String {
        format!("{}·{nombre}", self.medida)
    }

    /// What all of it lets one say. Contract: "oracle_desafiar".
    pub fn conclusion(&self) -> Conclusion {
        if !self.discordancias.is_empty() {
            return Conclusion::OriginalNoReproduce;
        }
        match &self.mutacion {
            None => Conclusion::FaltanPolaridades,
            Some(mutacion) if mutacion.generados() == 0 => Conclusion::SinMutantes,
            Some(mutacion) if mutacion.cuantos(Destino::Sobrevivio) > 0 => Conclusion::Sobrevivientes,
            Some(mutacion) if mutacion.cuantos(Destino::Rechazado) > 0 => {
                Conclusion::SinSobrevivientesConRechazos
            }
            Some(_) => Conclusion::TodosDetectadosPorConducta,
        }
    }
}

/// Challenges `medida` with `casos`. Contract: "oracle_desafiar", steps 3 to 7.
///
/// # Errors
/// [`Fallo::Cancelado`]; every other failure is what came of a case or of a mutant.
pub fn desafiar(medida: &Medida, casos: Casos, contexto: &Contexto<'_>) -> Result<Desafio, Fallo> {
    let cuenta = CuentaDeCasos::of(&casos);
    let mut expected = Vec::with_capacity(cuenta.total);
    let mut evidencias = Vec::with_capacity(cuenta.total);
    for CasoDeDesafio { id, espera, evidencia, .. } in casos {
        expected.push((id, espera));
        evidencias.push(Evidencia::from_valor(evidencia).ok());
    }
    let trabajo = evidencias.iter().flatten().fold(0usize, |sum, it| sum.saturating_add(it.trabajo()));
    let originales = cores::map(cuenta.total, trabajo, contexto.cancellation, |at| {
        medida.evaluar(evidencias[at].as_ref()?, contexto).ok()
    })?;
    let mut discordancias = Vec::new();
    for ((caso, esperado), original) in expected.into_iter().zip(&originales) {
        let obtenido = Obtenido::of(original.as_ref());
        if !obtenido.is(esperado) {
            discordancias.push(Discordancia { caso, esperado, obtenido });
        }
    }
    let mut mutacion = None;
    if discordancias.is_empty() && cuenta.has_both_polarities() {
        let bases = evidencias.iter().flatten().zip(originales.iter().flatten());
        let bases: Vec<Base<'_>> = bases.map(|(evidencia, original)| Base { evidencia, original }).collect();
        mutacion = Some(mutate(medida, &bases, trabajo, contexto)?);
    }
    Ok(Desafio { medida: medida.id().clone(), casos: cuenta, discordancias, mutacion })
}

/// What the original measure says of the evidence of one case.
struct Base<'a> {
    evidencia: &'a Evidencia,
    original: &'a Veredicto,
}

impl Base<'_> {
    /// Whether a mutant's verdict is another one to see: green or not, the value, or who the witnesses are.
    fn tells_apart(&self, mutado: &Veredicto) -> bool {
        let green = |veredicto: &Veredicto| veredicto.estado == Estado::Verde;
        green(mutado) != green(self.original)
            || !same_value(&mutado.valor, &self.original.valor)
            || !mutado.testigos.same_bag(&self.original.testigos)
    }
}

/// Runs every mutant of the canonical form against every case; `trabajo` is that of one of them.
fn mutate(
    medida: &Medida,
    bases: &[Base<'_>],
    trabajo: usize,
    contexto: &Contexto<'_>,
) -> Result<Mutacion, Fallo> {
    let mutantes = mutantes(&medida.datos());
    let all = trabajo.saturating_mul(mutantes.len());
    let destinos = cores::map(mutantes.len(), all, contexto.cancellation, |at| {
        destino(&mutantes[at].datos, bases, contexto)
    })?;
    let nombres = mutantes.into_iter().map(|Mutante { nombre, .. }| nombre);
    Ok(Mutacion { destinos: nombres.zip(destinos).collect() })
}

/// The fate of one mutant. Once some case detects it, what the others would say changes nothing. A
/// cancelled one has a fate that nobody will read.
fn destino(datos: &Valor, bases: &[Base<'_>], contexto: &Contexto<'_>) -> Destino {
    let Ok(mutante) = Medida::from_datos(datos, contexto) else { return Destino::Rechazado };
    let mut destino = Destino::Sobrevivio;
    for base in bases {
        if contexto.cancellation.requested() {
            break;
        }
        match mutante.evaluar_validada(base.evidencia, contexto) {
            Ok(mutado) if base.tells_apart(&mutado) => return Destino::Detectado,
            Ok(_) => {}
            Err(_) => destino = Destino::Rechazado,
        }
    }
    destino
}

#[cfg(test)]
mod tests;
