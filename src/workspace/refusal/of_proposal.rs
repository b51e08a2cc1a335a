//! Refusals about proposals that cannot be acted on, in words.

use super::super::proposal::{ProposalId, ProposalState};

/// Why nothing can be done with a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalRefusal {
    /// No proposal of that id that the session may see.
    Unknown {
        /// The id as it was sent.
        id: String,
    },
    /// It was replaced, or a person has decided about it.
    Superseded {
        /// Its revision now.
        current_revision: u32,
        /// The proposal that took its place.
        by: Option<ProposalId>,
    },
    /// It has another revision than the one that was named.
    OtherRevision {
        /// The revision that was named.
        named: u32,
        /// Its revision now.
        current_revision: u32,
    },
    /// It is closed: applied, discarded or failed.
    Closed {
        /// Its state.
        state: &'static str,
        /// Its revision.
        current_revision: u32,
        /// The transaction that it was applied in.
        transaction: Option<String>,
    },
}

const APPLIED: &str = ProposalState::Applied.name();

pub(super) fn name(refusal: &ProposalRefusal) -> &'static str {
    match refusal {
        ProposalRefusal::Unknown { .. } => "unknown_proposal",
        ProposalRefusal::Superseded { .. }
        | ProposalRefusal::OtherRevision { .. }
        | ProposalRefusal::Closed { .. } => "superseded",
    }
}

pub(super) fn message(refusal: &ProposalRefusal) -> String {
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

pub(super) fn hint(refusal: &ProposalRefusal) -> &'static str {
    match refusal {
        ProposalRefusal::Unknown { .. } => {
            "List what there is with `editd/proposals`. If it may have been applied, read the file before you propose anew."
        }
        ProposalRefusal::Superseded { by: Some(_), .. } => "Act on the proposal that replaced it.",
        ProposalRefusal::Superseded { .. } | ProposalRefusal::OtherRevision { .. } => {
            "Look at it again with `editd/proposal`, then send the current revision."
        }
        ProposalRefusal::Closed { state: APPLIED, .. } => {
            "The change is made: do not make it again. Read the file to see what it is now."
        }
        ProposalRefusal::Closed { .. } => "Propose the change anew.",
    }
}
