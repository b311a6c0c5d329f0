//! Scalar functions: what a measure may call by name.
//!
//! Owns the seam through which functions are declared and called, and the five functions the language
//! brings. Must not run a project's code: whoever trusts it implements [`Escalares`].

use super::plain_text::plain_text;
use crate::valor::{Integer, Valor};

/// How many arguments a scalar function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// Fewest arguments.
    pub min: usize,
    /// Most arguments; `None` when there is no most.
    pub max: Option<usize>,
}

impl Arity {
    /// Exactly `count` arguments.
    pub const fn exactly(count: usize) -> Arity {
        Arity { min: count, max: Some(count) }
    }

    /// Whether `count` arguments are right.
    pub fn accepts(self, count: usize) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

/// The scalar functions that are declared.
pub trait Escalares: Send + Sync {
    /// How many arguments `nombre` takes; `None` when it is not declared.
    fn arity(&self, nombre: &str) -> Option<Arity>;

    /// Calls `nombre`, which is declared, with a number of arguments that is right. The error says why it
    /// failed, in Spanish.
    fn call(&self, nombre: &str, args: &[Valor]) -> Result<Valor, String>;
}

/// No function is declared.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinEscalares;

impl Escalares for SinEscalares {
    fn arity(&self, _nombre: &str) -> Option<Arity> {
        None
    }

    fn call(&self, nombre: &str, _args: &[Valor]) -> Result<Valor, String> {
        Err(format!("«{nombre}» no está declarada"))
    }
}

/// The functions that the base catalogue declares: `mas`, `menos`, `por`, `cerca` and `contiene`.
///
/// The first four are arithmetic over quantities, where a boolean counts as 0 or 1. `mas` also joins two texts or
/// two lists, and `por` repeats one. `contiene` looks for the text of a value in that of another.
#[derive(Clone, Copy, Debug, Default)]
pub struct EscalaresBase;

impl Escalares for EscalaresBase {
    fn arity(&self, nombre: &str) -> Option<Arity> {
        matches!(nombre, "mas" | "menos" | "por" | "cerca" | "contiene").then_some(Arity::exactly(2))
    }

