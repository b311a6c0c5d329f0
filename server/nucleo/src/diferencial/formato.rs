//! The form of `oracle.diferencial/v1`: what a fixture must say before any of it counts.
//!
//! Owns the two shapes, scenarios and groups, and every coherence between their parts. Must not read files
//! nor evaluate measures.

use super::frescura::Frescura;
use crate::algebra::{Contexto, Evidencia};
use crate::sintaxis::is_measure_id;
use crate::valor::{Map, Text, Valor};
use std::collections::BTreeSet;

/// What a well-formed fixture holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Formato {
    /// What it was generated from.
    pub(super) frescura: Frescura,
    /// Ids of the measures that the fixture brings written down, because no catalogue has them.
    pub(super) declaradas: BTreeSet<Text>,
    /// Its cases.
    pub cuerpo: Cuerpo,
}

/// The cases of a fixture, in either of its shapes.
#[derive(Clone, Debug, PartialEq)]
pub enum Cuerpo {
    /// Whole worlds, each judged by every measure.
    Escenarios {
        /// The measures that judge.
        medidas: Vec<Text>,
        /// The worlds.
        escenarios: Vec<Escenario>,
    },
    /// Cases apart for each measure.
    Grupos(Vec<Grupo>),
}

/// One world.
#[derive(Clone, Debug, PartialEq)]
pub struct Escenario {
    /// Its id, without white space.
    pub id: Text,
    /// Relation to rows.
    pub evidencia: Valor,
}

/// The cases of one measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Grupo {
    /// The measure.
    pub medida: Text,
    /// Whether each expects green, and its evidence.
    pub casos: Vec<(bool, Valor)>,
}

impl Formato {
    /// Reads a fixture. The error says, in Spanish, the first thing that is wrong.
    pub fn from_valor(datos: &Valor, contexto: &Contexto<'_>) -> Result<Formato, String> {
        let Valor::Map(datos) = datos else { return Err("no es un objeto JSON".to_owned()) };
        if datos.get("esquema").and_then(Valor::as_str) != Some("oracle.diferencial/v1") {
            return Err("no declara `esquema` igual a \"oracle.diferencial/v1\"".to_owned());
        }
        if texto(datos, "origen").is_none_or(|origen| origen.trim().is_empty()) {
            return Err("no declara `origen`".to_owned());
        }
        let Some(mundos) = cuenta(datos.get("mundos")) else {
            return Err("`mundos` tiene que ser un entero positivo".to_owned());
        };
        let frescura = Frescura::from_valor(datos.get("frescura"))?;
        let (declaradas, cuerpo) = match (datos.get("escenarios"), datos.get("grupos")) {
            (Some(_), Some(_)) => return Err("mezcla `escenarios` y `grupos`".to_owned()),
            (Some(escenarios), None) => dominio(datos, escenarios, mundos, contexto)?,
            (None, Some(grupos)) => (declaradas(datos)?, grupos_de(grupos, mundos, contexto)?),
            (None, None) => return Err("no trae `escenarios` ni `grupos`".to_owned()),
        };
        Ok(Formato { frescura, declaradas, cuerpo })
    }

    /// The measures it speaks of, in order.
    pub(super) fn medidas(&self) -> Vec<&Text> {
        match &self.cuerpo {
            Cuerpo::Escenarios { medidas, .. } => medidas.iter().collect(),
            Cuerpo::Grupos(grupos) => grupos.iter().map(|grupo| &grupo.medida).collect(),
        }
    }
}

pub(super) fn texto<'a>(datos: &'a Map, clave: &str) -> Option<&'a str> {
    datos.get(clave)?.as_str()
}

/// A positive count.
fn cuenta(valor: Option<&Valor>) -> Option<usize> {
    match valor {
        Some(Valor::Int(count)) => usize::try_from(count.to_i64()?).ok().filter(|count| *count > 0),
        _ => None,
    }
}

/// Both verdicts have to occur, or the fixture tells nothing apart.
fn ambas_polaridades(oks: &BTreeSet<bool>, que: impl FnOnce() -> String) -> Result<(), String> {
    if oks.len() == 2 { Ok(()) } else { Err(format!("no trae un verde y un rojo {}", que())) }
}

/// `medidas_declaradas`: canonical forms by id, each headed as the measure it says it is.
fn declaradas(datos: &Map) -> Result<BTreeSet<Text>, String> {
    let declared = match datos.get("medidas_declaradas") {
        None | Some(Valor::Null) => return Ok(BTreeSet::new()),
        Some(Valor::Map(map)) if !map.is_empty() => map,
        Some(_) => return Err("`medidas_declaradas` tiene que ser un objeto no vacío".to_owned()),
    };
    for (id, canonica) in declared.iter() {
        let headed = matches!(canonica.as_list(), Some([head, name, _, _, _, _, ..])
            if head.as_str() == Some("medida") && name.as_str() == Some(id));
        if !headed {
            return Err(format!("`medidas_declaradas[{id}]` no es la forma canónica de esa medida"));
        }
    }
    Ok(declared.keys().cloned().collect())
}

