//! Reasons with several kinds, and their texts: editors, proposals, reviews and undo.

use crate::Audience;
use crate::proposal::{ProposalId, ProposalState};
use crate::review::HunkId;
use editd_text::ContentHash;

use super::Refusal;
use super::messages::{Texts, texts};
use super::of_edit::Terms;

/// Maximum number of characters of each comment in the message. The proposal contains the full comment.
const QUOTED: usize = 200;

/// The reason why the editors that have a file open prevent a change, with the name of the refusal.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum EditorRefusal {
    /// More than one text could be the current content of the file.
    Contested {
        /// The kind of contradiction.
        reason: Contest,
        /// The editors that hold these texts.
        editors: Vec<String>,
    },
    /// The editor could not apply the change or declined it.
    #[strum(serialize = "editor_refused")]
    Refused {
        /// The reason.
        reason: String,
        /// The editor.
        editor: String,
    },
    /// The editor's text after the change is not the expected one.
    #[strum(serialize = "verify_failed")]
    Unverified {
        /// Description of the difference.
        reason: String,
        /// Hash of the editor's text.
        actual: Option<ContentHash>,
    },
}

/// The texts that contradict each other, with their name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Contest {
    /// Two editors hold different unsaved texts.
    TwoEditors,
    /// The editor's text and the file have both changed since they were equal.
    BufferAndDisk,
    /// The file has changed, and the editor still shows the old text.
    EditorOutdated,
}

pub(super) fn texts_of_editor(reason: &EditorRefusal, file: &str, audience: Audience) -> Texts {
    match reason {
        EditorRefusal::Contested { reason, editors } => {
            let editors = editors.join(" and ");
            let again = audience.parameters_or("send the change again", "run the command again");
            match reason {
                Contest::TwoEditors => texts(
                    format!("Different unsaved texts of {file} are open in {editors}."),
                    audience.ask_user("save the file in one editor and reload it in the other."),
                ),
                Contest::BufferAndDisk => texts(
                    format!(
                        "{file} has unsaved text in {editors}, and another program has changed it on disk since."
                    ),
                    audience.ask_user("save or reload the file in the editor."),
                ),
                Contest::EditorOutdated => texts(
                    format!("{file} was changed on disk, and {editors} still shows the old text."),
                    format!("{}, then {again}.", audience.ask_user("reload the file in the editor")),
                ),
            }
        }
        EditorRefusal::Refused { reason, editor } => texts(
            format!("{editor}, which has {file} open, did not apply the change: {reason}."),
            audience.parameters_or(
                "Nothing was changed. Read the file again and send the change once more; if that fails too, ask the user to close the file.",
                "Nothing was changed. Run the command again; if that fails too, close the file in the editor.",
            ),
        ),
        EditorRefusal::Unverified { reason, .. } => texts(
            format!("The editor's text of {file} is not the expected text: {reason}."),
            "Read the file again before anything else is changed in it.",
        ),
    }
}

/// The reason why a proposal cannot be acted on, with the name of the refusal.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ProposalRefusal {
    /// The session may see no proposal with that id.
    #[strum(serialize = "unknown_proposal")]
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
    #[strum(serialize = "superseded")]
    OtherRevision {
        /// The revision in the request.
        named: u32,
        /// Current revision.
        current_revision: u32,
    },
    /// The proposal is closed: applied, discarded or failed.
    #[strum(serialize = "superseded")]
    Closed {
        /// State of the proposal.
        state: ProposalState,
        /// Revision of the proposal.
        current_revision: u32,
        /// The transaction in which it was applied.
        transaction: Option<String>,
    },
}

