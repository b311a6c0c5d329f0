//! Who may do what: the host's own table of classes, and what it rules for each class.
//!
//! Knows names and nothing else of a tool. What the table does not name is denied.

use std::collections::BTreeMap;

/// What a tool of somebody else's program does, by the host's own judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It reads.
    Read,
    /// It changes something.
    Write,
    /// It runs programs.
    Run,
}

/// What the host does with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It is made.
    Allow,
    /// Somebody is asked first.
    Ask,
    /// It is not made.
    Deny,
}

/// The host's table: a class for each tool, a ruling for each class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    classes: BTreeMap<String, Class>,
    rulings: BTreeMap<Class, Ruling>,
}

impl Policy {
    /// A table of classes by a tool's name, and of rulings by class.
    #[must_use]
    pub fn new(classes: BTreeMap<String, Class>, rulings: BTreeMap<Class, Ruling>) -> Self {
        Self { classes, rulings }
    }

    /// Rulings for a host that has no better ones: reading is allowed, for the rest somebody is asked.
    #[must_use]
    pub fn cautious() -> BTreeMap<Class, Ruling> {
        BTreeMap::from([(Class::Read, Ruling::Allow), (Class::Write, Ruling::Ask), (Class::Run, Ruling::Ask)])
    }

    /// What is ruled for a tool; [`Ruling::Deny`] where its class, or what to do with it, is not said.
    #[must_use]
    pub fn ruling(&self, tool: &str) -> Ruling {
        let class = self.classes.get(tool);
        class.and_then(|class| self.rulings.get(class)).copied().unwrap_or(Ruling::Deny)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_denied() {
        let classes = |names: &[(&str, Class)]| {
            names.iter().map(|(name, class)| ((*name).to_owned(), *class)).collect::<BTreeMap<_, _>>()
        };
        let all = classes(&[("leer", Class::Read), ("escribir", Class::Write), ("correr", Class::Run)]);
        let policy = Policy::new(all.clone(), Policy::cautious());
        let check =
            |policy: &Policy, tool: &str, expect: Ruling| assert_eq!(policy.ruling(tool), expect, "{tool}");
        check(&policy, "leer", Ruling::Allow);
        check(&policy, "escribir", Ruling::Ask);
        check(&policy, "correr", Ruling::Ask);
        for other in ["limpiar", "Leer", "leer ", ""] {
            check(&policy, other, Ruling::Deny);
        }
        let partial = Policy::new(all, BTreeMap::from([(Class::Write, Ruling::Allow)]));
        check(&partial, "leer", Ruling::Deny);
        check(&partial, "escribir", Ruling::Allow);
        check(&Policy::default(), "leer", Ruling::Deny);
    }
}
