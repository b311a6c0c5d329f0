//! Method → handler; the legacy life cycle; the panic fence.
//!
//! Owns the order in which a message is judged, which decides the error it gets when it has several faults.
//! Must not know a measure.

use crate::era::{self, Era};
use crate::inflight::{Inflight, Pool};
use crate::message::{self, Id, Message, RpcError, quote};
use crate::tools::{self, Call};
use crate::transport::{LINE_LIMIT, Line, Output};
use nucleo::proyecto::Proyecto;
use nucleo::valor::{Map, Valor};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How far the one legacy session of the process has come.
#[derive(Clone, Copy, PartialEq)]
enum Session {
    /// No `initialize` was answered.
    None,
    /// `initialize` was answered; `notifications/initialized` is not insisted on.
    Open,
    /// `shutdown` was answered.
    Closed,
}

/// What a request gets at once: a result, nothing yet, or an error.
type Outcome = Result<Option<Valor>, RpcError>;

/// Serves messages, one after the other.
pub struct Dispatcher {
    proyecto: Proyecto,
    session: Session,
    inflight: Inflight,
    pool: Pool,
    output: Output,
}

impl Dispatcher {
    /// Serves `proyecto`, answering on `output`.
    ///
    /// # Errors
    /// When the workers cannot be started.
    pub fn start(proyecto: Proyecto, output: Output) -> io::Result<Dispatcher> {
        let inflight = Inflight::new(output.clone());
        Ok(Dispatcher { proyecto, session: Session::None, inflight, pool: Pool::start()?, output })
    }

    /// Serves one line. `Some` is the exit code that the client asked to leave with.
    pub fn take(&mut self, line: Line) -> Option<u8> {
        match line {
            Line::Whole(bytes) => self.message(message::read(&bytes)),
            Line::TooLong => {
                let detail = format!("la línea supera el límite de {LINE_LIMIT} bytes");
                self.output.send(message::refusal(None, RpcError::invalid_request(&detail)));
                None
            }
        }
    }

    /// Lets running calls finish and closes what is open.
    pub fn close(&self) {
        self.inflight.drain();
    }

    fn message(&mut self, message: Message<'_>) -> Option<u8> {
        match message {
            Message::Request { id, method, params } => self.request(id, &method, params),
            Message::Notification { method, params } => return self.notification(&method, params),
            Message::Invalid { id, error } => self.output.send(message::refusal(id.as_ref(), error)),
            Message::Ignored => {}
        }
        None
    }

    /// A notification has no era and no answer, whatever is wrong with it.
    fn notification(&mut self, method: &str, params: &str) -> Option<u8> {
        match (method, self.session) {
            ("notifications/cancelled", _) => {
                if let Some(id) = Id::within(params, "requestId") {
                    self.inflight.cancel(&id);
                }
                None
            }
            ("exit", Session::Open) => Some(1),
            ("exit", Session::Closed) => Some(0),
            _ => None,
        }
    }

    fn request(&mut self, id: Id, method: &str, params: Map) {
        if self.inflight.holds(&id) {
            let error = RpcError::invalid_request("ya hay un pedido en curso con ese id");
            return self.output.send(message::refusal(Some(&id), error));
        }
        let outcome = fenced(|| self.serve(&id, method, params)).unwrap_or_else(|| Err(RpcError::internal()));
        match outcome {
            Ok(Some(result)) => self.output.send(message::answer(&id, &result)),
            Ok(None) => {}
            Err(error) => self.output.send(message::refusal(Some(&id), error)),
        }
    }

    fn serve(&mut self, id: &Id, method: &str, params: Map) -> Outcome {
        match era::of(method, &params)? {
            Era::Modern => self.modern(id, method, params),
            Era::Legacy => self.legacy(id, method, params),
        }
    }

    fn modern(&self, id: &Id, method: &str, params: Map) -> Outcome {
        match method {
            "server/discover" => Ok(Some(era::discovery())),
            "tools/list" => list(Era::Modern, &params),
            "tools/call" => self.call(Era::Modern, id, params),
            "subscriptions/listen" => self.subscribe(id, &params),
            _ => Err(RpcError::unknown_method(method)),
        }
    }

