use std::path::Path;
use std::sync::Arc;

use crate::disk::{
    Change, CommitError, Committed, DiskErrorKind, Durability, Expected, FileBytes, Root, StagedSet, Stat,
    Target, stage,
};
use crate::edit::Edit;
use crate::text::ContentHash;
use crate::workspace::rules::Protection;
use crate::workspace::{
    Action, FileKey, Moved, NewMode, PlannedFile, Refusal, RefusalKind, Seen, Snapshot, Truth,
};

use super::Core;
use super::content::Content;
use super::difference::stale;
use super::editors::{EditorPart, Saving};
use super::event::Sighting;
use super::failure::refusal_of;
use super::observe::Observed;
use super::past::{Intent, Landing, Noted};
use super::work::{Want, WantedFile, Worked};

/// One file after a commit.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) file: PlannedFile,
    pub(crate) seen: Seen,
    pub(crate) stat: Option<Stat>,
    pub(crate) root: Root,
    /// Whether it was written now, and not found to be so already.
    written: bool,
    /// Whether its text shares the memory of the one before.
    shares: bool,
    /// Whether it is on the disk: not, where an editor holds it unsaved.
    pub(crate) saved: bool,
    /// What is on the disk, where it is not that.
    disk: Option<Arc<Snapshot>>,
    /// The bytes in whose place it is.
    _spent: FileBytes,
}

impl Landed {
    /// A file that was found to be already what a plan wanted.
    pub(crate) fn found(file: &PlannedFile, now: Observed) -> Self {
        let (sighting, saved) = (now.sighting(), !now.is_unsaved());
        let Sighting { seen, stat, disk, root } = sighting;
        let file = file.clone();
        Self { file, seen, stat, root, written: false, shares: false, saved, disk, _spent: now.bytes }
    }

    /// The entry for the books. `own`: the one who applied it is the one who proposed it.
    pub(crate) fn moved(&self, own: bool) -> (Moved, Sighting) {
        let as_planned = self.seen.truth.hash() == self.file.hash_after;
        let moved = Moved {
            key: self.file.key.clone(),
            before: if self.written { self.file.hash_before } else { self.seen.truth.hash() },
            base: self.file.hash_before,
            merged: self.file.rebased || self.file.alone.is_some(),
            alone: self.file.alone.clone(),
            after: self.seen.clone(),
            plan: (self.written && as_planned && self.file.action == Action::Edit)
                .then(|| self.file.plan.clone()),
            coverage: own.then_some(self.file.coverage),
            shares: self.shares,
        };
        let (seen, disk) = (self.seen.clone(), self.disk.clone());
        (moved, Sighting { seen, stat: self.stat, disk, root: self.root.clone() })
    }
}

/// A worked-out file together with the place of its new name, if it gets one.
pub(crate) struct Due {
    /// Index of the change in the request.
    pub(crate) index: usize,
    pub(crate) worked: Worked,
    pub(crate) to: Option<Target>,
    /// The editor that it goes through; none where it is written on the disk.
    pub(crate) through: Option<EditorPart>,
}

impl Due {
    pub(crate) fn new(index: usize, worked: Worked, to: Option<Target>) -> Self {
        Self { index, worked, to, through: None }
    }
}

impl WantedFile {
    /// Its edits, if it has some.
    pub(crate) fn edits(&self) -> &[Edit] {
        match &self.want {
            Want::Edit(edits, _) | Want::Rename { edits, .. } => edits,
            Want::Write(_) | Want::Delete(_) | Want::Cells(_) => &[],
        }
    }

    /// Where a rename leads.
    pub(crate) fn new_place(&self) -> Option<Target> {
        match &self.want {
            Want::Rename { to, .. } => Some(to.target.clone()),
            _ => None,
        }
    }
}

impl Core {
    /// Changes all files or none. The caller holds their queues, so only programs that do not ask editd, and
    /// people who type, can come in between, and those are noticed.
    pub(crate) fn commit(&self, mut due: Vec<Due>, intent: &Intent) -> Result<Landing, Refusal> {
        self.route(&mut due)?;
        let changes = changes(&due);
        self.commit_staged(self.stage(&changes), due, intent)
    }

    /// Writes the new files beside the old ones; what is returned has to be committed. None where nothing is
    /// written on the disk.
    pub(crate) fn stage<'a>(&'a self, changes: &'a [Change]) -> Result<Option<StagedSet<'a>>, CommitError> {
        if changes.is_empty() {
            return Ok(None);
        }
        let durability = self.durability(changes.len());
        let stage = || stage(&*self.disk, &self.journal, changes, durability);
        let staged = stage().or_else(|error| {
            if !matches!(error.error.kind, DiskErrorKind::NoSpace { .. }) {
                return Err(error);
            }
            // Files that were displaced a moment ago take room as long as they are held; those that were just
            // staged and removed again do too, as long as the error holds them.
            drop(error);
            self.late_look.look_now();
            stage()
        });
        staged.map(Some)
    }

