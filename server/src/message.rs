//! One line ⇄ one JSON-RPC message, with request ids kept as they were written.
//!
//! Owns the envelope of JSON-RPC 2.0 and the codes and templates of its errors. Does no IO, and attaches no
//! meaning to a method.

use nucleo::valor::{Map, Member, Text, Valor, members};

/// A line, read.
pub enum Message<'a> {
    /// Wants exactly one answer. Absent `params` read as an empty map.
    Request {
        /// Whom the answer goes to.
        id: Id,
        /// What is asked.
        method: Text,
        /// With what.
        params: Map,
    },
    /// Wants none. `params` is the raw text, empty when absent.
    Notification {
        /// What happened.
        method: Text,
        /// The raw text of its parameters.
        params: &'a str,
    },
    /// No message, or none that may be served: to be refused.
    Invalid {
        /// The request's id, where one could be read.
        id: Option<Id>,
        /// Why.
        error: RpcError,
    },
    /// A blank line, a response, or a notification too malformed to act upon: never answered.
    Ignored,
}

/// A request id: a string or an integer.
#[derive(Clone)]
pub struct Id {
    /// The bytes it was written in, which are the bytes it is echoed in.
    raw: String,
    /// What it is compared by.
    key: Key,
    /// What it means as JSON.
    value: Valor,
}

/// What makes two ids the same: type and exact value. `1` and `1.0` are one integer, `"1"` is a string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// An integer, in one normal form however it was written.
    Integer(String),
    /// A string, unescaped.
    Text(Text),
}

/// A JSON-RPC error, ready to be sent.
pub struct RpcError {
    /// Without its sign: every code of JSON-RPC and MCP is negative.
    code: u16,
    message: String,
    data: Option<Valor>,
}

/// Longest piece of a client's own text that an error quotes, in characters.
const QUOTE_CHARS: usize = 200;

/// Quotes what a client wrote, cut so that no answer grows with it.
pub fn quote(text: &str) -> String {
    cut(text, QUOTE_CHARS)
}

/// The first `chars` characters of a text, and a sign where more followed.
pub fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads one line. A leading byte-order mark is not part of the message.
pub fn read(line: &[u8]) -> Message<'_> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii_end();
    if line.is_empty() {
        return Message::Ignored;
    }
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(fault) => {
            let detail = format!("la línea no es UTF-8 desde el byte {}", fault.valid_up_to());
            return Message::Invalid { id: None, error: RpcError::unreadable(&detail) };
        }
    };
    match members(text) {
        Ok(Some(members)) => envelope(members),
        Ok(None) => invalid(None, "se esperaba un objeto"),
        Err(fault) => Message::Invalid { id: None, error: RpcError::unreadable(&fault.to_string()) },
    }
}

fn invalid<'a>(id: Option<Id>, detail: &str) -> Message<'a> {
    Message::Invalid { id, error: RpcError::invalid_request(detail) }
}

/// Takes the last member of that name out: a repeated key means its last value, as in every map here.
fn take<'a>(members: &mut Vec<Member<'a>>, key: &str) -> Option<Member<'a>> {
    let at = members.iter().rposition(|member| &*member.key == key)?;
    Some(members.remove(at))
}

fn envelope(mut members: Vec<Member<'_>>) -> Message<'_> {
    let versioned = take(&mut members, "jsonrpc").is_some_and(|it| it.value.as_str() == Some("2.0"));
    let method = take(&mut members, "method");
    let params = take(&mut members, "params");
    let id = take(&mut members, "id");
    if method.is_none() && members.iter().any(|it| matches!(&*it.key, "result" | "error")) {
        return Message::Ignored;
    }
    if members.iter().any(|it| &*it.key == "id") {
        return invalid(None, "id se repite");
    }
    let method = match method.map(|it| it.value) {
        Some(Valor::Text(method)) => method,
        _ => return invalid(id.and_then(|id| Id::read(&id)), "method debe ser un texto"),
    };
    match id {
        Some(id) => request(versioned, Id::read(&id), method, params),
        None if versioned => Message::Notification { method, params: params.map_or("", |it| it.raw) },
        None => Message::Ignored,
    }
}

fn request<'a>(versioned: bool, id: Option<Id>, method: Text, params: Option<Member<'a>>) -> Message<'a> {
    if !versioned {
        return invalid(id, "jsonrpc debe ser \"2.0\"");
    }
    let Some(id) = id else {
        return invalid(None, "id debe ser un texto o un entero");
    };
    match params.map(|it| it.value) {
        None => Message::Request { id, method, params: Map::new() },
        Some(Valor::Map(params)) => Message::Request { id, method, params },
        Some(_) => {
            let error = RpcError::invalid_params(&method, "params debe ser un objeto");
            Message::Invalid { id: Some(id), error }
        }
    }
}

