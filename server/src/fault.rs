//! The contract's closed list of domain codes, its message templates, and the text an agent reads.
//!
//! Contract: "Rechazos y forma de los errores". Decides nothing: each failure of the core has one code.

use crate::message::{cut, quote};
use nucleo::fallo::Fallo;
use nucleo::tareas::TareasError;
use nucleo::valor::Valor;

/// Longest line of a failure's text, in characters.
const LINE_CHARS: usize = 2000;

/// Most things that a failure lists, each on a line of its own. How many there are is in its message.
const LISTED: usize = 100;

/// A failure that the agent can act upon.
pub struct Fault {
    code: &'static str,
    message: String,
    /// What the message announces, when it announces a list.
    list: Vec<String>,
    field: String,
    correction: String,
}

impl Fault {
    /// The text block: `CODIGO — mensaje` on the first line, what it lists, then the field at fault, then
    /// what to do.
    pub fn text(&self) -> String {
        let Fault { code, message, list, field, correction } = self;
        let mut lines = vec![format!("{code} — {message}")];
        lines.extend(list.iter().take(LISTED).map(|item| format!("  · {item}")));
        if list.len() > LISTED {
            lines.push(format!("  · y {} más", list.len() - LISTED));
        }
        lines.extend([format!("campo: {field}"), format!("corrección: {correction}")]);
        lines.iter().map(|line| one_line(line)).collect::<Vec<_>>().join("\n")
    }

    /// `ARGUMENTOS_INVALIDOS`: what stands at `path` is not what its schema asks for; nothing stands there
    /// when `received` is none.
    pub fn argument(path: &str, received: Option<&Valor>, expected: &str) -> Fault {
        let received = received.map_or("ausente".to_owned(), |value| quote(&value.to_compact()));
        Fault {
            code: "ARGUMENTOS_INVALIDOS",
            message: format!("{path}: {received}; se esperaba {expected}."),
            list: Vec::new(),
            field: path.to_owned(),
            correction: format!("mandá ahí {expected}."),
        }
    }

    /// `ARGUMENTOS_INVALIDOS`: a property that the closed schema does not list.
    pub fn unexpected(path: &str, received: &Valor) -> Fault {
        let mut fault = Fault::argument(path, Some(received), "ninguna propiedad adicional");
        fault.correction = "quitá esa propiedad.".to_owned();
        fault
    }

    /// `EVALUACION_FALLO`: a failure that the server classifies itself.
    pub fn evaluation(kind: &str, message: &str, field: &str, correction: &str) -> Fault {
        Fault {
            code: "EVALUACION_FALLO",
            message: format!("{kind}: {message}. No se produjo un veredicto."),
            list: Vec::new(),
            field: field.to_owned(),
            correction: correction.to_owned(),
        }
    }

    /// A failure of the core, over the project at `raiz`. `subject` is the argument that the call was about.
    pub fn of(fallo: &Fallo, raiz: &str, subject: &str) -> Fault {
        Fault::within(fallo, raiz, subject, "$.evidencia")
    }

    /// `EVIDENCIA_INVALIDA`: a relation of the evidence at `path`, or one row of it, is not what it must be.
    pub fn evidence(path: &str, relation: &str, index: Option<usize>, reason: &str) -> Fault {
        let (relacion, motivo) = (relation.to_owned(), reason.to_owned());
        Fault::within(&Fallo::EvidenciaInvalida { relacion, indice: index, motivo }, "", path, path)
    }

    /// `evidence` is the argument where the evidence stands.
    fn within(fallo: &Fallo, raiz: &str, subject: &str, evidence: &str) -> Fault {
        let (code, message) = first_line(fallo, raiz, evidence);
        let (field, correction) = remedy(fallo, subject, evidence);
        Fault { code, message, list: Vec::new(), field, correction: correction.to_owned() }
    }

