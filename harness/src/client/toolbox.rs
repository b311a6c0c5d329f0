//! A server's tools beside the host's own: offered, ruled upon, called.
//!
//! The one place where the five clauses meet. A call goes through, in this order: is it offered, is it allowed, are its
//! arguments right, does somebody agree; only then does the server hear of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::discovery::DiscoveryFault;
use super::observation::{Failure, Observation};
use super::offer::{self, Offered, Withheld};
use super::policy::{Policy, Ruling};
use super::server::Client;

/// A call that is about to be made, for somebody to agree to.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The tool.
    pub tool: &'c str,
    /// Its arguments.
    pub arguments: &'c Value,
}

/// The tools of one server, under a host's policy.
pub struct Toolbox {
    client: Client,
    policy: Policy,
    offered: BTreeMap<String, Offered>,
    withheld: BTreeMap<String, Withheld>,
}

impl Toolbox {
    /// Takes what a discovered server offers; `own` are the names that the host's own tools have.
    ///
    /// # Errors
    /// [`DiscoveryFault`]: the list cannot be had, or a tool that could be offered bears a name of the host's.
    pub fn connect(
        mut client: Client,
        own: &BTreeSet<String>,
        policy: Policy,
    ) -> Result<Self, DiscoveryFault> {
        let (mut offered, mut withheld) = (BTreeMap::new(), BTreeMap::new());
        for definition in client.definitions()? {
            match offer::offer(&definition) {
                Ok(tool) => drop(offered.insert(definition.name, tool)),
                Err(why) => drop(withheld.insert(definition.name, why)),
            }
        }
        let taken: Vec<_> = offered.keys().filter(|name| own.contains(*name)).cloned().collect();
        if taken.is_empty() {
            Ok(Self { client, policy, offered, withheld })
        } else {
            Err(DiscoveryFault::Taken(taken))
        }
    }

    /// What is offered, by name.
    pub fn offered(&self) -> impl Iterator<Item = &Offered> {
        self.offered.values()
    }

    /// What is not, by name, and why.
    pub fn withheld(&self) -> impl Iterator<Item = (&str, &Withheld)> {
        self.withheld.iter().map(|(name, why)| (name.as_str(), why))
    }

    /// Makes a call if the host's policy lets it; `agree` is asked where the policy says so.
    ///
    /// Always comes back with an observation.
    pub fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        agree: impl FnOnce(Call<'_>) -> bool,
    ) -> Observation {
        self.attempt(tool, arguments, agree).unwrap_or_else(Observation::from)
    }

    /// The server, to set its limit or to end it.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Ends the server.
    pub fn close(self) {
        self.client.close();
    }

    fn attempt(
        &mut self,
        tool: &str,
        arguments: &Value,
        agree: impl FnOnce(Call<'_>) -> bool,
    ) -> Result<Observation, Failure> {
        let name = || tool.to_owned();
        let offered = self.offered.get(tool).ok_or_else(|| Failure::NotOffered(name()))?;
        let ruling = self.policy.ruling(tool);
        if ruling == Ruling::Deny {
            return Err(Failure::Denied(name()));
        }
        if let Some(fault) = offered.fault(arguments) {
            return Err(Failure::Arguments(fault));
        }
        if ruling == Ruling::Ask && !agree(Call { tool, arguments }) {
            return Err(Failure::Declined(name()));
        }
        self.client.call(tool, arguments)
    }
}
