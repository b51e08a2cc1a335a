//! Refusals about proposals that cannot be acted on, in words.

use super::super::proposal::ProposalId;

/// Why nothing can be done with a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalRefusal {
    /// No proposal of that id that the session may see.
    Unknown {
        /// The id as it was sent.
        id: String,
    },
    /// It was replaced, or has a newer revision.
    Superseded {
        /// Its revision now.
        current_revision: u32,
        /// The proposal that took its place.
        by: Option<ProposalId>,
    },
    /// It is closed: applied, discarded or failed.
    Closed {
        /// Its state.
        state: &'static str,
        /// Its revision.
        current_revision: u32,
    },
}

pub(super) fn name(refusal: &ProposalRefusal) -> &'static str {
    match refusal {
        ProposalRefusal::Unknown { .. } => "unknown_proposal",
        ProposalRefusal::Superseded { .. } | ProposalRefusal::Closed { .. } => "superseded",
    }
}

pub(super) fn message(refusal: &ProposalRefusal) -> String {
    match refusal {
        ProposalRefusal::Unknown { id } => format!("There is no proposal `{id}` of this author."),
        ProposalRefusal::Superseded { by: Some(by), .. } => format!("The proposal was replaced by `{by}`."),
        ProposalRefusal::Superseded { current_revision, .. } => {
            format!("The proposal has changed; its revision is now {current_revision}.")
        }
        ProposalRefusal::Closed { state, .. } => {
            format!("The proposal is {state} and cannot be acted on any more.")
        }
    }
}

pub(super) fn hint(refusal: &ProposalRefusal) -> &'static str {
    match refusal {
        ProposalRefusal::Unknown { .. } => "List what there is with `editd/proposals`, or propose anew.",
        ProposalRefusal::Superseded { by: Some(_), .. } => "Act on the proposal that replaced it.",
        ProposalRefusal::Superseded { .. } => {
            "Look at it again with `editd/proposal`, then send the current revision."
        }
        ProposalRefusal::Closed { .. } => "Propose the change anew.",
    }
}