pub(super) fn texts_of_proposal(reason: &ProposalRefusal, audience: Audience) -> Texts {
    let look_again = audience.select(
        "Look at it again with `editd/proposal`, then send the current revision.",
        "Look at it again with `proposal_status`, then send the current revision.",
        "Look at it again with `editd review`.",
    );
    match reason {
        ProposalRefusal::Unknown { id } => texts(
            format!("There is no proposal `{id}` of this author."),
            audience.select(
                "List what there is with `editd/proposals`. If it may have been applied, read the file before you propose again.",
                "List what there is with `proposal_status` without `id`. If it may have been applied, read the file before you propose again.",
                "`editd review` lists the waiting proposals.",
            ),
        ),
        ProposalRefusal::Superseded { by: Some(by), .. } => {
            texts(format!("The proposal was replaced by `{by}`."), "Act on the proposal that replaced it.")
        }
        ProposalRefusal::Superseded { current_revision, .. } => {
            texts(format!("The proposal has changed; its revision is now {current_revision}."), look_again)
        }
        ProposalRefusal::OtherRevision { named, current_revision } => {
            let message = if named < current_revision {
                format!("The proposal has changed since revision {named}; its revision is now {current_revision}.")
            } else {
                format!("The proposal never had revision {named}; its revision is {current_revision}.")
            };
            texts(message, look_again)
        }
        ProposalRefusal::Closed { state: ProposalState::Applied, transaction, .. } => {
            let transaction = transaction.as_ref().map(|id| format!(" in transaction `{id}`"));
            texts(
                format!("The proposal was applied{}.", transaction.unwrap_or_default()),
                "The change has been made: do not make it again. Read the file to see its current content.",
            )
        }
        ProposalRefusal::Closed { state, .. } => texts(
            format!("The proposal is {state} and cannot be acted on any more."),
            audience.parameters_or("Propose the change again.", "Run the command again."),
        ),
    }
}

/// The reason why a change under review does not happen, with the name of the refusal.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReviewRefusal {
    /// A person rejected the change.
    Rejected {
        /// Comments of the person.
        comments: Vec<String>,
    },
    /// The old text is only in the result of a pending proposal.
    #[strum(serialize = "dependency")]
    Waits {
        /// Id of that proposal.
        proposal: ProposalId,
    },
    /// No rejected changes can be reopened.
    #[strum(serialize = "unknown_proposal")]
    NothingRejected {
        /// The proposal named in the request, if any.
        id: Option<ProposalId>,
        /// `true` if that proposal is still pending, so no rejection is final.
        waits: bool,
    },
    /// A decision rejects all open hunks, but would apply others that were accepted earlier.
    EarlierDecision {
        /// These hunks.
        hunks: Vec<HunkId>,
        /// `true` if the change has landed, so that they would be reverted and all others kept.
        landed: bool,
    },
}

pub(super) fn texts_of_review(
    reason: &ReviewRefusal,
    refusal: &Refusal,
    file: &str,
    audience: Audience,
) -> Texts {
    match reason {
        ReviewRefusal::Rejected { comments } => {
            let quoted: Vec<_> = comments.iter().map(|it| format!("\"{}\"", in_one_line(it))).collect();
            let said = if quoted.is_empty() { "" } else { " and said: " };
            texts(
                format!("A person rejected this proposal{said}{}.", quoted.join(", ")),
                "Do not send the same change again; follow what the person said, or ask them.",
            )
        }
        ReviewRefusal::Waits { proposal } => {
            // Clients of the protocol get the index of the edit even for a patch.
            let line = refusal.patch_line.filter(|_| audience != Audience::Wire);
            let Terms { old_text, .. } = Terms::new(refusal.edit, line, audience);
            texts(
                format!(
                    "The {old_text} is not in {file} yet, but only in the result of the proposal `{proposal}`, which waits for a person."
                ),
                audience.select(
                    "Wait for the decision with `editd/proposal` and `waitMs`; or send one proposal with both changes that `replaces` it.",
                    "Wait for the decision with `proposal_status`; or send one proposal with both changes that `replaces` it.",
                    "Decide about it first, with `editd review`.",
                ),
            )
        }
        ReviewRefusal::NothingRejected { id, waits } => {
            let message = match id {
                Some(id) if *waits => format!(
                    "The proposal `{id}` still waits for a person, so its rejected hunks can still be decided differently."
                ),
                Some(id) => format!("No rejected change of the proposal `{id}` is still stored."),
                None => "No rejected change in these folders is still stored.".to_owned(),
            };
            let decide = "Decide it in an editor, or with `editd review`.";
            let stored = "The most recently rejected changes are stored as long as the daemon runs. Their author can propose them again.";
            texts(message, if *waits { decide } else { stored })
        }
        ReviewRefusal::EarlierDecision { hunks, landed } => texts_of_earlier(hunks, *landed, audience),
    }
}

