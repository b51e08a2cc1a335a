//! Marks: walks whose differences are recorded for the runs that were open.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::runs::RunRoot;
use editd_disk::MTime;
use editd_disk::snapshot::{Difference, NoSnapshot, WalkControl};

/// The one who has made the differences of a mark.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner<'a> {
    /// The open runs, of which this one ends.
    Runs(Option<&'a str>),
    /// The open runs, as far as the changes are older than this time, at which an earlier daemon was still alive. The
    /// commands may have ended since, so all other changes have no known author.
    Killed(&'a str, Option<MTime>),
    /// Not known. The changes are recorded after this run was interrupted.
    Unknown(&'a str),
}

impl Engine {
    /// Walks the root and records what has changed. The walk lock of the root is held, and its state is not: other
    /// requests write in the meantime.
    pub(super) fn mark(
        &self,
        of: &Arc<RunRoot>,
        owner: Owner<'_>,
        (limit, control): (Option<Duration>, &WalkControl),
    ) -> Result<(), NoSnapshot> {
        let walk = {
            let state = of.state.lock();
            of.in_flight.begin_walk();
            state.snapshot.walk()
        };
        let walked = walk.run(&*self.disk, limit, control);
        let mut state = of.state.lock();
        let skipped = of.in_flight.end_walk();
        let was_known = state.snapshot.is_known();
        let mut walked = walked?;
        walked
            .leave_out_strays(&*self.disk, &of.root, |folder| self.is_staging(&of.root.path().join(folder)));
        let differences = state.snapshot.enter(walked, &skipped)?;
        if !was_known || state.open.is_empty() {
            return Ok(());
        }
        let Owner::Killed(run, alive) = owner else {
            self.record_run(of, &mut state, differences, owner);
            return Ok(());
        };
        let is_older =
            |difference: &Difference| alive.is_some_and(|alive| self.is_older(of, &difference.path, &alive));
        let (older, newer) = differences.into_iter().partition(is_older);
        self.record_run(of, &mut state, older, Owner::Runs(Some(run)));
        self.record_run(of, &mut state, newer, Owner::Unknown(run));
        Ok(())
    }

    /// Returns `true` if the last change at a path is certainly older than a time. That of a missing name is the last
    /// one in its folder.
    fn is_older(&self, of: &RunRoot, path: &Path, time: &MTime) -> bool {
        let state = |path: &Path| self.disk.peek(&of.root, path).ok().flatten();
        let changed = path.ancestors().find_map(state).map(|stat| stat.ctime);
        changed.is_some_and(|changed| (changed.seconds, changed.nanos) < (time.seconds, time.nanos))
    }
}
