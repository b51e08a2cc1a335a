//! Committing pending writes: all files of a change set or none.

use std::path::Path;
use std::sync::Arc;

use crate::engine::change::compute::ComputedChange;
use crate::engine::change::content::Content;
use crate::engine::change::history_recording::{CommitResult, HistoryEntryGuard, Intent};
use crate::engine::change::rebase::stale;
use crate::engine::editors::{EditorPart, Saving, renamed_documents};
use crate::engine::files::observe::Observed;
use crate::engine::workspace_handle::Observation;
use crate::engine::{Engine, refusal_of};
use editd_disk::{
    Change, CommitError, Committed, DiskErrorKind, Durability, FileBytes, Root, StagedSet, Stat, Target,
    stage,
};
use editd_workspace::rules::Protection;
use editd_workspace::{
    Action, CommittedChange, FileContent, FileKey, NewMode, ObservedVersion, PlannedFile, Refusal,
    RefusalKind, Snapshot,
};

/// One file after a commit.
#[derive(Debug)]
pub(crate) struct CommittedFile {
    pub(crate) file: PlannedFile,
    pub(crate) seen: ObservedVersion,
    pub(crate) stat: Option<Stat>,
    pub(crate) root: Root,
    /// `true` if this commit wrote the file, `false` if the file already had the planned content.
    written: bool,
    /// `true` if the text shares memory with the previous text.
    shares: bool,
    /// `false` if the content is unsaved text of an editor.
    pub(crate) saved: bool,
    /// Text on disk, if the content is unsaved text of an editor.
    disk: Option<Arc<Snapshot>>,
    /// Unified diff of the changes of others that this one was merged with.
    pub(crate) others: Option<String>,
    /// The replaced bytes, held so that they are freed with this value, after the answer.
    _spent: FileBytes,
}

impl CommittedFile {
    /// Describes a file that already has the planned content, and so is not written.
    pub(crate) fn found(file: &PlannedFile, now: Observed) -> Self {
        let (observation, saved) = (now.observation(), !now.is_unsaved());
        let Observation { seen, stat, disk, root } = observation;
        let file = file.clone();
        Self {
            file,
            seen,
            stat,
            root,
            written: false,
            shares: false,
            saved,
            disk,
            others: None,
            _spent: now.bytes,
        }
    }

    /// Describes a file that a client has written with its own tool.
    pub(crate) fn written_by_client(file: &PlannedFile, now: Observed) -> Self {
        Self { written: true, ..Self::found(file, now) }
    }

    /// Returns the entry for the workspace state. `own` means that the session that applied the change also
    /// proposed it.
    pub(crate) fn moved(&self, own: bool) -> (CommittedChange, Observation) {
        let as_planned = self.seen.content.hash() == self.file.hash_after;
        let moved = CommittedChange {
            key: self.file.key.clone(),
            before: if self.written { self.file.hash_before } else { self.seen.content.hash() },
            base: self.file.hash_before,
            merged: self.file.rebased || self.file.original_plan.is_some(),
            original_plan: self.file.original_plan.clone(),
            after: self.seen.clone(),
            plan: (self.written && as_planned && self.file.action == Action::Edit)
                .then(|| self.file.plan.clone()),
            coverage: own.then_some(self.file.coverage),
            shares: self.shares,
        };
        let (seen, disk) = (self.seen.clone(), self.disk.clone());
        (moved, Observation { seen, stat: self.stat, disk, root: self.root.clone() })
    }
}

/// A computed change together with its route: the target of a rename, or the editor that applies it.
pub(crate) struct PendingWrite {
    /// Index of the change in the request.
    pub(crate) index: usize,
    pub(crate) computed: ComputedChange,
    /// The new path of a rename.
    pub(crate) to: Option<Target>,
    /// The edit that an editor applies; `None` if the file is written on disk.
    pub(crate) through: Option<EditorPart>,
}

impl PendingWrite {
    pub(crate) fn new(index: usize, computed: ComputedChange, to: Option<Target>) -> Self {
        Self { index, computed, to, through: None }
    }
}

impl Engine {
    /// Changes all files or none. The caller holds the locks of all files, so only other programs and users
    /// who type can interfere. The commit detects both.
    pub(crate) fn commit(
        &self,
        mut writes: Vec<PendingWrite>,
        intent: &Intent,
    ) -> Result<CommitResult, Refusal> {
        self.route(&mut writes)?;
        let changes = changes(&writes);
        let _staging = self.staging(&changes);
        let restoring = self.restore_before_files(&intent.paths, &writes)?;
        let committed = self.commit_staged(self.stage(&changes), writes, intent)?;
        restoring.succeeded();
        Ok(committed)
    }

