//! Computes a change on the content that was just observed. This module accesses no files.

use std::sync::Arc;
use std::time::Instant;

use crate::config::SyntaxMode;
use crate::engine::change::check::{check, new_errors, path_after, version_of};
use crate::engine::change::content::{Content, encoding_change};
use crate::engine::change::draft::{Draft, DraftError, Indexes, created, draft_cells, stays_notebook};
use crate::engine::change::edits::{Rebased, Version, carry_edits, draft_edits, draft_texts};
use crate::engine::change::guard::Guard;
use crate::engine::change::left_uses::left_uses;
use crate::engine::change::lines::Basis;
use crate::engine::change::rebase::{file_diff, merged_with, rebase, stale};
use crate::engine::change::{ChangeKind, NewContent, Precondition, Removed, RequestedChange, RequestedEdit};
use crate::engine::files::observe::Observed;
use editd_edit::notebook::{CellRefusal, is_named_as_notebook};
use editd_edit::{Deadline, Display, EditRefusal, EditRefusalKind, Plan, rewrite, without_mark};
use editd_syntax::parsing::NewErrors;
use editd_text::{Encoding, Format};
use editd_workspace::{
    Action, BaseState, Coverage, FileContent, NewMode, OnStale, PlannedFile, Refusal, RefusalKind, Snapshot,
};

/// Options for matching edits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MatchOptions {
    pub(crate) fuzzy: bool,
    pub(crate) sequential: bool,
}

/// Options for computing a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComputeOptions<'a> {
    pub(crate) indexes: &'a Indexes,
    pub(crate) matching: MatchOptions,
    pub(crate) on_stale: OnStale,
    /// Handling of syntax errors that the change adds.
    pub(crate) syntax: SyntaxMode,
    /// Format in which the change is shown besides the unified diff.
    pub(crate) display: Option<Display>,
    pub(crate) deadline: Deadline,
    /// Maximum size of a file, in bytes.
    pub(crate) file_size: u64,
}

/// A computed change of one file, with its new content if it has one. `file` contains the hash of the new content and
/// its syntax errors only after [`settle`](Self::settle).
#[derive(Debug)]
pub(crate) struct ComputedChange {
    pub(crate) file: PlannedFile,
    pub(crate) content: Option<Content>,
    pub(crate) observed: Observed,
    /// The check for syntax errors, while it runs.
    pub(crate) check: Option<NewErrors>,
    /// Unified diff of the changes of others that this one was merged with.
    pub(crate) others: Option<String>,
}

impl RequestedChange<Observed> {
    /// Computes the change, or returns all reasons for which it is refused.
    pub(crate) fn compute(
        self,
        base: &Basis,
        rules: &ComputeOptions<'_>,
    ) -> Result<ComputedChange, Vec<Refusal>> {
        let (index, path) = (self.index, self.file.target.path.clone());
        let about = |kind| Refusal::at(&path, kind).of_change(index);
        let coverage = self.check_known(&base.state, rules).map_err(|kind| vec![about(kind)])?;
        match self.draft(base, rules) {
            Ok(mut draft) => {
                draft.warnings.extend(left_uses(&self.file, &draft, rules.deadline));
                self.refuse_errors(&draft.plan, rules).map_err(|kind| vec![about(kind)])?;
                let others = match &base.state {
                    BaseState::Moved { text: Some(given), .. } if draft.rebased => {
                        merged_with(given, draft.since.as_ref(), &self.file, rules.deadline)
                    }
                    _ => None,
                };
                let (action, format) = (self.action(), self.format());
                let computed = finish(self.file, action, format, draft, coverage, rules);
                let mut computed = computed.map_err(|kind| vec![about(kind)])?;
                computed.others = others;
                computed.file.runs_programs = self.clearance.runs_programs;
                if rules.syntax == SyntaxMode::Warn {
                    computed.check =
                        check(path_after(&computed.file), &computed.observed, &computed.file.plan, rules);
                }
                Ok(computed)
            }
            Err(DraftError::File(RefusalKind::Exists)) => {
                // The path that exists may be the new path of a rename.
                let taken = self.new_target().unwrap_or(&self.file.target);
                Err(vec![Refusal::at(&taken.path, RefusalKind::Exists).of_change(index)])
            }
            Err(DraftError::File(kind)) => Err(vec![about(kind)]),
            Err(DraftError::Cells(refusals)) => {
                let of_cell =
                    |r: CellRefusal| Refusal { edit: Some(r.op), ..about(RefusalKind::Cells(r.kind)) };
                Err(refusals.into_iter().map(of_cell).collect())
            }
            Err(DraftError::Symbols(refusals)) => {
                let of_edit = |(edit, refusal)| self.about_edit(edit, about(RefusalKind::Symbol(refusal)));
                Err(refusals.into_iter().map(of_edit).collect())
            }
            Err(DraftError::Edits(refusals)) => {
                // An offer for an earlier version would not be made as it is shown, and a notebook has better ways.
                let has_no_offers =
                    matches!(base.state, BaseState::Moved { .. }) || is_named_as_notebook(&path);
                let of_edit = |mut r: EditRefusal| {
                    if has_no_offers {
                        r.kind.withdraw_offer();
                    }
                    self.about_edit(r.edit, about(RefusalKind::Edit(r.kind)))
                };
                Err(refusals.into_iter().map(of_edit).collect())
            }
        }
    }

