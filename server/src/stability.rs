//! Holds a call to one state of the project: the fingerprint of what was read, before and after.

use nucleo::catalogo::Catalogo;
use nucleo::fallo::Fallo;
use nucleo::huella::Conjunto;
use nucleo::proyecto::Lectura;
use nucleo::tareas::Vista;

/// Does `work` with the fingerprint of what it reads. When the project is another one afterwards, whatever
/// came out is worth nothing: neither an answer nor a failure may mix two states.
///
/// # Errors
/// [`Fallo::ProyectoCambio`]; what the fingerprint or `work` fails with.
pub fn stable<T>(
    lectura: &Lectura,
    conjunto: Conjunto,
    catalogo: Option<&Catalogo>,
    work: impl FnOnce(&str) -> Result<T, Fallo>,
) -> Result<T, Fallo> {
    let before = lectura.huella_inicial(conjunto, catalogo)?;
    let outcome = work(&before);
    let after = lectura.huella_actual(conjunto, &before);
    if after != before {
        return Err(Fallo::ProyectoCambio { inicial: before, actual: after });
    }
    outcome
}

/// Fails when something that a query over the tracker looked at is not now as the query found it. Asked also
/// after a query that failed, since the change may be why.
///
/// # Errors
/// [`Fallo::ProyectoCambio`].
pub fn unchanged(vista: &Vista<'_>) -> Result<(), Fallo> {
    let (inicial, actual) = (vista.huella(), vista.huella_actual());
    if inicial == actual { Ok(()) } else { Err(Fallo::ProyectoCambio { inicial, actual }) }
}
