//! Edits that are made in all files that match a glob.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::edit::{Edit, EditRefusalKind, Match};
use crate::engine::change::{ChangeKind, EditForm, EditIndex, RequestedChange, RequestedEdit};
use crate::engine::files::access::Clearance;
use crate::engine::files::observe::Observed;
use crate::search::FileGlob;
use crate::workspace::{BaseState, Coverage, Refusal, RefusalKind, RequestedPath};

/// An edit that is made in all files that match a glob.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// Place of the edit in the request.
    of: EditIndex,
    /// The edit, which replaces all places in a file.
    pub(crate) edit: Edit,
    pub(crate) glob: FileGlob,
    /// The folder of the files; `None` for all roots.
    pub(crate) folder: Option<RequestedPath>,
    /// Number of places in all files together.
    expect: Option<u32>,
    /// The files in which a search has found a part of the text.
    paths: Vec<PathBuf>,
    /// Number of files that were searched.
    searched: u64,
    /// Notice about files that were not searched.
    pub(crate) notice: Option<String>,
}

impl Spread {
    /// Creates an edit whose files are not known yet.
    pub(crate) fn new(
        (of, edit): (EditIndex, Edit),
        glob: FileGlob,
        folder: Option<RequestedPath>,
        expect: Option<u32>,
    ) -> Self {
        Self { of, edit, glob, folder, expect, paths: Vec::new(), searched: 0, notice: None }
    }

    /// Adds what a search has found, and returns the changes of the files.
    pub(crate) fn found(
        &mut self,
        paths: Vec<PathBuf>,
        searched: u64,
        notice: Option<String>,
    ) -> Vec<RequestedChange<RequestedPath>> {
        let form = EditForm::Text(self.edit.clone());
        let edit = RequestedEdit { of: Some(self.of), form, within: None };
        let change = |path: &PathBuf| RequestedChange {
            index: self.of.change,
            file: RequestedPath::of(path),
            base: None,
            implied: true,
            clearance: Clearance::default(),
            kind: ChangeKind::Edit(vec![edit.clone()], None),
        };
        let changes = paths.iter().map(change).collect();
        (self.paths, self.searched, self.notice) = (paths, searched, notice);
        changes
    }
}

/// The places of such an edit, counted over all files.
pub(crate) struct SpreadPlaces<'a> {
    spread: Option<(&'a Spread, HashSet<&'a Path>)>,
    places: usize,
    files: usize,
    unread: usize,
}

/// The part of the edit in one file.
pub(crate) struct SpreadPart {
    /// Positions of the edit among the edits of the file.
    positions: Vec<usize>,
    /// `true` if the file has no other edits.
    is_alone: bool,
    /// `true` if the author was never given the file.
    is_unread: bool,
}

impl<'a> SpreadPlaces<'a> {
    pub(crate) fn new(spread: Option<&'a Spread>) -> Self {
        let spread = spread.map(|spread| (spread, spread.paths.iter().map(AsRef::as_ref).collect()));
        Self { spread, places: 0, files: 0, unread: 0 }
    }

    /// Returns the part of the edit in a file, and the base to compare the file with: the edit may change a file that its
    /// author was never given, if it expects the right number of places.
    pub(crate) fn part_of(
        &self,
        change: &RequestedChange<Observed>,
        state: BaseState,
    ) -> (Option<SpreadPart>, BaseState) {
        let Some((spread, paths)) = &self.spread else { return (None, state) };
        let edits = change.kind.edits();
        let is_part = |edit: usize| edits[edit].of == Some(spread.of);
        let positions: Vec<usize> = (0..edits.len()).filter(|edit| is_part(*edit)).collect();
        if positions.is_empty() || !paths.contains(change.file.target.path.as_path()) {
            return (None, state);
        }
        let is_alone = positions.len() == edits.len();
        let is_unread = matches!(state, BaseState::Unread { .. }) && change.file.exists();
        let state = if is_unread { BaseState::Fresh(Coverage::Part) } else { state };
        (Some(SpreadPart { positions, is_alone, is_unread }), state)
    }

    /// Counts the places in a file.
    pub(crate) fn add(&mut self, part: Option<&SpreadPart>, matches: &[Match]) {
        let Some(part) = part else { return };
        let own = matches.iter().filter(|found| part.positions.contains(&found.edit));
        self.places += own.map(|found| found.replacements).sum::<usize>();
        self.files += 1;
        self.unread += usize::from(part.is_unread);
    }

    /// Returns `true` if the text is not in a file, in which the search has found a part of it.
    pub(crate) fn is_absent(part: Option<&SpreadPart>, reasons: &[Refusal]) -> bool {
        let is_absent = |reason: &Refusal| {
            matches!(
                reason.kind,
                RefusalKind::Edit(EditRefusalKind::NotFound { .. } | EditRefusalKind::NoMatch { .. })
            )
        };
        part.is_some_and(|part| part.is_alone) && reasons.iter().all(is_absent)
    }

    /// Refuses an edit with another number of places than it expects, and one of files that its author does not know.
    pub(crate) fn check(&self) -> Result<(), RefusalKind> {
        let Some((spread, _)) = &self.spread else { return Ok(()) };
        let (found, files, unread) = (self.places, self.files, self.unread);
        match spread.expect {
            _ if found == 0 => Err(RefusalKind::NoFileMatches { searched: spread.searched }),
            Some(expected) if expected as usize != found => {
                Err(RefusalKind::OtherTotal { expected, found, files })
            }
            None if unread > 0 => Err(RefusalKind::UnreadFiles { unread, found, files }),
            _ => Ok(()),
        }
    }
}
