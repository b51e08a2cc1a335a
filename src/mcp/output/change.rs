use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::protocol::{
    AppliedFile, ApplyResult, CommentEntry, Hunk, ProposalResult, ProposeResult, UserEdit, json_len,
};

use crate::mcp::size::{ANSWER, fit_texts, keep_fitting, keep_fitting_by, size};

use super::{DiagnosticOutput, in_one_line, uri_if_needed};

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
    /// Files of which a person's own text is not shown whole.
    #[serde(skip)]
    #[schemars(skip)]
    pub(in crate::mcp) unseen: Vec<String>,
}

/// Notes about a file, and parts of it, that one answer tells.
const ENTRIES: usize = 50;

/// Leaves out the last of a list that is too long; tells how many.
fn left_out<T>(list: &mut Vec<T>) -> usize {
    let left_out = list.len().saturating_sub(ENTRIES);
    list.truncate(ENTRIES);
    left_out
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
        let mut hunks = if differs { entry.hunks.iter().map(HunkOutput::from).collect() } else { Vec::new() };
        let mut warnings = entry.warnings;
        let left_out = [(left_out(&mut warnings), "notes"), (left_out(&mut hunks), "parts")];
        let left_out = left_out.into_iter().filter(|(number, _)| *number > 0);
        warnings.extend(left_out.map(|(number, what)| format!("{number} more {what} are not shown.")));
        Self {
            uri: uri_if_needed(&entry.path, &entry.uri),
            hunks,
            diff: (tells && state != "pending").then_some(entry.diff),
            path: entry.path,
            action: entry.action,
            new_path: entry.new_path,
            added: entry.added,
            removed: entry.removed,
            warnings,
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
        let to = self.new_path.as_ref().map(|to| format!(" to {}", in_one_line(to))).unwrap_or_default();
        let hash = self.hash.as_ref().map(|hash| format!(", hash {hash}")).unwrap_or_default();
        // A string takes all.
        let path = in_one_line(&self.path);
        let _ = writeln!(text, "{verb} {path}{to} (+{} -{}){hash}", self.added, self.removed);
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
    pub(in crate::mcp) fn of_apply(result: ApplyResult) -> serde_json::Result<Self> {
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
            unseen: Vec::new(),
        }
        .fitted()
    }

    pub(in crate::mcp) fn of_discarded(result: ProposeResult) -> serde_json::Result<Self> {
        let files = result.files.into_iter().map(|entry| AppliedFile { entry, landed: None });
        let files = files.map(|file| FileOutput::of(file, &result.state)).collect();
        Self { state: result.state, id: result.id, files, ..Self::default() }.fitted()
    }

    pub(in crate::mcp) fn of_proposal(result: ProposalResult) -> serde_json::Result<Self> {
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
        .fitted()
    }

    /// With what one answer has room for. Paths and hashes go before diffs: those can be read.
    fn fitted(mut self) -> serde_json::Result<Self> {
        let written: Vec<_> =
            self.user_edits.iter().map(|edit| (edit.path.clone(), edit.diff.len())).collect();
        let files = keep_fitting_by(&mut self.files, ANSWER / 2, |file| {
            Ok(size(file)? - file.diff.as_deref().map_or(0, json_len))
        })?;
        let edits =
            keep_fitting_by(&mut self.user_edits, ANSWER / 8, |edit| Ok(size(edit)? - json_len(&edit.diff)))?;
        let comments = keep_fitting_by(&mut self.comments, ANSWER / 8, |comment| {
            Ok(size(comment)? - json_len(&comment.text))
        })?;
        let diagnostics = keep_fitting(&mut self.diagnostics, ANSWER / 8)?;
        let all = [
            (files, "files"),
            (edits, "changes of a person"),
            (comments, "comments"),
            (diagnostics, "diagnostics"),
        ];
        for (left_out, what) in all.into_iter().filter(|(left_out, _)| *left_out > 0) {
            let next = self.next.get_or_insert_default();
            // A string takes all.
            let _ = write!(next, " One answer has no room for {left_out} more {what}.");
        }
        fit_texts(&mut self, |it| {
            let said = it.comments.iter_mut().map(|comment| &mut comment.text);
            let edits = it.user_edits.iter_mut().map(|edit| &mut edit.diff);
            said.chain(edits).chain(it.files.iter_mut().filter_map(|file| file.diff.as_mut())).collect()
        })?;
        let shown =
            |path: &str| self.user_edits.iter().find(|edit| edit.path == path).map(|edit| edit.diff.len());
        let is_cut = |(path, length): &(String, usize)| shown(path) != Some(*length);
        self.unseen = written.into_iter().filter(is_cut).map(|(path, _)| path).collect();
        Ok(self)
    }

    pub(in crate::mcp) fn text(&self) -> String {
        // The word itself comes first, as in the data: instructions and descriptions speak of it.
        let words = match self.state.as_str() {
            "partial" => ": a person accepted only a part of it",
            "rejected" => ": a person said no; nothing was changed",
            "discarded" => ": it was taken back, and nothing was changed",
            "pending" => ": nothing is changed yet, a person decides about it",
            _ => "",
        };
        let mut text = format!("State `{}`{words}.\n", self.state);
        self.files.iter().for_each(|file| file.write(&mut text, &self.state));
        for edit in &self.user_edits {
            let _ =
                write!(text, "What a person wrote instead in {}:\n{}", in_one_line(&edit.path), edit.diff);
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
            "Call `proposal_status` with id `{id}` to wait for the decision, and do not make the change another way meanwhile; to take it back, `undo` that id."
        ),
        "rejected" => "Do not send the same change again; heed what the person said, or ask.".to_owned(),
        _ => return said,
    };
    Some([said, Some(next)].into_iter().flatten().collect::<Vec<_>>().join(" "))
}
