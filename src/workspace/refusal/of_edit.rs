//! What is said of an edit that has no place.

use crate::edit::EditRefusalKind;
use crate::notebook::is_named_as_notebook;

use super::Refusal;

pub(super) fn name(kind: &EditRefusalKind) -> &'static str {
    match kind {
        EditRefusalKind::NotFound { .. } | EditRefusalKind::MissingContext { .. } => "not_found",
        EditRefusalKind::Placeholder { .. } => "placeholder",
        EditRefusalKind::Ambiguous { .. } => "ambiguous",
        EditRefusalKind::CountMismatch { .. } => "count_mismatch",
        EditRefusalKind::Overlap { .. } => "overlap",
        EditRefusalKind::Dependency { .. } => "dependency",
        EditRefusalKind::Contradiction { .. } => "contradiction",
        EditRefusalKind::NoChange => "no_change",
        EditRefusalKind::EmptyOldText => "empty_old_text",
        EditRefusalKind::TooLarge { .. } => "too_large",
        EditRefusalKind::Timeout => "timeout",
    }
}

/// What the parts of a request are called: its author knows a patch by its lines.
struct Words {
    edit: String,
    old: &'static str,
    new: &'static str,
    in_patch: bool,
}

impl Words {
    fn new(edit: Option<usize>, patch_line: Option<usize>) -> Self {
        match (edit, patch_line) {
            (_, Some(line)) => Self {
                edit: format!("the hunk at line {line} of the patch"),
                old: "old text",
                new: "new text",
                in_patch: true,
            },
            (edit, None) => Self {
                edit: edit.map_or_else(|| "the edit".to_owned(), |index| format!("edits[{index}]")),
                old: "`oldText`",
                new: "`newText`",
                in_patch: false,
            },
        }
    }

    /// The edit at the beginning of a sentence.
    fn subject(&self) -> String {
        match self.edit.strip_prefix("the ") {
            Some(rest) => format!("The {rest}"),
            None => self.edit.clone(),
        }
    }

    fn other(&self, index: usize) -> String {
        if self.in_patch { format!("hunk {} of that file", index + 1) } else { format!("edits[{index}]") }
    }
}

pub(super) fn message(
    kind: &EditRefusalKind,
    edit: Option<usize>,
    patch_line: Option<usize>,
    file: &str,
) -> String {
    let edit_index = edit;
    let words = Words::new(edit, patch_line);
    let Words { edit, old, new, .. } = &words;
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => {
            format!(
                "The {old} of {edit} is not in {file}, but its {new} is: the edit seems to be done already."
            )
        }
        EditRefusalKind::NotFound { .. } => format!("The {old} of {edit} is not in {file}."),
        EditRefusalKind::MissingContext { context, .. } => {
            format!("The context line `{context}` of {edit} is not in {file}.")
        }
        EditRefusalKind::Placeholder { line, text } if edit_index.is_none() && !words.in_patch => {
            format!("Line {line} of the content leaves code of {file} out: `{text}`.")
        }
        EditRefusalKind::Placeholder { line, text } => {
            format!("Line {line} of the new text of {edit} leaves code of {file} out: `{text}`.")
        }
        EditRefusalKind::Ambiguous { occurrences } => {
            let more = if occurrences.more { "more than " } else { "" };
            format!("The {old} of {edit} fits {more}{} places in {file}.", occurrences.total)
        }
        EditRefusalKind::CountMismatch { expected, found, .. } => {
            let subject = words.subject();
            format!("{subject} expects {expected} occurrences in {file}, but there are {found}.")
        }
        EditRefusalKind::Overlap { other_edit, .. } => {
            let (subject, other) = (words.subject(), words.other(*other_edit));
            format!("{subject} and {other} change the same text of {file}.")
        }
        EditRefusalKind::Dependency { other_edit, .. } => {
            let other = words.other(*other_edit);
            format!("The {old} of {edit} is not in {file}; only {other} would bring it there.")
        }
        EditRefusalKind::Contradiction { other_edit, .. } => {
            let (subject, other) = (words.subject(), words.other(*other_edit));
            format!("{subject} and {other} make different things of the same text of {file}.")
        }
        EditRefusalKind::NoChange => format!("{} would leave {file} exactly as it is.", words.subject()),
        EditRefusalKind::EmptyOldText => {
            format!("The {old} of {edit} is empty, so there is nothing to look for.")
        }
        EditRefusalKind::TooLarge { limit, size } => {
            format!(
                "With the {new} of {edit} in all its places, {size} bytes would be put into {file}, and {limit} may be."
            )
        }
        EditRefusalKind::Timeout => {
            format!("Looking for the {old} of {edit} in {file} took longer than the deadline allows.")
        }
    }
}

