//! What the tracker says → its JSON, in the order of the published implementation's `--json`.

use super::Members;
use nucleo::tareas::{Busqueda, Coincidencia, Omitido, Tarea};
use nucleo::valor::Valor;

/// A task as a list shows it: everything but its body.
pub fn listed(tarea: &Tarea) -> Valor {
    Valor::map(before_body(tarea).into_iter().chain([place(tarea)]))
}

/// A task whole.
pub fn whole(tarea: &Tarea) -> Valor {
    let body = ("cuerpo", Valor::from(&*tarea.cuerpo));
    Valor::map(before_body(tarea).into_iter().chain([body, place(tarea)]))
}

/// What a search found, and what it did not look through.
pub fn search(busqueda: &Busqueda) -> Valor {
    Valor::map([
        ("coincidencias", Valor::list(busqueda.coincidencias.iter().map(coincidence))),
        ("omitidos", Valor::list(busqueda.omitidos.iter().map(omitted))),
    ])
}

fn before_body(tarea: &Tarea) -> Members {
    let more = tarea.campos_adicionales.iter().map(|(name, value)| (name, Valor::from(&**value)));
    vec![
        ("id", Valor::from(&*tarea.id)),
        ("titulo", Valor::from(&*tarea.titulo)),
        ("estado", Valor::from(tarea.estado.as_str())),
        ("prioridad", Valor::Int(tarea.prioridad.clone())),
        ("etiquetas", texts(&tarea.etiquetas)),
        ("cierra_con", texts(&tarea.cierra_con)),
        ("campos_adicionales", Valor::map(more)),
    ]
}

fn place(tarea: &Tarea) -> (&'static str, Valor) {
    ("ruta", Valor::from(&*tarea.ruta))
}

fn coincidence(found: &Coincidencia) -> Valor {
    Valor::map([
        ("ruta", Valor::from(&*found.ruta)),
        ("linea", Valor::from(found.linea)),
        ("texto", Valor::from(&*found.texto)),
    ])
}

fn omitted(omitido: &Omitido) -> Valor {
    Valor::map([("ruta", Valor::from(&*omitido.ruta)), ("motivo", Valor::from(&*omitido.motivo))])
}

fn texts(texts: &[String]) -> Valor {
    Valor::list(texts.iter().map(|text| Valor::from(&**text)))
}
