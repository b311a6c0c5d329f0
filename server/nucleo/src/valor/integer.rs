//! Exact integers: a machine word while they fit, any size when they do not.

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use std::cmp::Ordering;
use std::fmt;

/// An exact integer. One value has one representation, so derived equality is numeric equality.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Only what does not fit an `i64`.
    Big(Box<BigInt>),
}

/// Longest decimal integer that is read, in digits; the reference stops at the same length.
pub const MAX_DIGITS: usize = 4300;

/// Up to here, in magnitude, every integer is a double.
const EXACT_IN_F64: u64 = 1 << f64::MANTISSA_DIGITS;

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(Repr::Small(0));

    /// Reads decimal digits with an optional leading `-`; `None` when longer than `MAX_DIGITS` or not
    /// an integer.
    pub fn parse(text: &str) -> Option<Integer> {
        if let Ok(small) = text.parse::<i64>() {
            return Some(Integer(Repr::Small(small)));
        }
        if text.trim_start_matches('-').len() > MAX_DIGITS {
            return None;
        }
        text.parse::<BigInt>().ok().map(Integer::from)
    }

    /// The value as an `i64`, when it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(value) => Some(*value),
            Repr::Big(_) => None,
        }
    }

    /// The nearest double, ties to even; `None` when the value is beyond the range of doubles.
    pub fn to_f64(&self) -> Option<f64> {
        match &self.0 {
            Repr::Small(value) => Some(*value as f64),
            Repr::Big(value) => big_to_f64(value),
        }
    }

    /// The value as a big integer.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(value) => BigInt::from(*value),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// The exact sum.
    pub fn add(&self, other: &Integer) -> Integer {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
            && let Some(sum) = a.checked_add(*b)
        {
            return Integer(Repr::Small(sum));
        }
        Integer::from(self.to_big() + other.to_big())
    }

    /// Compares exactly with a finite float, without rounding either side.
    pub fn cmp_f64(&self, other: f64) -> Ordering {
        // Below 2^53 every integer is a double, so nothing is rounded and nothing allocated.
        if let Repr::Small(value) = self.0
            && value.unsigned_abs() <= EXACT_IN_F64
        {
            return (value as f64).partial_cmp(&other).unwrap_or(Ordering::Equal);
        }
        let floor = other.floor();
        let whole = match BigInt::from_f64(floor) {
            Some(whole) => Integer::from(whole),
            None => return if other > 0.0 { Ordering::Less } else { Ordering::Greater },
        };
        match self.cmp(&whole) {
            Ordering::Equal if other > floor => Ordering::Less,
            order => order,
        }
    }
}

/// Rounds half to even by way of the decimal text, which the standard library converts correctly.
fn big_to_f64(value: &BigInt) -> Option<f64> {
    let rounded: f64 = value.to_string().parse().ok()?;
    rounded.is_finite().then_some(rounded)
}

impl From<i64> for Integer {
    fn from(value: i64) -> Integer {
        Integer(Repr::Small(value))
    }
}

impl From<usize> for Integer {
    fn from(value: usize) -> Integer {
        Integer::from(BigInt::from(value))
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Integer {
        match value.to_i64() {
            Some(small) => Integer(Repr::Small(small)),
            None => Integer(Repr::Big(Box::new(value))),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => write!(f, "{value}"),
            Repr::Big(value) => write!(f, "{value}"),
        }
    }
}