fn dominio(
    datos: &Map,
    escenarios: &Valor,
    mundos: usize,
    contexto: &Contexto<'_>,
) -> Result<(BTreeSet<Text>, Cuerpo), String> {
    let medidas = ids(datos.get("medidas"))?;
    let declaradas = declaradas(datos)?;
    if let Some(foreign) = declaradas.iter().find(|id| !medidas.contains(id)) {
        return Err(format!("`medidas_declaradas` trae «{foreign}», que no está en `medidas`"));
    }
    let escenarios = match escenarios.as_list() {
        Some(items) if !items.is_empty() => items,
        _ => return Err("`escenarios` tiene que ser una lista no vacía".to_owned()),
    };
    if escenarios.len() != mundos {
        return Err(format!("dice {mundos} mundos y trae {} escenarios", escenarios.len()));
    }
    let mut seen = BTreeSet::new();
    let mut globales = BTreeSet::new();
    let mut individuales = vec![BTreeSet::new(); medidas.len()];
    let mut leidos = Vec::with_capacity(escenarios.len());
    for (i, item) in escenarios.iter().enumerate() {
        let (escenario, ok, oks) = escenario(item, &medidas, contexto)
            .map_err(|why| format!("trae un escenario ({i}) que {why}"))?;
        if !seen.insert(escenario.id.clone()) {
            return Err(format!("trae dos escenarios con el id «{}»", escenario.id));
        }
        globales.insert(ok);
        individuales.iter_mut().zip(oks).for_each(|(seen, ok)| {
            seen.insert(ok);
        });
        leidos.push(escenario);
    }
    ambas_polaridades(&globales, || "entre sus escenarios".to_owned())?;
    for (medida, oks) in medidas.iter().zip(&individuales) {
        ambas_polaridades(oks, || format!("para «{medida}»"))?;
    }
    Ok((declaradas, Cuerpo::Escenarios { medidas, escenarios: leidos }))
}

fn ids(medidas: Option<&Valor>) -> Result<Vec<Text>, String> {
    let malformed = || "`medidas` tiene que ser una lista no vacía de ids sin repetir".to_owned();
    let items = medidas.and_then(Valor::as_list).filter(|items| !items.is_empty()).ok_or_else(malformed)?;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for item in items {
        match item {
            Valor::Text(id) if is_measure_id(id) && seen.insert(id) => found.push(id.clone()),
            _ => return Err(malformed()),
        }
    }
    Ok(found)
}

/// A scenario, whether the reference accepted it, and what each measure said when it was generated.
fn escenario(
    item: &Valor,
    medidas: &[Text],
    contexto: &Contexto<'_>,
) -> Result<(Escenario, bool, Vec<bool>), String> {
    let Valor::Map(item) = item else { return Err("no es un objeto".to_owned()) };
    let id = match item.get("id") {
        Some(Valor::Text(id)) if !id.is_empty() && !id.contains(char::is_whitespace) => id.clone(),
        _ => return Err("no declara un `id` sin espacios".to_owned()),
    };
    let bool_of = |map: &Map, clave: &str| {
        map.get(clave).and_then(Valor::as_bool).ok_or_else(|| format!("no declara `{clave}` booleano"))
    };
    let referencia = bool_of(item, "referencia_ok")?;
    let Some(Valor::Map(guardado)) = item.get("oracle_al_generar") else {
        return Err("no declara `oracle_al_generar`".to_owned());
    };
    let global = bool_of(guardado, "global_ok")?;
    let por_medida = match guardado.get("por_medida") {
        Some(Valor::Map(map)) if map.len() == medidas.len() => map,
        _ => return Err("no cubre exactamente `medidas` en `por_medida`".to_owned()),
    };
    let mut oks = Vec::with_capacity(medidas.len());
    for medida in medidas {
        let veredicto = por_medida.get(medida);
        let veredicto = veredicto.ok_or_else(|| format!("no cubre «{medida}» en `por_medida`"))?;
        oks.push(veredicto_guardado(veredicto).map_err(|why| format!("en «{medida}» {why}"))?);
    }
    if global != oks.iter().all(|ok| *ok) {
        return Err("declara un `global_ok` que sus medidas no dan".to_owned());
    }
    if global != referencia {
        return Err("ya discrepaba con la referencia al generarse".to_owned());
    }
    Ok((Escenario { id, evidencia: evidencia(item.get("evidencia"), contexto)? }, global, oks))
}