pub(super) fn hint(kind: &EditRefusalKind, refusal: &Refusal) -> &'static str {
    let (of_edit, in_patch) = (refusal.edit.is_some(), refusal.patch_line.is_some());
    let is_notebook = refusal.path.as_deref().is_some_and(is_named_as_notebook);
    if let (true, Some(hint)) = (is_notebook, hint_for_notebook(kind, in_patch)) {
        return hint;
    }
    if let (true, Some(hint)) = (in_patch, hint_for_patch(kind)) {
        return hint;
    }
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => {
            "Read the file to make sure: if the edit is not done yet, compare with `closest` and send `oldText` as the file has it."
        }
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            "Read the file again and copy `oldText` from it exactly."
        }
        EditRefusalKind::NotFound { .. } => {
            "Compare with `closest`, where each `diff` shows asked against found, and send `oldText` as the file has it."
        }
        EditRefusalKind::MissingContext { .. } => {
            "Copy the context line as the file has it, whole; see `closest`. It has to stand before the place."
        }
        EditRefusalKind::Placeholder { .. } if !of_edit => {
            "Write the lines out: what is not in the content is gone from the file. If the line is meant literally, send `literal: true`."
        }
        EditRefusalKind::Placeholder { .. } => {
            "Write the lines out, or leave them out of `oldText` too: what an edit does not mention stays. If the line is meant literally, send `matching: \"exact\"`."
        }
        EditRefusalKind::Ambiguous { occurrences } if occurrences.overlap => {
            "The places overlap each other, so there is no telling which are meant: send a longer `oldText`, with what stands around it, for each of them."
        }
        EditRefusalKind::Ambiguous { .. } => {
            "Add neighbouring lines to `oldText` until it fits one place; if all places are meant, send `replaceAll: true`."
        }
        EditRefusalKind::CountMismatch { .. } => {
            "Look at `occurrences`, then send `expectedReplacements` with the number that is meant, or a longer `oldText`."
        }
        EditRefusalKind::Overlap { .. } => {
            "Make one edit of the two, or shorten their texts until they are apart."
        }
        EditRefusalKind::Dependency { .. } => {
            "All edits match the file as it was read: put both into one edit, or send `sequential: true` so that each edit is looked for in the result of those before it."
        }
        EditRefusalKind::Contradiction { .. } => "Keep one of the two edits.",
        EditRefusalKind::NoChange => "Leave this edit out, or check its `newText`.",
        EditRefusalKind::EmptyOldText => {
            "Put the text that should be replaced into `oldText`; a new file or a whole new content is a `write` change."
        }
        EditRefusalKind::TooLarge { .. } => {
            "Send a shorter `newText` or a longer `oldText`, so that less is put in."
        }
        EditRefusalKind::Timeout => "Send smaller edits, or a longer and more distinctive `oldText`.",
    }
}

/// Returns what to send next where text was looked for in the JSON of a notebook and is not there: a read shows
/// the cells instead. `None` where the way to go on is another.
fn hint_for_notebook(kind: &EditRefusalKind, in_patch: bool) -> Option<&'static str> {
    match kind {
        EditRefusalKind::NotFound { already_applied: false, .. } | EditRefusalKind::MissingContext { .. } => {
        }
        _ => return None,
    }
    Some(if in_patch {
        "The file is a notebook: a hunk is looked for in its JSON, not in the cells that a read shows. Change a cell with a `notebook` change; or read the file with `raw: true` and copy the hunk's context and removed lines from there."
    } else {
        "The file is a notebook: text is looked for in its JSON, not in the cells that a read shows. Change a cell with a `notebook` change; or read the file with `raw: true` and copy `oldText` from there."
    })
}

/// What to send next, where it is not said in the words of `edits`.
fn hint_for_patch(kind: &EditRefusalKind) -> Option<&'static str> {
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => Some(
            "Read the file to make sure: if the hunk is not done yet, compare with `closest` and send its context and removed lines as the file has them.",
        ),
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            Some("Read the file again and copy the hunk's context and removed lines from it exactly.")
        }
        EditRefusalKind::NotFound { .. } => Some(
            "Compare with `closest`, where each `diff` shows asked against found, and send the hunk's context and removed lines as the file has them.",
        ),
        EditRefusalKind::Placeholder { .. } => Some(
            "Write the lines out, or leave them out of the hunk altogether: what it does not mention stays. If the line is meant literally, send `matching: \"exact\"`.",
        ),
        EditRefusalKind::Ambiguous { .. } => {
            Some("Add neighbouring lines of context to the hunk until it fits one place.")
        }
        EditRefusalKind::Overlap { .. } => {
            Some("Make one hunk of the two, or shorten their context until they are apart.")
        }
        EditRefusalKind::Dependency { .. } => Some(
            "All hunks match the file as it was read: make one hunk of both, or send `sequential: true`.",
        ),
        EditRefusalKind::Contradiction { .. } => Some("Keep one of the two hunks."),
        EditRefusalKind::NoChange => Some("Leave this hunk out, or check its added lines."),
        EditRefusalKind::Timeout => {
            Some("Send fewer or smaller hunks, with more distinctive lines of context.")
        }
        EditRefusalKind::MissingContext { .. }
        | EditRefusalKind::TooLarge { .. }
        | EditRefusalKind::CountMismatch { .. }
        | EditRefusalKind::EmptyOldText => None,
    }
}