    /// Refuses the change if it adds syntax errors and the configuration says so, or if its author has not
    /// written the result: it wraps lines, or changes the indentation of all.
    fn refuse_errors(&self, plan: &Plan, rules: &ComputeOptions<'_>) -> Result<(), RefusalKind> {
        let is_refused = match rules.syntax {
            SyntaxMode::Off => false,
            SyntaxMode::Refuse => true,
            SyntaxMode::Warn => self.kind.edits().iter().any(RequestedEdit::must_be_valid),
        };
        if !is_refused {
            return Ok(());
        }
        let path = self.new_target().map_or(&self.file.target.path, |to| &to.path);
        let errors = new_errors(path, &self.file, plan, rules);
        if errors.is_empty() { Ok(()) } else { Err(RefusalKind::NewErrors(errors)) }
    }

    /// Completes a refusal of the edit at a position with the index of the edit in the request.
    fn about_edit(&self, position: usize, refusal: Refusal) -> Refusal {
        match self.kind.edits().get(position).and_then(|edit| edit.of) {
            Some(of) => Refusal { edit: Some(of.edit), ..refusal.of_change(of.change) },
            None => Refusal { edit: Some(position), ..refusal },
        }
    }

    fn draft(&self, base: &Basis, rules: &ComputeOptions<'_>) -> Result<Draft, DraftError> {
        match (&self.kind, &self.file.content) {
            (ChangeKind::Write(new), FileContent::Missing) => {
                self.check_content("", new, rules)?;
                Ok(created(&new.text))
            }
            (ChangeKind::Rename { to, .. }, _) if to.exists() => Err(DraftError::File(RefusalKind::Exists)),
            (ChangeKind::Delete(removed), _) => {
                removed.as_ref().map_or(Ok(()), |removed| self.check_removed(removed, rules))?;
                Ok(Draft::default())
            }
            (ChangeKind::Rename { edits, .. }, FileContent::Opaque(_)) if edits.is_empty() => {
                Ok(Draft::default())
            }
            _ => {
                let (snapshot, text) = self.file.content()?;
                if let ChangeKind::Write(NewContent {
                    precondition: Precondition::Empty { line, .. }, ..
                }) = self.kind
                    && !text.is_empty()
                {
                    let Some(line) = line else {
                        let kind = EditRefusalKind::EmptyOldText;
                        return Err(DraftError::Edits(vec![EditRefusal { edit: 0, kind }]));
                    };
                    let expected = "lines of context or removed lines next to the added lines, to show where they go in a file that is not empty";
                    return Err(RefusalKind::BadPatch { line, expected: expected.to_owned() }.into());
                }
                match &base.state {
                    BaseState::Moved { text: Some(given), .. } => {
                        let version =
                            Version { hash: given.hash, text: &given.text.to_string(), shown: &base.shown };
                        self.draft_rebased(version, text, given, rules)
                    }
                    _ => self.draft_on(Version { hash: snapshot.hash, text, shown: &base.shown }, rules),
                }
            }
        }
    }

    /// Drafts the change for an earlier version of the file, and rebases it onto the current text.
    fn draft_rebased(
        &self,
        version: Version<'_>,
        now: &str,
        given: &Snapshot,
        rules: &ComputeOptions<'_>,
    ) -> Result<Draft, DraftError> {
        let path = &self.file.target.path;
        if self.kind.is_anchored() {
            if let Some(draft) = carry_edits((path, version), self.kind.edits(), now, rules)? {
                return Ok(stays_notebook(path, now, &draft.plan).map(|()| draft)?);
            }
            // A merge by lines would also make an insertion beside a line that others have changed.
            if rules.on_stale == OnStale::Rebase && !self.kind.renames_symbol() {
                return Err(stale(Some(given), &self.file, rules.deadline).into());
            }
        }
        let mut draft = self.draft_on(version, rules)?;
        let wanted = Arc::new(draft.plan.clone());
        draft.original_plan = Some((version.hash, wanted.clone()));
        let draft = rebase(path, (version.text, now), draft, rules)?;
        let rebased = Rebased { path, given: version.text, plan: &wanted, now, current: &draft.plan };
        // With marks, the text of the others is left beside each conflict.
        if rules.on_stale != OnStale::Mark && !rebased.replaces_all(self.kind.edits(), rules) {
            return Err(stale(Some(given), &self.file, rules.deadline).into());
        }
        Ok(draft)
    }