    fn legacy(&mut self, id: &Id, method: &str, params: Map) -> Outcome {
        match (method, self.session) {
            ("ping", _) => Ok(Some(Valor::Map(Map::new()))),
            (_, Session::Closed) => Err(RpcError::invalid_request("la sesión ya terminó con shutdown")),
            ("initialize", Session::None) => self.initialize(&params),
            ("initialize", _) => Err(RpcError::invalid_request("la sesión ya está inicializada")),
            ("tools/list" | "tools/call", Session::None) => Err(RpcError::invalid_params(
                method,
                "falta initialize, o los metadatos de 2026-07-28 en params._meta",
            )),
            ("tools/list", _) => list(Era::Legacy, &params),
            ("tools/call", _) => self.call(Era::Legacy, id, params),
            ("shutdown", Session::Open) => {
                self.session = Session::Closed;
                Ok(Some(Valor::Map(Map::new())))
            }
            _ => Err(RpcError::unknown_method(method)),
        }
    }

    /// The handshake. Whatever version is asked for, the only one there is comes back (VER-12).
    fn initialize(&mut self, params: &Map) -> Outcome {
        let complete = params.get("protocolVersion").and_then(Valor::as_str).is_some()
            && ["capabilities", "clientInfo"]
                .iter()
                .all(|key| params.get(key).and_then(Valor::as_map).is_some());
        if !complete {
            let detail = "se esperaban protocolVersion (texto), capabilities y clientInfo (objetos)";
            return Err(RpcError::invalid_params("initialize", detail));
        }
        self.session = Session::Open;
        Ok(Some(Valor::map([
            ("protocolVersion", Valor::from(era::LEGACY)),
            ("capabilities", era::capabilities()),
            ("serverInfo", era::server_info()),
        ])))
    }

    /// Opens a subscription that will never notify: the tools do not change. It owes its answer until the
    /// client cancels it or the input ends.
    fn subscribe(&self, id: &Id, params: &Map) -> Outcome {
        let method = "subscriptions/listen";
        let wanted = params.get("notifications").and_then(Valor::as_map);
        wanted.ok_or_else(|| RpcError::invalid_params(method, "notifications debe ser un objeto"))?;
        let acknowledgement = era::acknowledgement(id);
        self.output.send(message::notification("notifications/subscriptions/acknowledged", &acknowledgement));
        self.inflight.subscribe(id.clone());
        Ok(None)
    }

    /// Hands a call to the workers. Only `arguments` is closed: what else stands in `params` is ignored.
    fn call(&self, era: Era, id: &Id, mut params: Map) -> Outcome {
        let invalid = |detail: &str| RpcError::invalid_params("tools/call", detail);
        let name =
            params.get("name").and_then(Valor::as_str).ok_or_else(|| invalid("name debe ser un texto"))?;
        let tool = tools::named(name)
            .ok_or_else(|| invalid(&format!("herramienta desconocida: {}", quote(name))))?;
        let arguments = match params.remove("arguments") {
            None => Map::new(),
            Some(Valor::Map(arguments)) => arguments,
            Some(_) => return Err(invalid("arguments debe ser un objeto")),
        };
        let (inflight, id) = (self.inflight.clone(), id.clone());
        let call = Call { proyecto: self.proyecto.clone(), cancellation: inflight.begin(&id) };
        self.pool.run(Box::new(move || {
            let outcome = fenced(|| (tool.run)(&call, arguments)).unwrap_or_else(|| Err(tools::panicked()));
            inflight.finish(&id, &call.cancellation, &era.result(tools::result(outcome)));
        }));
        Ok(None)
    }
}

/// Runs `work`; `None` when it panicked. The panic's own report goes to stderr.
fn fenced<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The list of tools, whole: there is no second page, so no cursor leads anywhere.
fn list(era: Era, params: &Map) -> Outcome {
    if params.contains_key("cursor") {
        return Err(RpcError::invalid_params(
            "tools/list",
            "cursor desconocido: la lista tiene una sola página",
        ));
    }
    Ok(Some(era.lasting_result(vec![("tools", tools::definitions())])))
}
