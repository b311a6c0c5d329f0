//! A project's own scalar functions: what `escalares.py` declares, run by a Python of its own for one call.
//!
//! Owns what the file declares, beside the functions that the language brings, and the way of a call into the
//! process that runs it. Whether the file is trusted is not decided here. Contract: "Autoridad y modelo de
//! ejecución".

mod worker;

use crate::algebra::{Arity, Cancellation, Escalares, EscalaresBase};
use crate::valor::Valor;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use worker::{Patience, Worker};

pub(crate) use worker::WorkerFault;

/// The functions that a project declares and those that the language brings. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct EscalaresDelProyecto {
    own: BTreeMap<String, Arity>,
    worker: Mutex<Worker>,
}

impl EscalaresDelProyecto {
    /// Runs `fuente`, the bytes of the `escalares.py` in `carpeta`. Everything that runs for it ends once
    /// `cancellation` is asked for.
    ///
    /// # Errors
    /// Why the file declares nothing.
    pub(crate) fn cargar(
        carpeta: &Path,
        fuente: &[u8],
        cancellation: &Cancellation,
    ) -> Result<EscalaresDelProyecto, WorkerFault> {
        let patience = Patience::of(cancellation);
        let mut worker = Worker::start(worker::PYTHON, carpeta, patience)?;
        let head = Valor::map([
            ("carpeta", Valor::from(carpeta.to_string_lossy().into_owned())),
            ("bytes", Valor::from(fuente.len())),
        ]);
        let declared = worker.ask([line(&head), fuente.to_vec()].concat(), "escalares")?;
        let own = declarations(&declared).ok_or(WorkerFault::Garbled)?;
        if let Some(taken) = own.keys().find(|nombre| EscalaresBase.arity(nombre).is_some()) {
            return Err(WorkerFault::Told(format!("«{taken}» es una función del lenguaje")));
        }
        Ok(EscalaresDelProyecto { own, worker: Mutex::new(worker) })
    }
}

impl Escalares for EscalaresDelProyecto {
    fn arity(&self, nombre: &str) -> Option<Arity> {
        self.own.get(nombre).copied().or_else(|| EscalaresBase.arity(nombre))
    }

    fn call(&self, nombre: &str, args: &[Valor]) -> Result<Valor, String> {
        if !self.own.contains_key(nombre) {
            return EscalaresBase.call(nombre, args);
        }
        let question =
            Valor::map([("nombre", Valor::from(nombre)), ("argumentos", Valor::list(args.iter().cloned()))]);
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        worker.ask(line(&question), "valor").map_err(|fault| fault.to_string())
    }
}

fn line(question: &Valor) -> Vec<u8> {
    format!("{}\n", question.to_compact()).into_bytes()
}

/// Name, fewest and most arguments of each function.
fn declarations(declared: &Valor) -> Option<BTreeMap<String, Arity>> {
    let count = |value: &Valor| match value {
        Valor::Int(count) => usize::try_from(count.to_i64()?).ok(),
        _ => None,
    };
    let declaration = |it: &Valor| {
        let [name, min, max] = it.as_list()? else { return None };
        let max = if *max == Valor::Null { None } else { Some(count(max)?) };
        Some((name.as_str()?.to_owned(), Arity { min: count(min)?, max }))
    };
    declared.as_list()?.iter().map(declaration).collect()
}

#[cfg(test)]
mod tests;
