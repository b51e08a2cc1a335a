//! Messages about an undo that cannot be performed.

use crate::text::ContentHash;

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

pub(super) fn name(refusal: &UndoRefusal) -> &'static str {
    match refusal {
        UndoRefusal::Unknown { .. } | UndoRefusal::NotListed { .. } => "missing",
        UndoRefusal::Undone { .. } | UndoRefusal::Reverted { .. } => "no_change",
    }
}

pub(super) fn message(refusal: &UndoRefusal) -> String {
    match refusal {
        UndoRefusal::Unknown { id: Some(id) } => {
            format!("There is no transaction `{id}` that this session could undo.")
        }
        UndoRefusal::Unknown { id: None } => "There is nothing that this session could undo.".to_owned(),
        UndoRefusal::NotListed { id } => format!("There is no transaction `{id}` in the history."),
        UndoRefusal::Undone { id, by } => format!("The transaction `{id}` was undone already, by `{by}`."),
        UndoRefusal::Reverted { id } => {
            format!("The files of the transaction `{id}` are already as they were before it.")
        }
    }
}

pub(super) fn hint(refusal: &UndoRefusal) -> &'static str {
    match refusal {
        UndoRefusal::Unknown { .. } => {
            "`editd/history` lists what there is; an author can undo its own transactions only, and without an id those that lie in its roots and are neither undone nor an undo."
        }
        UndoRefusal::NotListed { .. } => {
            "Leave it out to begin with the newest, or name a transaction that was listed."
        }
        UndoRefusal::Reverted { .. } => {
            "Nothing needs to be done: another program, such as git, reverted the change."
        }
        UndoRefusal::Undone { .. } => {
            "Nothing needs to be done; to restore the change, undo the transaction `undoneBy`."
        }
    }
}

/// Returns the message for a file that differs from what the transaction left.
pub(super) fn stale_message(file: &str, current: Option<ContentHash>, later: Option<&str>) -> String {
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

pub(super) const STALE_HINT: &str = "Nothing was undone. Undo the later change first (`editd/history` lists it), or read the file and change it with an edit.";
