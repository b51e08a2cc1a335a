use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use editd_edit::{Display, FileDiff, Hunk, Match, Plan};
use editd_syntax::SyntaxError;
use editd_text::{ContentHash, Format};

use super::files::{FileKey, Snapshot};
use super::history::{Origin, PathChange};
use super::ledger::Coverage;
use super::limits::{KEPT_DIFF, STORED_HUNKS, STORED_MATCHES};
use super::review::{Landed, Review};
use super::rules::EXECUTABLE_CONFIG;
use super::session::{Role, SessionId};

/// Identifies a proposal. Unique across restarts of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalId(pub Arc<str>);

impl fmt::Display for ProposalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The state of a proposal, with its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::AsRefStr)]
#[strum(serialize_all = "snake_case")]
pub enum ProposalState {
    /// Created, not yet applied.
    Proposed,
    /// Being applied. Reported as the state before.
    #[strum(serialize = "proposed")]
    Applying,
    /// Awaiting a decision by a person.
    Pending,
    /// Fully decided; the accepted changes are being applied. Reported as the state before.
    #[strum(serialize = "pending")]
    Deciding,
    /// A command has made the changes already. Awaiting a decision by a person to keep or revert them.
    Landed,
    /// Applied.
    Applied,
    /// A person accepted some of the changes, and these were applied.
    Partial,
    /// A person rejected all changes.
    Rejected,
    /// Replaced by another proposal.
    Superseded,
    /// Discarded by its author.
    Discarded,
    /// The files changed in a way that prevents applying the proposal.
    Stale,
    /// The attempt to apply it failed; nothing was changed.
    Failed,
}

impl ProposalState {
    /// The states that have their own name on the wire.
    pub const REPORTED: [Self; 10] = [
        Self::Proposed,
        Self::Pending,
        Self::Landed,
        Self::Applied,
        Self::Partial,
        Self::Rejected,
        Self::Superseded,
        Self::Discarded,
        Self::Stale,
        Self::Failed,
    ];

    /// Returns the reported state with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::REPORTED.into_iter().find(|state| state.as_ref() == name)
    }

    /// Returns `true` if the proposal can still be applied.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Proposed | Self::Applying) || self.is_pending()
    }

    /// Returns `true` if a person has to decide.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::Pending | Self::Deciding | Self::Landed)
    }
}

/// Handling of a file that differs from the content its author was given, with its name in stored proposals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum OnStale {
    /// Refuse the change and report what changed.
    #[default]
    Reject,
    /// Merge with the other changes, and refuse only where both touch the same lines.
    Rebase,
    /// Merge with the other changes, and write conflict markers where both touch the same lines.
    Mark,
}

/// The permission bits of a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewMode {
    /// `0666` minus the user's umask.
    #[default]
    Plain,
    /// `0777` minus the user's umask, for a program or script.
    Executable,
    /// Exactly these bits, because the file had them before.
    Bits(u32),
}

impl NewMode {
    /// The mode of an executable file, as git writes it.
    pub const EXECUTABLE: &str = "100755";

    /// Returns `true` if the file is executable.
    pub fn is_executable(self) -> bool {
        match self {
            Self::Plain => false,
            Self::Executable => true,
            Self::Bits(bits) => bits & 0o111 != 0,
        }
    }
}

/// The kind of change made to a file, with its name on the wire.
#[derive(Clone, Debug, PartialEq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Changes the text.
    Edit,
    /// Creates the file.
    Create {
        /// Permission bits of the new file.
        mode: NewMode,
    },
    /// Deletes the file.
    Delete,
    /// Renames the file, and possibly changes its text.
    Rename {
        /// The new canonical path.
        to: PathBuf,
        /// The key of the new path.
        to_key: FileKey,
    },
}

impl Action {
    /// Creates a file with the default permission bits.
    pub const CREATE: Self = Self::Create { mode: NewMode::Plain };

    /// Returns `true` if the action creates an executable file.
    pub fn is_executable(&self) -> bool {
        matches!(self, Self::Create { mode } if mode.is_executable())
    }

