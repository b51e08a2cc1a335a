//! Parses file names in the headers of a diff.

use super::super::PatchError;
use super::stamp;

/// Prefixes of the old and the new file name; they depend on what git compared.
const PREFIXES: [(&str, &str); 6] =
    [("a/", "b/"), ("b/", "a/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];

/// A name in a header; `None` stands for `/dev/null`.
pub(super) type Name = Option<String>;

/// The names of one file in its headers.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Name in `--- path`, if that line exists.
    pub(super) old: Option<Name>,
    /// Name in `+++ path`, if that line exists.
    pub(super) new: Option<Name>,
    /// `true` if the time stamp of the new file is the one that `diff -N` writes for a missing file.
    pub(super) new_is_missing: bool,
    /// The two names of `diff --git`, if the line can be split into them.
    git: Option<(String, String)>,
}

impl Names {
    /// Splits the text after `diff --git` into its two names. Git does not quote names with spaces there, so
    /// the split is the space at which both halves are the same name.
    pub(super) fn set_git(&mut self, both: &str) {
        let both = both.trim_end();
        let splits = both.match_indices(' ').map(|(at, _)| (&both[..at], &both[at + 1..]));
        let unquoted = |(old, new): (&str, &str)| Some((unquote(old)?, unquote(new)?));
        // Cheap check first: only a space near the middle of the line can be the separator.
        let same = |(old, new): &(&str, &str)| old.len().abs_diff(new.len()) <= 2;
        self.git = splits
            .filter(same)
            .filter_map(unquoted)
            .find(|(old, new)| old == new || strip_prefixes(old, new).is_some_and(|(old, new)| old == new));
    }

    pub(super) fn is_new(&self) -> bool {
        self.old == Some(None)
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.new == Some(None)
    }

    /// Returns the name of the file without prefixes.
    pub(super) fn path(&self) -> Name {
        let prefixed = self.git.as_ref().is_none_or(|(old, new)| old != new);
        let strip_prefix = |name: &str, prefix| match name.strip_prefix(prefix) {
            Some(rest) if prefixed && !rest.is_empty() => rest.to_owned(),
            _ => name.to_owned(),
        };
        match (&self.old, &self.new, &self.git) {
            (Some(Some(old)), Some(Some(new)), _) => Some(match strip_prefixes(old, new) {
                Some((_, new)) => new.to_owned(),
                // Only the new name has a prefix.
                None if new.strip_prefix("b/") == Some(old) => old.clone(),
                None => new.clone(),
            }),
            (_, Some(Some(new)), _) => Some(strip_prefix(new, "b/")),
            (Some(Some(old)), _, _) => Some(strip_prefix(old, "a/")),
            (_, _, Some((old, new))) => {
                Some(strip_prefixes(old, new).map_or(new.as_str(), |(_, new)| new).to_owned())
            }
            _ => None,
        }
    }
}

/// Returns both names without their prefixes, if the prefixes belong to the same kind of comparison.
fn strip_prefixes<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    PREFIXES.iter().find_map(|(before_old, before_new)| {
        let (old, new) = (old.strip_prefix(before_old)?, new.strip_prefix(before_new)?);
        (!old.is_empty() && !new.is_empty()).then_some((old, new))
    })
}

/// Parses `--- name` or `+++ name`. A tab ends the name, and a time stamp follows it; some programs write blanks
/// instead of the tab. Returns the name, and `true` if the time stamp says that there is no such file.
pub(super) fn parse_header(line: &str, index: usize) -> Result<(Name, bool), PatchError> {
    let rest = line.get(4..).unwrap_or_default();
    if let (true, Some(end)) = (rest.starts_with('"'), rest.rfind('"')) {
        let (name, after) = rest.split_at(end + 1);
        return Ok((named(name, index)?, stamp::is_of_missing_file(after)));
    }
    let expected = "a tab between a name and a date, or quotes around a name that ends in a date";
    let split = rest.split_once('\t').map_or_else(|| stamp::split(rest), Some);
    let (name, after) = split.ok_or_else(|| PatchError::at(index, expected))?;
    Ok((named(name, index)?, stamp::is_of_missing_file(after)))
}

fn named(name: &str, index: usize) -> Result<Name, PatchError> {
    Ok(Some(parse_name(name, index)?).filter(|name| name != "/dev/null"))
}

/// Parses a name that may be quoted and has no prefix.
pub(super) fn parse_name(name: &str, index: usize) -> Result<String, PatchError> {
    let name = unquote(name.trim_end()).filter(|name| !name.trim().is_empty());
    name.ok_or_else(|| PatchError::at(index, "the path of a file, in UTF-8"))
}

/// Unquotes a name that git quoted: C escapes, and octal escapes for non-ASCII bytes.
fn unquote(name: &str) -> Option<String> {
    let Some(inner) = name.strip_prefix('"') else { return Some(name.to_owned()) };
    let mut bytes = inner.strip_suffix('"')?.bytes();
    let mut plain = Vec::with_capacity(inner.len());
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        plain.push(match bytes.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            first @ b'0'..=b'3' => {
                let digit = |byte: Option<u8>| byte.filter(|b| (b'0'..=b'7').contains(b)).map(|b| b - b'0');
                (first - b'0') << 6 | digit(bytes.next())? << 3 | digit(bytes.next())?
            }
            other => other,
        });
    }
    String::from_utf8(plain).ok()
}