    /// Has the editors change what goes through them, and gives all files that were staged for `due` their
    /// names; or none of it.
    pub(crate) fn commit_staged(
        &self,
        staged: Result<Option<StagedSet<'_>>, CommitError>,
        mut due: Vec<Due>,
        intent: &Intent,
    ) -> Result<Landing, Refusal> {
        let staged = match staged {
            Ok(staged) => staged,
            Err(error) => return Err(self.not_written(due, None, error)),
        };
        let mut noted = self.note(&mut due, intent)?;
        let label = intent.label.as_deref().unwrap_or(&intent.author);
        let edited = match self.edit_in_editors(&due, noted.id(), label) {
            Ok(edited) => edited,
            Err(refusal) => {
                drop(staged);
                self.note_failed(Some(noted), true);
                return Err(refusal);
            }
        };
        match staged.map(StagedSet::commit).transpose() {
            Ok(committed) => {
                self.note_landed(&mut noted);
                self.edited_for_good(&edited);
                self.forget_interrupted(due.iter().map(|due| due.worked.observed.target.path.as_path()));
                let files = self.land(due, committed.unwrap_or_default(), &intent.author);
                Ok(noted.landing(files))
            }
            Err(error) => {
                let left = self.take_back(&edited, &[]);
                let refusal = self.not_written(due, Some(noted), error);
                Err(left.unwrap_or(refusal))
            }
        }
    }

    /// What became of the files, in their order.
    fn land(&self, due: Vec<Due>, mut committed: Vec<Committed>, author: &str) -> Vec<Landed> {
        // What is saved over them is looked for from now on, not when the editors have saved.
        let displaced = committed.iter_mut().filter_map(|done| done.displaced.take());
        displaced.for_each(|file| self.late_look.hold(file));
        let problems = self.save_in_editors(&due);
        let asks = |part: &&EditorPart| part.save == Saving::Ask;
        let to_ask: Vec<_> = due
            .iter()
            .filter_map(|due| due.through.as_ref())
            .filter(asks)
            .map(|part| part.buffer.clone())
            .collect();
        let open = |due: &&Due| due.worked.observed.open.is_some();
        let shown: Vec<_> = due.iter().filter(open).map(|due| due.worked.observed.target.clone()).collect();
        let mut committed = committed.into_iter();
        let mut land = |due: Due| {
            if let Some(part) = &due.through {
                let problem = problems.get(&part.buffer.id.uri).cloned();
                return Some(self.landed_in_editor(due, problem));
            }
            committed.next().map(|done| landed(due, done))
        };
        let files = due.into_iter().filter_map(&mut land).collect();
        for target in &shown {
            self.reload_others(target);
        }
        for buffer in &to_ask {
            self.ask_to_save(buffer, author);
        }
        files
    }

    /// A set that was not written. Says why, and notes that it was not.
    fn not_written(&self, due: Vec<Due>, noted: Option<Noted>, mut error: CommitError) -> Refusal {
        self.note_failed(noted, error.rolled_back());
        error.displaced.drain(..).for_each(|file| self.late_look.hold(file));
        if !error.rolled_back() {
            tracing::error!(?error.not_undone, "a failed change could not be put back completely");
        }
        let due = due.into_iter().filter(|due| due.through.is_none()).nth(error.change);
        due.map_or_else(
            || Refusal::new(refusal_of(&error.error)),
            |due| {
                let index = due.index;
                self.why_not(due, &error.error).of_change(index)
            },
        )
    }

    /// A file that an editor has changed, as it is now: saving may have changed it once more.
    fn landed_in_editor(&self, due: Due, problem: Option<String>) -> Landed {
        let Due { mut worked, through, .. } = due;
        worked.settle();
        let Worked { mut file, content, observed, .. } = worked;
        let planned = content.as_ref().map_or_else(|| observed.truth.clone(), Content::truth);
        let (spent, target) = (observed.bytes.clone(), observed.target);
        let now = self.observe(target.clone()).ok();
        let saved = now.as_ref().is_some_and(|now| !now.is_unsaved());
        let (mut seen, stat, disk) = if let Some(now) = &now {
            (now.seen(), now.stat, now.sighting().disk)
        } else {
            let Target { key, path, .. } = target.clone();
            (Seen { key, path, truth: planned.clone(), typed: true }, None, None)
        };
        let as_planned = seen.truth.hash() == planned.hash();
        if as_planned {
            // The same text, in memory that it shares with the one before.
            seen.truth = planned;
        }
        let after = After { hash: seen.truth.hash(), saved, as_planned };
        let warning = through.as_ref().and_then(|part| in_editor(part, &file, &after, problem));
        file.warnings.extend(warning);
        let shares = as_planned && content.is_some_and(|content| content.shares);
        let root = target.root;
        Landed { file, seen, stat, root, written: true, shares, saved, disk, _spent: spent }
    }