/// A stored verdict: a boolean, or a record that also says the value or that the evaluation failed.
fn veredicto_guardado(valor: &Valor) -> Result<bool, String> {
    const SIN_EVIDENCIA: &str = "SIN EVIDENCIA";
    let registro = match valor {
        Valor::Bool(ok) => return Ok(*ok),
        Valor::Map(registro) => registro,
        _ => return Err("el veredicto no es un booleano ni un objeto con `ok`".to_owned()),
    };
    if let Some(other) = registro.keys().find(|clave| !matches!(&***clave, "ok" | "valor" | "levanta")) {
        return Err(format!("el veredicto trae «{other}», que nadie lee"));
    }
    let Some(ok) = registro.get("ok").and_then(Valor::as_bool) else {
        return Err("el veredicto no declara `ok` booleano".to_owned());
    };
    let levanta = match registro.get("levanta") {
        None => false,
        Some(Valor::Bool(levanta)) => *levanta,
        Some(_) => return Err("`levanta` no es booleano".to_owned()),
    };
    match registro.get("valor") {
        _ if levanta && ok => Err("el veredicto levanta y está en verde".to_owned()),
        Some(_) if levanta => Err("el veredicto levanta y trae `valor`".to_owned()),
        None | Some(Valor::Int(_) | Valor::Float(_)) => Ok(ok),
        Some(Valor::Text(text)) if &**text == SIN_EVIDENCIA && !ok => Ok(ok),
        Some(Valor::Text(text)) if &**text == SIN_EVIDENCIA => Err("sin evidencia está en verde".to_owned()),
        Some(_) => Err(format!("`valor` no es un número ni \"{SIN_EVIDENCIA}\"")),
    }
}

fn grupos_de(grupos: &Valor, mundos: usize, contexto: &Contexto<'_>) -> Result<Cuerpo, String> {
    let grupos = match grupos {
        Valor::Map(grupos) if !grupos.is_empty() => grupos,
        _ => return Err("`grupos` tiene que ser un objeto no vacío".to_owned()),
    };
    let mut found = Vec::with_capacity(grupos.len());
    for (medida, casos) in grupos.iter() {
        if !is_measure_id(medida) {
            return Err(format!("trae un grupo cuyo nombre, «{medida}», no es un id de medida"));
        }
        let casos = match casos.as_list() {
            Some(casos) if casos.len() == mundos => casos,
            _ => {
                return Err(format!(
                    "dice {mundos} mundos y el grupo «{medida}» no trae esa cantidad de casos"
                ));
            }
        };
        let mut polaridades = BTreeSet::new();
        let mut leidos = Vec::with_capacity(casos.len());
        for (i, caso) in casos.iter().enumerate() {
            let at = |why: String| format!("trae en el grupo «{medida}» un caso ({i}) que {why}");
            let Valor::Map(caso) = caso else { return Err(at("no es un objeto".to_owned())) };
            let Some(ok) = caso.get("esperado_ok").and_then(Valor::as_bool) else {
                return Err(at("no declara `esperado_ok` booleano".to_owned()));
            };
            polaridades.insert(ok);
            leidos.push((ok, evidencia(caso.get("evidencia"), contexto).map_err(at)?));
        }
        ambas_polaridades(&polaridades, || format!("en el grupo «{medida}»"))?;
        found.push(Grupo { medida: medida.clone(), casos: leidos });
    }
    Ok(Cuerpo::Grupos(found))
}

/// Evidence of a fixture: a map, not empty, of relations that hold facts with scalars under their declared
/// key.
fn evidencia(valor: Option<&Valor>, contexto: &Contexto<'_>) -> Result<Valor, String> {
    let (evidencia, relaciones) = match valor {
        Some(evidencia @ Valor::Map(map)) if !map.is_empty() => (evidencia, map),
        _ => return Err("no trae `evidencia` como objeto no vacío de relaciones".to_owned()),
    };
    let mut declares_keys = false;
    for (relacion, filas) in relaciones.iter() {
        if relacion.trim().is_empty() {
            return Err("trae una relación sin nombre".to_owned());
        }
        let filas = filas.as_list().ok_or_else(|| format!("trae «{relacion}» sin una lista de filas"))?;
        let headed = filas.first().is_some_and(|first| first.head() == Some("clave"));
        declares_keys |= headed;
        for (i, fila) in filas.iter().enumerate().skip(usize::from(headed)) {
            fact(fila).map_err(|why| format!("trae «{relacion}[{i}]», que {why}"))?;
        }
    }
    if declares_keys {
        let checked = Evidencia::from_valor(evidencia.clone()).and_then(|e| e.validar(contexto));
        checked.map_err(|e| format!("trae evidencia que no vale: {e}"))?;
    }
    Ok(evidencia.clone())
}

fn fact(fila: &Valor) -> Result<(), String> {
    let Valor::Map(fila) = fila else { return Err("no es una fila".to_owned()) };
    match fila
        .iter()
        .find(|(campo, valor)| campo.is_empty() || matches!(valor, Valor::List(_) | Valor::Map(_)))
    {
        Some((campo, _)) => Err(format!("no trae un escalar en «{campo}»")),
        None => Ok(()),
    }
}
