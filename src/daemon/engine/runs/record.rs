//! Recording what a run has changed as a transaction.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::{ComputedChange, with_content};
use crate::engine::change::content::Content;
use crate::engine::change::draft::Draft;
use crate::engine::change::history_recording::Intent;
use crate::engine::files::observe::Observed;
use crate::engine::runs::mark::Owner;
use crate::engine::runs::set_aside::SetAside;
use crate::engine::runs::{OpenRun, RootState, RunRoot};
use editd_disk::snapshot::{Content as NodeContent, Difference, FileState, Node, Omission, Stamp};
use editd_disk::{FileBytes, Target};
use editd_edit::{Plan, Splice};
use editd_text::{ContentHash, Format};
use editd_workspace::history::{DISK, Origin, PastRun, PathChange, PathState};
use editd_workspace::{Action, Audience, Coverage, FileContent, FileKey, NewMode, OnStale, Refusal, Role};

/// Size of the contents in one transaction, in bytes. A run that changes more is recorded as several transactions.
const BATCH: usize = 64 << 20;

/// The reason why a name that has appeared is not recorded.
const APPEARED: &str = "it was there before the command, ignored or in another place";

/// The changes of a run so far.
#[derive(Debug, Default)]
pub(crate) struct RunChanges {
    /// The transactions, oldest first.
    pub(crate) transactions: Vec<Arc<str>>,
    /// The changed paths.
    pub(crate) paths: Vec<PathBuf>,
    /// Changed files whose content before or after is not recorded, with the reasons.
    pub(crate) omitted: Vec<(PathBuf, String)>,
    /// Changes that could not be recorded for another reason, as sentences.
    pub(crate) warnings: Vec<String>,
}

/// The differences of a mark, by the form in which they are recorded.
#[derive(Default)]
struct Sorted {
    /// Files with another content.
    files: Vec<FileChange>,
    /// Links, folders and permissions.
    paths: Vec<PathChange>,
    omitted: Vec<(PathBuf, String)>,
}

/// A change of the content of a file.
pub(super) struct FileChange {
    path: PathBuf,
    before: Option<FileState>,
    after: Option<FileState>,
    hashes: (Option<ContentHash>, Option<ContentHash>),
}

impl Engine {
    /// Records differences as changes of their owner.
    pub(super) fn record_run(
        &self,
        of: &Arc<RunRoot>,
        state: &mut RootState,
        differences: Vec<Difference>,
        owner: Owner<'_>,
    ) {
        let mut sorted = Sorted::default();
        for difference in differences {
            sorted.add(of.root.path(), difference);
        }
        self.set_aside_announced(of, state, &mut sorted.files, owner);
        let Sorted { files, mut paths, mut omitted } = sorted;
        if files.is_empty() && paths.is_empty() && omitted.is_empty() {
            return;
        }
        let mut changed: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
        changed.extend(paths.iter().map(|change| change.path.clone()));
        changed.sort_unstable();
        changed.dedup();
        let base = self.disk.resolve(&of.root, Path::new(".editd"));
        let (mut transactions, mut warnings) = (Vec::new(), Vec::new());
        let mut files = files.into_iter().peekable();
        loop {
            let (mut writes, mut recorded_files, mut size) = (Vec::new(), Vec::new(), 0);
            while size < BATCH
                && let (Some(file), Ok(base)) = (files.next(), &base)
            {
                match self.pending(state, base, &file, writes.len()) {
                    Some((write, bytes)) => {
                        writes.push(write);
                        recorded_files.push(file);
                        size += bytes;
                    }
                    None => omitted.push((file.path, Omission::NotStored.reason().to_owned())),
                }
            }
            let intent = intent(&state.open, owner, std::mem::take(&mut paths), std::mem::take(&mut omitted));
            match self.record_batch(&mut writes, &intent) {
                Ok(Some(transaction)) => {
                    self.queue_for_review(of, (&intent.author, transaction.clone()), recorded_files);
                    transactions.push(transaction);
                }
                Ok(None) => {}
                Err(refusal) => warnings.push(refusal.message(Audience::Wire)),
            }
            let recorded = intent.run.map(|run| run.omitted).unwrap_or_default();
            for run in &mut state.open {
                run.changes.omitted.extend(recorded.iter().cloned());
            }
            if files.peek().is_none() || base.is_err() {
                break;
            }
        }
        if matches!(owner, Owner::Unknown(_)) {
            return;
        }
        for run in &mut state.open {
            run.changes.transactions.extend(transactions.iter().cloned());
            run.changes.warnings.extend(warnings.iter().cloned());
            run.changes.paths.extend(changed.iter().cloned());
        }
    }

