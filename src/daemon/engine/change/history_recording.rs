//! Recording changes in the history, before and after they are committed.

use std::sync::Arc;
use std::time::SystemTime;

use crate::engine::change::commit::{CommittedFile, PendingWrite};
use crate::engine::change::compute::ComputedChange;
use crate::engine::{Engine, SessionContext};
use editd_disk::history::NotRecorded;
use editd_disk::{Durability, FileBytes};
use editd_edit::UndoPlan;
use editd_text::{ContentHash, Format};
use editd_workspace::history::{
    Back, Origin, PastAction, PastDetail, PastEntry, PastFile, PastRun, PathChange,
};
use editd_workspace::limits::KEPT_DIFF;
use editd_workspace::{Action, Audience, Proposal, Refusal, RefusalKind, Role};

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// The author and the purpose of a change.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) author: String,
    /// Role of the client that made the change.
    pub(crate) role: Role,
    /// Name of the session that made the change.
    pub(crate) session: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) label: Option<String>,
    /// The transaction that this change undoes.
    pub(crate) undoes: Option<Arc<str>>,
    /// The run of a command that has made the change.
    pub(crate) run: Option<PastRun>,
    /// Changes of links, folders and permissions.
    pub(crate) paths: Vec<PathChange>,
}

impl Intent {
    /// Returns the owner of what is kept for a change: the session of its author.
    pub(crate) fn owner(&self) -> String {
        format!("{} {}", self.author, self.session)
    }
}

/// The result of a commit.
#[derive(Debug)]
pub(crate) struct CommitResult {
    pub(crate) files: Vec<CommittedFile>,
    /// The transaction, if the history recorded one.
    pub(crate) transaction: Option<Arc<str>>,
    pub(crate) undoes: Option<Arc<str>>,
}

/// A history entry whose change is being committed.
pub(crate) struct HistoryEntryGuard {
    /// Id of the transaction.
    pub(crate) id: Arc<str>,
    undoes: Option<Arc<str>>,
    /// `true` if the history has recorded the entry.
    begun: bool,
    flush: bool,
    /// Warning for the author if the history could not be written.
    warning: Option<String>,
    /// Links, folders and permissions that could not be restored.
    pub(crate) not_restored: Vec<Refusal>,
}

impl HistoryEntryGuard {
    /// Returns the result of the commit.
    pub(crate) fn result(self, mut files: Vec<CommittedFile>) -> CommitResult {
        let not_restored = self.not_restored.iter().map(|refusal| refusal.message(Audience::Wire));
        if let Some(first) = files.first_mut() {
            first.file.warnings.extend(self.warning.into_iter().chain(not_restored));
        }
        CommitResult { files, transaction: self.begun.then_some(self.id), undoes: self.undoes }
    }
}

impl Intent {
    /// Returns the author of a change by a session, without a purpose.
    pub(crate) fn by(session: &SessionContext) -> Self {
        Self {
            author: session.author.clone(),
            role: session.role,
            session: session.name.clone(),
            origin: Origin::default(),
            label: None,
            undoes: None,
            run: None,
            paths: Vec::new(),
        }
    }

    pub(crate) fn of(proposal: &Proposal) -> Self {
        Self {
            author: proposal.author.clone(),
            role: proposal.role,
            session: proposal.session_name.clone(),
            origin: proposal.origin.clone(),
            label: proposal.label.clone(),
            undoes: None,
            run: None,
            paths: Vec::new(),
        }
    }
}

impl Engine {
    /// Records a change in the history before the commit. If the history cannot be written, the change
    /// proceeds with a warning.
    ///
    /// The change is refused only if the history cannot store the old content as a whole image although the
    /// undo needs it: then the old bytes would be lost permanently.
    pub(crate) fn begin_history_entry(
        &self,
        writes: &mut [PendingWrite],
        intent: &Intent,
    ) -> Result<HistoryEntryGuard, Refusal> {
        for write in writes.iter_mut() {
            write.computed.settle();
        }
        self.record_set_aside(writes);
        let id = self.history.next_id();
        let entry = PastEntry {
            id: id.clone(),
            at: SystemTime::now(),
            author: intent.author.clone(),
            session: Some(intent.session.clone()).filter(|name| !name.is_empty()),
            origin: intent.origin.clone(),
            label: intent.label.clone(),
            undoes: intent.undoes.clone(),
            rescued: false,
            run: intent.run.clone(),
            files: writes.iter().enumerate().map(|(detail, write)| past_file(write, detail)).collect(),
            paths: intent.paths.clone(),
        };
        let details: Vec<_> = writes.iter().map(|write| past_detail(&write.computed)).collect();
        let with_details = writes.iter().zip(&details);
        let images: Vec<_> =
            with_details.filter_map(|(write, detail)| image(&write.computed, &detail.back)).collect();
        let flush = writes.len() > 1 && self.durability(writes.len()) == Durability::Full;
        let undoes = intent.undoes.clone();
        let (begun, warning) = match self.history.begin((&entry, intent.role), details, &images) {
            Ok(begun) => (begun, None),
            Err(NotRecorded::Io(error)) if !images.is_empty() => {
                return Err(not_recorded("store the old content in the history", writes, &error));
            }
            Err(error) => {
                tracing::warn!(%error, transaction = %id, "a change is not in the history");
                (false, Some(format!("This change is not in the history and cannot be undone: {error}.")))
            }
        };
        Ok(HistoryEntryGuard { id, undoes, begun, flush, warning, not_restored: Vec::new() })
    }

