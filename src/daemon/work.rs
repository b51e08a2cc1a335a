//! Working a change out to the byte, on what was just observed. Nothing here touches a file.

mod trouble;
mod want;

use std::sync::Arc;

use crate::edit::{self, Deadline, Display, Edit, Plan};
use crate::notebook::CellRefusal;
use crate::text::{ContentHash, Encoding, Format, count_lines, line_start};
use crate::workspace::rules::Tag;
use crate::workspace::{
    Action, BaseState, Coverage, Known, NewMode, OnStale, PlannedFile, Refusal, RefusalKind, Truth,
};

use super::content::Content;
use super::difference::{file_diff, stale};
use super::draft::{Drafted, created, drafted_cells, drafted_edits, refuse_placeholder, stays_notebook};
use super::indexes::Indexes;
use super::observe::Observed;
use super::rebase::rebase;

pub(crate) use trouble::Trouble;
pub(crate) use want::{NewContent, Removed, Want, When};

/// Lines around the wanted text in the refusal `unread`.
const EXCERPT_CONTEXT: usize = 3;

/// One file of a request, looked at.
#[derive(Debug)]
pub(crate) struct WantedFile {
    /// Index of the change in the request.
    pub(crate) index: usize,
    pub(crate) want: Want,
    /// The base that came with the change.
    pub(crate) sent: Option<ContentHash>,
    pub(crate) tags: Vec<Tag>,
    pub(crate) observed: Observed,
}

/// How places are found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    pub(crate) fuzzy: bool,
    pub(crate) sequential: bool,
}

/// How to work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) indexes: &'a Indexes,
    pub(crate) manner: Manner,
    pub(crate) on_stale: OnStale,
    /// The form in which changes are shown besides the unified diff.
    pub(crate) display: Option<Display>,
    pub(crate) deadline: Deadline,
    pub(crate) file_size: u64,
}

/// A file's change, worked out, and its new content if it has one. The hash of that is in `file` only once it
/// is [settled](Worked::settle).
#[derive(Debug)]
pub(crate) struct Worked {
    pub(crate) file: PlannedFile,
    pub(crate) content: Option<Content>,
    pub(crate) observed: Observed,
}

impl WantedFile {
    /// Works the change out, or says everything that is wrong with it.
    pub(crate) fn work_out(self, base: &BaseState, rules: &Rules<'_>) -> Result<Worked, Vec<Refusal>> {
        let (index, path) = (self.index, self.observed.target.path.clone());
        let about = |kind| Refusal::at(&path, kind).of_change(index);
        let coverage = self.known(base, rules).map_err(|kind| vec![about(kind)])?;
        match self.draft(base, rules) {
            Ok(drafted) => {
                let (action, format) = (self.action(), self.format());
                finish(self.observed, action, format, drafted, coverage, rules)
                    .map_err(|kind| vec![about(kind)])
            }
            Err(Trouble::File(RefusalKind::Exists)) => Err(vec![self.exists().of_change(index)]),
            Err(Trouble::File(kind)) => Err(vec![about(kind)]),
            Err(Trouble::Cells(refusals)) => {
                let of_cell =
                    |r: CellRefusal| Refusal { edit: Some(r.op), ..about(RefusalKind::Cells(r.kind)) };
                Err(refusals.into_iter().map(of_cell).collect())
            }
            Err(Trouble::Edits(refusals)) => {
                let of_edit =
                    |r: edit::EditRefusal| Refusal { edit: Some(r.edit), ..about(RefusalKind::Edit(r.kind)) };
                Err(refusals.into_iter().map(of_edit).collect())
            }
        }
    }

