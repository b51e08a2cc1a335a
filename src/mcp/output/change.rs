use std::fmt::Write as _;

use serde::Serialize;

use crate::protocol::{
    AppliedFile, ApplyResult, CommentEntry, ProposalResult, ProposeResult, UserEdit, json_len,
};

use crate::mcp::advice::advice;
use crate::mcp::answer::Answer;
use crate::mcp::size::{ANSWER, beginning, fit_texts, keep_fitting, size};
use crate::mcp::tools::AnswerOptions;

use super::file::FileOutput;
use super::{DiagnosticOutput, in_one_line};

/// Outcome of a change.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::mcp) struct ChangeOutput {
    /// `applied`; `partial` if a person accepted a part; `pending` if a person has not decided; `rejected`;
    /// or another state of a closed proposal.
    state: String,
    /// Id for `proposal_status`, unless the change is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Id for `undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction: Option<String>,
    /// The transaction that was undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    files: Vec<FileOutput>,
    /// Edits that a person made to the proposed text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    user_edits: Vec<UserEdit>,
    /// Comments of a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<CommentEntry>,
    /// New diagnostics.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticOutput>,
    /// Notes and the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// Files for which the edits of a person are not shown completely.
    #[serde(skip)]
    unseen: Vec<String>,
}

impl ChangeOutput {
    pub(in crate::mcp) fn of_apply(
        result: ApplyResult,
        options: AnswerOptions<'_>,
    ) -> serde_json::Result<Self> {
        // The caller has not sent the text that an undo restores.
        let show_diff = result.undoes.is_some();
        let file = |file| FileOutput::of(file, &result.state, options.hashes, show_diff);
        let files = result.files.into_iter().map(file).collect();
        Self {
            next: next(&result.state, &result.id, result.reason, options),
            id: id(&result.state, result.id),
            state: result.state,
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
        let files = files.map(|file| FileOutput::of(file, &result.state, false, false)).collect();
        Self { state: result.state, id: Some(result.id), files, ..Self::default() }.fitted()
    }

    pub(in crate::mcp) fn of_proposal(
        result: ProposalResult,
        options: AnswerOptions<'_>,
    ) -> serde_json::Result<Self> {
        let file = |file| FileOutput::of(file, &result.state, true, false);
        let files = result.files.into_iter().map(file).collect();
        let replaced = result.replaced_by.map(|by| format!("It was replaced by {by}."));
        let notes =
            [result.notice, result.reason, replaced].into_iter().flatten().collect::<Vec<_>>().join(" ");
        Self {
            next: next(&result.state, &result.id, (!notes.is_empty()).then_some(notes), options),
            id: id(&result.state, result.id),
            state: result.state,
            transaction: result.transaction,
            files,
            user_edits: result.user_edits,
            comments: result.comments,
            ..Self::default()
        }
        .fitted()
    }

    /// Reduces the output to the maximum size of an answer. Paths and hashes take precedence over diffs,
    /// which the model can obtain by reading the files.
    fn fitted(mut self) -> serde_json::Result<Self> {
        let lengths: Vec<_> =
            self.user_edits.iter().map(|edit| (edit.path.clone(), edit.diff.len())).collect();
        self.user_edits.iter_mut().for_each(|edit| edit.diff = beginning(&edit.diff));
        let files = keep_fitting(&mut self.files, ANSWER / 2, |file| {
            Ok(size(file)? - file.diff.as_deref().map_or(0, json_len))
        })?;
        let edits =
            keep_fitting(&mut self.user_edits, ANSWER / 8, |edit| Ok(size(edit)? - json_len(&edit.diff)))?;
        let comments = keep_fitting(&mut self.comments, ANSWER / 8, |comment| {
            Ok(size(comment)? - json_len(&comment.text))
        })?;
        let diagnostics = keep_fitting(&mut self.diagnostics, ANSWER / 8, size)?;
        let all = [
            (files, "files"),
            (edits, "edits of a person"),
            (comments, "comments"),
            (diagnostics, "diagnostics"),
        ];
        for (left_out, what) in all.into_iter().filter(|(left_out, _)| *left_out > 0) {
            let next = self.next.get_or_insert_default();
            // Writing to a string cannot fail.
            let _ = write!(next, " One answer has no room for {left_out} more {what}.");
        }
        let rest = size(&self)? - self.texts().iter().map(|text| json_len(text)).sum::<usize>();
        fit_texts(rest, self.texts());
        let shown =
            |path: &str| self.user_edits.iter().find(|edit| edit.path == path).map(|edit| edit.diff.len());
        let is_truncated = |(path, length): &(String, usize)| shown(path) != Some(*length);
        self.unseen = lengths.into_iter().filter(is_truncated).map(|(path, _)| path).collect();
        Ok(self)
    }

    /// Returns all texts that may be long.
    fn texts(&mut self) -> Vec<&mut String> {
        let comments = self.comments.iter_mut().map(|comment| &mut comment.text);
        let edits = self.user_edits.iter_mut().map(|edit| &mut edit.diff);
        comments.chain(edits).chain(self.files.iter_mut().filter_map(|file| file.diff.as_mut())).collect()
    }

    pub(in crate::mcp) fn answer(mut self) -> serde_json::Result<Answer> {
        let unseen = std::mem::take(&mut self.unseen);
        Ok(Answer::new(self.text(), &self)?.with_unseen(unseen))
    }

    fn text(&self) -> String {
        // The state comes first, as in the data, because instructions and descriptions refer to it.
        let words = match self.state.as_str() {
            "partial" => ": a person accepted only a part of it",
            "rejected" => ": a person rejected it; nothing was changed",
            "discarded" => ": it was withdrawn; nothing was changed",
            "pending" => ": nothing is changed yet, a person decides about it",
            _ => "",
        };
        let mut text = format!("State `{}`{words}.\n", self.state);
        self.files.iter().for_each(|file| file.write(&mut text));
        for edit in &self.user_edits {
            let _ = write!(
                text,
                "Text that a person wrote instead in {}:\n{}",
                in_one_line(&edit.path),
                edit.diff
            );
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

/// Returns the id of a change whose status can still be queried.
fn id(state: &str, id: String) -> Option<String> {
    (state != "applied").then_some(id)
}

fn next(state: &str, id: &str, notes: Option<String>, options: AnswerOptions<'_>) -> Option<String> {
    let next = match state {
        "pending" => {
            let all = format!(
                "Call `proposal_status` with id `{id}` to wait for the decision; do not make the change in another way in the meantime; to withdraw it, `undo` that id."
            );
            advice(&all, &options.served)
        }
        "rejected" => "Do not send the same change again; follow the person's comments, or ask.".to_owned(),
        _ => return notes,
    };
    Some([notes, Some(next)].into_iter().flatten().collect::<Vec<_>>().join(" "))
}
