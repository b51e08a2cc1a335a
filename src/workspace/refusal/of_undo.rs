//! Refusals of an undo, in words.

use crate::text::ContentHash;

/// Why a transaction cannot be undone, whatever its files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoRefusal {
    /// There is no such transaction that the session may undo, or none at all.
    Unknown {
        /// The id as it was sent, if one was.
        id: Option<String>,
    },
    /// There is no such transaction in the history as the session sees it.
    NotListed {
        /// The id as it was sent.
        id: String,
    },
    /// It is undone already.
    Undone {
        /// Its id.
        id: String,
        /// The transaction that undid it.
        by: String,
    },
    /// Something else than editd took it back: its files are as they were before.
    TakenBack {
        /// Its id.
        id: String,
    },
}

pub(super) fn name(refusal: &UndoRefusal) -> &'static str {
    match refusal {
        UndoRefusal::Unknown { .. } | UndoRefusal::NotListed { .. } => "missing",
        UndoRefusal::Undone { .. } | UndoRefusal::TakenBack { .. } => "no_change",
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
        UndoRefusal::TakenBack { id } => {
            format!("The files of the transaction `{id}` are as they were before it already.")
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
        UndoRefusal::TakenBack { .. } => {
            "Nothing needs to be done: another program, such as git, took the change back."
        }
        UndoRefusal::Undone { .. } => {
            "Nothing needs to be done; to put the change back, undo the transaction `undoneBy`."
        }
    }
}

/// The sentence for a file that is not what a transaction left.
pub(super) fn stale_message(file: &str, current: Option<ContentHash>, later: Option<&str>) -> String {
    match (current, later) {
        (None, _) => format!("{file} is gone since the change that is to be undone."),
        (Some(_), Some(later)) => {
            format!(
                "The transaction `{later}` changed {file} since, where the change would have to be undone."
            )
        }
        (Some(_), None) => format!("{file} has changed since, where the change would have to be undone."),
    }
}

pub(super) const STALE_HINT: &str = "Nothing was undone. Undo what came later first (`editd/history` lists it), or read the file and change it by an edit.";