    /// Whether the author knows enough of the file for what it wants. Answers how much it will know of the
    /// result.
    fn known(&self, base: &BaseState, rules: &Rules<'_>) -> Result<Coverage, RefusalKind> {
        let exists = self.observed.exists();
        let creates = match &self.want {
            Want::Write(new) => {
                match new.when {
                    When::New if exists => return Err(RefusalKind::Exists),
                    // It wants nothing but that there is no file, which is so.
                    When::New if self.sent.is_none() => return Ok(Coverage::Whole),
                    When::Empty { creates: false, .. } if !exists => return Err(RefusalKind::Missing),
                    _ => {}
                }
                self.check_mode(new.mode)?;
                true
            }
            _ => false,
        };
        let coverage = match base {
            BaseState::Unread { .. } if !exists && creates => return Ok(Coverage::Whole),
            BaseState::Unread { .. } if !exists => return Err(RefusalKind::Missing),
            // To read it first would lead nowhere, where it holds no text.
            BaseState::Unread { new_session: true } => {
                return Err(self.no_text().unwrap_or_else(|| self.unread(Known::NothingYet)));
            }
            BaseState::Unread { .. } => {
                return Err(self.no_text().unwrap_or_else(|| self.unread(Known::OtherFiles)));
            }
            BaseState::Fresh(coverage) => *coverage,
            BaseState::Moved { text, coverage, .. } => {
                // What somebody else changed is not deleted on the strength of an older text.
                let deletes = matches!(self.want, Want::Delete(_));
                if rules.on_stale == OnStale::Reject || text.is_none() || !exists || deletes {
                    return Err(stale(text.as_deref(), &self.observed, rules.deadline));
                }
                *coverage
            }
        };
        match (&self.want, coverage) {
            (Want::Edit(..) | Want::Cells(_), _) | (_, Coverage::Whole) => {}
            (_, Coverage::Part) => return Err(self.unread(Known::SomeLines)),
        }
        Ok(match base {
            // What others wrote is in the result, and its author was not shown it.
            BaseState::Moved { .. } => Coverage::Part,
            _ if creates => Coverage::Whole,
            _ => coverage,
        })
    }

    /// Why the text that is to be changed is none.
    fn no_text(&self) -> Option<RefusalKind> {
        let changes_text = matches!(self.want, Want::Edit(..) | Want::Cells(_));
        self.observed.content().err().filter(|_| changes_text)
    }

    fn unread(&self, known: Known) -> RefusalKind {
        let excerpt = match &self.want {
            Want::Edit(edits, _) | Want::Rename { edits, .. } => self.excerpt(edits),
            Want::Write(_) | Want::Delete(_) | Want::Cells(_) => None,
        };
        RefusalKind::Unread { current: self.observed.truth.hash(), excerpt, known }
    }

    /// Lines around the first edit's text, if it stands there to the letter.
    fn excerpt(&self, edits: &[Edit]) -> Option<String> {
        let (_, text) = self.observed.content().ok()?;
        let wanted = edits.first().map(|edit| edit.old.as_str()).filter(|old| !old.is_empty())?;
        let start = text.find(wanted)?;
        let first = count_lines(&text[..line_start(text, start)]) + 1;
        let last = first + count_lines(wanted).saturating_sub(1);
        Some(edit::snippet(text, first, last, EXCERPT_CONTEXT))
    }

    /// The refusal for a new name that is taken.
    fn exists(&self) -> Refusal {
        let taken = match &self.want {
            Want::Rename { to, .. } => &to.target.path,
            _ => &self.observed.target.path,
        };
        Refusal::at(taken, RefusalKind::Exists)
    }