    /// Sets the changes aside that a tool of a client has made, which the client is about to report. Of a file, only
    /// the first one: others are recorded now.
    fn set_aside_announced(
        &self,
        of: &Arc<RunRoot>,
        state: &RootState,
        files: &mut Vec<FileChange>,
        owner: Owner<'_>,
    ) {
        let is_announced = |file: &mut FileChange| {
            let is_known = !self.prepared.leading_to(&file.path, file.hashes.1).is_empty();
            is_known && !self.runs.set_aside.has(&file.path)
        };
        let announced: Vec<_> = files.extract_if(.., is_announced).collect();
        let Ok(base) = self.disk.resolve(&of.root, Path::new(".editd")) else { return };
        for file in announced {
            match self.pending(state, &base, &file, 0) {
                Some((write, _)) => {
                    let intent = intent(&state.open, owner, Vec::new(), Vec::new());
                    self.runs.set_aside.add(SetAside::new(of, file, write, intent));
                }
                None => files.push(file),
            }
        }
    }

    pub(super) fn record_batch(
        &self,
        writes: &mut [PendingWrite],
        intent: &Intent,
    ) -> Result<Option<Arc<str>>, Refusal> {
        let mut entry = self.begin_history_entry(writes, intent)?;
        self.record_committed(&mut entry);
        Ok(entry.result(Vec::new()).transaction)
    }

    /// Returns the change of a file with its size in bytes, or `None` if a content can no longer be read.
    pub(super) fn pending(
        &self,
        state: &RootState,
        base: &Target,
        file: &FileChange,
        index: usize,
    ) -> Option<(PendingWrite, usize)> {
        let content = |hash: Option<ContentHash>| match hash {
            Some(hash) => state.snapshot.content(hash).map(Some),
            None => Some(None),
        };
        let (before, after) = (content(file.hashes.0)?, content(file.hashes.1)?);
        let size = before.as_ref().map_or(0, Vec::len) + after.as_ref().map_or(0, Vec::len);
        let mut target = base.clone();
        target.key = FileKey::path(&file.path);
        file.path.file_name()?.clone_into(&mut target.name);
        target.path.clone_from(&file.path);
        let mode = file.after.map(|state| state.stamp.mode);
        let observed = observed(target, before, file.before.map(|state| state.stamp));
        let computed = self.computed(observed, after, mode);
        Some((PendingWrite::new(index, computed, None), size))
    }

    /// Returns the change from an observed content to another one.
    fn computed(&self, observed: Observed, after: Option<Vec<u8>>, mode: Option<u32>) -> ComputedChange {
        let rules = self.compute_options(OnStale::Reject, None);
        let action = match (observed.exists(), &after) {
            (_, None) => Action::Delete,
            (true, Some(_)) => Action::Edit,
            (false, Some(_)) => Action::Create { mode: mode.map_or(NewMode::Plain, NewMode::Bits) },
        };
        let content = after.map(Content::of_bytes);
        let new = content.as_ref().and_then(|content| content.text.as_ref()).map(ToString::to_string);
        let plan = match (new, &observed.text) {
            (Some(text), Some(present)) => Plan::between(present, &text, rules.deadline),
            (Some(text), None) => Plan::new(0, vec![Splice { range: 0..0, text }]).unwrap_or_default(),
            (None, present) => Plan::empty(present.as_ref().map_or(0, |text| text.len())),
        };
        let before = observed.content.snapshot().map_or(Format::UTF8, |before| before.format);
        let format = content.as_ref().map_or(before, |content| content.format);
        let draft = Draft { plan, ..Draft::default() };
        with_content(observed, action, (format, content), draft, Coverage::Part, &rules)
    }
}

impl FileChange {
    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the hash of the content after the change, unless the file is gone.
    pub(super) fn hash_after(&self) -> Option<ContentHash> {
        self.hashes.1
    }

    /// Returns the change that reverts this one.
    pub(super) fn inverse(&self) -> Self {
        let (before, after) = self.hashes;
        Self { path: self.path.clone(), before: self.after, after: self.before, hashes: (after, before) }
    }
}

