//! Walks over a root, which need no access to its snapshot until they are done.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::{Disk, MTime, Root};

use super::appeared::Appeared;
use super::contents::Contents;
use super::scan::{Scan, Scanning};
use super::tree::Tree;
use super::{NoSnapshot, SnapshotLimits};

/// The progress of a walk, and the wish to end it. Shared between the thread that walks and the one that waits.
#[derive(Debug, Default)]
pub struct WalkControl {
    pub(super) names: AtomicUsize,
    pub(super) bytes: AtomicU64,
    cancelled: AtomicBool,
}

impl WalkControl {
    /// Returns the number of files, links and folders so far, and the size of the files that were read, in bytes.
    pub fn progress(&self) -> (usize, u64) {
        (self.names.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    /// Makes the walk fail with [`NoSnapshot::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the walk was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// A walk that has not begun.
#[derive(Debug)]
pub struct Walk {
    pub(super) root: Root,
    pub(super) top: PathBuf,
    pub(super) tree: Tree,
    pub(super) contents: Arc<Contents>,
    pub(super) limits: SnapshotLimits,
    /// The state folder of editd.
    pub(super) own: PathBuf,
    pub(super) is_first: bool,
    /// The time at which the last walk has begun.
    pub(super) last: Option<MTime>,
}

/// The result of a walk.
#[derive(Debug)]
pub struct Walked {
    pub(super) found: Scanning,
    /// The time at which the walk has begun.
    pub(super) began: MTime,
}

impl Walked {
    /// Leaves out the files of editd that exist only while it writes. `is_written` says whether it writes in a folder,
    /// by its path from the root. Of other files with such names, only those that are gone are left out.
    pub fn leave_out_strays(&mut self, disk: &dyn Disk, root: &Root, is_written: impl Fn(&Path) -> bool) {
        for path in std::mem::take(&mut self.found.strays) {
            // A write that has ended after the question has removed its file.
            let is_of_editd = path.parent().is_some_and(&is_written);
            if is_of_editd || disk.peek(root, &path).is_ok_and(|found| found.is_none()) {
                self.found.tree.remove(&path);
            }
        }
    }
}

impl Walk {
    /// Walks the root. With a limit, it fails when it takes longer.
    pub fn run(
        self,
        disk: &dyn Disk,
        limit: Option<Duration>,
        control: &WalkControl,
    ) -> Result<Walked, NoSnapshot> {
        let Self { root, top, tree, contents, limits, own, is_first, last } = &self;
        // Files that are created during the walk are younger.
        let began = crate::time::file_clock();
        let scan = Scan {
            disk,
            root,
            top,
            before: tree,
            contents,
            limits,
            own,
            until: limit.map(|limit| (Instant::now() + limit, limit)),
            control,
            is_first: *is_first,
            appeared: Appeared::new(tree, *last),
            hidden: AtomicUsize::new(0),
        };
        Ok(Walked { found: scan.run()?, began })
    }
}