    /// Writes the new files beside the old ones. The caller must commit the returned set. Returns `None` if
    /// no file is written on disk.
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
            // Displaced files take space as long as they are held open. So do the files that were just staged
            // and removed again, as long as the error holds them open.
            drop(error);
            self.displaced_files.check_now(|file| changes.iter().any(|change| change.needs_space_of(file)));
            stage()
        });
        staged.map(Some)
    }

    /// Applies the edits of open documents in their editors, then renames all staged files into place. If a
    /// step fails, undoes the earlier ones.
    pub(crate) fn commit_staged(
        &self,
        staged: Result<Option<StagedSet<'_>>, CommitError>,
        mut writes: Vec<PendingWrite>,
        intent: &Intent,
    ) -> Result<CommitResult, Refusal> {
        let staged = match staged {
            Ok(staged) => staged,
            Err(error) => return Err(self.not_written(writes, None, error, intent)),
        };
        let writing = self.writing(&writes);
        let mut entry = self.begin_history_entry(&mut writes, intent)?;
        let label = intent.label.as_deref().unwrap_or(&intent.author);
        let edited = match self.edit_in_editors(&writes, &entry.id, label) {
            Ok(edited) => edited,
            Err(refusal) => {
                drop(staged);
                self.record_failed(Some(entry), true);
                return Err(refusal);
            }
        };
        match staged.map(StagedSet::commit).transpose() {
            Ok(on_disk) => {
                entry.not_restored = self.restore_after_files(&intent.paths);
                // Without files, nothing could carry the warning.
                if writes.is_empty()
                    && let Some(refusal) = entry.not_restored.pop()
                {
                    self.record_failed(Some(entry), true);
                    return Err(refusal);
                }
                self.record_committed(&mut entry);
                if let Some(undone) = &intent.undoes {
                    self.workspace.update(|w| w.landed_undone(undone));
                }
                if let Some(writing) = writing {
                    writing.succeeded();
                }
                if edited.recorded {
                    self.interrupted.end(&edited.transaction);
                }
                self.forget_interrupted(&writes);
                let files = self.finish_commit(writes, on_disk.unwrap_or_default(), intent);
                Ok(entry.result(files))
            }
            Err(error) => {
                let still_edited = self.undo_edits(&edited, &[]);
                let refusal = self.not_written(writes, Some(entry), error, intent);
                Err(still_edited.unwrap_or(refusal))
            }
        }
    }

    /// Completes a commit: saves documents and has other documents of the files reloaded. Returns the
    /// committed files in the order of `writes`.
    fn finish_commit(
        &self,
        writes: Vec<PendingWrite>,
        mut on_disk: Vec<Committed>,
        intent: &Intent,
    ) -> Vec<CommittedFile> {
        // Monitored before the editors save, because a program may write to a displaced file in the meantime.
        let displaced = on_disk.iter_mut().filter_map(|done| done.displaced.take());
        displaced.for_each(|file| self.displaced_files.hold(&intent.owner(), file));
        let problems = self.save_in_editors(&writes);
        let through = writes.iter().filter_map(|write| write.through.as_ref());
        let to_ask = through.filter(|part| part.save == Saving::Ask);
        let to_ask: Vec<_> = to_ask.map(|part| part.buffer.clone()).collect();
        let is_open = |write: &&PendingWrite| write.computed.observed.open.is_some();
        let open: Vec<_> =
            writes.iter().filter(is_open).map(|write| write.computed.observed.target.clone()).collect();
        let renamed: Vec<_> = writes.iter().flat_map(renamed_documents).collect();
        let mut on_disk = on_disk.into_iter();
        let mut finish = |write: PendingWrite| {
            if let Some(part) = &write.through {
                let problem = problems.get(&part.buffer.id.uri).cloned();
                return Some(self.committed_in_editor(write, problem));
            }
            on_disk.next().map(|done| committed_on_disk(write, done))
        };
        let files = writes.into_iter().filter_map(&mut finish).collect();
        for target in &open {
            self.reload_others(target);
        }
        self.announce_renamed(&renamed);
        for buffer in &to_ask {
            self.ask_to_save(buffer, &intent.author);
        }
        files
    }

    /// Records that a set was not written, and returns the reason as a refusal.
    fn not_written(
        &self,
        writes: Vec<PendingWrite>,
        entry: Option<HistoryEntryGuard>,
        mut error: CommitError,
        intent: &Intent,
    ) -> Refusal {
        self.record_failed(entry, error.rolled_back());
        error.displaced.drain(..).for_each(|file| self.displaced_files.hold(&intent.owner(), file));
        if !error.rolled_back() {
            tracing::error!(?error.not_undone, "a failed change could not be rolled back completely");
        }
        let failed = writes.into_iter().filter(|write| write.through.is_none()).nth(error.change);
        failed.map_or_else(
            || Refusal::new(refusal_of(&error.error)),
            |write| {
                let index = write.index;
                self.commit_refusal(write, &error.error).of_change(index)
            },
        )
    }

    /// Observes a file that an editor has changed. Its content may differ from the plan, because saving can
    /// change it again.
    fn committed_in_editor(&self, write: PendingWrite, problem: Option<String>) -> CommittedFile {
        let PendingWrite { mut computed, through, .. } = write;
        computed.settle();
        let ComputedChange { file, content, observed, others, .. } = computed;
        let planned = content.as_ref().map_or_else(|| observed.content.clone(), Content::content);
        let (spent, target) = (observed.bytes.clone(), observed.target);
        let now = self.observe(target.clone()).ok();
        let saved = now.as_ref().is_some_and(|now| !now.is_unsaved());
        let (mut seen, stat, disk) = if let Some(now) = &now {
            (now.version(), now.stat, now.observation().disk)
        } else {
            let Target { key, path, .. } = target.clone();
            (ObservedVersion { key, path, content: planned.clone(), is_unsaved: true }, None, None)
        };
        let as_planned = seen.content.hash() == planned.hash();
        if as_planned {
            // Same text, but the planned one shares memory with the previous text.
            seen.content = planned;
        }
        let shares = as_planned && content.is_some_and(|content| content.shares);
        let root = target.root;
        let mut done = CommittedFile {
            file,
            seen,
            stat,
            root,
            written: true,
            shares,
            saved,
            disk,
            others,
            _spent: spent,
        };
        let warning = through.and_then(|part| editor_warning(&part, &done, as_planned, problem));
        done.file.warnings.extend(warning);
        done
    }

    pub(crate) fn durability(&self, files: usize) -> Durability {
        let by_size = if files > 1 { Durability::Full } else { Durability::Process };
        self.config.durability.unwrap_or(by_size)
    }

    fn commit_refusal(&self, write: PendingWrite, error: &editd_disk::DiskError) -> Refusal {
        let file = write.computed.file;
        if error.kind == DiskErrorKind::Changed {
            // Another program wrote between our read and our write: report its change.
            let links = |stat: Option<Stat>| stat.map_or(0, |stat| stat.nlink);
            let links_before = links(write.computed.observed.stat);
            return match self.observe(write.computed.observed.target) {
                // The file got a second name. Report that, because the next try would be refused for it.
                Ok(now) if links_before == 1 && links(now.stat) > 1 && !self.config.hard_links => {
                    Refusal::at(&file.path, RefusalKind::Protected(Protection::hard_link()))
                }
                Ok(now) => {
                    let kind = stale(file.before.as_deref(), &now, self.deadline());
                    Refusal::at(&file.path, kind)
                }
                Err(refusal) => refusal,
            };
        }
        Refusal::at(requested_path(&file, &error.path), refusal_of(error))
    }
}

