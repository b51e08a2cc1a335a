//! Reasons with several kinds, and their messages and hints: editors, proposals, reviews and undo.

use crate::text::ContentHash;
use crate::workspace::Audience;
use crate::workspace::proposal::{ProposalId, ProposalState};

use super::Refusal;
use super::of_edit::Terms;

/// Maximum number of characters of each comment in the message. The proposal contains the full comment.
const QUOTED: usize = 200;

/// The reason why the editors that have a file open prevent a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorRefusal {
    /// More than one text could be the current content of the file.
    Contested {
        /// The kind of contradiction.
        reason: Contest,
        /// The editors that hold these texts.
        editors: Vec<String>,
    },
    /// The editor could not apply the change or declined it.
    Refused {
        /// The reason.
        reason: String,
        /// The editor.
        editor: String,
    },
    /// The editor's text after the change is not the expected one.
    Unverified {
        /// Description of the difference.
        reason: String,
        /// Hash of the editor's text.
        actual: Option<ContentHash>,
    },
}

/// The texts that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contest {
    /// Two editors hold different unsaved texts.
    TwoEditors,
    /// The editor's text and the file have both changed since they were equal.
    BufferAndDisk,
    /// The file has changed, and the editor still shows the old text.
    EditorOutdated,
}

impl Contest {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoEditors => "two_editors",
            Self::BufferAndDisk => "buffer_and_disk",
            Self::EditorOutdated => "editor_outdated",
        }
    }
}

pub(super) fn editor_name(refusal: &EditorRefusal) -> &'static str {
    match refusal {
        EditorRefusal::Contested { .. } => "contested",
        EditorRefusal::Refused { .. } => "editor_refused",
        EditorRefusal::Unverified { .. } => "verify_failed",
    }
}

pub(super) fn editor_message(refusal: &EditorRefusal, file: &str) -> String {
    match refusal {
        EditorRefusal::Contested { reason: Contest::TwoEditors, editors } => {
            format!("Different unsaved texts of {file} are open in {}.", editors.join(" and "))
        }
        EditorRefusal::Contested { reason: Contest::BufferAndDisk, editors } => {
            let editor = editors.join(" and ");
            format!("{file} has unsaved text in {editor}, and another program has changed it on disk since.")
        }
        EditorRefusal::Contested { reason: Contest::EditorOutdated, editors } => {
            let editor = editors.join(" and ");
            format!("{file} was changed on disk, and {editor} still shows the old text.")
        }
        EditorRefusal::Refused { reason, editor } => {
            format!("{editor}, which has {file} open, did not apply the change: {reason}.")
        }
        EditorRefusal::Unverified { reason, .. } => {
            format!("The editor's text of {file} is not the expected text: {reason}.")
        }
    }
}

pub(super) fn editor_hint(refusal: &EditorRefusal, audience: Audience) -> &'static str {
    match refusal {
        EditorRefusal::Contested { reason: Contest::TwoEditors, .. } => audience.parameters_or(
            "Ask the user to save the file in one editor and reload it in the other.",
            "Save the file in one editor and reload it in the other.",
        ),
        EditorRefusal::Contested { reason: Contest::BufferAndDisk, .. } => audience.parameters_or(
            "Ask the user to save or reload the file in the editor.",
            "Save or reload the file in the editor.",
        ),
        EditorRefusal::Contested { reason: Contest::EditorOutdated, .. } => audience.parameters_or(
            "Ask the user to reload the file in the editor, then send the change again.",
            "Reload the file in the editor, then run the command again.",
        ),
        EditorRefusal::Refused { .. } => audience.parameters_or(
            "Nothing was changed. Read the file again and send the change once more; if that fails too, ask the user to close the file.",
            "Nothing was changed. Run the command again; if that fails too, close the file in the editor.",
        ),
        EditorRefusal::Unverified { .. } => "Read the file again before anything else is changed in it.",
    }
}

/// The reason why a proposal cannot be acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalRefusal {
    /// The session may see no proposal with that id.
    Unknown {
        /// The id as sent.
        id: String,
    },
    /// The proposal was replaced, or a person has decided about it.
    Superseded {
        /// Current revision.
        current_revision: u32,
        /// The proposal that replaced it.
        by: Option<ProposalId>,
    },
    /// The proposal has another revision than the given one.
    OtherRevision {
        /// The revision in the request.
        named: u32,
        /// Current revision.
        current_revision: u32,
    },
    /// The proposal is closed: applied, discarded or failed.
    Closed {
        /// State of the proposal.
        state: &'static str,
        /// Revision of the proposal.
        current_revision: u32,
        /// The transaction in which it was applied.
        transaction: Option<String>,
    },
}

const APPLIED: &str = ProposalState::Applied.name();