    /// Checks that a patch that deletes a file removes all of its text.
    fn check_removed(&self, removed: &Removed, rules: &ComputeOptions<'_>) -> Result<(), DraftError> {
        let (snapshot, text) = self.file.content()?;
        let path = &self.file.target.path;
        let draft = draft_texts(path, (snapshot.hash, text), &removed.edits, rules)?;
        if draft.plan.apply(text).is_empty() {
            return Ok(());
        }
        let expected = "all lines of the deleted file, or none of them".to_owned();
        Err(RefusalKind::BadPatch { line: removed.line, expected }.into())
    }

    fn draft_on(&self, version: Version<'_>, rules: &ComputeOptions<'_>) -> Result<Draft, DraftError> {
        let text = version.text;
        let path = &self.file.target.path;
        let checked = |draft: Draft| stays_notebook(path, text, &draft.plan).map(|()| draft);
        let edited = |edits: &[RequestedEdit]| Ok(checked(draft_edits(path, version, edits, rules)?)?);
        match &self.kind {
            ChangeKind::Edit(edits, named) => {
                self.check_encoding(*named)?;
                edited(edits)
            }
            ChangeKind::Rename { edits, .. } if !edits.is_empty() => edited(edits),
            ChangeKind::Write(new @ NewContent { text: content, literal, .. }) => {
                self.check_content(text, new, rules)?;
                let timed_out = |_| RefusalKind::Timeout { what: "Comparing the content with the file" };
                let content = if *literal { content } else { without_mark(text, content) };
                let plan = rewrite(text, content, *literal, rules.deadline).map_err(timed_out)?;
                let draft = Draft { plan, ..Draft::default() };
                if *literal { Ok(draft) } else { Ok(checked(draft)?) }
            }
            ChangeKind::Cells(ops) => {
                Guard::new(path, rules).check_cells(text, ops, rules.deadline)?;
                draft_cells(text, ops, rules.deadline)
            }
            ChangeKind::Delete(_) | ChangeKind::Rename { .. } => {
                Ok(Draft { plan: Plan::empty(text.len()), ..Draft::default() })
            }
        }
    }

    /// Refuses whole content with a placeholder, unless it is literal.
    fn check_content(
        &self,
        before: &str,
        new: &NewContent,
        rules: &ComputeOptions<'_>,
    ) -> Result<(), RefusalKind> {
        let guard = Guard::new(&self.file.target.path, rules);
        if new.literal { Ok(()) } else { guard.check(before, &new.text).map_err(RefusalKind::Edit) }
    }

    /// Returns the action on the file.
    fn action(&self) -> Action {
        match &self.kind {
            ChangeKind::Delete(_) => Action::Delete,
            ChangeKind::Rename { to, .. } => {
                Action::Rename { to: to.target.path.clone(), to_key: to.target.key.clone() }
            }
            ChangeKind::Write(new) if self.file.content.snapshot().is_none() => {
                Action::Create { mode: new.mode.unwrap_or_default() }
            }
            _ if self.file.content.snapshot().is_none() => Action::CREATE,
            _ => Action::Edit,
        }
    }

    /// Returns the format of the result: that of the file, unless the change names an encoding.
    fn format(&self) -> Format {
        let was = self.file.content.snapshot().map_or(Format::UTF8, |snapshot| snapshot.format);
        match &self.kind {
            ChangeKind::Write(NewContent { encoding: Some(encoding), .. }) => {
                Format { encoding: *encoding, bom: was.bom && was.encoding == *encoding, guessed: false }
            }
            // The author has confirmed the encoding, so it is no longer a guess.
            ChangeKind::Edit(_, Some(_)) => Format { guessed: false, ..was },
            _ => was,
        }
    }

    /// Refuses a mode other than that of an existing file.
    pub(super) fn check_mode(&self, wanted: Option<NewMode>) -> Result<(), RefusalKind> {
        let is_executable = self.file.stat.is_some_and(|stat| stat.mode & 0o111 != 0);
        let differs = wanted.is_some_and(|wanted| wanted.is_executable() != is_executable);
        if self.file.exists() && differs { Err(RefusalKind::OtherMode { is_executable }) } else { Ok(()) }
    }

