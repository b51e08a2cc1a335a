//! Refusals of what a person has decided, or has not decided yet, in words.

use crate::workspace::ProposalId;

/// Characters of each comment in the sentence; all of it is in the proposal.
const QUOTED: usize = 200;

pub(super) fn rejected_message(comments: &[String]) -> String {
    let quoted: Vec<_> = comments.iter().map(|comment| format!("\"{}\"", in_one_line(comment))).collect();
    if quoted.is_empty() {
        return "A person rejected this proposal.".to_owned();
    }
    format!("A person rejected this proposal and said: {}.", quoted.join(", "))
}

/// A comment as a part of a sentence.
fn in_one_line(comment: &str) -> String {
    let line = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(QUOTED).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

pub(super) fn waits_message(edit: Option<usize>, file: &str, proposal: &ProposalId) -> String {
    let edit = edit.map_or_else(|| "an edit".to_owned(), |edit| format!("edits[{edit}]"));
    format!(
        "The `oldText` of {edit} is not in {file} yet, but in what the proposal `{proposal}` would write, which waits for a person."
    )
}

pub(super) const REJECTED_HINT: &str =
    "Do not send the same change again; heed what the person said, or ask them.";

pub(super) const WAITS_HINT: &str = "Wait for the decision with `editd/proposal` and `waitMs`; or send one proposal with both changes that `replaces` it.";
