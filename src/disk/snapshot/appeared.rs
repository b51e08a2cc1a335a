//! Names that were there before they were recorded: ignore rules, a mount or another folder have hidden them. What a
//! command has not created must not be deleted when the command is undone.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::{Disk, MTime, Root, Scanned};

use super::tree::{Difference, Node, Tree};

/// Tells whether a name that is not recorded was there at the last walk.
pub(super) struct Appeared<'a> {
    before: &'a Tree,
    /// The time at which the last walk has begun; `None` if it is not known.
    walked: Option<MTime>,
    /// The inode numbers of the names that can be restored. Found when first needed.
    recorded: OnceLock<HashSet<u64>>,
}

impl<'a> Appeared<'a> {
    pub(super) fn new(before: &'a Tree, walked: Option<MTime>) -> Self {
        Self { before, walked, recorded: OnceLock::new() }
    }

    /// Returns `true` if the file is older than the last walk. Where the file system does not know when a file was
    /// created, the time of its last change counts.
    pub(super) fn is_old(&self, Scanned { stat, born, .. }: &Scanned) -> bool {
        self.walked.is_some_and(|walked| born.unwrap_or(stat.mtime).is_before(&walked))
    }

    /// Returns `true` if the file is recorded under some name, so that an undo restores it there.
    pub(super) fn is_recorded(&self, ino: u64) -> bool {
        let recorded = || self.before.nodes().filter_map(|(_, node)| node.restorable()).collect();
        self.recorded.get_or_init(recorded).contains(&ino)
    }

    /// Returns `true` if the file at a path was there at the last walk, and is not recorded under another name.
    pub(super) fn is_at(&self, disk: &dyn Disk, root: &Root, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let listed = disk.scan(root, folder).unwrap_or_default();
        let at = listed.iter().find(|scanned| scanned.name == name);
        let is_elsewhere = |ino: u64| {
            self.before.nodes().any(|(other, node)| other != path && node.restorable() == Some(ino))
        };
        at.is_some_and(|it| self.is_old(it) && !is_elsewhere(it.stat.ino))
    }
}

/// Marks the names that have appeared: their state before is hidden. Of a folder that has appeared, only the folder
/// remains in the list.
pub(super) fn mark(differences: &mut Vec<Difference>, appeared: &HashSet<PathBuf>) {
    if appeared.is_empty() {
        return;
    }
    let is_below = |path: &Path| path.parent().is_some_and(|folder| appeared.contains(folder));
    differences.retain_mut(|Difference { path, before, .. }| {
        if !appeared.contains(path) {
            return true;
        }
        *before = Some(Node::Hidden);
        !is_below(path)
    });
}