    /// Refuses an encoding that is not the one in which the file was read.
    fn check_encoding(&self, named: Option<Encoding>) -> Result<(), RefusalKind> {
        let read = self.file.content.snapshot().map(|snapshot| snapshot.format.encoding);
        match (named, read) {
            (Some(named), Some(read)) if named != read => {
                let detail = format!("it was read as {}, not as {}", read.name(), named.name());
                Err(RefusalKind::Encoding { detail })
            }
            _ => Ok(()),
        }
    }
}

/// Builds the computed change from a draft: applies its plan and renders the diff.
pub(crate) fn finish(
    observed: Observed,
    action: Action,
    format: Format,
    draft: Draft,
    coverage: Coverage,
    rules: &ComputeOptions<'_>,
) -> Result<ComputedChange, RefusalKind> {
    let reencoded = observed.content.snapshot().is_some_and(|before| before.format != format);
    if action == Action::Edit && draft.plan.is_empty() && !reencoded {
        return Err(RefusalKind::NoChange);
    }
    let content = match (&action, &observed.content) {
        (Action::Delete, _) | (Action::Rename { .. }, FileContent::Opaque(_)) => None,
        _ => Some(Content::of_plan(&observed, &draft.plan, format, rules.file_size)?.hash_in_background()),
    };
    Ok(with_content(observed, action, (format, content), draft, coverage, rules))
}

/// Like [`finish`], for new content that is already computed.
pub(crate) fn with_content(
    observed: Observed,
    action: Action,
    (format, content): (Format, Option<Content>),
    draft: Draft,
    coverage: Coverage,
    rules: &ComputeOptions<'_>,
) -> ComputedChange {
    let text = observed.text.as_ref().map_or("", |text| text);
    let hash_after = match &action {
        Action::Delete => None,
        _ if content.is_some() => None,
        _ => observed.content.hash(),
    };
    let (diff, shown) = file_diff(&observed, &action, text, &draft.plan, rules);
    let mut warnings = draft.warnings;
    warnings.extend(encoding_change(&observed, &action, format));
    let file = PlannedFile {
        key: observed.target.key.clone(),
        path: observed.target.path.clone(),
        action,
        hash_before: observed.content.hash(),
        before: observed.content.snapshot().cloned(),
        plan: Arc::new(draft.plan),
        hash_after,
        format,
        diff: Arc::new(diff),
        shown,
        matches: draft.matches,
        warnings,
        syntax: Vec::new(),
        // The caller sets it from the clearance of the file.
        runs_programs: false,
        rebased: draft.rebased,
        original_plan: draft.original_plan,
        coverage,
    };
    ComputedChange { file, content, observed, check: None, others: None }
}

impl ComputedChange {
    /// Computes the new content from the plan of a proposal. The file must still have the content that the
    /// plan is for.
    pub(crate) fn of_planned(
        file: &PlannedFile,
        observed: Observed,
        rules: &ComputeOptions<'_>,
    ) -> Result<Self, Refusal> {
        let writes_nothing =
            file.action == Action::Delete || matches!(observed.content, FileContent::Opaque(_));
        let content = (!writes_nothing)
            .then(|| Content::of_plan(&observed, &file.plan, file.format, rules.file_size))
            .transpose()
            .map_err(|kind| Refusal::at(&file.path, kind))?
            .map(|content| content.with_hash(file.hash_after));
        Ok(Self { file: file.clone(), content, observed, check: None, others: None })
    }

    /// Returns the planned file, settled.
    pub(crate) fn into_file(mut self) -> PlannedFile {
        self.settle();
        self.file
    }

    /// Completes `file` with the results of what runs on other threads and in other processes. May wait for them.
    pub(crate) fn settle(&mut self) {
        self.settle_until(None);
    }

    /// Completes `file` like [`settle`](Self::settle), without the check for syntax errors if it has not begun until
    /// then. Returns `false` if it is left out.
    pub(crate) fn settle_until(&mut self, until: Option<Instant>) -> bool {
        let is_late = until.is_some_and(|until| Instant::now() >= until);
        let is_left_out = is_late && self.check.take().is_some();
        if let Some(content) = &self.content {
            self.file.hash_after = Some(content.hash());
        }
        if let Some(check) = self.check.take()
            && let Some(version) = version_of(path_after(&self.file), &self.observed)
        {
            self.file.syntax = check.finish(&version, &self.file.plan).unwrap_or_default();
        }
        !is_left_out
    }
}
