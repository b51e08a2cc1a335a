//! Output of tools: results of the daemon, reduced to the parts that are useful for models.

mod file;
mod seams;

use std::fmt::Write as _;

use serde::Serialize;

use editd_protocol::{ApplyResult, CommentEntry, DiagnosticEntry, UserEdit, json_len};

use super::answer::Answer;
use super::readable::in_one_line;
use super::served::advice;
use super::size::{ANSWER, beginning, data_of, fit_texts, keep_fitting, size};
use super::tools::AnswerOptions;

use file::FileOutput;

/// Outcome of a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangeOutput {
    /// `applied`; `partial` if a person accepted a part; `pending` if a person has not decided; `rejected`;
    /// or another state of a closed proposal.
    state: String,
    /// Id for `proposal_status`, unless the change is applied.
    id: Option<String>,
    /// Id for `undo`.
    transaction: Option<String>,
    /// The transaction that was undone.
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
    next: Option<String>,
    /// `true` to name the state of a change that is simply made, too.
    #[serde(skip)]
    names_state: bool,
}

impl ChangeOutput {
    pub(super) fn new(result: ApplyResult, options: AnswerOptions<'_>) -> Self {
        // The caller has not sent the text that an undo restores.
        let is_undo = result.undoes.is_some();
        let file = |file| FileOutput::of(file, &result.state, options.hashes, is_undo);
        let files = result.files.into_iter().map(file).collect();
        Self {
            names_state: false,
            next: next(&result.state, &result.id, result.reason, options),
            // The status of an applied change cannot be queried.
            id: (result.state != "applied").then_some(result.id),
            state: result.state,
            transaction: result.transaction,
            undoes: result.undoes,
            files,
            user_edits: result.user_edits,
            comments: result.comments,
            diagnostics: result.diagnostics.into_iter().flatten().map(DiagnosticOutput::from).collect(),
        }
    }

    /// Returns the output for a caller that has asked for the state.
    pub(super) fn with_state(self) -> Self {
        Self { names_state: true, ..self }
    }

    /// Converts the output to an answer. Files for which the edits of a person are not shown completely count
    /// as unseen.
    pub(super) fn answer(mut self) -> serde_json::Result<Answer> {
        let lengths: Vec<_> =
            self.user_edits.iter().map(|edit| (edit.path.clone(), edit.diff.len())).collect();
        self.fit();
        let shown =
            |path: &str| self.user_edits.iter().find(|edit| edit.path == path).map(|edit| edit.diff.len());
        let is_truncated = |(path, length): &(String, usize)| shown(path) != Some(*length);
        let unseen = lengths.into_iter().filter(is_truncated).map(|(path, _)| path).collect();
        let data = data_of(&self)?;
        Ok(Answer { text: self.text(), data, unseen, ..Answer::default() })
    }

    /// Reduces the output to the maximum size of an answer. Paths and hashes take precedence over diffs,
    /// which the model can obtain by reading the files.
    fn fit(&mut self) {
        self.user_edits.iter_mut().for_each(|edit| edit.diff = beginning(&edit.diff));
        let file = |file: &FileOutput| {
            let texts = [&file.diff, &file.others].into_iter().flatten();
            size(file).saturating_sub(texts.map(|text| json_len(text)).sum())
        };
        let edit = |edit: &UserEdit| size(edit).saturating_sub(json_len(&edit.diff));
        let comment = |comment: &CommentEntry| size(comment).saturating_sub(json_len(&comment.text));
        let omitted = [
            (keep_fitting(&mut self.files, ANSWER / 2, file), "files"),
            (keep_fitting(&mut self.user_edits, ANSWER / 8, edit), "edits of a person"),
            (keep_fitting(&mut self.comments, ANSWER / 8, comment), "comments"),
            (keep_fitting(&mut self.diagnostics, ANSWER / 8, size), "diagnostics"),
        ];
        for (left_out, what) in omitted.into_iter().filter(|(left_out, _)| *left_out > 0) {
            let next = self.next.get_or_insert_default();
            // Writing to a string cannot fail.
            let _ = write!(next, " One answer has no room for {left_out} more {what}.");
        }
        let texts: usize = self.texts().iter().map(|text| json_len(text)).sum();
        fit_texts(size(&*self).saturating_sub(texts), self.texts());
    }

    /// Returns all texts that may be long.
    fn texts(&mut self) -> Vec<&mut String> {
        let comments = self.comments.iter_mut().map(|comment| &mut comment.text);
        let edits = self.user_edits.iter_mut().map(|edit| &mut edit.diff);
        let diffs = self.files.iter_mut().flat_map(|file| [file.diff.as_mut(), file.others.as_mut()]);
        comments.chain(edits).chain(diffs.flatten()).collect()
    }

    fn text(&self) -> String {
        // The state comes first, as in the data, because instructions and descriptions refer to it. A change that is
        // simply made is told by its files.
        let words = match self.state.as_str() {
            "partial" => ": a person accepted only a part of it",
            "rejected" => ": a person rejected it; nothing was changed",
            "discarded" => ": it was withdrawn; nothing was changed",
            "pending" => ": nothing is changed yet, a person decides about it",
            _ => "",
        };
        let is_plain = !self.names_state
            && self.state == "applied"
            && self.comments.is_empty()
            && self.user_edits.is_empty();
        let mut text = if is_plain { String::new() } else { format!("State `{}`{words}.\n", self.state) };
        self.files.iter().for_each(|file| file.write(&mut text));
        let is_replacement = self.files.iter().any(|file| file.replacements.is_some());
        let replaced: Option<usize> = self.files.iter().map(|file| file.replaced).sum();
        if let Some(replaced) = replaced.filter(|_| is_replacement && self.files.len() > 1) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{replaced} replacements in {} files", self.files.len());
        }
        for UserEdit { path, diff } in &self.user_edits {
            let path = in_one_line(path);
            let _ = write!(text, "Text that a person wrote instead in {path}:\n{diff}");
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

fn next(state: &str, id: &str, notes: Option<String>, options: AnswerOptions<'_>) -> Option<String> {
    let next = match state {
        "pending" => {
            let all = format!(
                "Call `proposal_status` with id `{id}` to wait for the decision; do not make the change in another way in the meantime; to withdraw it, `undo` that id."
            );
            advice(&all, options.served)
        }
        "rejected" => "Do not send the same change again; follow the person's comments, or ask.".to_owned(),
        _ => return notes,
    };
    Some([notes, Some(next)].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// A diagnostic.
#[derive(Debug, Serialize)]
pub(super) struct DiagnosticOutput {
    path: String,
    /// Line number, from 1.
    line: u32,
    /// `error`, `warning`, `information` or `hint`.
    severity: String,
    message: String,
    source: Option<String>,
    /// `true` if the diagnostic refers to an earlier text of the file, so that `line` may be outdated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    outdated: bool,
}

impl DiagnosticOutput {
    /// Formats the diagnostic as compilers do.
    pub(super) fn line_of_text(&self) -> String {
        let source =
            self.source.as_ref().map(|source| format!(" ({})", in_one_line(source))).unwrap_or_default();
        let outdated = if self.outdated { " [outdated]" } else { "" };
        let message = in_one_line(&self.message);
        format!("{}:{}: {}: {message}{source}{outdated}\n", in_one_line(&self.path), self.line, self.severity)
    }
}

impl From<DiagnosticEntry> for DiagnosticOutput {
    fn from(entry: DiagnosticEntry) -> Self {
        let DiagnosticEntry { path, range, severity, message, source, hash } = entry;
        Self { path, line: range.start.line + 1, severity, message, source, outdated: hash.is_none() }
    }
}
