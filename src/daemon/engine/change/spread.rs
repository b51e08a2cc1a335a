//! Edits that are made in all files that match a glob.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::engine::change::{ChangeKind, EditForm, EditIndex, RequestedChange, RequestedEdit};
use crate::engine::editors::{ServedFiles, ServedUses};
use crate::engine::files::access::Clearance;
use crate::engine::files::observe::Observed;
use editd_disk::search::{FileGlob, FileMatches};
use editd_edit::{Edit, EditRefusalKind, Match};
use editd_syntax::{Language, RenameRefusal, Renamed, is_family};
use editd_workspace::{BaseState, Coverage, Refusal, RefusalKind, RequestedPath};

/// An edit that is made in all files that match a glob.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// Place of the edit in the request.
    of: EditIndex,
    pub(crate) what: Everywhere,
    /// `None` if the files are known already.
    pub(crate) glob: Option<FileGlob>,
    /// Number of places in all files together.
    expect: Option<u32>,
    /// The files in which a search has found a part of the text.
    paths: Vec<PathBuf>,
    /// Lines with the name in which it is not renamed, besides those that the changes of files report.
    left: Vec<(PathBuf, Vec<u64>)>,
    /// Number of files that were searched.
    searched: u64,
    /// Notice about files that were not searched.
    pub(crate) notice: Option<String>,
}

/// The part of an edit that is made in all files.
#[derive(Clone, Debug)]
pub(crate) enum Everywhere {
    /// All places of a text are replaced.
    Text {
        edit: Edit,
        /// The folder of the files; `None` for all roots.
        folder: Option<RequestedPath>,
    },
    /// The uses of a symbol of one file are renamed. That file has an edit of its own for the symbol.
    Uses {
        name: String,
        /// The language of the file with the symbol, if its name tells it.
        language: Option<Language>,
    },
    /// A language server has renamed a symbol.
    Served,
}

/// The uses of a symbol of another file.
#[derive(Clone, Debug)]
pub(crate) enum UsesElsewhere {
    /// They are still to be found.
    Wanted,
    Found(Renamed),
    Refused(RenameRefusal),
    /// A language server has found them.
    Served(ServedUses),
}

impl Spread {
    /// Creates an edit whose files are not known yet.
    pub(crate) fn new((of, what): (EditIndex, Everywhere), glob: FileGlob, expect: Option<u32>) -> Self {
        let glob = Some(glob);
        Self { of, what, glob, expect, paths: Vec::new(), left: Vec::new(), searched: 0, notice: None }
    }

    /// The folder in which files are searched; `None` for all roots.
    pub(crate) fn folder(&self) -> Option<&RequestedPath> {
        match &self.what {
            Everywhere::Text { folder, .. } => folder.as_ref(),
            Everywhere::Uses { .. } | Everywhere::Served => None,
        }
    }

    /// Creates the rename that a language server has made, with the changes of the files that do not declare the symbol.
    pub(crate) fn served(
        of: EditIndex,
        (files, left): (ServedFiles, Vec<(PathBuf, Vec<u64>)>),
        expect: Option<u32>,
    ) -> (Self, Vec<RequestedChange<RequestedPath>>) {
        let changes = files.into_iter().map(|(path, uses)| {
            let form = EditForm::Uses(UsesElsewhere::Served(uses));
            of_file(&path, of.change, RequestedEdit { of: Some(of), form, within: None })
        });
        let changes: Vec<_> = changes.collect();
        let paths = changes.iter().map(|change| change.file.as_path().to_owned()).collect();
        let spread =
            Self { of, what: Everywhere::Served, glob: None, expect, paths, left, searched: 0, notice: None };
        (spread, changes)
    }

    /// Returns `true` if the files are known already.
    pub(crate) fn is_served(&self) -> bool {
        matches!(self.what, Everywhere::Served)
    }

    pub(crate) fn expected(&self) -> Option<u32> {
        self.expect
    }

    /// Lines of files of other languages with a name that is renamed, or that a language server has left.
    pub(crate) fn left(&self) -> &[(PathBuf, Vec<u64>)] {
        &self.left
    }

    /// Returns `true` for the edit that renames the symbol in the file that declares it.
    pub(crate) fn renames_by(&self, edit: &RequestedEdit) -> bool {
        edit.of == Some(self.of) && matches!(edit.form, EditForm::Symbol(_) | EditForm::Renamed(..))
    }

    /// Adds what a search has found, and returns the changes of the files.
    pub(crate) fn found(
        &mut self,
        files: Vec<FileMatches>,
        searched: u64,
        notice: Option<String>,
    ) -> Vec<RequestedChange<RequestedPath>> {
        let (form, files) = match &self.what {
            Everywhere::Text { edit, .. } => (EditForm::Text(edit.clone()), files),
            Everywhere::Served => return Vec::new(),
            Everywhere::Uses { language, .. } => {
                // Files of other languages need not be changeable to be listed.
                let is_changed = |file: &FileMatches| {
                    let own = Language::of_path(&file.path);
                    language.zip(own).is_none_or(|(language, own)| is_family(own, language))
                };
                let (changed, others) = files.into_iter().partition(is_changed);
                let others: Vec<FileMatches> = others;
                let lines =
                    |file: FileMatches| (file.path, file.lines.iter().map(|line| line.number).collect());
                self.left = others.into_iter().map(lines).collect();
                (EditForm::Uses(UsesElsewhere::Wanted), changed)
            }
        };
        let paths: Vec<PathBuf> = files.into_iter().map(|file| file.path).collect();
        let edit = RequestedEdit { of: Some(self.of), form, within: None };
        let changes = paths.iter().map(|path| of_file(path, self.of.change, edit.clone())).collect();
        (self.paths, self.searched, self.notice) = (paths, searched, notice);
        changes
    }
}

/// Returns the change of a file that the request names in no other way.
fn of_file(path: &Path, index: usize, edit: RequestedEdit) -> RequestedChange<RequestedPath> {
    RequestedChange {
        index,
        file: RequestedPath::of(path),
        base: None,
        implied: true,
        clearance: Clearance::default(),
        kind: ChangeKind::Edit(vec![edit], None),
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
        let is_home = edits.iter().any(|edit| spread.renames_by(edit));
        if positions.is_empty() || !is_home && !paths.contains(change.file.target.path.as_path()) {
            return (None, state);
        }
        let is_alone = positions.len() == edits.len();
        // The author must know the declaration of what it renames.
        let is_unread = matches!(state, BaseState::Unread { .. }) && change.file.exists() && !is_home;
        let state = if is_unread { BaseState::Fresh(Coverage::Part) } else { state };
        (Some(SpreadPart { positions, is_alone, is_unread }), state)
    }

    /// Returns `true` if the edit may change lines of a file that its author was not shown, because it expects the right
    /// number of places: who has seen a part of a file need not know more of it than who has seen nothing.
    pub(crate) fn knows_lines(&self, part: Option<&SpreadPart>) -> bool {
        let expects = self.spread.as_ref().is_some_and(|(spread, _)| spread.expect.is_some());
        expects && part.is_some_and(|part| part.is_alone)
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
            None if unread > 0 && !spread.is_served() => {
                Err(RefusalKind::UnreadFiles { unread, found, files })
            }
            _ => Ok(()),
        }
    }
}
