//! What one evaluation may spend and who may stop it.
//!
//! Owns the budgets and the cancellation flag; both travel with the call, so two calls never share them.

use super::{AlgebraError, AlgebraErrorKind, Escalares};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The budgets of an evaluation. A call of the protocol cannot raise them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitesAlgebra {
    /// Most rows one relation may have.
    pub filas_por_relacion: usize,
    /// Most pairs that `unir` or `sin` may go through.
    pub producto_cartesiano: usize,
    /// Deepest nesting of an expression; its root is at depth 0.
    pub profundidad_expresion: usize,
    /// Most times a macro may expand into another.
    pub expansiones_maximas: usize,
}

impl Default for LimitesAlgebra {
    fn default() -> LimitesAlgebra {
        LimitesAlgebra {
            filas_por_relacion: 100_000,
            producto_cartesiano: 1_000_000,
            profundidad_expresion: 64,
            expansiones_maximas: 16,
        }
    }
}

/// A flag that whoever asked for an evaluation raises to stop it. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A flag nobody has raised.
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Asks everything that shares this flag to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked to stop.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `Err` with [`AlgebraErrorKind::Cancelled`] once someone asked to stop.
    pub fn check(&self) -> Result<(), AlgebraError> {
        if self.requested() { Err(AlgebraErrorKind::Cancelled.into()) } else { Ok(()) }
    }
}

/// What compiling and evaluating need besides the measure and its evidence.
#[derive(Clone, Copy)]
pub struct Contexto<'a> {
    /// The budgets.
    pub limites: &'a LimitesAlgebra,
    /// The flag that stops it.
    pub cancellation: &'a Cancellation,
    /// The scalar functions that are declared.
    pub escalares: &'a dyn Escalares,
}

/// How many steps pass between two looks at the cancellation flag.
const STEPS_PER_LOOK: u32 = 1024;

/// Counts steps of a long loop and looks at the flag now and then.
pub(super) struct Pulse<'a> {
    cancellation: &'a Cancellation,
    steps: u32,
}

impl<'a> Pulse<'a> {
    pub(super) fn new(cancellation: &'a Cancellation) -> Pulse<'a> {
        Pulse { cancellation, steps: 0 }
    }

    /// One step; an error once cancellation was asked for. The first step looks.
    pub(super) fn step(&mut self) -> Result<(), AlgebraError> {
        if self.steps == 0 {
            self.cancellation.check()?;
            self.steps = STEPS_PER_LOOK;
        }
        self.steps -= 1;
        Ok(())
    }
}
