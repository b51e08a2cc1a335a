use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::Root;

/// Where to look.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The root that it lies in, opened.
    pub root: Root,
    /// From where, as a canonical path from the root.
    pub start: Start,
    /// The top of the workspace around the root: what is ignored is said there, and in folders between.
    pub top: PathBuf,
    /// Folders that are left to another scope, as paths from the root.
    pub others: Vec<PathBuf>,
    /// What editors have open and may not have saved, as paths from the root.
    pub open: BTreeSet<PathBuf>,
}

/// What a search begins at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Everything in a folder that is not ignored.
    Folder(PathBuf),
    /// One file, ignored or not.
    File(PathBuf),
}

impl Scope {
    /// Open files in or below a folder, as paths from it.
    pub(super) fn open_in<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
        let from = self.open.range::<Path, _>((Bound::Excluded(folder), Bound::Unbounded));
        from.map_while(move |path| path.strip_prefix(folder).ok())
    }
}

/// What whoever searches knows of files beside what the disk says. Paths are absolute and canonical.
pub trait Access: Sync {
    /// Whether what a file holds may be told, by its names. Asked of each file before it is opened, so that what
    /// is left out does not depend on what it holds.
    fn allows(&self, path: &Path) -> bool;

    /// The same by the place itself, and that it is still there. Asked of files with matches only.
    fn confirms(&self, path: &Path) -> bool;

    /// What a file is whose text editors may not have saved.
    fn shown(&self, path: &Path) -> Shown;
}

/// The text of a file that editors have open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What is on the disk.
    Disk,
    /// What an editor shows.
    Unsaved(Arc<String>),
    /// Two editors show different texts, and neither is saved.
    Contested,
    /// What is on the disk, while an editor may show something else that is not known.
    Unknown,
}

impl Shown {
    /// Whether there is a file, though it may not be on the disk.
    pub(super) fn is_there(&self) -> bool {
        matches!(self, Self::Unsaved(_) | Self::Contested)
    }
}