    fn call(&self, nombre: &str, args: &[Valor]) -> Result<Valor, String> {
        let [a, b] = args else {
            return Err(format!("«{nombre}» recibe dos argumentos, no {}", args.len()));
        };
        if nombre == "contiene" {
            return Ok(Valor::Bool(plain_text(a).contains(&plain_text(b))));
        }
        match (nombre, a, b) {
            ("mas", Valor::Text(a), Valor::Text(b)) => return repeated(&[&**a, &**b].concat(), 1),
            ("mas", Valor::List(a), Valor::List(b)) => return Ok(Valor::List([&a[..], &b[..]].concat())),
            ("por", sequence @ (Valor::Text(_) | Valor::List(_)), times)
            | ("por", times, sequence @ (Valor::Text(_) | Valor::List(_))) => return many(sequence, times),
            _ => {}
        }
        let (a, b) = (quantity(nombre, a)?, quantity(nombre, b)?);
        match nombre {
            "mas" => plus(&a, &b),
            "menos" => plus(&a, &negated(&b)),
            "por" => times(&a, &b),
            "cerca" => plus(&a, &negated(&b)).map(absolute),
            _ => Err(format!("«{nombre}» no está declarada")),
        }
    }
}

fn quantity(nombre: &str, value: &Valor) -> Result<Valor, String> {
    match value {
        Valor::Bool(value) => Ok(Valor::from(i64::from(*value))),
        Valor::Int(_) | Valor::Float(_) => Ok(value.clone()),
        _ => Err(format!("«{nombre}» opera cantidades, y recibió {}", super::compare::family(value))),
    }
}

fn finite(float: f64) -> Result<Valor, String> {
    if float.is_finite() { Ok(Valor::Float(float)) } else { Err("el resultado no es finito".to_owned()) }
}

fn plus(a: &Valor, b: &Valor) -> Result<Valor, String> {
    match (a, b) {
        (Valor::Int(a), Valor::Int(b)) => Ok(Valor::Int(a.add(b))),
        _ => finite(as_float(a)? + as_float(b)?),
    }
}

fn times(a: &Valor, b: &Valor) -> Result<Valor, String> {
    match (a, b) {
        (Valor::Int(a), Valor::Int(b)) => Ok(Valor::Int(Integer::from(a.to_big() * b.to_big()))),
        _ => finite(as_float(a)? * as_float(b)?),
    }
}

fn as_float(quantity: &Valor) -> Result<f64, String> {
    match quantity {
        Valor::Float(float) => Ok(*float),
        Valor::Int(integer) => integer.to_f64().ok_or_else(|| "un entero no entra en un flotante".to_owned()),
        other => Err(format!("se esperaba una cantidad, no {}", super::compare::family(other))),
    }
}

fn negated(value: &Valor) -> Valor {
    match value {
        Valor::Int(integer) => Valor::Int(Integer::from(-integer.to_big())),
        Valor::Float(float) => Valor::Float(-float),
        other => other.clone(),
    }
}

fn absolute(value: Valor) -> Valor {
    match &value {
        Valor::Int(integer) if *integer < Integer::ZERO => negated(&value),
        Valor::Float(float) => Valor::Float(float.abs()),
        _ => value,
    }
}

/// Most bytes of text, or items of a list, that repeating one may give.
const REPEATED_LIMIT: usize = 1_000_000;

/// A text or a list as many times as `times` says, none when that is below one.
fn many(sequence: &Valor, times: &Valor) -> Result<Valor, String> {
    let Valor::Int(times) = quantity("por", times)? else {
        return Err("«por» repite un número entero de veces".to_owned());
    };
    let times = times.to_i64().ok_or_else(too_long)?;
    let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
    match sequence {
        Valor::Text(text) => repeated(text, times),
        Valor::List(items) if items.is_empty() => Ok(sequence.clone()),
        Valor::List(items) if items.len().saturating_mul(times) <= REPEATED_LIMIT => {
            Ok(Valor::list(std::iter::repeat_n(items, times).flatten().cloned()))
        }
        Valor::List(_) => Err(too_long()),
        other => Err(format!("«por» repite textos y listas, no {}", super::compare::family(other))),
    }
}

fn repeated(text: &str, times: usize) -> Result<Valor, String> {
    let length = text.len().saturating_mul(times);
    if length <= REPEATED_LIMIT { Ok(Valor::from(text.repeat(times))) } else { Err(too_long()) }
}

fn too_long() -> String {
    "el resultado es demasiado largo".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valor::parse;

    #[track_caller]
    fn check(call: &str, expect: Option<&str>) {
        let call = parse(call).unwrap();
        let [name, args @ ..] = call.as_list().unwrap() else { panic!() };
        let answer = EscalaresBase.call(name.as_str().unwrap(), args);
        assert_eq!(answer.ok().map(|value| value.to_compact()).as_deref(), expect);
    }

    #[test]
    fn arithmetic_is_exact_over_integers() {
        check(r#"["mas", 9223372036854775807, 1]"#, Some("9223372036854775808"));
        check(r#"["menos", 1, 3]"#, Some("-2"));
        check(r#"["por", 4294967296, 4294967296]"#, Some("18446744073709551616"));
        check(r#"["cerca", 1, 4]"#, Some("3"));
        check(r#"["cerca", 1.5, 4]"#, Some("2.5"));
        check(r#"["mas", true, 1]"#, Some("2"));
        check(r#"["mas", 0.1, 0.2]"#, Some("0.30000000000000004"));
        check(r#"["por", 1e300, 1e300]"#, None);
        check(r#"["menos", "a", "b"]"#, None);
        check(r#"["cerca", "a", "b"]"#, None);
        check(r#"["mas", "a", 1]"#, None);
        check(r#"["mas", [1], "a"]"#, None);
        check(r#"["mas", {}, {}]"#, None);
        check(r#"["mas", null, 1]"#, None);
    }

    #[test]
    fn contains_looks_in_text() {
        check(r#"["contiene", "NO ve", "NO"]"#, Some("true"));
        check(r#"["contiene", "no ve", "NO"]"#, Some("false"));
        check(r#"["contiene", 120, 2]"#, Some("true"));
        check(r#"["contiene", [1, "a"], "'a'"]"#, Some("true"));
        check(r#"["contiene", null, "None"]"#, Some("true"));
    }

    #[test]
    fn texts_and_lists_are_joined_and_repeated() {
        check(r#"["mas", "a", "b"]"#, Some("\"ab\""));
        check(r#"["mas", [1], ["a"]]"#, Some("[1,\"a\"]"));
        check(r#"["por", "ab", 2]"#, Some("\"abab\""));
        check(r#"["por", true, [1]]"#, Some("[1]"));
        check(r#"["por", "ab", -3]"#, Some("\"\""));
        check(r#"["por", "ab", 1.0]"#, None);
        check(r#"["por", "ab", "ab"]"#, None);
        check(r#"["por", "ab", null]"#, None);
        // However long it would get.
        check(r#"["por", "ab", 1000000000000]"#, None);
        check(r#"["por", [1], 100000000000000000000]"#, None);
        check(r#"["por", "", 1000000000000]"#, Some("\"\""));
        check(r#"["por", [], 1000000000000]"#, Some("[]"));
        check(r#"["por", "", 100000000000000000000]"#, None);
    }
}
