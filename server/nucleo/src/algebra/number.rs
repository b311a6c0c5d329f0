//! Exact arithmetic over integers of any size and doubles.
//!
//! Owns comparison without rounding, sums that stay exact until a float enters, and the correctly rounded
//! quotient behind `promedio`. Knows no families: text and booleans are its callers' concern.

use crate::valor::{Integer, Valor};
use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};
use std::cmp::Ordering;

/// An integer or a finite float.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number<'v> {
    Int(&'v Integer),
    Float(f64),
}

impl<'v> Number<'v> {
    /// The number `value` is; a boolean is none.
    pub(super) fn of(value: &'v Valor) -> Option<Number<'v>> {
        match value {
            Valor::Int(integer) => Some(Number::Int(integer)),
            Valor::Float(float) => Some(Number::Float(*float)),
            _ => None,
        }
    }

    /// Compares by value, exactly.
    pub(super) fn compare(self, other: Number<'_>) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(b),
            (Number::Int(a), Number::Float(b)) => a.cmp_f64(b),
            (Number::Float(a), Number::Int(b)) => b.cmp_f64(a).reverse(),
            // Both are finite: `Valor` holds no other float.
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        }
    }
}

/// A running sum: exact while only integers came, double and left to right from the first float on.
#[derive(Clone, Debug)]
pub(super) enum Sum {
    Int(Integer),
    Float(f64),
}

/// An integer beyond the range of doubles met a float.
#[derive(Debug, PartialEq)]
pub(super) struct TooLarge;

impl Sum {
    pub(super) const ZERO: Sum = Sum::Int(Integer::ZERO);

    /// Adds one number.
    pub(super) fn add(&mut self, number: Number<'_>) -> Result<(), TooLarge> {
        *self = match (&*self, number) {
            (Sum::Int(sum), Number::Int(integer)) => Sum::Int(sum.add(integer)),
            (Sum::Int(sum), Number::Float(float)) => Sum::Float(sum.to_f64().ok_or(TooLarge)? + float),
            (Sum::Float(sum), Number::Int(integer)) => Sum::Float(sum + integer.to_f64().ok_or(TooLarge)?),
            (Sum::Float(sum), Number::Float(float)) => Sum::Float(sum + float),
        };
        Ok(())
    }

    /// The sum divided by a count of terms, rounded once. The result may not be finite when the sum is not.
    pub(super) fn mean(&self, count: usize) -> Result<f64, TooLarge> {
        match self {
            Sum::Int(sum) => quotient(&sum.to_big(), count),
            Sum::Float(sum) => Ok(sum / count as f64),
        }
    }
}

/// Bits a quotient needs so that rounding it to a double's 53 happens once: two more, and a sticky one.
const QUOTIENT_BITS: i64 = 56;

/// The double nearest to `dividend / divisor`, ties to even.
fn quotient(dividend: &BigInt, divisor: usize) -> Result<f64, TooLarge> {
    if dividend.is_zero() {
        return Ok(0.0);
    }
    let magnitude = dividend.magnitude();
    let divisor = num_bigint::BigUint::from(divisor);
    let shift = QUOTIENT_BITS + divisor.bits() as i64 - magnitude.bits() as i64;
    let (top, bottom) =
        if shift >= 0 { (magnitude << shift, divisor) } else { (magnitude.clone(), divisor << -shift) };
    let mut digits = &top / &bottom;
    if !(&top % &bottom).is_zero() {
        digits |= num_bigint::BigUint::from(1u8);
    }
    let digits = digits.to_u64().map_or(f64::INFINITY, |digits| digits as f64);
    let exponent = i32::try_from(-shift).map_err(|_| TooLarge)?;
    let rounded = if exponent > f64::MAX_EXP { f64::INFINITY } else { digits * 2f64.powi(exponent) };
    if rounded.is_infinite() {
        return Err(TooLarge);
    }
    Ok(if dividend.sign() == Sign::Minus { -rounded } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn mean(dividend: &str, count: usize, expect: Result<f64, TooLarge>) {
        let sum = Sum::Int(Integer::parse(dividend).unwrap());
        assert_eq!(sum.mean(count), expect);
    }

    #[test]
    fn the_quotient_is_rounded_once() {
        mean("0", 3, Ok(0.0));
        mean("1", 3, Ok(1.0 / 3.0));
        mean("-7", 2, Ok(-3.5));
        mean("9007199254740993", 1, Ok(9007199254740992.0));
        mean("9007199254740995", 1, Ok(9007199254740996.0));
        // Rounding the dividend first would give 3002399751580331.
        mean("9007199254740993", 3, Ok(3002399751580331.0));
        mean("27021597764222979", 3, Ok(9007199254740992.0));
        mean("27021597764222980", 3, Ok(9007199254740994.0));
        mean(&format!("1{}", "0".repeat(308)), 10, Ok(1e307));
        mean(&format!("1{}", "0".repeat(309)), 10, Ok(1e308));
        mean(&format!("1{}", "0".repeat(309)), 1, Err(TooLarge));
        mean(&format!("-1{}", "0".repeat(4000)), 7, Err(TooLarge));
    }

    #[track_caller]
    fn sum(terms: &str, expect: &str) {
        let terms = crate::valor::parse(terms).unwrap();
        let mut total = Sum::ZERO;
        for term in terms.as_list().unwrap() {
            total.add(Number::of(term).unwrap()).unwrap();
        }
        let shown = match total {
            Sum::Int(integer) => integer.to_string(),
            Sum::Float(float) => crate::valor::float_text(float),
        };
        assert_eq!(shown, expect);
    }

    #[test]
    fn sums_stay_exact_until_a_float_enters() {
        sum("[]", "0");
        sum("[9223372036854775807, 1]", "9223372036854775808");
        sum("[0.1, 0.1, 0.1]", "0.30000000000000004");
        // Left to right and uncompensated: the large term swallows the small one.
        sum("[1e16, 1.0, -1e16]", "0.0");
        sum("[9007199254740993, 0.0]", "9007199254740992.0");
        sum("[9007199254740992, 1, 0.0]", "9007199254740992.0");
    }
}
