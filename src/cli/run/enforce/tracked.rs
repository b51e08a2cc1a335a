//! The files that git tracks, from its index. Git itself is not started: the settings of the project could make it run
//! programs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Maximum size of an index, in bytes: several million files.
const MAX_INDEX: u64 = 1 << 30;
/// Maximum size of a file with a path, in bytes.
const MAX_POINTER: u64 = 8192;
/// Length of an entry up to its hash.
const BEFORE_HASH: usize = 40;
/// Flag of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// Extension of an index of which another file holds a part.
const SPLIT: &[u8] = b"link";

/// The tracked files of a work tree, as paths from its top. A submodule, and a folder of a sparse index, is one path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tracked(BTreeSet<PathBuf>);

impl Tracked {
    /// Reads the index of the work tree with this top folder. Returns `None` if it is not one of git.
    pub(super) fn read(top: &Path) -> io::Result<Option<Self>> {
        let Some((metadata, _)) = metadata(top) else { return Ok(None) };
        let unknown = || io::Error::new(io::ErrorKind::Unsupported, "the index of git has an unknown form");
        let (path, mut index) = (metadata.join("index"), Vec::new());
        match fs::metadata(&path) {
            // Nothing was added yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Self::default())),
            // A pipe has no end.
            found => found?.is_file().then_some(()).ok_or_else(unknown)?,
        }
        File::open(path)?.take(MAX_INDEX).read_to_end(&mut index)?;
        // A hash of the other length leads to no valid index.
        let parsed = [20, 32].into_iter().find_map(|hash| parse(&index, hash));
        parsed.map(|paths| Some(Self(paths))).ok_or_else(unknown)
    }

    /// Returns `true` if a path, or a folder that contains it, is tracked.
    pub(super) fn holds(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.0.contains(folder))
    }

    /// Returns `true` if a tracked path lies in this folder.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        self.0.range(folder.to_owned()..).next().is_some_and(|first| first.starts_with(folder))
    }
}

/// Returns the folder with the metadata of a work tree, and that of its repository, which has other work trees if the
/// two differ. Returns `None` if the folder is no work tree of git.
pub(super) fn metadata(top: &Path) -> Option<(PathBuf, PathBuf)> {
    let mark = top.join(".git");
    let own = if fs::metadata(&mark).ok()?.is_dir() {
        mark
    } else {
        top.join(named(read_short(&mark)?.strip_prefix(b"gitdir:")?))
    };
    let common =
        read_short(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(named(&common)));
    Some((own, common))
}

fn named(text: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(text.trim_ascii()))
}

/// Reads a file that contains a path.
fn read_short(path: &Path) -> Option<Vec<u8>> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_POINTER).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Parses an index (`gitformat-index(5)`). Returns `None` if it is damaged, or has a form that is not known.
fn parse(index: &[u8], hash: usize) -> Option<BTreeSet<PathBuf>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if index.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut paths, mut name, mut at) = (BTreeSet::new(), Vec::new(), 12);
    for _ in 0..count {
        let flags_at = at + BEFORE_HASH + hash;
        let flags = u16::from_be_bytes(index.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let mut name_at = flags_at + 2 + if flags & EXTENDED == 0 { 0 } else { 2 };
        if version == 4 {
            let (removed, length) = variable(index.get(name_at..)?)?;
            name.truncate(name.len().checked_sub(removed)?);
            name_at += length;
        } else {
            name.clear();
        }
        let length = index.get(name_at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&index[name_at..name_at + length]);
        paths.insert(PathBuf::from(OsStr::from_bytes(name.strip_suffix(b"/").unwrap_or(&name))));
        let end = name_at + length;
        at = if version == 4 { end + 1 } else { at + (end - at) / 8 * 8 + 8 };
    }
    // Extensions follow, and a hash of everything.
    while at + hash < index.len() {
        if index.get(at..at + 4)? == SPLIT {
            return None;
        }
        at = at.checked_add(8)?.checked_add(number(at + 4)? as usize)?;
    }
    (at + hash == index.len()).then_some(paths)
}

/// Parses a number of variable length. Returns its own length, too.
fn variable(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value = value.checked_add(1)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(folder);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(command.status().unwrap().success(), "{arguments:?}");
    }

    #[test]
    fn the_index_of_every_form_is_read() {
        for (options, update) in [
            (&["init", "-q"][..], &["update-index", "--index-version", "2"][..]),
            (&["init", "-q"], &["update-index", "--index-version", "3"]),
            (&["init", "-q"], &["update-index", "--index-version", "4"]),
            (&["init", "-q", "--object-format=sha256"], &["update-index", "--index-version", "2"]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            git(folder.path(), options);
            assert_eq!(Tracked::read(folder.path()).unwrap(), Some(Tracked::default()));
            let names = ["a", "sub/b.txt", "sub/deep/\u{e9}", "sub-c", "exactly8", "x/with space"];
            for name in names {
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, name).unwrap();
            }
            git(folder.path(), &["add", "-A"]);
            git(folder.path(), &["add", "-N", "."]);
            git(folder.path(), update);
            let tracked = Tracked::read(folder.path()).unwrap().unwrap();
            assert_eq!(tracked.0, names.into_iter().map(PathBuf::from).collect(), "{update:?}");
            assert!(tracked.is_in(Path::new("sub")) && !tracked.is_in(Path::new("su")));
            assert!(tracked.holds(Path::new("a")) && !tracked.holds(Path::new("sub")));
        }
    }

    #[test]
    fn a_damaged_or_split_index_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q"]);
        fs::write(folder.path().join("a"), "").unwrap();
        git(folder.path(), &["add", "a"]);
        let index = folder.path().join(".git/index");
        let whole = fs::read(&index).unwrap();
        for length in 1..whole.len() {
            fs::write(&index, &whole[..length]).unwrap();
            assert!(Tracked::read(folder.path()).is_err(), "{length}");
        }
        fs::write(&index, &whole).unwrap();
        git(folder.path(), &["update-index", "--split-index"]);
        assert!(Tracked::read(folder.path()).is_err());
    }

    #[test]
    fn a_folder_without_git_has_no_index() {
        assert_eq!(Tracked::read(tempfile::tempdir().unwrap().path()).unwrap(), None);
    }
}
