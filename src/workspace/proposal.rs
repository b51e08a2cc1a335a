use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use crate::edit::{Display, FileDiff, Match, Plan};
use crate::text::{ContentHash, Format};

use super::review::Review;
use super::rules::Tag;
use super::{Coverage, FileKey, Repeatable, Role, SessionId, Snapshot};

/// Names a proposal; unique over restarts of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalId(pub Arc<str>);

impl fmt::Display for ProposalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a proposal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalState {
    /// Made, not yet applied.
    Proposed,
    /// Being applied right now.
    Applying,
    /// Waits for a person.
    Pending,
    /// Everything is decided, and what was accepted is being applied right now.
    Deciding,
    /// Done.
    Applied,
    /// A person wanted some of it, and that is done.
    Partial,
    /// A person wanted none of it.
    Rejected,
    /// Another proposal took its place.
    Superseded,
    /// Its author took it back.
    Discarded,
    /// The files changed in a way that it could not be carried through.
    Stale,
    /// The attempt to apply it failed; nothing was changed.
    Failed,
}

impl ProposalState {
    /// The name on the wire. What is being applied is still what it was to those who look.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposed | Self::Applying => "proposed",
            Self::Pending | Self::Deciding => "pending",
            Self::Applied => "applied",
            Self::Partial => "partial",
            Self::Rejected => "rejected",
            Self::Superseded => "superseded",
            Self::Discarded => "discarded",
            Self::Stale => "stale",
            Self::Failed => "failed",
        }
    }

    /// Whether it can still be applied.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Proposed | Self::Applying) || self.is_pending()
    }

    /// Whether a person has to decide.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::Pending | Self::Deciding)
    }
}

/// What to do where a file is not what the author was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnStale {
    /// Refuse, and say what changed.
    #[default]
    Reject,
    /// Merge with what changed, and refuse only where both touch the same place.
    Rebase,
    /// Merge with what changed, and write conflict markers where both touch the same place.
    Mark,
}

/// The permission bits of a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewMode {
    /// 0666 less the user's umask.
    #[default]
    Plain,
    /// 0777 less the user's umask: a program or a script.
    Executable,
    /// Exactly these: the file had them before.
    Bits(u32),
}

impl NewMode {
    /// The mode of an executable file, as git writes it.
    pub const EXECUTABLE: &str = "100755";

    /// Returns whether the file is executable.
    pub fn is_executable(self) -> bool {
        match self {
            Self::Plain => false,
            Self::Executable => true,
            Self::Bits(bits) => bits & 0o111 != 0,
        }
    }
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Its text changes.
    Edit,
    /// It comes to be.
    Create {
        /// Its permission bits.
        mode: NewMode,
    },
    /// It goes.
    Delete,
    /// It gets another name, and maybe another text.
    Rename {
        /// The new canonical path.
        to: PathBuf,
        /// The key of the new path.
        to_key: FileKey,
    },
}

impl Action {
    /// A new file with the usual permission bits.
    pub const CREATE: Self = Self::Create { mode: NewMode::Plain };

    /// Returns whether it creates an executable file.
    pub fn is_executable(&self) -> bool {
        matches!(self, Self::Create { mode } if mode.is_executable())
    }

    /// Returns whether it creates a file.
    pub fn creates(&self) -> bool {
        matches!(self, Self::Create { .. })
    }

    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Create { .. } => "create",
            Self::Delete => "delete",
            Self::Rename { .. } => "rename",
        }
    }
}

/// A change of one file, worked out to the byte and bound to the content it was worked out for.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Which file.
    pub key: FileKey,
    /// Its canonical path.
    pub path: PathBuf,
    /// What happens to it.
    pub action: Action,
    /// The content that the plan is for; `None` if the file does not exist.
    pub before: Option<Arc<Snapshot>>,
    /// Hash of that content, also for a file that is no text.
    pub hash_before: Option<ContentHash>,
    /// The replacements that make the new text of the old.
    pub plan: Arc<Plan>,
    /// Hash of the new content; `None` if the file goes.
    pub hash_after: Option<ContentHash>,
    /// How the new text is written.
    pub format: Format,
    /// The change for people to see.
    pub diff: Arc<FileDiff>,
    /// The same in the form that its author asked for.
    pub shown: Option<Shown>,
    /// How each edit found its place.
    pub matches: Vec<Match>,
    /// What the author should know.
    pub warnings: Vec<String>,
    /// What is to be known of the file by its name, or of the new one.
    pub tags: Vec<Tag>,
    /// The plan was merged with what others had done since the author's base.
    pub rebased: bool,
    /// The change as its author made it and the content that it was made for, where it had to be carried over to
    /// something else.
    pub alone: Option<(ContentHash, Arc<Plan>)>,
    /// How much of the result its author knows: all of it after a `write`, else what it knew before.
    pub coverage: Coverage,
}

/// A change in another form than the unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The form.
    pub display: Display,
    /// The change in it.
    pub text: Arc<str>,
}

/// Changes that an author wants to happen together.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Its name.
    pub id: ProposalId,
    /// The session that made it.
    pub session: SessionId,
    /// What that session may do.
    pub role: Role,
    /// The roots of that session, in which its files were found.
    pub roots: Vec<PathBuf>,
    /// The author it belongs to.
    pub author: String,
    /// That session's name in the history.
    pub session_name: Arc<str>,
    /// The request that made it, if that may be sent again.
    pub request: Option<Repeatable>,
    /// What it is for, in the author's words.
    pub label: Option<String>,
    /// Counts what people see of it; carrying it along with other changes does not count.
    pub revision: u32,
    /// Where it stands.
    pub state: ProposalState,
    /// Why it stands there, for instance the reason of a discard.
    pub reason: Option<String>,
    /// The proposal that took its place.
    pub replaced_by: Option<ProposalId>,
    /// What to do where the files changed meanwhile.
    pub on_stale: OnStale,
    /// When it was made.
    pub at: SystemTime,
    /// The transaction that applied it.
    pub transaction: Option<Arc<str>>,
    /// The transaction that it takes back.
    pub undoes: Option<Arc<str>>,
    /// The changes, in the order of the request.
    pub files: Arc<[PlannedFile]>,
    /// What a person decided, if one decides.
    pub review: Option<Review>,
}

impl Action {
    /// Whether the file is afterwards where it was before.
    pub fn keeps_path(&self) -> bool {
        !matches!(self, Self::Rename { .. })
    }
}
