//! Holds a call to one state of the project: the fingerprint of what was read, before and after.

use nucleo::catalogo::Catalogo;
use nucleo::fallo::Fallo;
use nucleo::huella::Conjunto;
use nucleo::proyecto::Lectura;

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
