//! The path rules for links, folders and permissions that an undo restores.

use std::path::Path;

use crate::engine::files::access::Clearance;
use crate::engine::files::resolve::{Purpose, linked};
use crate::engine::{Engine, Result, SessionContext, collect_all};
use editd_disk::real_path;
use editd_workspace::history::{PastEntry, PathChange, PathState};
use editd_workspace::{Refusal, RefusalKind, RequestedPath};

impl Engine {
    /// Applies the path rules to changes of links, folders and permissions that undo a transaction, as to changes of
    /// files at these paths.
    pub(crate) fn judge_paths(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        changes: impl Iterator<Item = PathChange>,
    ) -> Result<Vec<Clearance>> {
        collect_all(changes.map(|change| self.judge_path(session, entry, &change)))
    }

    fn judge_path(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        PathChange { path, before, after }: &PathChange,
    ) -> Result<Clearance, Refusal> {
        let purpose = match (before, after) {
            (_, PathState::Missing) => Purpose::Delete,
            (PathState::Missing, _) => Purpose::Write,
            _ => Purpose::Edit,
        };
        let first = self.first_in_the_way(entry, path)?;
        let found = match (first, after) {
            // Other names of a file have the same permissions.
            (None, PathState::File(_)) => {
                let found = self.find(session, &RequestedPath::of(path), purpose)?;
                if found.target.path != *path {
                    return Err(linked(path, &found.target));
                }
                found
            }
            (first, _) => self.find_in_place_of(session, first.unwrap_or(path), path, purpose)?,
        };
        let clearance = self.judge(session, &found, purpose)?;
        let PathState::Link(to) = after else { return Ok(clearance) };
        let of_target = self.judge_link_target(session, entry, (path, to))?;
        Ok(clearance.and(of_target.unwrap_or_default()))
    }

    /// Applies the path rules to the file or folder that a restored link leads to, if that is in a root: who follows
    /// the link changes it.
    fn judge_link_target(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        (link, to): (&Path, &Path),
    ) -> Result<Option<Clearance>, Refusal> {
        let target = real_path(&link.parent().unwrap_or(link).join(to));
        let root = self.root_of(session, &target, Purpose::Edit);
        // Each path below a root is judged by itself.
        if root.is_none_or(|(_, relative)| relative.as_os_str().is_empty()) {
            return Ok(None);
        }
        let first = self.first_in_the_way(entry, &target)?.unwrap_or(&target);
        match self.find_in_place_of(session, first, &target, Purpose::Edit) {
            Ok(found) => self.judge(session, &found, Purpose::Edit).map(Some),
            // Nothing can be there: the path leads through a file.
            Err(Refusal { kind: RefusalKind::NotAFile { .. }, .. }) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}
