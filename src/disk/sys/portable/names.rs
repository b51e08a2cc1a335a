//! Names on file systems on which several spellings lead to one file, because they ignore letter case or
//! normalize characters. The folder keeps one spelling: the one with which the file was created.

use super::super::{Call, Root};
use crate::Stat;
use editd_workspace::rules::folded;
use rustix::fs::{AtFlags, Dir, Mode, OFlags, open, openat, statat};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Returns the spelling that a folder has stored for a file that was found under `name`.
pub(in super::super) fn stored_name(folder: BorrowedFd<'_>, name: &OsStr, stat: &Stat) -> Call<OsString> {
    let stored = chosen(listed(folder)?, name, stat.ino);
    Ok(stored.unwrap_or_else(|| name.to_owned()))
}

/// Returns a canonical path with each name as its folder has stored it. Corrects only folders on the file system
/// of the last one, and leaves names that it cannot check.
pub(in super::super) fn stored_path(path: &Path, device: u64) -> PathBuf {
    let mut stored = PathBuf::from("/");
    for name in path.iter().skip(1) {
        let corrected = corrected(&stored, name, device);
        stored.push(corrected.as_deref().unwrap_or(name));
    }
    stored
}

fn corrected(folder: &Path, name: &OsStr, device: u64) -> Option<OsString> {
    let folder = open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let (at, found) = (state(folder.as_fd(), OsStr::new("."))?, state(folder.as_fd(), name)?);
    (at.dev == device).then(|| stored_name(folder.as_fd(), name, &found).ok())?
}

/// Returns the stored spelling among the names of a folder: the same one, else one that differs by case or
/// normalization, else one with the same inode number.
fn chosen(names: impl IntoIterator<Item = (OsString, u64)>, name: &OsStr, inode: u64) -> Option<OsString> {
    let fold = |name: &OsStr| name.to_str().map(folded);
    let wanted = fold(name);
    let mut best: Option<(bool, OsString)> = None;
    for (stored, number) in names {
        if stored == name {
            return Some(stored);
        }
        let is_alike = wanted.is_some() && fold(&stored) == wanted;
        let is_better = best.as_ref().is_none_or(|(alike, _)| is_alike && !alike);
        if is_better && (is_alike || number == inode) {
            best = Some((is_alike, stored));
        }
    }
    best.map(|(_, stored)| stored)
}

/// Returns `true` if several spellings of a name lead to one file in the root, and `None` as long as no name there
/// has letters: the name in the other case is found although the folder does not list it.
pub(in super::super) fn fold_names(root: &Root) -> Option<bool> {
    let folder = root.handle().as_fd();
    let names = listed(folder).ok()?;
    let other = names.iter().find_map(|(name, _)| in_other_case(name))?;
    let is_listed = names.iter().any(|(name, _)| *name == other);
    Some(!is_listed && state(folder, &other).is_some())
}

/// Returns a name in the other letter case, if it has ASCII letters.
fn in_other_case(name: &OsStr) -> Option<OsString> {
    let text = name.to_str()?;
    let upper = text.to_ascii_uppercase();
    let other = if upper == text { text.to_ascii_lowercase() } else { upper };
    (other != text).then(|| other.into())
}

/// Returns the names in a folder with their inode numbers, without `.` and `..`.
fn listed(folder: BorrowedFd<'_>) -> Call<Vec<(OsString, u64)>> {
    let mut names = Vec::new();
    // A folder that is only held cannot be listed.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(folder, ".", flags, Mode::empty())?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push((name.to_owned(), entry.ino()));
        }
    }
    Ok(names)
}

fn state(folder: BorrowedFd<'_>, name: &OsStr) -> Option<Stat> {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|raw| Stat::of(&raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(names: &[(&str, u64)], name: &str, inode: u64) -> Option<String> {
        let names = names.iter().map(|(name, number)| (OsString::from(name), *number));
        chosen(names, OsStr::new(name), inode).map(|name| name.into_string().expect("text"))
    }

    #[test]
    fn the_stored_spelling_is_found_by_case_normalization_and_inode() {
        for (names, name, inode, expected) in [
            (&[("README.md", 1), ("b", 2)][..], "readme.MD", 1, Some("README.md")),
            (&[("readme.md", 1), ("README.md", 2)], "README.md", 1, Some("README.md")),
            (&[("caf\u{e9}", 1)], "cafe\u{301}", 1, Some("caf\u{e9}")),
            (&[("CAFE\u{301}", 1)], "caf\u{e9}", 1, Some("CAFE\u{301}")),
            // Inode numbers of some file systems are not those of their listings.
            (&[("other", 1), ("File", 9)], "file", 1, Some("File")),
            (&[("strasse", 7)], "stra\u{df}e", 7, Some("strasse")),
            (&[("a", 1)], "b", 2, None),
        ] {
            assert_eq!(stored(names, name, inode).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_name_without_letters_has_no_other_case() {
        let other =
            |name: &str| in_other_case(OsStr::new(name)).map(|name| name.into_string().expect("text"));
        assert_eq!(other("a.Txt").as_deref(), Some("A.TXT"));
        assert_eq!(other("MAKEFILE").as_deref(), Some("makefile"));
        assert_eq!(other("1.2"), None);
    }
}
