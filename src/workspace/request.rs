use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use editd_text::{ContentHash, HashTag, ParseHashError};

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

impl NamedVersion {
    /// Returns the version that has both names, by the longer one. Returns `None` if no version has both.
    #[must_use]
    pub fn and(self, other: Self) -> Option<Self> {
        let is_longer = |long: &Self, short: &Self| match (long, short) {
            (Self::Hash(one), Self::Hash(other)) => one == other,
            (Self::Hash(hash), Self::Tag(tag)) => tag.is_of(*hash),
            (Self::Tag(long), Self::Tag(short)) => short.begins(long),
            (Self::Tag(_), Self::Hash(_)) => false,
        };
        if is_longer(&self, &other) {
            return Some(self);
        }
        is_longer(&other, &self).then_some(other)
    }

    /// Returns the version that a hash and the tag after a path name. Refuses a hash of another version. `field`
    /// is the name of the hash in the request.
    pub fn of_hash_and_tag(field: impl Into<String>, hash: Self, tag: Self) -> Result<Self, Invalid> {
        let problem = "it is the hash of another version than the one that the tag after the path names; line numbers are those of one version, so send only the tag of the version that you read";
        hash.and(tag).ok_or_else(|| Invalid::new(field, problem))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_version_agree_on_the_longer_one() {
        let hash = ContentHash::of(b"text");
        let version = |name: &str| name.parse::<NamedVersion>().unwrap();
        let digits = hash.to_string()[3..].to_owned();
        let (whole, long, short) = (NamedVersion::Hash(hash), version(&digits[..9]), version(&digits[..6]));
        for (one, other, both) in [
            (&whole, &short, Some(&whole)),
            (&short, &whole, Some(&whole)),
            (&long, &short, Some(&long)),
            (&short, &long, Some(&long)),
            (&short, &short, Some(&short)),
            (&whole, &NamedVersion::Hash(ContentHash::of(b"other")), None),
            (&whole, &version("000000"), None),
            (&version("000000"), &long, None),
        ] {
            assert_eq!(one.clone().and(other.clone()).as_ref(), both, "{one:?} {other:?}");
        }
    }
}