    pub(super) fn durability(&self, files: usize) -> Durability {
        let by_size = if files > 1 { Durability::Full } else { Durability::Process };
        self.config.durability.unwrap_or(by_size)
    }

    fn why_not(&self, due: Due, error: &crate::disk::DiskError) -> Refusal {
        let file = due.worked.file;
        if error.kind == DiskErrorKind::Changed {
            // Somebody was faster between the look and the write: tell what they did.
            let names = |stat: Option<Stat>| stat.map_or(0, |stat| stat.nlink);
            let names_then = names(due.worked.observed.stat);
            return match self.observe(due.worked.observed.target) {
                // A second name has come: the next try would be refused for that, so it is said at once.
                Ok(now) if names_then == 1 && names(now.stat) > 1 && !self.config.hard_links => {
                    Refusal::at(&file.path, RefusalKind::Protected(Protection::hard_link()))
                }
                Ok(now) => {
                    let kind = stale(file.before.as_deref(), &now, self.deadline());
                    Refusal::at(&file.path, kind)
                }
                Err(refusal) => refusal,
            };
        }
        Refusal::at(meant(&file, &error.path), refusal_of(error))
    }
}

/// Returns the path that a change is about, where it failed at one that may be a name of editd's own.
fn meant<'a>(file: &'a PlannedFile, failed: &'a Path) -> &'a Path {
    match &file.action {
        Action::Rename { to, .. } if failed == to || failed.parent() == to.parent() => to,
        _ if file.path.starts_with(failed) => failed,
        _ => &file.path,
    }
}

/// What the author should know of a change that went through an editor.
fn in_editor(part: &EditorPart, file: &PlannedFile, now: &After, problem: Option<String>) -> Option<String> {
    let editor = &part.editor.name;
    if now.hash == file.hash_before {
        return Some(format!(
            "{editor} holds the text of before again: somebody has undone the change there."
        ));
    }
    if !now.saved {
        let why = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
        let what = if part.save == Saving::Yes { "did not save it" } else { "holds it unsaved" };
        return Some(format!(
            "{editor} has this file open and {what}{why}; programs that read the disk see the old text."
        ));
    }
    (!now.as_planned).then(|| {
        format!("{editor} changed the text further when it saved the file; `hash` is that of the result.")
    })
}

/// A file after an editor has changed it.
struct After {
    hash: Option<ContentHash>,
    saved: bool,
    as_planned: bool,
}

/// What is to be done to the disk, in the order of the files that do not go through an editor.
pub(crate) fn changes(due: &[Due]) -> Vec<Change> {
    due.iter().filter(|due| due.through.is_none()).map(change).collect()
}

fn change(due: &Due) -> Change {
    let Worked { file, content, observed } = &due.worked;
    let content = content.as_ref().map(|content| content.bytes.clone());
    let target = observed.target.clone();
    match (&file.action, &due.to, expected(observed)) {
        (Action::Rename { .. }, Some(to), Some(expect)) => {
            let content = content.filter(|_| !file.plan.is_empty());
            Change::Rename { from: target, to: to.clone(), expect, content }
        }
        (Action::Delete, _, Some(expect)) => Change::Delete { target, expect },
        (_, _, Some(expect)) => Change::Replace { target, content: content.unwrap_or_default(), expect },
        (action, _, None) => {
            let mode = if let Action::Create { mode } = action { *mode } else { NewMode::Plain };
            Change::Create { target, content: content.unwrap_or_default(), mode }
        }
    }
}

fn expected(observed: &Observed) -> Option<Expected> {
    Some(Expected {
        stat: observed.stat?,
        bytes: observed.bytes.clone(),
        hash: observed.truth.hash()?,
        handle: observed.handle.clone(),
    })
}

fn landed(due: Due, done: Committed) -> Landed {
    let Due { mut worked, to, .. } = due;
    worked.settle();
    let Worked { file, content, observed, .. } = worked;
    if let Some(leftover) = &done.leftover {
        tracing::warn!(path = %leftover.display(), "a displaced file could not be removed");
    }
    let shares = content.as_ref().is_some_and(|content| content.shares);
    let truth = match (&file.action, content) {
        (Action::Delete, _) => Truth::Missing,
        (_, Some(content)) => content.truth(),
        (_, None) => observed.truth,
    };
    let mut target = to.unwrap_or(observed.target);
    // What it is known by depends on how many names it has now.
    target.key = done.stat.filter(|stat| stat.nlink > 1).map_or_else(
        || FileKey::path(&done.path),
        |stat| FileKey::Inode { device: stat.dev, inode: stat.ino },
    );
    Landed {
        seen: Seen { key: target.key, path: done.path, truth, typed: false },
        saved: true,
        disk: None,
        stat: done.stat,
        root: target.root,
        file,
        written: true,
        shares,
        _spent: observed.bytes,
    }
}