pub(super) fn proposal_name(refusal: &ProposalRefusal) -> &'static str {
    match refusal {
        ProposalRefusal::Unknown { .. } => "unknown_proposal",
        ProposalRefusal::Superseded { .. }
        | ProposalRefusal::OtherRevision { .. }
        | ProposalRefusal::Closed { .. } => "superseded",
    }
}

pub(super) fn proposal_message(refusal: &ProposalRefusal) -> String {
    match refusal {
        ProposalRefusal::Unknown { id } => format!("There is no proposal `{id}` of this author."),
        ProposalRefusal::Superseded { by: Some(by), .. } => format!("The proposal was replaced by `{by}`."),
        ProposalRefusal::Superseded { current_revision, .. } => {
            format!("The proposal has changed; its revision is now {current_revision}.")
        }
        ProposalRefusal::OtherRevision { named, current_revision } if named < current_revision => format!(
            "The proposal has changed since revision {named}; its revision is now {current_revision}."
        ),
        ProposalRefusal::OtherRevision { named, current_revision } => {
            format!("The proposal never had revision {named}; its revision is {current_revision}.")
        }
        ProposalRefusal::Closed { state: APPLIED, transaction, .. } => {
            let transaction = transaction.as_ref().map(|id| format!(" in transaction `{id}`"));
            format!("The proposal was applied{}.", transaction.unwrap_or_default())
        }
        ProposalRefusal::Closed { state, .. } => {
            format!("The proposal is {state} and cannot be acted on any more.")
        }
    }
}

pub(super) fn proposal_hint(refusal: &ProposalRefusal, audience: Audience) -> &'static str {
    match refusal {
        ProposalRefusal::Unknown { .. } => audience.select(
            "List what there is with `editd/proposals`. If it may have been applied, read the file before you propose again.",
            "List what there is with `proposal_status` without `id`. If it may have been applied, read the file before you propose again.",
            "`editd review` lists the waiting proposals.",
        ),
        ProposalRefusal::Superseded { by: Some(_), .. } => "Act on the proposal that replaced it.",
        ProposalRefusal::Superseded { .. } | ProposalRefusal::OtherRevision { .. } => audience.select(
            "Look at it again with `editd/proposal`, then send the current revision.",
            "Look at it again with `proposal_status`, then send the current revision.",
            "Look at it again with `editd review`.",
        ),
        ProposalRefusal::Closed { state: APPLIED, .. } => {
            "The change has been made: do not make it again. Read the file to see its current content."
        }
        ProposalRefusal::Closed { .. } => audience.parameters_or("Propose the change again.", "Run the command again."),
    }
}

/// The reason why a change under review does not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewRefusal {
    /// A person rejected the change.
    Rejected {
        /// Comments of the person.
        comments: Vec<String>,
    },
    /// The old text is only in the result of a pending proposal.
    Waits {
        /// Id of that proposal.
        proposal: ProposalId,
    },
    /// No rejected changes can be reopened.
    NothingRejected {
        /// The proposal named in the request, if any.
        id: Option<ProposalId>,
        /// `true` if that proposal is still pending, so no rejection is final.
        waits: bool,
    },
}

pub(super) fn review_name(refusal: &ReviewRefusal) -> &'static str {
    match refusal {
        ReviewRefusal::Rejected { .. } => "rejected",
        ReviewRefusal::Waits { .. } => "dependency",
        ReviewRefusal::NothingRejected { .. } => "unknown_proposal",
    }
}

pub(super) fn review_message(
    reason: &ReviewRefusal,
    refusal: &Refusal,
    file: &str,
    audience: Audience,
) -> String {
    match reason {
        ReviewRefusal::Rejected { comments } if comments.is_empty() => {
            "A person rejected this proposal.".to_owned()
        }
        ReviewRefusal::Rejected { comments } => {
            let quoted: Vec<_> = comments.iter().map(|it| format!("\"{}\"", in_one_line(it))).collect();
            format!("A person rejected this proposal and said: {}.", quoted.join(", "))
        }
        ReviewRefusal::Waits { proposal } => {
            // Clients of the protocol get the index of the edit even for a patch.
            let line = refusal.patch_line.filter(|_| audience != Audience::Wire);
            let Terms { old_text, .. } = Terms::new(refusal.edit, line, audience);
            format!(
                "The {old_text} is not in {file} yet, but only in the result of the proposal `{proposal}`, which waits for a person."
            )
        }
        ReviewRefusal::NothingRejected { id: Some(id), waits: true } => {
            format!(
                "The proposal `{id}` still waits for a person, so its rejected hunks can still be decided differently."
            )
        }
        ReviewRefusal::NothingRejected { id: Some(id), .. } => {
            format!("No rejected change of the proposal `{id}` is still stored.")
        }
        ReviewRefusal::NothingRejected { id: None, .. } => {
            "No rejected change in these folders is still stored.".to_owned()
        }
    }
}

