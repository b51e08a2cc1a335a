//! Links, folders and permissions that a decision restores.

use std::collections::HashSet;
use std::path::Path;

use crate::engine::{Engine, Result, SessionContext};
use editd_workspace::history::PathChange;
use editd_workspace::review::{Review, created_and_deleted, to_decide};
use editd_workspace::{Proposal, Refusal, RefusalKind, UndoRefusal};

impl Engine {
    /// Returns the links, folders and permissions that the decisions restore. The path rules are applied again. If
    /// the decisions make the whole change, the folders of its files are among them.
    pub(super) fn decided_paths(
        &self,
        context: &SessionContext,
        proposal: &Proposal,
        review: &Review,
        is_whole: bool,
    ) -> Result<Vec<PathChange>> {
        let chosen: HashSet<&Path> =
            proposal.chosen_paths(&review.choices).map(|change| change.path.as_path()).collect();
        let landed = proposal.landed.as_ref().map(|landed| &landed.transaction);
        let Some(id) = landed.or(proposal.undoes.as_ref()).filter(|_| is_whole || !chosen.is_empty()) else {
            return Ok(Vec::new());
        };
        let Some(recorded) = self.history.find(id) else {
            let unknown = UndoRefusal::Unknown { id: Some(id.to_string()) };
            return Err(Refusal::new(RefusalKind::Undo(unknown)).into());
        };
        let undone: Vec<_> = recorded.entry.paths.iter().map(PathChange::inverse).collect();
        // Only what a person has seen is restored.
        let of_files: HashSet<_> = {
            let shown = to_decide(&undone, created_and_deleted(&proposal.files));
            let shown: HashSet<_> = shown.into_iter().map(|change| change.path).collect();
            undone.iter().map(|change| change.path.clone()).filter(|path| !shown.contains(path)).collect()
        };
        let is_of_files = |change: &PathChange| of_files.contains(&change.path);
        let is_wanted =
            |change: &PathChange| chosen.contains(change.path.as_path()) || is_whole && is_of_files(change);
        let paths = self.paths_to_restore(&recorded.entry, is_wanted)?;
        self.judge_paths(context, &recorded.entry, paths.iter().cloned())?;
        Ok(paths)
    }

    /// Returns `true` if a review is about all files of a transaction. A large landed change has several reviews.
    pub(super) fn is_about_all_files(&self, proposal: &Proposal) -> bool {
        let Some(landed) = &proposal.landed else { return true };
        let recorded = self.history.find(&landed.transaction);
        recorded.is_some_and(|recorded| recorded.entry.files.len() == proposal.files.len())
    }
}
