//! A client that takes a server's word for nothing. Five clauses, each a module's:
//!
//! 1. **Offer what can be checked** ([`offer`]): a tool is offered only if its arguments can be held against its schema
//!    here, without fetching and without end, and only if its name is nobody else's.
//! 2. **The host gives the class** ([`policy`]): what a tool may do is said by the host's own table; a tool that it does
//!    not name is denied.
//! 3. **Annotations are not read**: no function here looks at them, so nothing that they say can change anything.
//! 4. **Everything comes back as an observation** ([`observation`]): a failing tool, an error of the protocol, silence
//!    past the limit, a server that is gone, a request for more input. Only a discovery that fails stops
//!    ([`DiscoveryFault`]).
//! 5. **Descriptions are data**: they are handed on as they came, and nothing here acts on one.
//!
//! What it does not do: no sandbox reaches a server. It runs with the rights of whoever started it, in a neutral
//! environment and a process group that ends with the client; to give one of its tools a class is to trust the whole
//! program. Must not print; a [`Trace`] sees what travels.
//!
//! ```
//! use std::collections::{BTreeMap, BTreeSet};
//! use harness::client::{Class, Client, Policy, Ruling, Settings, Toolbox};
//!
//! // A server of one line that answers nothing: discovery fails, and nothing else could.
//! let server = ["sh", "-c", "read line"].map(Into::into);
//! assert!(Client::discover(&server, Settings::default()).is_err());
//!
//! let policy = Policy::new(BTreeMap::from([("incidencias".to_owned(), Class::Read)]), Policy::cautious());
//! assert_eq!(policy.ruling("incidencias"), Ruling::Allow);
//! assert_eq!(policy.ruling("limpiar"), Ruling::Deny);
//! ```

pub mod observation;
pub mod offer;
pub mod policy;

mod discovery;
mod server;
mod toolbox;
mod wire;

pub use discovery::DiscoveryFault;
pub use observation::{Failure, Observation};
pub use offer::{Definition, Offered, Withheld};
pub use policy::{Class, Policy, Ruling};
pub use server::{Client, Era, Eras, Settings};
pub use toolbox::{Call, Toolbox};
pub use wire::{Arrow, Trace};