    /// A failure of the tracker of tasks.
    pub fn of_tracker(error: &TareasError) -> Fault {
        let (code, message, field, correction) = match error {
            TareasError::Ausente { ruta } => (
                "TRACKER_AUSENTE",
                format!("el proyecto no tiene tracker de tareas: falta {ruta}."),
                "proyecto",
                "no hay tareas que consultar: seguí sin ellas o creá el tracker fuera de este servidor.",
            ),
            TareasError::Invalido { ruta, registros } => (
                "TRACKER_INVALIDO",
                invalid_records(registros.len(), ruta),
                "proyecto",
                "corregí esos registros y reintentá.",
            ),
            TareasError::Git { ruta, .. } => (
                "TRACKER_INVALIDO",
                invalid_records(1, ruta),
                "$.git",
                "corregí el repositorio o pedí los hechos sin git.",
            ),
            TareasError::NoEncontrada { id } => (
                "TAREA_NO_ENCONTRADA",
                format!("no se encontró ninguna tarea con prefijo «{}».", quote(id)),
                "$.id",
                "elegí un id de los que lista la acción listar, también entre las cerradas.",
            ),
            TareasError::Ambiguo { prefijo, ids } => (
                "ID_AMBIGUO",
                format!(
                    "el prefijo «{}» coincide con {} tareas: {}.",
                    quote(prefijo),
                    ids.len(),
                    ids.join(", ")
                ),
                "$.id",
                "alargá el prefijo hasta que nombre una sola.",
            ),
            TareasError::Cambio { inicial, actual } => {
                let (inicial, actual) = (inicial.clone(), actual.clone());
                return Fault::of(&Fallo::ProyectoCambio { inicial, actual }, "", "$.accion");
            }
            TareasError::Cancelado => return Fault::of(&Fallo::Cancelado, "", "$.accion"),
        };
        let list = match error {
            TareasError::Invalido { registros, .. } => registros.clone(),
            TareasError::Git { motivo, .. } => vec![motivo.clone()],
            _ => Vec::new(),
        };
        Fault { code, message, list, field: field.to_owned(), correction: correction.to_owned() }
    }
}

fn invalid_records(count: usize, ruta: &str) -> String {
    format!("se detectaron {count} registro(s) inválido(s) en {ruta}:")
}

/// The code of a failure, and its template filled in.
fn first_line(fallo: &Fallo, raiz: &str, evidence: &str) -> (&'static str, String) {
    match fallo {
        Fallo::ProyectoInvalido { motivo } => ("PROYECTO_INVALIDO", format!("{raiz}: {motivo}.")),
        Fallo::CatalogoInvalido { fuente, motivo } => {
            ("CATALOGO_INVALIDO", format!("{fuente}: {motivo}. No se devolvió un catálogo parcial."))
        }
        Fallo::MedidaDesconocida { id } => (
            "MEDIDA_DESCONOCIDA",
            format!(
                "«{id}» no aparece en las fuentes seleccionadas; \
                 consultá oracle_catalogo_efectivo sin ids."
            ),
        ),
        Fallo::MedidaNoEfectiva { id, origen, ambito } => (
            "MEDIDA_NO_EFECTIVA",
            format!("«{id}» existe en {origen}, pero su ambito «{ambito}» no obliga a «{raiz}»."),
        ),
        Fallo::MedidaNoAplicable { id, relaciones } => (
            "MEDIDA_NO_APLICABLE",
            format!(
                "«{id}» requiere las relaciones {}, no presentes en la evidencia.",
                relaciones.join(", ")
            ),
        ),
        Fallo::MedidaInvalida { sujeto, motivo, donde } => {
            ("MEDIDA_INVALIDA", format!("{sujeto}: {motivo} en {donde}."))
        }
        Fallo::EvidenciaInvalida { relacion, indice, motivo } => {
            ("EVIDENCIA_INVALIDA", format!("{}: {motivo}.", place(evidence, relacion, *indice)))
        }
        Fallo::EvidenciaIncompleta { motivo } => (
            "EVIDENCIA_INCOMPLETA",
            format!("no se pudo juzgar la fijación: {motivo}. No se devolvieron fijaciones parciales."),
        ),
        Fallo::CasoRepetido { id, origen_1, origen_2 } => (
            "CASO_REPETIDO",
            format!("«{id}» aparece en {origen_1} y {origen_2}; ninguno tiene precedencia."),
        ),
        Fallo::EscalaresNoAutorizadas { archivo } => (
            "ESCALARES_NO_AUTORIZADAS",
            format!(
                "{archivo} es código externo; autorizalo en la configuración de arranque del servidor, \
                 no en esta llamada."
            ),
        ),
        Fallo::LimiteDeAlgebra { nombre, valor, limite } => {
            ("LIMITE_DE_ALGEBRA", format!("{nombre}: se observó {valor} y el límite activo es {limite}."))
        }
        Fallo::EvaluacionFallo { tipo, mensaje } => {
            ("EVALUACION_FALLO", format!("{tipo}: {mensaje}. No se produjo un veredicto."))
        }
        Fallo::ProyectoCambio { inicial, actual } => (
            "PROYECTO_CAMBIO_DURANTE_LA_CONSULTA",
            format!("huella inicial {inicial} y final {actual}; reintentá sobre un estado estable."),
        ),
        Fallo::Cancelado => ("EVALUACION_FALLO", "Cancelado: el pedido se canceló.".to_owned()),
    }
}