fn texts_of_earlier(hunks: &[HunkId], landed: bool, audience: Audience) -> Texts {
    let names = hunks.iter().map(|hunk| format!("`{hunk}`")).collect::<Vec<_>>().join(", ");
    let (was, it) = if hunks.len() == 1 { ("was", "it") } else { ("were", "them") };
    let (earlier, list, verb, effect, option) = if landed {
        ("rejected", "accept", "keeping", "revert", "--accept")
    } else {
        ("accepted", "reject", "rejecting", "apply", "--reject")
    };
    let numbers: Vec<_> = hunks.iter().map(|hunk| format!("--hunk {}", hunk.0)).collect();
    let numbers = numbers.join(" ");
    let wire = format!(
        "Name all hunks in `{list}` to {list} {it}, too, or send `keepEarlier: true` to {effect} {it}."
    );
    let line = format!("Decide {it} first, with `{option} {numbers}`, or the other hunks by their numbers.");
    texts(
        format!("{names} {was} {earlier} earlier, so {verb} all other hunks would {effect} {it}."),
        if audience == Audience::Wire { wire } else { line },
    )
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

/// The reason why a transaction cannot be undone, regardless of its files, with the name of the refusal.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum UndoRefusal {
    /// The session may undo no such transaction, or none at all.
    #[strum(serialize = "missing")]
    Unknown {
        /// The id as sent, if any.
        id: Option<String>,
    },
    /// The history visible to the session does not contain the transaction.
    #[strum(serialize = "missing")]
    NotListed {
        /// The id as sent.
        id: String,
    },
    /// The transaction is already undone.
    #[strum(serialize = "no_change")]
    Undone {
        /// Id of the transaction.
        id: String,
        /// The transaction that undid it.
        by: String,
    },
    /// Another program reverted the change: the files are as they were before.
    #[strum(serialize = "no_change")]
    Reverted {
        /// Id of the transaction.
        id: String,
    },
    /// The history has removed the old content of a file to make room.
    #[strum(serialize = "missing")]
    NotKept {
        /// Id of the transaction.
        id: String,
    },
}

pub(super) fn texts_of_undo(reason: &UndoRefusal, file: &str, audience: Audience) -> Texts {
    match reason {
        UndoRefusal::Unknown { id } => {
            let whose = audience.parameters_or("that this session could undo", "that could be undone");
            let what = audience.parameters_or("that this session could undo", "to undo");
            let message = id.as_ref().map_or_else(
                || format!("There is nothing {what}."),
                |id| format!("There is no transaction `{id}` {whose}."),
            );
            let hint = audience.select(
                "`editd/history` lists the transactions; an author can undo only its own and, without an id, only those in its roots that are neither undone nor an undo.",
                "Without `transaction`, `undo` reverts your newest change in this session that is in your roots and is neither undone nor an undo; with `path`, the newest such change to that file. To undo an earlier change, name its transaction; you cannot undo changes of others.",
                "`editd log` lists the changes; --yes undoes only changes by one author: `editd`, or the one that --author names.",
            );
            texts(message, hint)
        }
        UndoRefusal::NotListed { id } => texts(
            format!("There is no transaction `{id}` in the history."),
            "Leave it out to begin with the newest, or name a transaction that was listed.",
        ),
        UndoRefusal::Undone { id, by } => {
            let undo = audience.parameters_or("the transaction `undoneBy`", "that one");
            texts(
                format!("The transaction `{id}` was undone already, by `{by}`."),
                format!("Nothing needs to be done; to restore the change, undo {undo}."),
            )
        }
        UndoRefusal::Reverted { id } => texts(
            format!("The files of the transaction `{id}` are already as they were before it."),
            "Nothing needs to be done: another program, such as git, reverted the change.",
        ),
        UndoRefusal::NotKept { id } => texts(
            format!(
                "The old content of {file} is no longer kept, so the transaction `{id}` cannot be undone."
            ),
            "Nothing was undone. The history removes large old contents of the author who holds most when it is full; take the content from git or a backup, or raise `limits.history_bytes` for later changes.",
        ),
    }
}
