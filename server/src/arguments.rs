//! The closed input schemas as explicit checks, with the JSON path of the offender.
//!
//! Takes arguments apart without copying them. Reads no files; whether an id exists is not its question.

use crate::fault::{Fault, member};
use nucleo::caso::Espera;
use nucleo::medida::is_medida_id;
use nucleo::tareas::{Estado, Prefijo, Termino};
use nucleo::valor::{Map, Text, Valor};

/// A measure, as a call names it.
pub enum MeasureSource {
    /// One of the effective catalogue.
    Id(Text),
    /// A text in the `oracle` format, never written to disk.
    Text(Text),
}

/// The arguments of `oracle_catalogo_efectivo`: the ids whose detail is asked for, if any.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`.
pub fn catalogue(mut arguments: Map) -> Result<Option<Vec<Text>>, Fault> {
    closed(&arguments, "$", &["ids"])?;
    arguments.remove("ids").map(|ids| measure_ids("$.ids", ids)).transpose()
}

/// The arguments of `oracle_evaluar`: the measure, and the evidence as relations of rows.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`; `EVIDENCIA_INVALIDA` for a relation that is no list of objects.
pub fn evaluation(mut arguments: Map) -> Result<(MeasureSource, Valor), Fault> {
    closed(&arguments, "$", &["medida", "evidencia"])?;
    let measure = measure("$.medida", arguments.remove("medida"))?;
    let evidence = evidence("$.evidencia", arguments.remove("evidencia"))?;
    Ok((measure, evidence))
}

/// The arguments of `oracle_desafiar`.
pub struct Challenge {
    /// What is challenged.
    pub measure: MeasureSource,
    /// Whether corpus and differentials of the project take part.
    pub project_evidence: bool,
    /// The cases of the call: id, expectation and evidence of each.
    pub cases: Vec<(Text, Espera, Valor)>,
}

/// The arguments of `oracle_desafiar`.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`; `EVIDENCIA_INVALIDA` for a relation of a case that is no list of objects.
pub fn challenge(mut arguments: Map) -> Result<Challenge, Fault> {
    closed(&arguments, "$", &["medida", "usar_evidencia_del_proyecto", "casos"])?;
    let measure = measure("$.medida", arguments.remove("medida"))?;
    let project_evidence = match arguments.remove("usar_evidencia_del_proyecto") {
        None => true,
        Some(Valor::Bool(wanted)) => wanted,
        other => {
            let path = "$.usar_evidencia_del_proyecto";
            return Err(Fault::argument(path, other.as_ref(), "true o false"));
        }
    };
    let cases = match arguments.remove("casos") {
        None => Vec::new(),
        Some(Valor::List(cases)) => cases,
        other => return Err(Fault::argument("$.casos", other.as_ref(), "una lista de casos")),
    };
    let cases = cases.into_iter().enumerate().map(|(index, entry)| case(&format!("$.casos[{index}]"), entry));
    Ok(Challenge { measure, project_evidence, cases: cases.collect::<Result<_, _>>()? })
}

/// The arguments of `oracle_juzgar`: the ids that are asked for, if any, and the evidence.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`; `EVIDENCIA_INVALIDA` for a relation that is no list of objects.
pub fn judgement(mut arguments: Map) -> Result<(Option<Vec<Text>>, Valor), Fault> {
    closed(&arguments, "$", &["evidencia", "ids"])?;
    let ids = arguments.remove("ids").map(|ids| measure_ids("$.ids", ids)).transpose()?;
    let evidence = evidence("$.evidencia", arguments.remove("evidencia"))?;
    Ok((ids, evidence))
}

/// What is asked of the tracker of tasks.
pub enum TrackerQuery {
    /// The tasks in a state, with a label if one is named.
    Listar {
        /// Open ones, unless the call says otherwise.
        estado: Estado,
        /// A label, whole.
        etiqueta: Option<Text>,
    },
    /// One task.
    Ver(Prefijo),
    /// Lines that hold a text.
    Buscar(Termino),
    /// Everything, as relations.
    Hechos {
        /// Whether Git is asked too.
        git: bool,
    },
}

impl TrackerQuery {
    /// The word of the contract.
    pub fn accion(&self) -> &'static str {
        match self {
            TrackerQuery::Listar { .. } => "listar",
            TrackerQuery::Ver(_) => "ver",
            TrackerQuery::Buscar(_) => "buscar",
            TrackerQuery::Hechos { .. } => "hechos",
        }
    }
}

