//! From evidence to a verdict.
//!
//! Owns the order of a judgement: the whole evidence is checked, then every requirement, and only then is
//! anything measured. A verdict has three states, and "could not look" is never told as red.

use super::{Medida, Requiere};
use crate::algebra::{AlgebraError, Contexto, Evidencia, Run, Testigos, compare, condition_holds};
use crate::valor::{Text, Valor};

/// What a verdict says.
#[derive(Clone, Debug, PartialEq)]
pub enum Estado {
    /// The value is within the threshold.
    Verde,
    /// The value is outside the threshold.
    Rojo,
    /// Something the measure requires is missing; nothing was measured.
    SinEvidencia {
        /// The first requirement that is not met.
        falta: Requiere,
    },
}

impl Estado {
    /// The state as the contract writes it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Estado::Verde => "verde",
            Estado::Rojo => "rojo",
            Estado::SinEvidencia { .. } => "sin_evidencia",
        }
    }
}

/// What a measure says of some evidence.
#[derive(Clone, Debug)]
pub struct Veredicto {
    /// The id of the measure.
    pub medida: Text,
    /// What it says.
    pub estado: Estado,
    /// The value compared with the threshold; `0` when nothing was measured.
    pub valor: Valor,
    /// The rows the pipeline ended with.
    pub testigos: Testigos,
}

/// Where the canonical form keeps the threshold and the requirements: the roots of the paths in errors.
const UMBRAL_AT: usize = 4;
const REQUIERE_AT: usize = 5;

impl Medida {
    /// Judges `evidencia`.
    ///
    /// # Errors
    /// `Evidence` or `Limit` when the evidence as a whole is not evaluable, even where the measure reads
    /// nothing of it; `Contract` or `Limit` from the algebra, with the path in [`Medida::datos`]; `Cancelled`.
    pub fn evaluar(&self, evidencia: &Evidencia, contexto: &Contexto<'_>) -> Result<Veredicto, AlgebraError> {
        evidencia.validar(contexto)?;
        self.evaluar_validada(evidencia, contexto)
    }

    /// Judges evidence that [`Evidencia::validar`] accepted: what many measures judge is checked once.
    ///
    /// # Errors
    /// As [`Medida::evaluar`], but for those of the evidence as a whole.
    pub(crate) fn evaluar_validada(
        &self,
        evidencia: &Evidencia,
        contexto: &Contexto<'_>,
    ) -> Result<Veredicto, AlgebraError> {
        if let Some(falta) = self.missing(evidencia, contexto)? {
            return Ok(Veredicto {
                medida: self.id.clone(),
                estado: Estado::SinEvidencia { falta: falta.clone() },
                valor: Valor::from(0i64),
                testigos: Testigos::none(),
            });
        }
        let mut run = Run::new(evidencia, contexto);
        let testigos = run.pipeline(&self.plan.pipeline)?;
        let valor = run.summary(&self.plan.summary, &testigos)?;
        let within = compare(self.umbral.operador, &valor, &self.umbral.valor)
            .map_err(|error| error.rooted(&[UMBRAL_AT]))?;
        let estado = if within { Estado::Verde } else { Estado::Rojo };
        Ok(Veredicto { medida: self.id.clone(), estado, valor, testigos })
    }

    /// The relations that the measure reads without requiring them and of which the evidence has no row: there
    /// the verdict is what the algebra says of nothing. Contract: "oracle_evaluar".
    pub fn consumidas_sin_declarar(&self, evidencia: &Evidencia) -> Vec<Text> {
        let required = |relacion: &Text| self.requiere.iter().any(|entry| entry.relacion() == relacion);
        let unbacked = |relacion: &&Text| evidencia.len_of(relacion) == 0 && !required(relacion);
        self.relaciones.iter().filter(unbacked).cloned().collect()
    }

    /// The first requirement that is not met. All of them are evaluated first, over all rows: whether an
    /// error shows does not depend on the order of requirements or rows.
    fn missing(
        &self,
        evidencia: &Evidencia,
        contexto: &Contexto<'_>,
    ) -> Result<Option<&Requiere>, AlgebraError> {
        let mut missing = None;
        for (i, (requiere, condition)) in self.requiere.iter().zip(&self.plan.conditions).enumerate() {
            let relacion = requiere.relacion();
            let met = match condition {
                None => evidencia.len_of(relacion) > 0,
                Some(condition) => {
                    condition_holds(relacion, condition, evidencia, contexto, &[REQUIERE_AT, i + 1, 3])?
                }
            };
            if !met {
                missing = missing.or(Some(requiere));
            }
        }
        Ok(missing)
    }
}
