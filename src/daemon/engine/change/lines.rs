//! Edits at lines: the version whose numbers they use, and the lines that their author must know.

use std::cell::LazyCell;
use std::sync::Arc;

use crate::engine::change::own::{read_last, with_expected_text};
use crate::engine::change::spread::UsesElsewhere;
use crate::engine::change::{ChangeKind, EditForm, RequestedChange, RequestedEdit};
use crate::engine::files::observe::Observed;
use crate::engine::{Engine, SessionContext};
use editd_edit::{EditRefusalKind, LineMap, LineRange, LineRefusal, Reshape, TextScope, snippet};
use editd_syntax::{NewPlace, SymbolOp};
use editd_text::{ContentHash, HashTag};
use editd_workspace::{
    BaseState, Coverage, FileKey, NamedVersion, Refusal, RefusalKind, SentBase, ShownLines, ShownVersion,
    Snapshot,
};

/// Number of lines around the excerpt of a refusal.
const CONTEXT: usize = 2;
/// Maximum number of lines of an excerpt that counts as shown.
const MAX_EXCERPT: usize = 40;
/// Maximum length of a line of such an excerpt, in bytes; longer ones may be cut.
const MAX_WIDTH: usize = 160;

/// The version of a file that a change refers to.
pub(crate) struct Basis {
    pub(crate) state: BaseState,
    /// The lines of that version that the author was shown.
    pub(crate) shown: ShownLines,
}

impl Basis {
    /// Returns the hash of the version.
    pub(crate) fn version(&self, file: &Observed) -> Option<ContentHash> {
        match &self.state {
            BaseState::Moved { base, .. } => Some(*base),
            BaseState::Fresh(_) => file.content.hash(),
            BaseState::Unread { .. } => None,
        }
    }
}

impl RequestedEdit {
    /// Returns the lines that the author of the edit must know.
    pub(crate) fn anchors(&self) -> Option<LineRange> {
        match &self.form {
            EditForm::Text(_) | EditForm::Reshape(_) => match self.within {
                Some(TextScope::Lines(lines)) => Some(lines),
                Some(TextScope::Symbol(_)) | None => None,
            },
            EditForm::Lines(edit) => edit.place.anchors(),
            EditForm::Take { part: TextScope::Lines(lines), .. } => Some(*lines),
            EditForm::Put { place: NewPlace::Lines(place), .. } => place.anchors(),
            EditForm::Symbol(_)
            | EditForm::Renamed(..)
            | EditForm::Uses(_)
            | EditForm::Take { .. }
            | EditForm::Put { .. }
            | EditForm::Beside { .. } => None,
        }
    }

    /// Returns `true` if the edit changes text that its author need not know: a pattern, a text in a part of the
    /// file, or lines that are reshaped. Then the author must have been shown the lines that it changes.
    pub(crate) fn needs_shown_lines(&self) -> bool {
        let is_blind = match &self.form {
            EditForm::Text(edit) => edit.kind.is_pattern(),
            EditForm::Uses(uses) => !matches!(uses, UsesElsewhere::Served(_)),
            EditForm::Reshape(_) => true,
            EditForm::Lines(_)
            | EditForm::Renamed(..)
            | EditForm::Symbol(_)
            | EditForm::Take { .. }
            | EditForm::Put { .. }
            | EditForm::Beside { .. } => false,
        };
        is_blind || self.within.is_some()
    }

    /// Returns `true` if the edit changes or moves lines that its author has not sent, and the result must be valid.
    pub(crate) fn must_be_valid(&self) -> bool {
        match &self.form {
            EditForm::Reshape(Reshape::Wrap { .. } | Reshape::Width { .. }) | EditForm::Beside { .. } => true,
            EditForm::Take { part: TextScope::Symbol(_), removes, .. } => *removes,
            _ => false,
        }
    }

    /// Returns `true` if the edit names lines or a symbol, and so can be carried over changes of others.
    pub(crate) fn is_anchored(&self) -> bool {
        !matches!(self.form, EditForm::Text(_))
    }
}

impl<F> ChangeKind<F> {
    /// Returns `true` if an edit names lines or a symbol, at least as the place of a text.
    pub(crate) fn has_anchors(&self) -> bool {
        self.edits().iter().any(|edit| edit.is_anchored() || edit.within.is_some())
    }

    /// Returns `true` if an edit renames a symbol with its uses.
    pub(crate) fn renames_symbol(&self) -> bool {
        self.edits().iter().any(|edit| match &edit.form {
            EditForm::Symbol(edit) => edit.op == SymbolOp::Rename,
            EditForm::Renamed(..) | EditForm::Uses(_) => true,
            _ => false,
        })
    }