impl Id {
    /// Reads a member as an id; `None` when it is neither a string nor an integer.
    fn read(member: &Member<'_>) -> Option<Id> {
        let key = match &member.value {
            Valor::Text(text) => Key::Text(text.clone()),
            Valor::Int(_) | Valor::Float(_) => Key::Integer(integer(member.raw)?),
            _ => return None,
        };
        Some(Id { raw: member.raw.to_owned(), key, value: member.value.clone() })
    }

    /// The id that the raw parameters `params` hold under `name`, if there is one.
    pub fn within(params: &str, name: &str) -> Option<Id> {
        Id::read(&take(&mut members(params).ok()??, name)?)
    }

    /// What it is compared by.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The same id as a JSON value.
    pub fn value(&self) -> Valor {
        self.value.clone()
    }
}

/// One normal form for every writing of an integer: sign, digits without zeros at either end, and the power
/// of ten that is left. Worked out on the text, because no double holds every id. `None` for a fraction.
fn integer(number: &str) -> Option<String> {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let dropped = digits.len() - significant.len();
    let power = exponent.parse::<i64>().ok()? + dropped as i64 - fraction.len() as i64;
    (power >= 0).then(|| format!("{sign}{significant}e{power}"))
}

impl RpcError {
    /// `-32700`: the line is no JSON.
    pub fn unreadable(detail: &str) -> RpcError {
        RpcError { code: 32700, message: format!("JSON inválido: {detail}"), data: None }
    }

    /// `-32600`: JSON, but no request that may be served.
    pub fn invalid_request(detail: &str) -> RpcError {
        RpcError { code: 32600, message: format!("pedido JSON-RPC inválido: {detail}"), data: None }
    }

    /// `-32601`: nobody serves that method.
    pub fn unknown_method(method: &str) -> RpcError {
        RpcError { code: 32601, message: format!("método no soportado: {}", quote(method)), data: None }
    }

    /// `-32602`: the method's parameters are not what it takes.
    pub fn invalid_params(method: &str, detail: &str) -> RpcError {
        RpcError { code: 32602, message: format!("{} inválido: {detail}", quote(method)), data: None }
    }

    /// `-32022`: the request declares a revision that is not served.
    pub fn unsupported_version(requested: &str, supported: &str) -> RpcError {
        let data =
            [("supported", Valor::list([Valor::from(supported)])), ("requested", Valor::from(requested))];
        RpcError {
            code: 32022,
            message: format!("versión de protocolo no soportada: {}", quote(requested)),
            data: Some(Valor::map(data)),
        }
    }

    /// `-32603`: the dispatcher itself failed.
    pub fn internal() -> RpcError {
        RpcError { code: 32603, message: "falla interna del servidor".to_owned(), data: None }
    }
}

/// The line that answers `id` with a result.
pub fn answer(id: &Id, result: &Valor) -> String {
    let mut line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":", id.raw);
    line += &result.to_compact();
    line + "}"
}

/// The line that refuses a message. Without an id it carries no `id` member: MCP's schema has no null id.
pub fn refusal(id: Option<&Id>, error: RpcError) -> String {
    let id = id.map_or(String::new(), |id| format!("\"id\":{},", id.raw));
    let data = error.data.map_or(String::new(), |data| format!(",\"data\":{}", data.to_compact()));
    let message = Valor::from(error.message).to_compact();
    format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{{\"code\":-{},\"message\":{message}{data}}}}}", error.code)
}

/// The line of a notification.
pub fn notification(method: &str, params: &Valor) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{}}}", params.to_compact())
}