    fn draft(&self, base: &BaseState, rules: &Rules<'_>) -> Result<Drafted, Trouble> {
        match (&self.want, &self.observed.truth) {
            (Want::Write(new), Truth::Missing) => Ok(created(&new.text)),
            (Want::Rename { to, .. }, _) if to.exists() => Err(Trouble::File(RefusalKind::Exists)),
            (Want::Delete(removed), _) => {
                removed.as_ref().map_or(Ok(()), |removed| self.check_removed(removed, rules))?;
                Ok(Drafted::default())
            }
            (Want::Rename { edits, .. }, Truth::Opaque(_)) if edits.is_empty() => Ok(Drafted::default()),
            _ => {
                let (snapshot, text) = self.observed.content()?;
                if let Want::Write(NewContent { when: When::Empty { line, .. }, .. }) = self.want
                    && !text.is_empty()
                {
                    let expected = "lines of context or removed lines beside the added ones, to tell where they go in a file that is not empty";
                    return Err(RefusalKind::BadPatch { line, expected: expected.to_owned() }.into());
                }
                match base {
                    BaseState::Moved { text: Some(given), .. } => {
                        let (version, given) = (given.hash, given.text.to_string());
                        let mut drafted = self.draft_on(version, &given, rules)?;
                        drafted.alone = Some((version, Arc::new(drafted.plan.clone())));
                        rebase(&self.observed.target.path, (&given, text), drafted, rules)
                    }
                    _ => self.draft_on(snapshot.hash, text, rules),
                }
            }
        }
    }

    /// Whether a file is what a patch says of it that deletes it.
    fn check_removed(&self, removed: &Removed, rules: &Rules<'_>) -> Result<(), Trouble> {
        let (snapshot, text) = self.observed.content()?;
        let path = &self.observed.target.path;
        let drafted = drafted_edits(path, (snapshot.hash, text), &removed.edits, rules)?;
        if drafted.plan.apply(text).is_empty() {
            return Ok(());
        }
        let expected = "all lines of the deleted file, or none of them".to_owned();
        Err(RefusalKind::BadPatch { line: removed.line, expected }.into())
    }

    fn draft_on(&self, version: ContentHash, text: &str, rules: &Rules<'_>) -> Result<Drafted, Trouble> {
        let path = &self.observed.target.path;
        let checked = |drafted: Drafted| stays_notebook(path, text, &drafted.plan).map(|()| drafted);
        let edited = |edits| Ok(checked(drafted_edits(path, (version, text), edits, rules)?)?);
        match &self.want {
            Want::Edit(edits, named) => {
                self.check_encoding(*named)?;
                edited(edits)
            }
            Want::Rename { edits, .. } if !edits.is_empty() => edited(edits),
            Want::Write(NewContent { text: content, literal, .. }) => {
                if rules.manner.fuzzy && !*literal {
                    refuse_placeholder(path, text, content)?;
                }
                let timed_out = |_| RefusalKind::Timeout { what: "Comparing the content with the file's" };
                let plan = edit::rewrite(text, content, *literal, rules.deadline).map_err(timed_out)?;
                let drafted = Drafted { plan, ..Drafted::default() };
                if *literal { Ok(drafted) } else { Ok(checked(drafted)?) }
            }
            Want::Cells(ops) => drafted_cells(text, ops),
            Want::Delete(_) | Want::Rename { .. } => {
                Ok(Drafted { plan: Plan::empty(text.len()), ..Drafted::default() })
            }
        }
    }

    /// What happens to the file.
    fn action(&self) -> Action {
        match &self.want {
            Want::Delete(_) => Action::Delete,
            Want::Rename { to, .. } => {
                Action::Rename { to: to.target.path.clone(), to_key: to.target.key.clone() }
            }
            Want::Write(new) if self.observed.truth.snapshot().is_none() => {
                Action::Create { mode: new.mode.unwrap_or_default() }
            }
            _ if self.observed.truth.snapshot().is_none() => Action::CREATE,
            _ => Action::Edit,
        }
    }

    /// How the result is written: as the file was, unless the change names an encoding.
    fn format(&self) -> Format {
        let was = self.observed.truth.snapshot().map_or(Format::UTF8, |snapshot| snapshot.format);
        match &self.want {
            Want::Write(NewContent { encoding: Some(encoding), .. }) => {
                Format { encoding: *encoding, bom: was.bom && was.encoding == *encoding, guessed: false }
            }
            // Its author has seen how the file is read, and says so.
            Want::Edit(_, Some(_)) => Format { guessed: false, ..was },
            _ => was,
        }
    }

