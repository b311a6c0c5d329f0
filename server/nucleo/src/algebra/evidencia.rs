//! Evidence: relations of facts, held once and shared by everything that reads them.
//!
//! Owns the shape of evidence, the optional head `["clave", [...]]` that declares a relation's identity, and
//! the checks that run over all of it before anything is measured. A relation is a bag: equal rows are
//! distinct facts unless a key says otherwise.

use super::context::Pulse;
use super::key::Key;
use super::{AlgebraError, Contexto, is_blank};
use crate::valor::{Map, Text, Valor};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// The head that declares the fields that identify a row.
const CLAVE: &str = "clave";

/// The rows of one relation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filas {
    /// The declared key; empty when none is.
    clave: Vec<Text>,
    filas: Vec<Map>,
}

impl Filas {
    /// The fields that identify a row; empty when the relation declares no key.
    pub fn clave(&self) -> &[Text] {
        &self.clave
    }

    /// The facts, in the order they were given.
    pub fn filas(&self) -> &[Map] {
        &self.filas
    }
}

/// Relations in the order they were given. Clones share the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidencia {
    relaciones: Vec<(Text, Arc<Filas>)>,
}

impl Evidencia {
    /// Takes evidence out of its JSON form: a map of relation names to lists of facts. A list may open with
    /// `["clave", [campo, ...]]`. Rows are moved, not copied.
    ///
    /// # Errors
    /// `Evidence` when it is no map, a relation no list, a row no map, or a key head is badly formed.
    pub fn from_valor(evidencia: Valor) -> Result<Evidencia, AlgebraError> {
        let Valor::Map(relaciones) = evidencia else {
            return Err(AlgebraError::evidence("", None, "la evidencia es un mapa de relaciones"));
        };
        relaciones
            .into_iter()
            .map(|(nombre, hechos)| {
                let filas = read_relation(&nombre, hechos)?;
                Ok((nombre, Arc::new(filas)))
            })
            .collect::<Result<_, _>>()
            .map(|relaciones| Evidencia { relaciones })
    }

    /// Evidence made of relations without keys; of a name given twice the last rows stay.
    pub fn from_filas(relaciones: impl IntoIterator<Item = (Text, Vec<Map>)>) -> Evidencia {
        let mut evidencia = Evidencia::default();
        for (nombre, filas) in relaciones {
            let filas = Arc::new(Filas { clave: Vec::new(), filas });
            match evidencia.relaciones.iter_mut().find(|(known, _)| *known == nombre) {
                Some((_, old)) => *old = filas,
                None => evidencia.relaciones.push((nombre, filas)),
            }
        }
        evidencia
    }

    /// The rows of a relation; `None` when the evidence does not bring it.
    pub fn get(&self, relacion: &str) -> Option<&Filas> {
        self.shared(relacion).map(|filas| &**filas)
    }

    /// The names of the relations, in the order they were given.
    pub fn relaciones(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.relaciones.iter().map(|(nombre, _)| nombre)
    }

    /// How many rows `relacion` has; a relation that is not there has none.
    pub fn len_of(&self, relacion: &str) -> usize {
        self.get(relacion).map_or(0, |filas| filas.filas.len())
    }

    /// About how much evaluating a measure over it does: as many steps as a relation may make pairs with itself.
    pub(crate) fn trabajo(&self) -> usize {
        let pairs = |filas: &Filas| filas.filas.len().saturating_mul(filas.filas.len());
        self.relaciones.iter().fold(1, |sum, (_, filas)| sum.saturating_add(pairs(filas)))
    }

    pub(super) fn shared(&self, relacion: &str) -> Option<&Arc<Filas>> {
        self.relaciones.iter().find(|(nombre, _)| &**nombre == relacion).map(|(_, filas)| filas)
    }

    /// Checks the whole evidence: row limits, no `null` in any field, and declared keys. What a measure reads
    /// of it does not matter.
    ///
    /// # Errors
    /// The first fault in the order of relations and rows: `Limit` or `Evidence`.
    pub fn validar(&self, contexto: &Contexto<'_>) -> Result<(), AlgebraError> {
        let limite = contexto.limites.filas_por_relacion;
        let mut pulse = Pulse::new(contexto.cancellation);
        for (nombre, filas) in &self.relaciones {
            if filas.filas.len() > limite {
                return Err(AlgebraError::limit("filas_por_relacion", filas.filas.len(), limite));
            }
            for (indice, fila) in filas.filas.iter().enumerate() {
                pulse.step()?;
                if let Some((campo, _)) = fila.iter().find(|(_, valor)| **valor == Valor::Null) {
                    let motivo = format!("el campo «{campo}» vale null; un hecho que no se sabe se omite");
                    return Err(AlgebraError::evidence(nombre, Some(indice), motivo));
                }
            }
            validate_key(nombre, filas, &mut pulse)?;
        }
        Ok(())
    }

