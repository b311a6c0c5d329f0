//! Scalar functions: what a measure may call by name.
//!
//! Owns the seam through which functions are declared and called, and the five functions the language
//! brings. Must not run a project's code: whoever trusts it implements [`Escalares`].

use crate::valor::{Integer, Valor, float_text};

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
/// The first four are arithmetic over quantities, where a boolean counts as 0 or 1; anything else is refused.
/// `contiene` looks for a text in a text.
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
            return Ok(Valor::Bool(plain_text(a)?.contains(&plain_text(b)?)));
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

/// A scalar as text: numbers as they are printed, booleans as `True` and `False`.
fn plain_text(value: &Valor) -> Result<String, String> {
    match value {
        Valor::Text(text) => Ok(text.to_string()),
        Valor::Int(integer) => Ok(integer.to_string()),
        Valor::Float(float) => Ok(float_text(*float)),
        Valor::Bool(true) => Ok("True".to_owned()),
        Valor::Bool(false) => Ok("False".to_owned()),
        other => Err(format!("«contiene» busca un texto, y recibió {}", super::compare::family(other))),
    }
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
        check(r#"["mas", "a", "b"]"#, None);
        check(r#"["mas", null, 1]"#, None);
    }

    #[test]
    fn contains_looks_in_text() {
        check(r#"["contiene", "NO ve", "NO"]"#, Some("true"));
        check(r#"["contiene", "no ve", "NO"]"#, Some("false"));
        check(r#"["contiene", 120, 2]"#, Some("true"));
        check(r#"["contiene", [1], 1]"#, None);
    }
}
