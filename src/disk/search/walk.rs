use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::{Disk, DiskErrorKind, Kind, Listed};
use editd_workspace::rules::is_version_control;

use super::filter::Ignores;
use super::{FileAccess, Passed, Scope, Start, StopCondition};

/// An entry visited by a walk.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Absolute path of the entry.
    pub absolute: &'a Path,
    /// Path from the root.
    pub path: &'a Path,
    /// Path from the start of the walk.
    pub below: &'a Path,
    /// Kind of the entry.
    pub kind: Kind,
    /// `true` if the file is open in an editor and may have unsaved text.
    pub is_open: bool,
}

/// The continuation of a walk after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Visit the entries of the folder, if the entry is one.
    Enter,
    /// Continue after the entry.
    Pass,
    /// End the walk.
    End,
}

/// Walks a scope in path order, folders before their entries. Does not follow symlinks. Skips version control
/// data, ignored entries, and entries that are neither file, folder nor symlink.
pub fn walk(
    disk: &dyn Disk,
    scope: &Scope,
    access: &dyn FileAccess,
    (stop, passed): (&StopCondition<'_>, &Passed),
    mut visit: impl FnMut(Entry<'_>) -> Then,
) {
    let walk = Walk { disk, scope, access, passed };
    let start = match &scope.start {
        Start::Folder(start) => start,
        Start::File(file) => return walk.single(file, visit),
    };
    let ignores = Ignores::around(disk, &scope.root, &scope.top, start);
    let mut folders = vec![walk.folder(start.clone(), &ignores)];
    while let Some(folder) = folders.last_mut() {
        if stop.is_due() {
            return;
        }
        let Some(Listed { name, kind }) = folder.rest.next() else {
            folders.pop();
            continue;
        };
        let path = folder.path.join(&name);
        let absolute = scope.root.path().join(&path);
        if walk.skips(folder, &path, &absolute, kind) {
            continue;
        }
        let below = path.strip_prefix(start).unwrap_or(&path);
        let is_open = kind == Kind::File && scope.open.contains(&path);
        match visit(Entry { absolute: &absolute, path: &path, below, kind, is_open }) {
            Then::End => return,
            Then::Enter if kind == Kind::Folder => {
                let entered = walk.folder(path, &folder.ignores);
                folders.push(entered);
            }
            Then::Enter | Then::Pass => {}
        }
    }
}

struct Walk<'a> {
    disk: &'a dyn Disk,
    scope: &'a Scope,
    access: &'a dyn FileAccess,
    passed: &'a Passed,
}

/// A folder on the path to the current position of the walk.
struct Folder {
    path: PathBuf,
    rest: std::vec::IntoIter<Listed>,
    /// Ignore rules for the entries of the folder.
    ignores: Ignores,
}

impl Walk<'_> {
    /// Visits a single file, without applying ignore rules.
    fn single(&self, path: &Path, mut visit: impl FnMut(Entry<'_>) -> Then) {
        let absolute = self.scope.root.path().join(path);
        let is_there = self.disk.peek(&self.scope.root, path).is_ok_and(|found| found.is_some());
        let is_open = self.scope.open.contains(path);
        if is_there || (is_open && self.access.shown(&absolute).is_there()) {
            let below = path.file_name().map_or(path, Path::new);
            visit(Entry { absolute: &absolute, path, below, kind: Kind::File, is_open });
        }
    }

    /// Returns `true` if an entry of a folder is skipped.
    fn skips(&self, folder: &Folder, path: &Path, absolute: &Path, kind: Kind) -> bool {
        let is_folder = kind == Kind::Folder;
        let name = path.file_name().map_or(path, Path::new);
        if kind == Kind::Other
            || is_version_control(name)
            || (is_folder && self.scope.others.iter().any(|other| other == path))
        {
            return true;
        }
        let is_ignored = folder.ignores.ignore(absolute, is_folder);
        if is_ignored {
            self.passed.ignored.increment();
        }
        is_ignored
    }

    /// Opens a folder. A folder that no longer exists contains only files that are open in editors.
    fn folder(&self, path: PathBuf, ignores: &Ignores) -> Folder {
        let mut listed = self.disk.list(&self.scope.root, &path).unwrap_or_else(|error| {
            if error.kind != DiskErrorKind::NotFound {
                self.passed.unreadable.add(self.scope.root.path().join(&path));
            }
            Vec::new()
        });
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.add_open_files(&mut listed, &path);
        if is_repository(&listed) {
            self.passed.repositories.increment();
            listed
                .retain(|listed| listed.kind == Kind::Folder && self.is_work_tree(&path.join(&listed.name)));
        }
        let ignores = ignores.within(self.disk, &self.scope.root, &path, |name| holds(&listed, name));
        Folder { path, rest: listed.into_iter(), ignores }
    }

    /// Adds files that exist only in editors, and the folders on their paths.
    fn add_open_files(&self, listed: &mut Vec<Listed>, folder: &Path) {
        let mut new: Vec<Listed> = Vec::new();
        for open in self.scope.open_in(folder) {
            let mut names = open.iter();
            let Some(name) = names.next() else { continue };
            let kind = if names.next().is_some() { Kind::Folder } else { Kind::File };
            let absolute = || self.scope.root.path().join(folder).join(open);
            if !holds(listed, name)
                && new.last().is_none_or(|last| last.name != name)
                && self.access.shown(&absolute()).is_there()
            {
                new.push(Listed { name: name.to_owned(), kind });
            }
        }
        if !new.is_empty() {
            listed.extend(new);
            listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
    }

    /// Returns `true` if a folder is a work tree. A work tree inside its own repository is not part of the
    /// metadata.
    fn is_work_tree(&self, folder: &Path) -> bool {
        self.disk.peek(&self.scope.root, &folder.join(".git")).is_ok_and(|found| found.is_some())
    }
}

fn holds(sorted: &[Listed], name: &OsStr) -> bool {
    sorted.binary_search_by(|listed| OsString::as_os_str(&listed.name).cmp(name)).is_ok()
}

/// Returns `true` if git would treat a folder as a repository, or as the metadata of a linked work tree.
fn is_repository(sorted: &[Listed]) -> bool {
    let is_there = |name: &str| holds(sorted, OsStr::new(name));
    is_there("HEAD") && (is_there("commondir") || (is_there("objects") && is_there("refs")))
}
