//! Fingerprints of what was evaluated: the canonical forms of measures and evidence, whatever the call named
//! them by.
//!
//! Owns the shape under each fingerprint. Everything is hashed as it is printed: no text is ever held whole.

use super::Sha256Text;
use crate::algebra::{Contexto, Evidencia};
use crate::cores;
use crate::desafio::{CasoDeDesafio, Casos};
use crate::fallo::Fallo;
use crate::medida::{Medida, Veredicto};
use crate::valor::Valor;
use std::fmt::{self, Write};

/// SHA-256 of `{"evidencia":…,"medida":…}` in canonical JSON: the expanded form of the measure and the
/// evidence as it was measured. Contract: "Autoridad y modelo de ejecución".
pub fn entrada_sha256(medida: &Medida, evidencia: &Evidencia) -> String {
    digest(|out| {
        out.write_str("{\"evidencia\":")?;
        evidencia.write_canonical(out)?;
        out.write_str(",\"medida\":")?;
        medida.datos().write_canonical(out)?;
        out.write_char('}')
    })
}

/// Fewest rows for which a second thread is worth its start.
const ROWS_FOR_TWO: usize = 2_000;

/// What `medida` says of the evidence, and the fingerprint of both. Over many rows neither waits for the other.
///
/// # Errors
/// What [`Medida::evaluar`] fails with.
pub fn evaluar_con_entrada(
    medida: &Medida,
    evidencia: &Evidencia,
    contexto: &Contexto<'_>,
) -> Result<(Veredicto, String), Fallo> {
    let rows: usize = evidencia.relaciones().map(|relacion| evidencia.len_of(relacion)).sum();
    if rows < ROWS_FOR_TWO {
        let veredicto = medida.evaluar(evidencia, contexto)?;
        return Ok((veredicto, entrada_sha256(medida, evidencia)));
    }
    let (veredicto, entrada) =
        cores::both(|| medida.evaluar(evidencia, contexto), || entrada_sha256(medida, evidencia));
    Ok((veredicto?, entrada))
}

/// SHA-256 of `{"casos":[{"espera":…,"evidencia":…,"id":…},…],"medida":…}` in canonical JSON: the cases in the
/// order in which they ran, whatever their origin, and the expanded form of the measure.
pub fn entrada_sha256_de_desafio(medida: &Medida, casos: &Casos) -> String {
    digest(|out| {
        out.write_str("{\"casos\":")?;
        write_list(out, casos.iter(), |out, CasoDeDesafio { id, espera, evidencia, .. }| {
            write!(out, "{{\"espera\":\"{}\",\"evidencia\":", espera.as_str())?;
            evidencia.write_canonical(out)?;
            out.write_str(",\"id\":")?;
            Valor::Text(id.clone()).write_canonical(out)?;
            out.write_char('}')
        })?;
        out.write_str(",\"medida\":")?;
        medida.datos().write_canonical(out)?;
        out.write_char('}')
    })
}

/// SHA-256 of `{"evidencia":…,"medidas":[…]}` in canonical JSON: the evidence, and the expanded form of each
/// measure that the report speaks of, in its order.
pub fn entrada_sha256_de_juicio<'a>(
    medidas: impl Iterator<Item = &'a Medida>,
    evidencia: &Evidencia,
) -> String {
    digest(|out| {
        out.write_str("{\"evidencia\":")?;
        evidencia.write_canonical(out)?;
        out.write_str(",\"medidas\":")?;
        write_list(out, medidas, |out, medida| medida.datos().write_canonical(out))?;
        out.write_char('}')
    })
}

fn write_list<T>(
    out: &mut Sha256Text,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Sha256Text, T) -> fmt::Result,
) -> fmt::Result {
    out.write_char('[')?;
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.write_char(',')?;
        }
        write(out, item)?;
    }
    out.write_char(']')
}

fn digest(write: impl FnOnce(&mut Sha256Text) -> fmt::Result) -> String {
    let mut hasher = Sha256Text::new();
    write(&mut hasher).expect("hashing cannot fail");
    hasher.finish()
}