    /// Records that the change was committed. Called immediately after the commit, before any other work on
    /// the files.
    pub(crate) fn record_committed(&self, entry: &mut HistoryEntryGuard) {
        if entry.begun
            && let Err(error) = self.history.record_applied(&entry.id, entry.flush)
        {
            tracing::warn!(%error, transaction = %entry.id, "the history cannot be written");
            entry.warning = Some(format!("The history could not be written completely: {error}."));
        }
    }

    /// Records that the change failed. If the rollback is incomplete, the entry stays open, and the next
    /// start of the daemon settles it.
    pub(crate) fn record_failed(&self, entry: Option<HistoryEntryGuard>, rolled_back: bool) {
        if let Some(entry) = entry.filter(|entry| entry.begun && rolled_back)
            && let Err(error) = self.history.record_failed(&entry.id)
        {
            tracing::warn!(%error, transaction = %entry.id, "the history cannot be written");
        }
    }
}

/// Returns the refusal for a change that editd could not record before the commit.
pub(crate) fn not_recorded(
    operation: &'static str,
    writes: &[PendingWrite],
    error: &std::io::Error,
) -> Refusal {
    let kind = RefusalKind::Disk {
        operation,
        errno: error.raw_os_error(),
        detail: error.to_string(),
        required: None,
        available: None,
    };
    match writes.first() {
        Some(write) => Refusal::at(&write.computed.file.path, kind),
        None => Refusal::new(kind),
    }
}

fn past_file(write: &PendingWrite, detail: usize) -> PastFile {
    let file = &write.computed.file;
    PastFile {
        path: file.path.clone(),
        action: match &file.action {
            Action::Edit => PastAction::Edit,
            Action::Create { .. } => PastAction::Create,
            Action::Delete => PastAction::Delete,
            Action::Rename { to, .. } => PastAction::Rename(to.clone()),
        },
        hash_before: file.hash_before,
        hash_after: file.hash_after,
        added: file.diff.added,
        removed: file.diff.removed,
        tags: file.tags(),
        detail,
    }
}

fn past_detail(computed: &ComputedChange) -> PastDetail {
    let diff = &computed.file.diff;
    let unified = (diff.unified.len() <= KEPT_DIFF).then(|| diff.unified.clone());
    PastDetail { hunks: diff.hunks.clone(), diff: unified, back: undo_plan(computed) }
}

fn undo_plan(computed: &ComputedChange) -> Back {
    let ComputedChange { file, content, observed, .. } = computed;
    let before = observed.content.snapshot().map_or(Format::UTF8, |before| before.format);
    let text = match (&file.action, &observed.text) {
        (Action::Create { .. }, _) => Some(""),
        (_, text) => text.as_ref().map(|text| text.as_str()),
    };
    let result = content.as_ref().and_then(|content| Some((content.text.as_ref()?, content.format)));
    match (&file.action, text, result) {
        (Action::Delete, ..) => Back::Image { mode: observed.stat.map(|stat| stat.mode & PERMISSIONS) },
        (_, Some(text), Some((result, after))) => {
            Back::Edits { way: UndoPlan::of(&file.plan, text, result), before, after }
        }
        (Action::Edit, ..) => Back::Image { mode: None },
        (Action::Create { .. } | Action::Rename { .. }, ..) => Back::Nothing,
    }
}

/// Returns the old bytes, if the history must store a whole image of them.
fn image(computed: &ComputedChange, back: &Back) -> Option<(ContentHash, FileBytes)> {
    let is_needed = matches!(back, Back::Image { .. });
    computed.file.hash_before.filter(|_| is_needed).map(|hash| (hash, computed.observed.bytes.clone()))
}