    /// Prints the canonical JSON of the evidence, key heads included: what a fingerprint is taken of.
    pub fn write_canonical(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut sorted: Vec<_> = self.relaciones.iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        out.write_char('{')?;
        for (i, (nombre, filas)) in sorted.into_iter().enumerate() {
            if i > 0 {
                out.write_char(',')?;
            }
            Valor::Text(nombre.clone()).write_compact(out)?;
            out.write_str(":[")?;
            let mut items = 0;
            if !filas.clave.is_empty() {
                let campos = Valor::list(filas.clave.iter().cloned().map(Valor::Text));
                Valor::list([Valor::from(CLAVE), campos]).write_canonical(out)?;
                items += 1;
            }
            for fila in &filas.filas {
                if items > 0 {
                    out.write_char(',')?;
                }
                fila.write_canonical(out)?;
                items += 1;
            }
            out.write_char(']')?;
        }
        out.write_char('}')
    }

    /// The canonical JSON of the evidence as text.
    pub fn to_canonical(&self) -> String {
        let mut out = String::new();
        self.write_canonical(&mut out).expect("writing to a string cannot fail");
        out
    }
}

fn read_relation(nombre: &str, hechos: Valor) -> Result<Filas, AlgebraError> {
    let Valor::List(mut hechos) = hechos else {
        return Err(AlgebraError::evidence(nombre, None, "una relación es una lista de hechos"));
    };
    let mut clave = Vec::new();
    if hechos.first().and_then(Valor::head) == Some(CLAVE) {
        clave = read_key(nombre, &hechos.remove(0))?;
    }
    let filas = hechos
        .into_iter()
        .enumerate()
        .map(|(indice, hecho)| match hecho {
            Valor::Map(fila) => Ok(fila),
            _ => Err(AlgebraError::evidence(nombre, Some(indice), "una fila es un mapa de campos")),
        })
        .collect::<Result<_, _>>()?;
    Ok(Filas { clave, filas })
}

fn read_key(nombre: &str, node: &Valor) -> Result<Vec<Text>, AlgebraError> {
    let wrong = |motivo: &str| AlgebraError::evidence(nombre, None, motivo);
    let Some([_, Valor::List(campos)]) = node.as_list() else {
        return Err(wrong("la clave se declara [\"clave\", [campo, ...]]"));
    };
    let clave = campos
        .iter()
        .map(|campo| match campo {
            Valor::Text(campo) if !is_blank(campo) => Ok(campo.clone()),
            _ => Err(wrong("los campos de la clave son textos no vacíos")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if clave.is_empty() {
        return Err(wrong("la clave nombra al menos un campo"));
    }
    let mut seen = HashSet::new();
    match clave.iter().find(|campo| !seen.insert(*campo)) {
        Some(campo) => Err(wrong(&format!("la clave nombra dos veces «{campo}»"))),
        None => Ok(clave),
    }
}

fn validate_key(nombre: &str, filas: &Filas, pulse: &mut Pulse<'_>) -> Result<(), AlgebraError> {
    if filas.clave.is_empty() {
        return Ok(());
    }
    let mut first_with = HashMap::with_capacity(filas.filas.len());
    for (indice, fila) in filas.filas.iter().enumerate() {
        pulse.step()?;
        let mut identity = Vec::with_capacity(filas.clave.len());
        for campo in &filas.clave {
            let motivo = match fila.get(campo).map(Key::of_scalar) {
                Some(Some(key)) => {
                    identity.push(key);
                    continue;
                }
                Some(None) => format!("el campo «{campo}» de la clave no es un escalar"),
                None => format!("falta el campo «{campo}» de la clave"),
            };
            return Err(AlgebraError::evidence(nombre, Some(indice), motivo));
        }
        if let Some(first) = first_with.insert(identity, indice) {
            let motivo = format!("repite la clave ({}) de la fila {first}", filas.clave.join(", "));
            return Err(AlgebraError::evidence(nombre, Some(indice), motivo));
        }
    }
    Ok(())
}
