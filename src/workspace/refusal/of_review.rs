//! Refusals of what a person has decided, or has not decided yet, in words.

use crate::workspace::ProposalId;

/// Characters of each comment in the sentence; all of it is in the proposal.
const QUOTED: usize = 200;

/// Why a change does not happen that a person decides about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewRefusal {
    /// The person said no.
    Rejected {
        /// And this.
        comments: Vec<String>,
    },
    /// The old text stands only in what a proposal would write that waits for a person.
    Waits {
        /// Which.
        proposal: ProposalId,
    },
    /// Nothing that was rejected is there to be brought back.
    NothingRejected {
        /// Of this proposal, if one was named.
        id: Option<ProposalId>,
        /// That one still waits, so nothing of it is decided for good.
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
                "The `oldText` of {edit} is not in {file} yet, but in what the proposal `{proposal}` would write, which waits for a person."
            )
        }
        ReviewRefusal::NothingRejected { id: Some(id), waits: true } => {
            format!("The proposal `{id}` still waits: what was rejected of it can be decided otherwise.")
        }
        ReviewRefusal::NothingRejected { id: Some(id), .. } => {
            format!("Nothing of the proposal `{id}` was rejected that is still known.")
        }
        ReviewRefusal::NothingRejected { id: None, .. } => {
            "Nothing was rejected in these folders that is still known.".to_owned()
        }
    }
}

pub(super) fn hint(refusal: &ReviewRefusal) -> &'static str {
    match refusal {
        ReviewRefusal::Rejected { .. } => {
            "Do not send the same change again; heed what the person said, or ask them."
        }
        ReviewRefusal::Waits { .. } => {
            "Wait for the decision with `editd/proposal` and `waitMs`; or send one proposal with both changes that `replaces` it."
        }
        ReviewRefusal::NothingRejected { waits: true, .. } => {
            "Decide it at an editor, or with `editd review`."
        }
        ReviewRefusal::NothingRejected { .. } => {
            "What was rejected is known as long as the daemon runs, the newest of it. Its author can propose it again."
        }
    }
}

/// A comment as a part of a sentence.
fn in_one_line(comment: &str) -> String {
    let line = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace(". ", "; ").replace("! ", "; ");
    let mut short: String = line.chars().take(QUOTED).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
