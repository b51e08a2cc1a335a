//! Members of events that a program promises.

use serde_json::Value;

use super::Fields;

/// An event that cannot be read, because the program has changed its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{client} sent an event of an unknown form: {problem}")]
pub struct Unknown {
    /// Name of the program.
    pub client: &'static str,
    /// The part that is missing or has another type.
    pub problem: String,
}

/// Reads members of an object.
pub(super) struct Reader<'a> {
    client: &'static str,
    pub(super) object: &'a Value,
}

impl<'a> Reader<'a> {
    pub(super) fn new(client: &'static str, object: &'a Value) -> Self {
        Self { client, object }
    }

    pub(super) fn unknown(&self, name: &str) -> Unknown {
        Unknown { client: self.client, problem: format!("`{name}` is missing or has another type") }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, Unknown> {
        self.object[name].as_str().ok_or_else(|| self.unknown(name))
    }

    pub(super) fn optional(&self, name: &str) -> Option<String> {
        self.object[name].as_str().map(str::to_owned)
    }

    pub(super) fn number(&self, name: &str) -> Result<usize, Unknown> {
        let number = self.object[name].as_u64().ok_or_else(|| self.unknown(name))?;
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }

    pub(super) fn fields(&self, name: &str) -> Result<&'a Fields, Unknown> {
        self.object[name].as_object().ok_or_else(|| self.unknown(name))
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], Unknown> {
        self.object[name].as_array().map(Vec::as_slice).ok_or_else(|| self.unknown(name))
    }

    pub(super) fn inner(&self, name: &str) -> Self {
        Reader { client: self.client, object: &self.object[name] }
    }
}