    /// Refuses a mode other than that of an existing file.
    fn check_mode(&self, wanted: Option<NewMode>) -> Result<(), RefusalKind> {
        let is_executable = self.observed.stat.is_some_and(|stat| stat.mode & 0o111 != 0);
        match wanted.filter(|_| self.observed.exists()) {
            Some(wanted) if wanted.is_executable() != is_executable => {
                Err(RefusalKind::OtherMode { is_executable })
            }
            _ => Ok(()),
        }
    }

    /// Refuses an encoding that is not the one in which the file was read.
    fn check_encoding(&self, named: Option<Encoding>) -> Result<(), RefusalKind> {
        let read = self.observed.truth.snapshot().map(|snapshot| snapshot.format.encoding);
        match (named, read) {
            (Some(named), Some(read)) if named != read => {
                let detail = format!("it is read as {}, not as {}", read.name(), named.name());
                Err(RefusalKind::Encoding { detail })
            }
            _ => Ok(()),
        }
    }
}

/// Writes a change down, with its result.
pub(super) fn finish(
    observed: Observed,
    action: Action,
    format: Format,
    drafted: Drafted,
    coverage: Coverage,
    rules: &Rules<'_>,
) -> Result<Worked, RefusalKind> {
    let reencoded = observed.truth.snapshot().is_some_and(|before| before.format != format);
    if action == Action::Edit && drafted.plan.is_empty() && !reencoded {
        return Err(RefusalKind::NoChange);
    }
    let content = match (&action, &observed.truth) {
        (Action::Delete, _) | (Action::Rename { .. }, Truth::Opaque(_)) => None,
        _ => Some(Content::of_plan(&observed, &drafted.plan, format, rules.file_size)?.hash_beside()),
    };
    Ok(written_down(observed, action, (format, content), drafted, coverage, rules))
}

/// The same with a content that is there already.
pub(super) fn written_down(
    observed: Observed,
    action: Action,
    (format, content): (Format, Option<Content>),
    drafted: Drafted,
    coverage: Coverage,
    rules: &Rules<'_>,
) -> Worked {
    let text = observed.text.as_ref().map_or("", |text| text);
    let hash_after = match &action {
        Action::Delete => None,
        _ if content.is_some() => None,
        _ => observed.truth.hash(),
    };
    let (diff, shown) = file_diff(&observed, &action, text, &drafted.plan, rules);
    let file = PlannedFile {
        key: observed.target.key.clone(),
        path: observed.target.path.clone(),
        action,
        hash_before: observed.truth.hash(),
        before: observed.truth.snapshot().cloned(),
        plan: Arc::new(drafted.plan),
        hash_after,
        format,
        diff: Arc::new(diff),
        shown,
        matches: drafted.matches,
        warnings: drafted.warnings,
        // They are known by whoever found the file.
        tags: Vec::new(),
        rebased: drafted.rebased,
        alone: drafted.alone,
        coverage,
    };
    Worked { file, content, observed }
}

impl Worked {
    /// The content that a proposal's plan gives, for a file that is still what the plan is for.
    pub(crate) fn again(file: &PlannedFile, observed: Observed, rules: &Rules<'_>) -> Result<Self, Refusal> {
        let needs_none = file.action == Action::Delete || matches!(observed.truth, Truth::Opaque(_));
        let content = (!needs_none)
            .then(|| Content::of_plan(&observed, &file.plan, file.format, rules.file_size))
            .transpose()
            .map_err(|kind| Refusal::at(&file.path, kind))?
            .map(|content| content.known_as(file.hash_after));
        Ok(Self { file: file.clone(), content, observed })
    }

    /// Notes the hash of the result, which may have to be waited for.
    pub(crate) fn settle(&mut self) {
        if let Some(content) = &self.content {
            self.file.hash_after = Some(content.hash());
        }
    }
}