/// The field at fault, and what to do about it.
fn remedy(fallo: &Fallo, subject: &str, evidence: &str) -> (String, &'static str) {
    match fallo {
        Fallo::ProyectoInvalido { .. } => {
            ("proyecto".to_owned(), "corregí el proyecto en disco y reintentá.")
        }
        Fallo::CatalogoInvalido { fuente, .. } => (fuente.clone(), "corregí esa fuente y reintentá."),
        Fallo::MedidaDesconocida { .. } => {
            (subject.to_owned(), "elegí un id de los que lista oracle_catalogo_efectivo sin ids.")
        }
        Fallo::MedidaNoEfectiva { .. } => (
            subject.to_owned(),
            "no la dupliques, ya tiene dueño: elegí un id efectivo o revisá su ambito en el origen.",
        ),
        Fallo::MedidaNoAplicable { .. } => {
            ("$.evidencia".to_owned(), "agregá esas relaciones a la evidencia o no pidas ese id.")
        }
        Fallo::MedidaInvalida { .. } => (subject.to_owned(), "corregí la medida y reintentá."),
        Fallo::EvidenciaInvalida { relacion, indice, .. } => {
            (place(evidence, relacion, *indice), "corregí esa parte de la evidencia y reintentá.")
        }
        Fallo::EvidenciaIncompleta { .. } => {
            ("proyecto".to_owned(), "completá lo que falta en el proyecto y reintentá.")
        }
        Fallo::CasoRepetido { .. } => ("$.casos".to_owned(), "renombrá uno de los dos."),
        Fallo::EscalaresNoAutorizadas { archivo } => {
            (archivo.clone(), "si confiás en ese archivo, arrancá el servidor con --confiar-escalares.")
        }
        Fallo::LimiteDeAlgebra { nombre, .. } => (
            (*nombre).to_owned(),
            "achicá la evidencia o la medida: ninguna llamada puede ampliar ese límite.",
        ),
        Fallo::ProyectoCambio { .. } => {
            ("proyecto".to_owned(), "repetí la llamada cuando nadie esté escribiendo el proyecto.")
        }
        Fallo::EvaluacionFallo { .. } | Fallo::Cancelado => {
            (subject.to_owned(), "revisá la medida y la evidencia antes de reintentar.")
        }
    }
}

/// Where a relation of the evidence, or one row of it, stands among the arguments.
fn place(evidence: &str, relacion: &str, indice: Option<usize>) -> String {
    let relation = member(evidence, relacion);
    indice.map_or(relation.clone(), |indice| format!("{relation}[{indice}]"))
}

/// The JSON path of a member: `base.key`, or `base["key"]` when the key is no plain word.
pub fn member(base: &str, key: &str) -> String {
    if key.chars().all(|c| c.is_alphanumeric() || c == '_') {
        format!("{base}.{}", quote(key))
    } else {
        format!("{base}[{}]", Valor::from(quote(key)).to_compact())
    }
}

/// Keeps a line one line of bounded length, whatever a name or a reason brought along.
fn one_line(text: &str) -> String {
    cut(text, LINE_CHARS).replace(|c: char| c.is_control(), " ")
}