    /// Returns `true` if the action creates a file.
    pub fn creates(&self) -> bool {
        matches!(self, Self::Create { .. })
    }

    /// Returns `true` if the file keeps its path.
    pub fn keeps_path(&self) -> bool {
        !matches!(self, Self::Rename { .. })
    }
}

/// A fully computed change of one file, bound to the content it was computed for.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Key of the file.
    pub key: FileKey,
    /// Canonical path of the file.
    pub path: PathBuf,
    /// The kind of change.
    pub action: Action,
    /// The content that the plan applies to; `None` if the file does not exist.
    pub before: Option<Arc<Snapshot>>,
    /// Hash of that content, set even if the file is not text.
    pub hash_before: Option<ContentHash>,
    /// The replacements that turn the old text into the new one.
    pub plan: Arc<Plan>,
    /// Hash of the new content; `None` if the file is deleted.
    pub hash_after: Option<ContentHash>,
    /// Encoding and format of the new text.
    pub format: Format,
    /// The change as a diff.
    pub diff: Arc<FileDiff>,
    /// The change in the display format that its author requested.
    pub shown: Option<DisplayDiff>,
    /// Matches of the edits.
    pub matches: Vec<Match>,
    /// Warnings for the author.
    pub warnings: Vec<String>,
    /// Syntax errors that the change adds.
    pub syntax: Vec<SyntaxError>,
    /// `true` if programs execute or follow the file, judging by its name or its new name.
    pub runs_programs: bool,
    /// `true` if the plan was merged with changes that others made after the author's base.
    pub rebased: bool,
    /// The change as its author made it, with the hash of the content it was made for, if it had to be
    /// rebased.
    pub original_plan: Option<(ContentHash, Arc<Plan>)>,
    /// Part of the result that its author knows: all of it after a `write`, otherwise as much as before.
    pub coverage: Coverage,
}

/// A change rendered in a format other than the unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayDiff {
    /// The display format.
    pub display: Display,
    /// The rendered change.
    pub text: Arc<str>,
}

impl PlannedFile {
    /// Returns the names of the tags that the author of a change and later readers of the history receive.
    pub fn tags(&self) -> Vec<String> {
        self.runs_programs.then(|| EXECUTABLE_CONFIG.to_owned()).into_iter().collect()
    }

    /// Returns the approximate bytes of text in the change.
    pub(super) fn weight(&self) -> u64 {
        let new: usize = self.plan.splices().iter().map(|splice| splice.text.len()).sum();
        let shown = self.shown.as_ref().map_or(0, |shown| shown.text.len());
        (new + self.diff.unified.len() + shown) as u64
    }

    /// Returns the part to store after closing, without the texts needed only to apply it and without long
    /// diffs.
    pub(super) fn without_texts(&self, reviewed: bool) -> Self {
        let mut stored = self.as_shown();
        stored.matches.truncate(STORED_MATCHES);
        stored.shown = stored.shown.filter(|shown| shown.text.len() <= KEPT_DIFF);
        if self.diff.unified.len() > KEPT_DIFF {
            // Decisions and comments of a person refer to hunks.
            let is_kept = reviewed || self.diff.hunks.len() <= STORED_HUNKS;
            stored.drop_diff(if is_kept { self.diff.hunks.clone() } else { Vec::new() });
        }
        stored
    }

    /// Returns the part to show, without the data needed only to apply the change.
    #[must_use]
    pub fn as_shown(&self) -> Self {
        Self { before: None, plan: Arc::new(Plan::empty(0)), original_plan: None, ..self.clone() }
    }

    /// Drops the text of the diff, which is too long to be stored.
    pub(super) fn drop_diff(&mut self, hunks: Vec<Hunk>) {
        let FileDiff { first_changed_line, added, removed, .. } = *self.diff;
        let unified = String::new();
        self.diff = Arc::new(FileDiff { unified, hunks, first_changed_line, added, removed });
        self.warnings.push(DROPPED_DIFF.to_owned());
    }

