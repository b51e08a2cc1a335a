use std::path::Path;

use serde_json::{Value, json};

use super::command::{Command, Decision};
use super::{PendingHunk, PendingProposal};

/// Returns the LSP code lenses for a file whose last line is `last`, counted from 0. Each hunk gets one lens
/// to accept it, one to reject it, and one to show the diff of its proposal.
pub fn code_lenses(waiting: &[PendingProposal], path: &Path, last: u32) -> Vec<Value> {
    let of = |one: &PendingProposal| {
        one.within(path).flat_map(|hunk| of_hunk(one, hunk, last)).collect::<Vec<_>>()
    };
    waiting.iter().flat_map(of).collect()
}

fn of_hunk(one: &PendingProposal, hunk: &PendingHunk, last: u32) -> [Value; 3] {
    let at = json!({ "line": hunk.line.min(last), "character": 0 });
    let (id, revision, hunks) = (one.id.clone(), one.revision, vec![hunk.id.clone()]);
    let decide = |say| Command::Hunks { say, id: id.clone(), revision, hunks: hunks.clone() };
    let (yes, no) = if hunk.conflicted { ("take theirs", "keep mine") } else { ("accept", "reject") };
    let lenses = [
        decide(hunk.acceptance()).titled(&format!("{yes} ({})", one.by())),
        decide(Decision::Reject).titled(no),
        Command::ShowDiff { id: Some(id.clone()) }.titled("diff"),
    ];
    lenses.map(|command| json!({ "range": { "start": at, "end": at }, "command": command }))
}