    /// Returns `true` if all edits name lines or symbols.
    pub(crate) fn is_anchored(&self) -> bool {
        !self.edits().is_empty() && self.edits().iter().all(RequestedEdit::is_anchored)
    }
}

impl Engine {
    /// Returns the version of each file that its change refers to, or a refusal for each that is not certain.
    pub(crate) fn bases_of(
        &self,
        session: &SessionContext,
        changes: &mut [RequestedChange<Observed>],
    ) -> Result<Vec<Basis>, Vec<Refusal>> {
        let (mut sent, mut refused) = (Vec::with_capacity(changes.len()), Vec::new());
        for change in &*changes {
            match self.version_of(session, change) {
                Ok(version) => sent.push(version),
                Err(refusal) => refused.push(refusal.of_change(change.index)),
            }
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let files: Vec<_> =
            changes.iter().zip(&sent).map(|(change, (sent, _))| (change.file.version(), *sent)).collect();
        let states = self.base_states(session, &files);
        let with_text = |(change, (mut state, (sent, shown))): (&mut _, (BaseState, (_, ShownLines)))| {
            if let BaseState::Moved { base, was_given: true, text: text @ None, .. } = &mut state {
                *text = self.stored_base(*base);
            }
            let shown = match shown {
                ShownLines::All => self.shown_of(session, change, &state),
                some @ ShownLines::Some(_) => some,
            };
            self.over_own_changes(session, change, (sent, Basis { state, shown }))
        };
        Ok(changes.iter_mut().zip(states.into_iter().zip(sent)).map(with_text).collect())
    }

    /// Returns the lines of its base that the author of a change was shown, if the change needs them.
    fn shown_of(
        &self,
        session: &SessionContext,
        change: &RequestedChange<Observed>,
        state: &BaseState,
    ) -> ShownLines {
        let (hash, coverage) = match state {
            BaseState::Fresh(coverage) => (change.file.content.hash(), *coverage),
            BaseState::Moved { base, coverage, .. } => (Some(*base), *coverage),
            BaseState::Unread { .. } => return ShownLines::All,
        };
        if coverage == Coverage::Whole || !change.kind.edits().iter().any(RequestedEdit::needs_shown_lines) {
            return ShownLines::All;
        }
        let versions = self.workspace.update(|w| w.shown_versions(session.id, &change.file.target.key));
        let version = versions.iter().find(|version| Some(version.hash) == hash);
        version.map_or(ShownLines::NONE, |version| version.lines.clone())
    }

    /// Returns the version that a change names, with the lines of it that the author was shown. Without a
    /// name, line numbers are those of the version that was shown last. If the author has changed the file since
    /// it read it, they must mean the same lines in the result, or `first` must tell which version they mean.
    fn version_of(
        &self,
        session: &SessionContext,
        change: &RequestedChange<Observed>,
    ) -> Result<(Option<SentBase>, ShownLines), Refusal> {
        let target = &change.file.target;
        let anchors: Vec<_> = change.kind.edits().iter().filter_map(RequestedEdit::anchors).collect();
        let has_anchors = change.kind.has_anchors();
        if !has_anchors && !matches!(change.base, Some(NamedVersion::Tag(_))) {
            let hash =
                |base| if let NamedVersion::Hash(hash) = base { Some(SentBase::Whole(hash)) } else { None };
            return Ok((change.base.clone().and_then(hash), ShownLines::All));
        }
        let versions = self.workspace.update(|w| w.shown_versions(session.id, &target.key));
        let shown = |hash| {
            let version = versions.iter().find(|version| version.hash == hash);
            version.map_or(ShownLines::All, |version| version.lines.clone())
        };
        match &change.base {
            Some(NamedVersion::Hash(hash)) => Ok((Some(SentBase::Whole(*hash)), shown(*hash))),
            Some(NamedVersion::Tag(tag)) => {
                let found = self.workspace.update(|w| w.version_with_tag(session.id, &target.key, tag));
                let hash = found.ok_or_else(|| self.unknown_tag(session, &change.file, tag))?;
                Ok((Some(SentBase::Shown(hash)), shown(hash)))
            }
            None => {
                let Some(newest) = versions.first() else { return Ok((None, ShownLines::All)) };
                let candidates = read_last(&versions);
                match self.same_in_all((session, &target.key), candidates, &anchors) {
                    Ok(()) => Ok((Some(SentBase::Shown(newest.hash)), newest.lines.clone())),
                    Err(kind) => {
                        let fitting = with_expected_text(change, candidates, |version| self.text_of(version));
                        let is_clear = self.same_in_all((session, &target.key), &fitting, &anchors).is_ok();
                        let meant = fitting.first().filter(|_| is_clear).map(|version| version.hash);
                        let hash = meant.ok_or_else(|| Refusal::at(&target.path, kind))?;
                        Ok((Some(SentBase::Shown(hash)), shown(hash)))
                    }
                }
            }
        }
    }

    fn unknown_tag(&self, session: &SessionContext, file: &Observed, tag: &HashTag) -> Refusal {
        let target = &file.target;
        let other = self.workspace.update(|w| w.other_with_tag(session.id, &target.key, tag));
        let kind = RefusalKind::UnknownTag { tag: tag.clone(), other, current: file.content.hash() };
        Refusal::at(&target.path, kind)
    }

    /// Refuses lines that are other lines in an older version. `versions` are newest first.
    fn same_in_all(
        &self,
        (session, key): (&SessionContext, &FileKey),
        versions: &[ShownVersion],
        anchors: &[LineRange],
    ) -> Result<(), RefusalKind> {
        let [newest, older @ ..] = versions else { return Ok(()) };
        let newest_text = self.text_of(newest);
        for version in older {
            let used: Vec<_> = anchors.iter().filter(|lines| version.lines.contains(**lines)).collect();
            if used.is_empty() {
                continue;
            }
            let texts = newest_text.as_ref().zip(self.text_of(version));
            let own = texts.as_ref().and_then(|(newest, older)| {
                self.map_of_own_changes(session, key, (older.as_ref(), newest.as_ref()))
            });
            let between = LazyCell::new(|| {
                let (newest, older) = texts.as_ref()?;
                Some(LineMap::between(&older.text.to_string(), &newest.text.to_string()))
            });
            let stays = |lines: &LineRange| {
                let is_in = |map: Option<&LineMap>| map.is_some_and(|map| map.get(*lines) == Some(*lines));
                own.as_ref().is_some_and(|own| own.keeps_numbers(*lines)) || is_in(between.as_ref())
            };
            if let Some(lines) = used.into_iter().find(|lines| !stays(lines)) {
                let shows = |version: &&ShownVersion| version.lines.contains(*lines);
                let tags =
                    versions.iter().filter(shows).map(|version| HashTag::from(version.hash).to_string());
                let refusal = LineRefusal::SeveralVersions { lines: *lines, tags: tags.collect() };
                return Err(RefusalKind::Edit(EditRefusalKind::Lines(refusal)));
            }
        }
        Ok(())
    }

    fn text_of(&self, version: &ShownVersion) -> Option<Arc<Snapshot>> {
        self.workspace.update(|w| w.text(version.hash)).or_else(|| self.stored_base(version.hash))
    }

    /// Records the lines that refusals show, so that the author can send its edits again.
    pub(crate) fn record_excerpts(
        &self,
        session: &SessionContext,
        (key, version): (&FileKey, Option<ContentHash>),
        reasons: &[Refusal],
    ) {
        let Some(hash) = version else { return };
        let shown = reasons.iter().filter_map(|reason| match &reason.kind {
            RefusalKind::Edit(EditRefusalKind::Lines(LineRefusal::Unseen {
                lines, complete: true, ..
            })) => {
                let start = lines.start.saturating_sub(CONTEXT).max(1);
                Some(ShownLines::of(LineRange { start, end: lines.end.saturating_add(CONTEXT) }))
            }
            _ => None,
        });
        shown.for_each(|lines| self.workspace.update(|w| w.show_lines(session.id, key, hash, &lines)));
    }
}

/// Returns the refusal of an edit at lines that its author was not shown.
pub(crate) fn unseen(text: &str, lines: LineRange) -> LineRefusal {
    let excerpt = snippet(text, lines.start, lines.end, CONTEXT);
    let is_long = excerpt.lines().any(|line| line.len() > MAX_WIDTH);
    let complete = !is_long && lines.end - lines.start < MAX_EXCERPT;
    LineRefusal::Unseen { lines, excerpt, complete }
}

/// Returns the text of the version that a change refers to, if it is known.
pub(crate) fn given_text(file: &Observed, basis: &Basis) -> Option<String> {
    match &basis.state {
        BaseState::Fresh(_) => file.text.as_ref().map(ToString::to_string),
        BaseState::Moved { text, .. } => text.as_ref().map(|snapshot| snapshot.text.to_string()),
        BaseState::Unread { .. } => None,
    }
}
