//! Links and folders that give their names to new files, or to folders of new files.
//!
//! They get a temporary name in the same folder until the commit is done, like displaced files. Of a folder, the
//! earlier changes of the set have removed the files; anything else in it fails the commit.

use crate::{Disk, DiskError, DiskErrorKind, Entry, Kind, Result, Root, Stat, Target};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

/// A link or a folder in the way of a new file.
pub(super) struct Aside {
    pub(super) name: Entry,
    /// The name until the commit is done.
    pub(super) at: Entry,
    pub(super) stat: Stat,
    root: Root,
}

impl Aside {
    /// Returns what is in the way of a target, in the state in which it was found before.
    pub(super) fn find(disk: &dyn Disk, target: &Target) -> Result<Option<Self>> {
        let Some(stat) = target.in_the_way.as_deref().copied() else { return Ok(None) };
        let (name, at, root) = (target.first_missing(), target.stray_beside(), target.root.clone());
        let aside = Self { name, at, stat, root };
        aside.require_expected(disk)?;
        Ok(Some(aside))
    }

    /// The last check before it is moved.
    pub(super) fn require_expected(&self, disk: &dyn Disk) -> Result<()> {
        let present = disk.stat_entry(&self.name)?;
        let is_expected = present.is_some_and(|present| match self.stat.kind() {
            // The set itself removes files from it, which changes its times.
            Kind::Folder => present.same_file(&self.stat) && present.mode == self.stat.mode,
            _ => present.same_version(&self.stat),
        });
        if is_expected { Ok(()) } else { Err(changed(&self.name)) }
    }

    /// Returns `true` if it has its temporary name. The check after the move.
    pub(super) fn has_moved(&self, disk: &dyn Disk) -> Result<bool> {
        let moved = disk.stat_entry(&self.at)?;
        Ok(moved.is_some_and(|moved| moved.same_file(&self.stat) && moved.mode == self.stat.mode))
    }

    /// Returns `true` if it is a folder that holds nothing but folders and the displaced files of the set, `strays`,
    /// or a link.
    pub(super) fn is_emptied(&self, disk: &dyn Disk, strays: &BTreeSet<OsString>) -> Result<bool> {
        if self.stat.kind() != Kind::Folder {
            return Ok(true);
        }
        is_emptied(disk, &self.root, below(&self.root, &self.at.path), strays)
    }

    /// Removes it after the commit.
    pub(super) fn remove(&self, disk: &dyn Disk) -> Result<()> {
        remove(disk, &self.root, &self.at)
    }
}

/// Removes a link, or a folder that contains only folders.
pub(crate) fn remove(disk: &dyn Disk, root: &Root, at: &Entry) -> Result<()> {
    match disk.stat_entry(at)?.map(|stat| stat.kind()) {
        None => return Ok(()),
        Some(Kind::Folder) => {}
        Some(_) => return disk.remove(at),
    }
    for listed in disk.list(root, below(root, &at.path))? {
        let inner = Entry { dir: disk.open_dir(at)?, path: at.path.join(&listed.name), name: listed.name };
        if listed.kind == Kind::Folder {
            remove(disk, root, &inner)?;
        }
    }
    // This fails if the folder is not empty.
    disk.remove_dir(at)
}

fn is_emptied(disk: &dyn Disk, root: &Root, folder: &Path, strays: &BTreeSet<OsString>) -> Result<bool> {
    for listed in disk.list(root, folder)? {
        let is_expected = match listed.kind {
            Kind::Folder => is_emptied(disk, root, &folder.join(&listed.name), strays)?,
            _ => strays.contains(&listed.name),
        };
        if !is_expected {
            return Ok(false);
        }
    }
    Ok(true)
}

fn below<'p>(root: &Root, path: &'p Path) -> &'p Path {
    path.strip_prefix(root.path()).unwrap_or(path)
}

fn changed(entry: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::Changed, "change", &entry.path)
}
