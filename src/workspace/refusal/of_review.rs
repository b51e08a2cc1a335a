//! Messages about decisions of a person.

use crate::workspace::ProposalId;

/// Maximum number of characters of each comment in the message. The proposal contains the full comment.
const QUOTED: usize = 200;

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

pub(super) fn name(refusal: &ReviewRefusal) -> &'static str {
    match refusal {
        ReviewRefusal::Rejected { .. } => "rejected",
        ReviewRefusal::Waits { .. } => "dependency",
        ReviewRefusal::NothingRejected { .. } => "unknown_proposal",
    }
}

pub(super) fn message(refusal: &ReviewRefusal, edit: Option<usize>, file: &str) -> String {
    match refusal {
        ReviewRefusal::Rejected { comments } if comments.is_empty() => {
            "A person rejected this proposal.".to_owned()
        }
        ReviewRefusal::Rejected { comments } => {
            let quoted: Vec<_> = comments.iter().map(|it| format!("\"{}\"", in_one_line(it))).collect();
            format!("A person rejected this proposal and said: {}.", quoted.join(", "))
        }
        ReviewRefusal::Waits { proposal } => {
            let edit = edit.map_or_else(|| "the edit".to_owned(), |edit| format!("edits[{edit}]"));
            format!(
                "The `oldText` of {edit} is not in {file} yet, but only in the result of the proposal `{proposal}`, which waits for a person."
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

pub(super) fn hint(refusal: &ReviewRefusal) -> &'static str {
    match refusal {
        ReviewRefusal::Rejected { .. } => {
            "Do not send the same change again; follow what the person said, or ask them."
        }
        ReviewRefusal::Waits { .. } => {
            "Wait for the decision with `editd/proposal` and `waitMs`; or send one proposal with both changes that `replaces` it."
        }
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
