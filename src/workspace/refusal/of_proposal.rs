//! Messages about proposals that cannot be acted on.

use super::super::proposal::{ProposalId, ProposalState};

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
            "List what there is with `editd/proposals`. If it may have been applied, read the file before you propose again."
        }
        ProposalRefusal::Superseded { by: Some(_), .. } => "Act on the proposal that replaced it.",
        ProposalRefusal::Superseded { .. } | ProposalRefusal::OtherRevision { .. } => {
            "Look at it again with `editd/proposal`, then send the current revision."
        }
        ProposalRefusal::Closed { state: APPLIED, .. } => {
            "The change has been made: do not make it again. Read the file to see its current content."
        }
        ProposalRefusal::Closed { .. } => "Propose the change again.",
    }
}
