//! What the history is told of a change, before and after it happens.

use std::sync::Arc;
use std::time::SystemTime;

use crate::disk::{Durability, FileBytes};
use crate::edit::WayBack;
use crate::history::NotKept;
use crate::text::{ContentHash, Format};
use crate::workspace::history::{Back, PastAction, PastDetail, PastEntry, PastFile};
use crate::workspace::limits::KEPT_DIFF;
use crate::workspace::{Action, Proposal, Refusal, RefusalKind};

use super::Core;
use super::commit::{Due, Landed};
use super::work::Worked;

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// Who changes files, and what for.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) author: String,
    /// The name of the session that it is for.
    pub(crate) session: Arc<str>,
    pub(crate) label: Option<String>,
    /// The transaction that it takes back.
    pub(crate) undoes: Option<Arc<str>>,
}

/// Files after a commit, and the transaction that it was, if anything was written.
#[derive(Debug)]
pub(crate) struct Landing {
    pub(crate) files: Vec<Landed>,
    pub(crate) transaction: Option<Arc<str>>,
    pub(crate) undoes: Option<Arc<str>>,
}

/// A change that was written down and is happening.
pub(crate) struct Noted {
    id: Arc<str>,
    undoes: Option<Arc<str>>,
    /// Whether the history has it.
    begun: bool,
    flush: bool,
    /// Why it has it not.
    warning: Option<String>,
}

impl Noted {
    /// The transaction.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// What it came to.
    pub(super) fn landing(self, mut files: Vec<Landed>) -> Landing {
        if let (Some(warning), Some(first)) = (self.warning, files.first_mut()) {
            first.file.warnings.push(warning);
        }
        Landing { files, transaction: self.begun.then_some(self.id), undoes: self.undoes }
    }
}

impl Intent {
    pub(crate) fn of(proposal: &Proposal) -> Self {
        Self {
            author: proposal.author.clone(),
            session: proposal.session_name.clone(),
            label: proposal.label.clone(),
            undoes: None,
        }
    }
}

impl Core {
    /// Writes down what is about to happen. A history that cannot be written keeps nobody from working, but
    /// is told of.
    ///
    /// Only where bytes would be gone for good is the change refused: what cannot be kept whole although it was
    /// wanted cannot be got back by anybody.
    pub(super) fn note(&self, due: &mut [Due], intent: &Intent) -> Result<Noted, Refusal> {
        for due in due.iter_mut() {
            due.worked.settle();
        }
        let id = self.history.next_id();
        let entry = PastEntry {
            id: id.clone(),
            at: SystemTime::now(),
            author: intent.author.clone(),
            session: Some(intent.session.clone()).filter(|name| !name.is_empty()),
            label: intent.label.clone(),
            undoes: intent.undoes.clone(),
            rescued: false,
            files: due.iter().enumerate().map(|(detail, due)| past_file(due, detail)).collect(),
        };
        let details: Vec<_> = due.iter().map(|due| past_detail(&due.worked)).collect();
        let both = due.iter().zip(&details);
        let images: Vec<_> = both.filter_map(|(due, detail)| image(&due.worked, &detail.back)).collect();
        let flush = due.len() > 1 && self.durability(due.len()) == Durability::Full;
        let undoes = intent.undoes.clone();
        Ok(match self.history.begin(&entry, details, &images) {
            Ok(begun) => Noted { id, undoes, begun, flush, warning: None },
            Err(NotKept::Io(error)) if !images.is_empty() => return Err(not_kept(&error, &entry)),
            Err(error) => {
                tracing::warn!(%error, transaction = %id, "a change is not in the history");
                let warning =
                    Some(format!("This change is not in the history and cannot be undone: {error}."));
                Noted { id, undoes, begun: false, flush, warning }
            }
        })
    }

    /// Notes that it has happened: at once, whatever else is still to be done with the files.
    pub(super) fn note_landed(&self, noted: &mut Noted) {
        if noted.begun
            && let Err(error) = self.history.landed(&noted.id, noted.flush)
        {
            tracing::warn!(%error, transaction = %noted.id, "the history cannot be written");
            noted.warning = Some(format!("The history could not be written completely: {error}."));
        }
    }

    /// Notes that it has not. Where not all could be put back, the next start has to find out.
    pub(super) fn note_failed(&self, noted: Option<Noted>, rolled_back: bool) {
        if let Some(noted) = noted.filter(|noted| noted.begun && rolled_back)
            && let Err(error) = self.history.failed(&noted.id)
        {
            tracing::warn!(%error, transaction = %noted.id, "the history cannot be written");
        }
    }
}

fn not_kept(error: &std::io::Error, entry: &PastEntry) -> Refusal {
    let kind = RefusalKind::Disk {
        operation: "keep the old content in the history",
        errno: error.raw_os_error(),
        detail: error.to_string(),
        required: None,
        available: None,
    };
    entry
        .files
        .first()
        .map_or_else(|| Refusal::new(kind.clone()), |file| Refusal::at(&file.path, kind.clone()))
}

fn past_file(due: &Due, detail: usize) -> PastFile {
    let file = &due.worked.file;
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
        tags: file.tags.iter().map(|tag| tag.name().to_owned()).collect(),
        detail,
    }
}

fn past_detail(worked: &Worked) -> PastDetail {
    let diff = &worked.file.diff;
    let unified = Some(diff.unified.clone()).filter(|unified| unified.len() <= KEPT_DIFF);
    PastDetail { hunks: diff.hunks.clone(), diff: unified, back: way_back(worked) }
}

fn way_back(worked: &Worked) -> Back {
    let Worked { file, content, observed, .. } = worked;
    let before = observed.truth.snapshot().map_or(Format::UTF8, |before| before.format);
    let text = match (&file.action, &observed.text) {
        (Action::Create { .. }, _) => Some(""),
        (_, text) => text.as_ref().map(|text| text.as_str()),
    };
    let result = content.as_ref().and_then(|content| Some((content.text()?, content.format())));
    match (&file.action, text, result) {
        (Action::Delete, ..) => Back::Image { mode: observed.stat.map(|stat| stat.mode & PERMISSIONS) },
        (_, Some(text), Some((result, after))) => {
            Back::Edits { way: WayBack::of(&file.plan, text, result), before, after }
        }
        (Action::Edit, ..) => Back::Image { mode: None },
        (Action::Create { .. } | Action::Rename { .. }, ..) => Back::Nothing,
    }
}

/// The bytes that have to be kept whole.
fn image(worked: &Worked, back: &Back) -> Option<(ContentHash, FileBytes)> {
    let is_needed = matches!(back, Back::Image { .. });
    worked.file.hash_before.filter(|_| is_needed).map(|hash| (hash, worked.observed.bytes.clone()))
}
