//! The roots of runs, and the limits over all of them. Roots may lie in each other, and each has a snapshot with all that
//! is in it, so without a limit one project could be stored as often as it has folders.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::engine::Engine;
use crate::engine::runs::{NotRecordable, RunRoot};
use editd_disk::Root;
use editd_disk::snapshot::{NoSnapshot, Room, Snapshot, SnapshotLimits, name_of};

/// Number of roots whose snapshots may all be as large as the limits for one allow. Others fit if some are smaller.
const LARGE: usize = 4;

impl Engine {
    /// Returns the root with its snapshot, which is opened if it is not yet.
    pub(super) fn run_root(&self, root: &Root, top: &Path) -> Result<Arc<RunRoot>, NotRecordable> {
        let space = self.room_for_snapshots();
        let known = || self.runs.roots.lock().get(root.path()).cloned();
        let is_usable = |known: &Arc<RunRoot>| {
            // The folder may have been replaced by another one of its name.
            known.root.is_same_folder(root) || known.walk.try_lock().is_err()
        };
        if let Some(known) = known().filter(|known| !space.is_scarce() && is_usable(known)) {
            *known.used.lock() = Instant::now();
            return Ok(known);
        }
        // Reading a large snapshot takes long, so one of another root may be opened at the same time.
        let _opening = self.runs.opening.lock();
        self.free_room(&space);
        let replaced = known();
        if let Some(known) = replaced.clone().filter(is_usable) {
            return Ok(known);
        }
        let limits = &self.config.limits;
        let most = limits.snapshot_files.saturating_mul(LARGE);
        if self.forget_idle_roots(most) > most {
            return Err(NotRecordable::TooManyFiles(most));
        }
        let limits = SnapshotLimits {
            bytes: limits.snapshot_bytes,
            files: limits.snapshot_files,
            file_size: limits.snapshot_file_size,
            ignored: false,
        };
        let own = &self.places.state_dir;
        let snapshot = Snapshot::open(&self.runs.snapshots, (root, top), own, (limits, space))
            .map_err(|error| no_snapshot(root, error))?;
        let open = replaced.map(|replaced| {
            replaced.keys.lock().clear();
            std::mem::take(&mut replaced.state.lock().open)
        });
        let of = Arc::new(RunRoot::new(root, snapshot, open.unwrap_or_default()));
        self.runs.roots.lock().insert(root.path().to_owned(), of.clone());
        Ok(of)
    }

    fn room_for_snapshots(&self) -> Arc<Room> {
        let limit = self.config.limits.snapshot_bytes.saturating_mul(LARGE as u64);
        self.runs.room.get_or_init(|| Arc::new(Room::of(&self.runs.snapshots, limit))).clone()
    }

    /// Removes snapshots of roots without runs if there is little space left. The lock for opening is held.
    fn free_room(&self, room: &Room) {
        if !room.is_scarce() {
            return;
        }
        // A request that is about to begin a run holds the root.
        let mut roots = self.runs.roots.lock();
        let needed =
            roots.values().filter(|of| !is_idle(of)).map(|of| OsString::from(name_of(of.root.path())));
        let removed = room.free(&needed.collect::<HashSet<_>>());
        roots.retain(|path, _| !removed.contains(&OsString::from(name_of(path))));
    }

    /// Forgets roots without runs, as long as all known roots have more names than `most`: those first that were not
    /// used for the longest time. Their snapshots are opened again when they are needed. Returns the number of names
    /// that are left.
    fn forget_idle_roots(&self, most: usize) -> usize {
        let mut roots = self.runs.roots.lock();
        if roots.len() < LARGE {
            return 0;
        }
        let names = |of: &Arc<RunRoot>| of.state.try_lock().map_or(0, |state| state.snapshot.len());
        let mut total: usize = roots.values().map(names).sum();
        let mut idle: Vec<_> = roots.iter().filter(|(_, of)| is_idle(of)).collect();
        idle.sort_by_key(|(_, of)| *of.used.lock());
        let mut forgotten = Vec::new();
        for (path, of) in idle {
            if total <= most {
                break;
            }
            total = total.saturating_sub(names(of));
            forgotten.push(path.clone());
        }
        roots.retain(|path, _| !forgotten.contains(path));
        total
    }
}

/// Returns `true` if no run is open in a root, and nothing is about to use it. The lock of all roots is held.
fn is_idle(of: &Arc<RunRoot>) -> bool {
    Arc::strong_count(of) == 1 && of.keys.lock().is_empty()
}

pub(super) fn no_snapshot(root: &Root, error: NoSnapshot) -> NotRecordable {
    NotRecordable::NoSnapshot { root: root.path().to_owned(), error }
}