/// The arguments of `oracle_tareas`. Each is held to its schema, whichever action it is for.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`.
pub fn tracker(arguments: Map) -> Result<TrackerQuery, Fault> {
    closed(&arguments, "$", &["accion", "estado", "etiqueta", "id", "texto", "git"])?;
    let wrong = |key, expected| Fault::argument(&member("$", key), arguments.get(key), expected);
    let text = |key| match arguments.get(key) {
        None => Ok(None),
        Some(Valor::Text(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(key, "un texto")),
    };
    let estado = match arguments.get("estado").map(|word| word.as_str().and_then(Estado::parse)) {
        None => Estado::Abierta,
        Some(Some(estado)) => estado,
        Some(None) => return Err(wrong("estado", "\"ABIERTA\" o \"CERRADA\"")),
    };
    let git = match arguments.get("git").map(Valor::as_bool) {
        None => false,
        Some(Some(git)) => git,
        Some(None) => return Err(wrong("git", "un booleano")),
    };
    let (etiqueta, id, texto) = (text("etiqueta")?, text("id")?, text("texto")?);
    match arguments.get("accion").and_then(Valor::as_str) {
        Some("listar") => Ok(TrackerQuery::Listar { estado, etiqueta: etiqueta.cloned() }),
        Some("ver") => id
            .and_then(|id| Prefijo::parse(id))
            .map(TrackerQuery::Ver)
            .ok_or_else(|| wrong("id", "un id de tarea, su comienzo o su sufijo")),
        Some("buscar") => texto
            .and_then(|texto| Termino::parse(texto))
            .map(TrackerQuery::Buscar)
            .ok_or_else(|| wrong("texto", "un texto que no esté en blanco")),
        Some("hechos") => Ok(TrackerQuery::Hechos { git }),
        _ => Err(wrong("accion", "\"listar\", \"ver\", \"buscar\" o \"hechos\"")),
    }
}

/// Holds an object to the properties its schema lists.
fn closed(object: &Map, path: &str, listed: &[&str]) -> Result<(), Fault> {
    match object.iter().find(|(key, _)| !listed.contains(&&***key)) {
        Some((key, value)) => Err(Fault::unexpected(&member(path, key), value)),
        None => Ok(()),
    }
}

/// A list of measure ids, without repetition.
fn measure_ids(path: &str, ids: Valor) -> Result<Vec<Text>, Fault> {
    let items = match ids.as_list() {
        Some(items) if !items.is_empty() => items,
        _ => return Err(Fault::argument(path, Some(&ids), "una lista no vacía de ids")),
    };
    let mut found: Vec<Text> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let id = measure_id(&path, item)?;
        if found.contains(&id) {
            return Err(Fault::argument(&path, Some(item), "un id que no se repita"));
        }
        found.push(id);
    }
    Ok(found)
}

fn measure_id(path: &str, id: &Valor) -> Result<Text, Fault> {
    match id {
        Valor::Text(id) if is_medida_id(id) => Ok(id.clone()),
        _ => Err(Fault::argument(path, Some(id), "un id de la forma dominio.nombre")),
    }
}

/// The closed union of an id and a text.
fn measure(path: &str, measure: Option<Valor>) -> Result<MeasureSource, Fault> {
    let expected = "exactamente {id} o {texto, formato}";
    let fields = match measure {
        Some(Valor::Map(fields)) => fields,
        other => return Err(Fault::argument(path, other.as_ref(), expected)),
    };
    match (fields.len(), fields.get("id"), fields.get("texto"), fields.get("formato")) {
        (1, Some(id), _, _) => Ok(MeasureSource::Id(measure_id(&member(path, "id"), id)?)),
        (2, _, Some(text), Some(format)) => measure_text(path, text, format),
        _ => Err(Fault::argument(path, Some(&Valor::Map(fields)), expected)),
    }
}

fn measure_text(path: &str, text: &Valor, format: &Valor) -> Result<MeasureSource, Fault> {
    if format.as_str() != Some("oracle") {
        return Err(Fault::argument(&member(path, "formato"), Some(format), "\"oracle\""));
    }
    match text {
        Valor::Text(text) => Ok(MeasureSource::Text(text.clone())),
        _ => Err(Fault::argument(&member(path, "texto"), Some(text), "un texto")),
    }
}

fn case(path: &str, case: Valor) -> Result<(Text, Espera, Valor), Fault> {
    let Valor::Map(mut fields) = case else {
        return Err(Fault::argument(path, Some(&case), "un objeto {id, espera, evidencia}"));
    };
    closed(&fields, path, &["id", "espera", "evidencia"])?;
    let id = match fields.remove("id") {
        Some(Valor::Text(id)) if !id.is_empty() => id,
        other => return Err(Fault::argument(&member(path, "id"), other.as_ref(), "un texto no vacío")),
    };
    let expected = fields.remove("espera");
    let espera = expected.as_ref().and_then(Valor::as_str).and_then(Espera::parse).ok_or_else(|| {
        let path = member(path, "espera");
        Fault::argument(&path, expected.as_ref(), "\"verde\", \"rojo\" o \"sin_evidencia\"")
    })?;
    Ok((id, espera, evidence(&member(path, "evidencia"), fields.remove("evidencia"))?))
}

fn evidence(path: &str, evidence: Option<Valor>) -> Result<Valor, Fault> {
    let relations = match evidence {
        Some(Valor::Map(relations)) => relations,
        other => return Err(Fault::argument(path, other.as_ref(), "un objeto de relaciones")),
    };
    for (relation, rows) in relations.iter() {
        let invalid = |index, reason| Fault::evidence(path, relation, index, reason);
        let rows = rows.as_list().ok_or_else(|| invalid(None, "no es una lista de filas"))?;
        if let Some(index) = rows.iter().position(|row| row.as_map().is_none()) {
            return Err(invalid(Some(index), "la fila no es un objeto"));
        }
    }
    Ok(Valor::Map(relations))
}
