//! Which protocol revision a request belongs to, and what its results carry.
//!
//! Each request is placed by itself: nothing is remembered from one to the next. Must not know a tool.

use crate::message::{Id, RpcError};
use nucleo::valor::{Map, Valor};

/// The stateless revision, declared by each request.
pub const MODERN: &str = "2026-07-28";

/// The revision with a handshake.
pub const LEGACY: &str = "2025-11-25";

/// How long a client may keep what never changes while the process lives.
const TTL_MS: i64 = 3_600_000;

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The reserved keys that only a request of the modern revision can carry.
const ENVELOPE: [&str; 4] = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];

const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A protocol revision.
#[derive(Clone, Copy)]
pub enum Era {
    /// 2025-11-25.
    Legacy,
    /// 2026-07-28.
    Modern,
}

/// Places a request, and holds a modern one to the metadata it must carry.
///
/// # Errors
/// `-32602` naming the metadata that is missing or malformed (META-2, META-4), `-32022` for a revision that
/// is not served (VER-1).
pub fn of(method: &str, params: &Map) -> Result<Era, RpcError> {
    let none = Map::new();
    let meta = params.get("_meta").and_then(Valor::as_map).unwrap_or(&none);
    let modern_only = matches!(method, "server/discover" | "subscriptions/listen");
    if !modern_only && !ENVELOPE.iter().any(|key| meta.contains_key(key)) {
        return Ok(Era::Legacy);
    }
    let lacking = |key: &str, shape: &str| {
        RpcError::invalid_params(method, &format!("params._meta[\"{key}\"] debe ser {shape}"))
    };
    let version = meta.get(PROTOCOL_VERSION).and_then(Valor::as_str);
    let version = version.ok_or_else(|| lacking(PROTOCOL_VERSION, "un texto"))?;
    let capabilities = meta.get(CLIENT_CAPABILITIES).and_then(Valor::as_map);
    capabilities.ok_or_else(|| lacking(CLIENT_CAPABILITIES, "un objeto"))?;
    if version != MODERN {
        return Err(RpcError::unsupported_version(version, MODERN));
    }
    match meta.get(LOG_LEVEL) {
        None => Ok(Era::Modern),
        Some(level) if LOG_LEVELS.map(Valor::from).contains(level) => Ok(Era::Modern),
        Some(_) => Err(lacking(LOG_LEVEL, "un nivel de debug a emergency")),
    }
}

impl Era {
    /// A complete result of the given members.
    pub fn result(self, members: Vec<(&'static str, Valor)>) -> Valor {
        match self {
            Era::Legacy => Valor::map(members),
            Era::Modern => complete(members, vec![]),
        }
    }

    /// A complete result that is the same for everyone while the process lives.
    pub fn lasting_result(self, mut members: Vec<(&'static str, Valor)>) -> Valor {
        if let Era::Modern = self {
            members.push(("ttlMs", Valor::from(TTL_MS)));
            members.push(("cacheScope", Valor::from("public")));
        }
        self.result(members)
    }
}

fn complete(mut members: Vec<(&'static str, Valor)>, mut meta: Vec<(&'static str, Valor)>) -> Valor {
    meta.push((SERVER_INFO, server_info()));
    members.insert(0, ("resultType", Valor::from("complete")));
    members.push(("_meta", Valor::map(meta)));
    Valor::map(members)
}

/// Name and version of this server.
pub fn server_info() -> Valor {
    Valor::map([("name", Valor::from("oracle-mcp")), ("version", Valor::from(crate::VERSION))])
}

/// What this server offers: tools, in a list that does not change.
pub fn capabilities() -> Valor {
    Valor::map([("tools", Valor::Map(Map::new()))])
}

/// The result of `server/discover`.
pub fn discovery() -> Valor {
    let versions = Valor::list([Valor::from(MODERN)]);
    Era::Modern.lasting_result(vec![("supportedVersions", versions), ("capabilities", capabilities())])
}

/// The parameters that acknowledge a subscription. Nothing here ever changes, so nothing is accepted.
pub fn acknowledgement(id: &Id) -> Valor {
    let meta = Valor::map([(SUBSCRIPTION_ID, id.value())]);
    Valor::map([("_meta", meta), ("notifications", Valor::Map(Map::new()))])
}

/// The result that ends a subscription from this side.
pub fn end_of_subscription(id: &Id) -> Valor {
    complete(vec![], vec![(SUBSCRIPTION_ID, id.value())])
}
