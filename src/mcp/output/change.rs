use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::protocol::{AppliedFile, ApplyResult, CommentEntry, Hunk, ProposalResult, UserEdit};

use super::{DiagnosticOutput, in_one_line, shown, uri_if_needed};

/// What became of a change.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::mcp) struct ChangeOutput {
    /// `applied`; `partial`, a person accepted some; `pending`, a person has not decided; `rejected`; or why it is closed.
    state: String,
    /// For `proposal_status`.
    id: String,
    /// For `undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction: Option<String>,
    /// The transaction that was undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    files: Vec<FileOutput>,
    /// What a person wrote instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    user_edits: Vec<UserEdit>,
    /// What a person said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<CommentEntry>,
    /// What is wrong now and was not before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticOutput>,
    /// What is to be known or done next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// What was done to a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileOutput {
    path: String,
    /// Names it where the path is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// `edit`, `create`, `delete` or `rename`.
    action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_path: Option<String>,
    /// Of the file now; absent while nothing is done, and for a file that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Lines.
    added: usize,
    /// Lines.
    removed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// False where only an editor has it so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<bool>,
    /// Which parts a person wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hunks: Vec<HunkOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// What a person said of a part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HunkOutput {
    id: String,
    /// From 1.
    old_start: usize,
    old_lines: usize,
    /// `pending`, `accepted`, `rejected`, `edited` or `conflicted`.
    state: String,
}

impl From<&Hunk> for HunkOutput {
    fn from(hunk: &Hunk) -> Self {
        let Hunk { id, old_start, old_lines, state, .. } = hunk.clone();
        Self { id, old_start, old_lines, state }
    }
}

impl FileOutput {
    fn of(file: AppliedFile, state: &str) -> Self {
        let AppliedFile { entry, landed } = file;
        // What a new file holds, its author knows; what is gone, nobody needs to see.
        let tells = matches!(entry.action.as_str(), "edit" | "rename") && !entry.diff.is_empty();
        let differs =
            matches!(state, "partial" | "pending") && entry.hunks.iter().any(|hunk| hunk.state != "pending");
        Self {
            uri: uri_if_needed(&entry.path, &entry.uri),
            diff: (tells && state != "pending").then(|| shown(&entry.diff)),
            hunks: if differs { entry.hunks.iter().map(HunkOutput::from).collect() } else { Vec::new() },
            path: entry.path,
            action: entry.action,
            new_path: entry.new_path,
            added: entry.added,
            removed: entry.removed,
            warnings: entry.warnings,
            saved: landed.as_ref().map(|landed| landed.saved),
            hash: landed.and_then(|landed| landed.hash),
        }
    }

    fn write(&self, text: &mut String, state: &str) {
        let is_done = self.saved.is_some();
        let verb = match (self.action.as_str(), is_done) {
            ("create", true) => "Created",
            ("create", false) => "To create:",
            ("delete", true) => "Deleted",
            ("delete", false) => "To delete:",
            ("rename", true) => "Renamed",
            ("rename", false) => "To rename:",
            (_, true) => "Changed",
            (_, false) => "To change:",
        };
        let to = self.new_path.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
        let hash = self.hash.as_ref().map(|hash| format!(", hash {hash}")).unwrap_or_default();
        // A string takes all.
        let _ = writeln!(text, "{verb} {}{to} (+{} -{}){hash}", self.path, self.added, self.removed);
        if let Some(uri) = &self.uri {
            let _ = writeln!(text, "uri: {uri}");
        }
        if state != "rejected" {
            text.push_str(self.diff.as_deref().unwrap_or_default());
        }
        for hunk in &self.hunks {
            let HunkOutput { id, old_start, old_lines, state } = hunk;
            let _ = writeln!(text, "Part {id} (at old line {old_start}, {old_lines} lines): {state}");
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "Note: {warning}");
        }
    }
}

impl ChangeOutput {
    pub(in crate::mcp) fn of_apply(result: ApplyResult) -> Self {
        let files = result.files.into_iter().map(|file| FileOutput::of(file, &result.state)).collect();
        Self {
            next: next(&result.state, &result.id, result.reason),
            state: result.state,
            id: result.id,
            transaction: result.transaction,
            undoes: result.undoes,
            files,
            user_edits: result.user_edits,
            comments: result.comments,
            diagnostics: result.diagnostics.into_iter().flatten().map(DiagnosticOutput::from).collect(),
        }
    }

    pub(in crate::mcp) fn of_proposal(result: ProposalResult) -> Self {
        let files = result.files.into_iter().map(|file| FileOutput::of(file, &result.state)).collect();
        let replaced = result.replaced_by.map(|by| format!("It was replaced by {by}."));
        let said =
            [result.notice, result.reason, replaced].into_iter().flatten().collect::<Vec<_>>().join(" ");
        Self {
            next: next(&result.state, &result.id, (!said.is_empty()).then_some(said)),
            state: result.state,
            id: result.id,
            transaction: result.transaction,
            files,
            user_edits: result.user_edits,
            comments: result.comments,
            ..Self::default()
        }
    }

    pub(in crate::mcp) fn text(&self) -> String {
        let mut text = match self.state.as_str() {
            "applied" => String::new(),
            "partial" => "A person accepted only a part of it.\n".to_owned(),
            "rejected" => "A person rejected it; nothing was changed.\n".to_owned(),
            "pending" => "Nothing is changed yet: a person decides about it.\n".to_owned(),
            state => format!("The proposal is {state}.\n"),
        };
        self.files.iter().for_each(|file| file.write(&mut text, &self.state));
        for edit in &self.user_edits {
            let _ = write!(text, "What a person wrote instead in {}:\n{}", edit.path, shown(&edit.diff));
        }
        for comment in &self.comments {
            let place =
                [&comment.path, &comment.hunk].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
            let place = if place.is_empty() { place } else { format!(" about {place}") };
            let _ = writeln!(text, "A person said{place}: {}", in_one_line(&comment.text));
        }
        self.diagnostics.iter().for_each(|it| text.push_str(&it.line_of_text()));
        for (name, value) in [("Transaction", &self.transaction), ("Undone:", &self.undoes)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{name} {value}");
            }
        }
        if let Some(next) = &self.next {
            let _ = writeln!(text, "{next}");
        }
        text
    }
}

fn next(state: &str, id: &str, said: Option<String>) -> Option<String> {
    let next = match state {
        "pending" => format!(
            "Call `proposal_status` with id `{id}` to wait for the decision, and do not make the change another way meanwhile."
        ),
        "rejected" => "Do not send the same change again; heed what the person said, or ask.".to_owned(),
        _ => return said,
    };
    Some([said, Some(next)].into_iter().flatten().collect::<Vec<_>>().join(" "))
}