impl Sorted {
    fn add(&mut self, root: &Path, Difference { path, before, after }: Difference) {
        let path = root.join(path);
        if before == Some(Node::Hidden) {
            self.omitted.push((path, APPEARED.to_owned()));
            return;
        }
        if let Some(omission) = omission(before.as_ref(), after.as_ref()) {
            // A special file has no content that could change.
            if !(is_special(before.as_ref()) && is_special(after.as_ref())) {
                self.omitted.push((path.clone(), omission.reason().to_owned()));
            }
        } else {
            let hashes = (hash(before.as_ref()), hash(after.as_ref()));
            if hashes.0 != hashes.1 {
                let (before, after) = (file(before.as_ref()), file(after.as_ref()));
                self.files.push(FileChange { path: path.clone(), before, after, hashes });
            }
        }
        // What is under a mount has not changed.
        if [&before, &after].into_iter().flatten().any(Node::is_mount) {
            return;
        }
        let (before, after) = match (&before, &after) {
            (Some(Node::File(before)), Some(Node::File(after))) => {
                (PathState::File(before.stamp.mode), PathState::File(after.stamp.mode))
            }
            (before, after) => (state(before.as_ref()), state(after.as_ref())),
        };
        if before != after {
            self.paths.push(PathChange { path, before, after });
        }
    }
}

/// Returns the reason why a content of a changed file is not recorded.
fn omission(before: Option<&Node>, after: Option<&Node>) -> Option<Omission> {
    before.and_then(Node::omission).or_else(|| after.and_then(Node::omission))
}

fn is_special(node: Option<&Node>) -> bool {
    node.and_then(Node::omission) == Some(Omission::Special)
}

fn hash(node: Option<&Node>) -> Option<ContentHash> {
    node.and_then(Node::hash)
}

fn file(node: Option<&Node>) -> Option<FileState> {
    match node {
        Some(Node::File(state @ FileState { content: NodeContent::Stored(_), .. })) => Some(*state),
        _ => None,
    }
}

fn state(node: Option<&Node>) -> PathState {
    match node {
        None | Some(Node::File(_) | Node::Hidden) => PathState::Missing,
        Some(Node::Link { target, .. }) => PathState::Link(target.clone()),
        Some(Node::Folder { mode, .. }) => PathState::Folder(*mode),
    }
}

/// Returns a file as it was before the run.
fn observed(target: Target, before: Option<Vec<u8>>, stamp: Option<Stamp>) -> Observed {
    let content = before.map(Content::of_bytes);
    let text = content.as_ref().and_then(|content| content.text.as_ref());
    Observed {
        target,
        stat: stamp.map(|stamp| stamp.stat()),
        handle: None,
        text: text.map(|text| Arc::new(text.to_string())),
        bytes: content.as_ref().map_or_else(FileBytes::default, |content| content.bytes.clone()),
        content: content.map_or(FileContent::Missing, |content| content.content()),
        not_text: None,
        open: None,
        on_disk: None,
    }
}

/// Returns the author and the purpose of a change by these runs.
fn intent(
    open: &[OpenRun],
    owner: Owner<'_>,
    paths: Vec<PathChange>,
    omitted: Vec<(PathBuf, String)>,
) -> Intent {
    let ending = match owner {
        Owner::Runs(ending) => ending,
        Owner::Killed(run, _) => Some(run),
        Owner::Unknown(run) => {
            let run = open.iter().find(|open| open.id == run).map_or("", |open| &open.command);
            return Intent {
                author: DISK.to_owned(),
                role: Role::Editor,
                session: Arc::default(),
                origin: Origin::default(),
                label: Some(format!("changed while editd did not run, during or after: {run}")),
                undoes: None,
                run: None,
                paths,
            };
        }
    };
    let main = open.iter().find(|run| Some(run.id.as_str()) == ending).or(open.first());
    let is_other = |run: &&OpenRun| main.is_some_and(|main| main.id != run.id);
    let others = open.iter().filter(is_other).map(|run| format!("{}: {}", run.author, run.command)).collect();
    let run = main.map(|main| PastRun {
        id: main.id.clone(),
        status: main.status,
        interrupted: main.is_interrupted,
        others,
        omitted,
    });
    Intent {
        author: main.map(|main| main.author.clone()).unwrap_or_default(),
        // The history knows the name of a person's commands, which no agent can have.
        role: Role::Agent,
        session: main.map(|main| main.session.clone()).unwrap_or_default(),
        origin: main.map(|main| main.origin.clone()).unwrap_or_default(),
        label: main.map(|main| main.command.clone()),
        undoes: None,
        run,
        paths,
    }
}
