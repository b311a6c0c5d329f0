//! The two eras of the protocol, as a client writes them.
//!
//! Owns the form of a request. Must not send one.

use serde_json::{Value, json};

/// The key of the version in `params._meta`.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the client's capabilities in `params._meta`.
pub const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of the client's name in `params._meta`.
pub const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the level of log messages in `params._meta`.
pub const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
/// The key of the server's name in `result._meta`.
pub const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// The key of a subscription in `params._meta` and `result._meta`.
pub const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// One of the two eras.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25: a handshake, then requests.
    Legacy,
    /// 2026-07-28: every request stands alone.
    Modern,
}

impl Era {
    /// Its revision of the protocol.
    #[must_use]
    pub fn revision(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }

    /// A method that every server of the era answers at once.
    #[must_use]
    pub fn fence(self) -> &'static str {
        match self {
            Self::Legacy => "ping",
            Self::Modern => "server/discover",
        }
    }

    /// A whole request.
    #[must_use]
    pub fn request(self, id: &Value, method: &str, params: Value) -> Value {
        match self {
            Self::Legacy => json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
            Self::Modern => {
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": with_meta(params, meta())})
            }
        }
    }
}

/// The metadata of a whole modern request.
#[must_use]
pub fn meta() -> Value {
    json!({VERSION_KEY: "2026-07-28", CLIENT_KEY: client(), CAPABILITIES_KEY: {}})
}

/// Who asks.
#[must_use]
pub fn client() -> Value {
    json!({"name": "harness-certify", "version": env!("CARGO_PKG_VERSION")})
}

/// The parameters of an `initialize` for a version.
#[must_use]
pub fn initialize(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client()})
}

/// Parameters with metadata; members of a `_meta` that is there already win.
#[must_use]
pub fn with_meta(mut params: Value, mut meta: Value) -> Value {
    if let (Some(own), Some(all)) = (params.get("_meta").and_then(Value::as_object), meta.as_object_mut()) {
        all.extend(own.clone());
    }
    if let Some(params) = params.as_object_mut() {
        params.insert("_meta".to_owned(), meta);
    }
    params
}
