//! What other pages of the contract list, and which calls show what: a TOML file.

use serde::Deserialize;
use serde_json::Value;

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The keys of capabilities that the contract has.
    pub capabilities: Option<Vec<String>>,
    /// The types of errors that the contract has.
    pub error_types: Option<Vec<String>>,
    /// Calls and what they must come to.
    #[serde(default, rename = "call")]
    pub calls: Vec<Named>,
}

/// A call that the file names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
    /// What it must come to.
    #[serde(default)]
    pub expects: Expects,
}

/// What a call must come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expects {
    /// Data.
    #[default]
    Success,
    /// A search that finds nothing, which is a success.
    Empty,
    /// A failure of business.
    Failure,
    /// An effect, which must not come twice.
    Write,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

impl Parameters {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let parameters: Self =
            toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        match parameters.calls.iter().find(|call| !call.arguments.is_object()) {
            Some(call) => Err(format!("the arguments of \"{}\" are no table", call.tool)),
            None => Ok(parameters),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_lists_and_calls() {
        let text = "capabilities = [\"pqr\"]\n[[call]]\ntool = \"a\"\narguments = { b = [1] }\nexpects = \"empty\"\n\
                    [[call]]\ntool = \"c\"\n";
        let read = Parameters::read(text).expect("parameters");
        assert_eq!(read.capabilities, Some(vec!["pqr".to_owned()]));
        assert_eq!(read.error_types, None);
        let calls: Vec<_> = read.calls.iter().map(|call| (call.arguments.clone(), call.expects)).collect();
        assert_eq!(calls, [(json!({"b": [1]}), Expects::Empty), (json!({}), Expects::Success)]);
        for bad in [
            "more = 1",
            "[[call]]\n",
            "[[call]]\ntool = \"a\"\nexpects = \"x\"",
            "[[call]]\ntool = \"a\"\narguments = 1",
        ] {
            assert!(Parameters::read(bad).is_err(), "{bad}");
        }
    }
}
