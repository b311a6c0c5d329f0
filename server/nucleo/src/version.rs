//! The versions of the language that this core serves, and which declared versions they satisfy.

use std::fmt;

/// The version of what a measure means.
pub const VERSION_ALGEBRA: &str = "1.0";

/// The version of how a measure is written.
pub const VERSION_SINTAXIS: &str = "1.0";

/// `MAYOR.MENOR`, two numbers without leading zeros, of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Changes when what was already there changes its meaning.
    pub mayor: String,
    /// Grows when something is added.
    pub menor: String,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.mayor, self.menor)
    }
}

/// A version that cannot be read or is not served. Spanish, lower case, without a final stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError {
    /// What is wrong.
    pub mensaje: String,
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mensaje)
    }
}

impl std::error::Error for VersionError {}

/// Reads `MAYOR.MENOR`.
pub fn parse(text: &str) -> Result<Version, VersionError> {
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        digits && (part == "0" || !part.starts_with('0'))
    };
    match text.split_once('.') {
        Some((mayor, menor)) if number(mayor) && number(menor) => {
            Ok(Version { mayor: mayor.to_owned(), menor: menor.to_owned() })
        }
        _ => Err(VersionError { mensaje: format!("«{text}» no es una versión MAYOR.MENOR") }),
    }
}

/// Whether a core of version `available` serves what was written for `needed`: the same major, and a minor at
/// least as new.
pub fn compatible(needed: &Version, available: &Version) -> bool {
    // Without leading zeros, more digits is a greater number.
    let size = |minor: &str| (minor.len(), minor.to_owned());
    needed.mayor == available.mayor && size(&needed.menor) <= size(&available.menor)
}

/// Fails unless this core's surface serves the `declared` version.
pub fn require_sintaxis(declared: &str) -> Result<(), VersionError> {
    require("la sintaxis", declared, VERSION_SINTAXIS)
}

/// Fails unless this core's algebra serves the `declared` version.
pub fn require_algebra(declared: &str) -> Result<(), VersionError> {
    require("el álgebra", declared, VERSION_ALGEBRA)
}

fn require(what: &str, declared: &str, served: &str) -> Result<(), VersionError> {
    if compatible(&parse(declared)?, &parse(served)?) {
        return Ok(());
    }
    Err(VersionError { mensaje: format!("se declara {what} {declared} y este núcleo sirve {served}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_two_numbers_without_leading_zeros() {
        for text in ["0.0", "1.0", "10.203", "99999999999999999999.1"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for text in ["", "1", "1.", ".1", "1.0.0", "01.0", "1.00", "1.0 ", "-1.0", "1.٣", "v1.0", "1,0"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_major_is_the_same_and_the_minor_at_least_as_new() {
        let check = |needed, available| compatible(&parse(needed).unwrap(), &parse(available).unwrap());
        assert!(check("1.0", "1.0") && check("1.9", "1.10") && check("0.3", "0.3"));
        assert!(
            !check("1.1", "1.0") && !check("2.0", "1.9") && !check("1.0", "2.0") && !check("1.10", "1.9")
        );
    }

    #[test]
    fn what_is_served_is_required_by_name() {
        assert!(require_sintaxis("1.0").is_ok() && require_algebra("1.0").is_ok());
        assert_eq!(
            require_sintaxis("1.1").unwrap_err().mensaje,
            "se declara la sintaxis 1.1 y este núcleo sirve 1.0"
        );
        assert!(require_algebra("x").is_err());
    }
}
