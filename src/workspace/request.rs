use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::text::{ContentHash, HashTag, ParseHashError};

/// A path in a request: absolute, or relative to the session's first root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedPath(PathBuf);

impl RequestedPath {
    /// Creates a requested path from a path as it was sent, or from one that the daemon already knows.
    pub fn of(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The path as it was sent.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Returns `true` if the path can only refer to a folder.
    pub fn names_folder(&self) -> bool {
        let bytes = self.0.as_os_str().as_bytes();
        bytes.ends_with(b"/") || bytes.ends_with(b"/.") || bytes == b"."
    }
}

/// A version of a file that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedVersion {
    /// By its hash.
    Hash(ContentHash),
    /// By the first digits of its hash.
    Tag(HashTag),
}

impl FromStr for NamedVersion {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        text.parse().map(Self::Hash).or_else(|_| text.parse().map(Self::Tag))
    }
}

/// An error in the parameters of a request: the field and its problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Path of the field, for instance `changes[0].edits[1].oldText`; empty for the parameters as a whole.
    pub field: String,
    /// Problem, worded so that it can follow the name of the field.
    pub problem: String,
}

impl Invalid {
    /// Creates an error for a field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }

    /// Prefixes the path of the field with `outer`.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        let field = match (self.field.as_str(), outer) {
            ("", outer) => outer.to_owned(),
            (inner, "") => inner.to_owned(),
            (inner, _) if inner.starts_with('[') => format!("{outer}{inner}"),
            (inner, _) => format!("{outer}.{inner}"),
        };
        Self { field, ..self }
    }
}