    /// Returns `true` if the diff was dropped.
    pub fn lacks_diff(&self) -> bool {
        self.diff.unified.is_empty() && self.diff.added + self.diff.removed > 0
    }

    /// Sets a diff that was dropped and computed again.
    pub fn restore_diff(&mut self, unified: String) {
        self.diff = Arc::new(FileDiff { unified, ..(*self.diff).clone() });
        self.warnings.retain(|warning| warning != DROPPED_DIFF);
    }
}

/// The warning of a file whose diff was dropped.
const DROPPED_DIFF: &str = "The diff of this closed proposal was too long to be stored.";

/// A request that may be sent twice but takes effect once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeatable {
    /// The `requestId`.
    pub id: String,
    /// Digest of all parameters. The same id with another digest is another request.
    pub asks: ContentHash,
}

/// A set of changes that is applied as a whole.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Id of the proposal.
    pub id: ProposalId,
    /// The session that created it.
    pub session: SessionId,
    /// Role of that session.
    pub role: Role,
    /// Roots of that session, in which the files were resolved.
    pub roots: Vec<PathBuf>,
    /// Name of the author.
    pub author: String,
    /// Name of the session in the history.
    pub session_name: Arc<str>,
    /// Turn, sub-agent, model and call of a tool that made it, if known.
    pub origin: Origin,
    /// The request that created it, if that request may be repeated.
    pub request: Option<Repeatable>,
    /// Description by the author.
    pub label: Option<String>,
    /// Incremented when the visible content changes. Rebasing onto other changes does not increment it.
    pub revision: u32,
    /// Current state.
    pub state: ProposalState,
    /// Reason for the state, such as the reason for a discard.
    pub reason: Option<String>,
    /// The proposal that replaced it.
    pub replaced_by: Option<ProposalId>,
    /// Handling of files that changed in the meantime.
    pub on_stale: OnStale,
    /// Time of creation.
    pub at: SystemTime,
    /// The transaction that applied it.
    pub transaction: Option<Arc<str>>,
    /// The transaction that it undoes.
    pub undoes: Option<Arc<str>>,
    /// The change that has landed and that the files would revert, if that is what a person reviews.
    pub landed: Option<Landed>,
    /// The changes, in the order of the request.
    pub files: Arc<[PlannedFile]>,
    /// The links, folders and permissions that a person decides about. Each is a hunk after those of the files.
    pub paths: Arc<[PathChange]>,
    /// The decisions of a person, if the proposal is under review.
    pub review: Option<Review>,
}

/// The parameters of a new proposal.
#[derive(Debug)]
pub struct NewProposal {
    /// The session that creates it.
    pub session: SessionId,
    /// Name of the author.
    pub author: String,
    /// Description by the author.
    pub label: Option<String>,
    /// The proposal that it replaces.
    pub replaces: Option<String>,
    /// Handling of files that change in the meantime.
    pub on_stale: OnStale,
    /// Current time.
    pub at: SystemTime,
    /// Turn, sub-agent, model and call of a tool that made it, if known.
    pub origin: Origin,
    /// The state after creation: `Proposed`, `Applying` if it is applied at once, or `Pending` under review.
    pub state: ProposalState,
    /// The request that creates it, if that request may be repeated.
    pub request: Option<Repeatable>,
    /// The transaction that it undoes.
    pub undoes: Option<Arc<str>>,
    /// The changes.
    pub files: Vec<PlannedFile>,
    /// The links, folders and permissions that it changes.
    pub paths: Vec<PathChange>,
}

/// The action required for one file when a proposal is applied.
#[derive(Clone, Debug)]
pub enum ApplyStep {
    /// The file has the content that the plan was made for.
    Ready,
    /// The file already has the content that the plan would produce.
    Done,
    /// Only the author has changed the file since, by edits over which the plan can be rebased.
    Carry(Vec<Arc<Plan>>),
    /// A user has typed in the file, and only the author made further changes.
    CarryTyped,
    /// Another author or program changed the file.
    Moved,
}