/// Returns the path of the request for which a step failed. The failed path itself may be a temporary file of
/// editd.
fn requested_path<'a>(file: &'a PlannedFile, failed: &'a Path) -> &'a Path {
    match &file.action {
        Action::Rename { to, .. } if failed == to || failed.parent() == to.parent() => to,
        _ if file.path.starts_with(failed) => failed,
        _ => &file.path,
    }
}

/// Returns a warning for the author if the result of an edit in an editor is not as planned or not on disk.
fn editor_warning(
    part: &EditorPart,
    done: &CommittedFile,
    as_planned: bool,
    problem: Option<String>,
) -> Option<String> {
    let editor = &part.editor.name;
    if done.seen.content.hash() == done.file.hash_before {
        return Some(format!("{editor} has the old text again: the change was undone there."));
    }
    if !done.saved {
        let why = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
        let what = if part.save == Saving::Yes { "did not save it" } else { "holds it unsaved" };
        return Some(format!(
            "{editor} has this file open and {what}{why}; programs that read the disk see the old text."
        ));
    }
    (!as_planned).then(|| {
        format!("{editor} changed the text further when it saved the file; the hash is that of the result.")
    })
}

/// Returns the changes on disk: those that no editor applies, in order.
pub(crate) fn changes(writes: &[PendingWrite]) -> Vec<Change> {
    writes.iter().filter(|write| write.through.is_none()).map(change).collect()
}

fn change(write: &PendingWrite) -> Change {
    let ComputedChange { file, content, observed, .. } = &write.computed;
    let content = content.as_ref().map(|content| content.bytes.clone());
    let target = observed.target.clone();
    match (&file.action, &write.to, observed.expected()) {
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

fn committed_on_disk(write: PendingWrite, done: Committed) -> CommittedFile {
    let PendingWrite { mut computed, to, .. } = write;
    computed.settle();
    let ComputedChange { file, content, observed, others, .. } = computed;
    if let Some(leftover) = &done.leftover {
        tracing::warn!(path = %leftover.display(), "a displaced file could not be removed");
    }
    let shares = content.as_ref().is_some_and(|content| content.shares);
    let content = match (&file.action, content) {
        (Action::Delete, _) => FileContent::Missing,
        (_, Some(content)) => content.content(),
        (_, None) => observed.content,
    };
    let mut target = to.unwrap_or(observed.target);
    // A file with several names is identified by its inode, any other by its path.
    target.key = done.stat.filter(|stat| stat.nlink > 1).map_or_else(
        || FileKey::path(&done.path),
        |stat| FileKey::Inode { device: stat.dev, inode: stat.ino },
    );
    CommittedFile {
        seen: ObservedVersion { key: target.key, path: done.path, content, is_unsaved: false },
        saved: true,
        disk: None,
        stat: done.stat,
        root: target.root,
        file,
        written: true,
        shares,
        others,
        _spent: observed.bytes,
    }
}
