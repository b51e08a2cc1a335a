//! Runs that were open when an earlier daemon was killed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::SystemTime;

use tokio::sync::OwnedMutexGuard;

use crate::engine::runs::mark::Owner;
use crate::engine::runs::open::{OpenRun, RunFile};
use crate::engine::runs::{NotRecordable, RunRoot, alive};
use crate::engine::{Engine, SessionRoot};
use editd_disk::snapshot::{WalkControl, remove_unused};

/// Maximum number of roots whose runs are ended at the same time.
const AT_A_TIME: usize = 8;

/// A root with runs that have to end. Its walk lock is held, so that no other run begins there before.
struct Left {
    of: Arc<RunRoot>,
    ids: Vec<String>,
    turn: OwnedMutexGuard<()>,
}

impl Engine {
    /// Ends the runs that were open when an earlier daemon was killed. Runs begin and end only after this has found
    /// them.
    pub(crate) fn recover_runs(&self) {
        let found = scopeguard::guard(self.runs.recovered.clone(), |found| found.cancel());
        let since = self.history.oldest().unwrap_or(SystemTime::UNIX_EPOCH);
        if let Err(error) = remove_unused(&self.runs.snapshots, since) {
            tracing::warn!(%error, "unused snapshots cannot be removed");
        }
        let alive = alive::take(&self.runs.files);
        let mut left: Vec<Left> = Vec::new();
        for RunFile { run, root } in OpenRun::stored(&self.runs.files) {
            run.remove(&self.runs.files);
            if let Err(error) = self.leave(run, &root, &mut left) {
                tracing::warn!(%error, root = %root.display(), "an interrupted run cannot be recorded");
            }
        }
        drop(found);
        let mut left = left.into_iter();
        while left.len() > 0 {
            thread::scope(|scope| {
                for Left { of, ids, turn } in left.by_ref().take(AT_A_TIME) {
                    scope.spawn(move || {
                        let owner = Owner::Killed(&ids[0], alive);
                        let result = self.mark(&of, owner, (None, &WalkControl::default()));
                        self.forget_runs(&of, &ids, result.err().as_ref());
                        drop(turn);
                    });
                }
            });
        }
    }

    /// Opens the root of a run, and adds the run to those that have to end there.
    fn leave(&self, run: OpenRun, root: &Path, left: &mut Vec<Left>) -> Result<(), NotRecordable> {
        let no_root = |error: editd_disk::DiskError| NotRecordable::NoSnapshot {
            root: PathBuf::from(root),
            error: error.into(),
        };
        let opened = self.disk.open_root(root).map_err(no_root)?;
        let top = SessionRoot::of(&*self.disk, opened.clone(), None).surroundings.top;
        let of = self.run_root(&opened, &top)?;
        let id = run.id.clone();
        self.runs.open.fetch_add(1, Ordering::AcqRel);
        of.keys.lock().push(run.key());
        of.state.lock().open.push(run);
        if let Some(left) = left.iter_mut().find(|left| Arc::ptr_eq(&left.of, &of)) {
            left.ids.push(id);
        } else {
            // No other task knows the root yet.
            let turn = of.walk.clone().blocking_lock_owned();
            left.push(Left { of, ids: vec![id], turn });
        }
        Ok(())
    }
}