pub(super) fn review_hint(refusal: &ReviewRefusal, audience: Audience) -> &'static str {
    match refusal {
        ReviewRefusal::Rejected { .. } => {
            "Do not send the same change again; follow what the person said, or ask them."
        }
        ReviewRefusal::Waits { .. } => audience.select(
            "Wait for the decision with `editd/proposal` and `waitMs`; or send one proposal with both changes that `replaces` it.",
            "Wait for the decision with `proposal_status`; or send one proposal with both changes that `replaces` it.",
            "Decide about it first, with `editd review`.",
        ),
        ReviewRefusal::NothingRejected { waits: true, .. } => {
            "Decide it in an editor, or with `editd review`."
        }
        ReviewRefusal::NothingRejected { .. } => {
            "The most recently rejected changes are stored as long as the daemon runs. Their author can propose them again."
        }
    }
}

/// Shortens a comment so that it fits into a sentence.
fn in_one_line(comment: &str) -> String {
    let line = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace(". ", "; ").replace("! ", "; ");
    let mut short: String = line.chars().take(QUOTED).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

/// The reason why a transaction cannot be undone, regardless of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoRefusal {
    /// The session may undo no such transaction, or none at all.
    Unknown {
        /// The id as sent, if any.
        id: Option<String>,
    },
    /// The history visible to the session does not contain the transaction.
    NotListed {
        /// The id as sent.
        id: String,
    },
    /// The transaction is already undone.
    Undone {
        /// Id of the transaction.
        id: String,
        /// The transaction that undid it.
        by: String,
    },
    /// Another program reverted the change: the files are as they were before.
    Reverted {
        /// Id of the transaction.
        id: String,
    },
}

pub(super) fn undo_name(refusal: &UndoRefusal) -> &'static str {
    match refusal {
        UndoRefusal::Unknown { .. } | UndoRefusal::NotListed { .. } => "missing",
        UndoRefusal::Undone { .. } | UndoRefusal::Reverted { .. } => "no_change",
    }
}

pub(super) fn undo_message(refusal: &UndoRefusal, audience: Audience) -> String {
    match refusal {
        UndoRefusal::Unknown { id: Some(id) } => {
            let whose = audience.parameters_or("that this session could undo", "that could be undone");
            format!("There is no transaction `{id}` {whose}.")
        }
        UndoRefusal::Unknown { id: None } => audience
            .parameters_or("There is nothing that this session could undo.", "There is nothing to undo.")
            .to_owned(),
        UndoRefusal::NotListed { id } => format!("There is no transaction `{id}` in the history."),
        UndoRefusal::Undone { id, by } => format!("The transaction `{id}` was undone already, by `{by}`."),
        UndoRefusal::Reverted { id } => {
            format!("The files of the transaction `{id}` are already as they were before it.")
        }
    }
}

pub(super) fn undo_hint(refusal: &UndoRefusal, audience: Audience) -> &'static str {
    match refusal {
        UndoRefusal::Unknown { .. } => audience.select(
            "`editd/history` lists what there is; an author can undo its own transactions only, and without an id those that lie in its roots and are neither undone nor an undo.",
            "Without `transaction`, your newest change in this session is undone that is in your roots and is neither undone nor an undo; with `path`, the newest of that file. To undo an earlier change of yours, name its transaction; you cannot undo changes of others.",
            "`editd log` lists the changes; --yes undoes only changes by one author: `editd`, or the one that --author names.",
        ),
        UndoRefusal::NotListed { .. } => {
            "Leave it out to begin with the newest, or name a transaction that was listed."
        }
        UndoRefusal::Reverted { .. } => {
            "Nothing needs to be done: another program, such as git, reverted the change."
        }
        UndoRefusal::Undone { .. } => audience.parameters_or(
            "Nothing needs to be done; to restore the change, undo the transaction `undoneBy`.",
            "Nothing needs to be done; to restore the change, undo that one.",
        ),
    }
}

/// Returns the message for a file that differs from what the transaction left.
pub(super) fn stale_undo_message(file: &str, current: Option<ContentHash>, later: Option<&str>) -> String {
    match (current, later) {
        (None, _) => format!("{file} was deleted after the change to be undone."),
        (Some(_), Some(later)) => {
            format!(
                "The later transaction `{later}` changed {file} in the same place as the change to be undone."
            )
        }
        (Some(_), None) => format!("{file} has changed since, in the same place as the change to be undone."),
    }
}

pub(super) fn stale_undo_hint(audience: Audience) -> &'static str {
    audience.select(
        "Nothing was undone. Undo the later change first (`editd/history` lists it), or read the file and change it with an edit.",
        "Nothing was undone. Undo the later change first, or read the file and change it with an edit.",
        "Nothing was undone. Undo the later change first (`editd log` lists it), or read the file and change it with an edit.",
    )
}
