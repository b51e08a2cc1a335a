//! Messages for edits that cannot be located or applied.

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

/// The terms for the parts of a request, because the author of a patch knows it by its lines.
struct Terms {
    edit: String,
    old: &'static str,
    new: &'static str,
    in_patch: bool,
}

impl Terms {
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

    /// Returns the edit as the subject of a sentence.
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
    let terms = Terms::new(edit, patch_line);
    let Terms { edit, old, new, .. } = &terms;
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => {
            format!(
                "The {old} of {edit} is not in {file}, but its {new} is: the edit seems to be applied already."
            )
        }
        EditRefusalKind::NotFound { .. } => format!("The {old} of {edit} is not in {file}."),
        EditRefusalKind::MissingContext { context, .. } => {
            format!("The context line `{context}` of {edit} is not in {file}.")
        }
        EditRefusalKind::Placeholder { line, text } if edit_index.is_none() && !terms.in_patch => {
            format!("Line {line} of the content omits code of {file}: `{text}`.")
        }
        EditRefusalKind::Placeholder { line, text } => {
            format!("Line {line} of the new text of {edit} omits code of {file}: `{text}`.")
        }
        EditRefusalKind::Ambiguous { occurrences } => {
            let more = if occurrences.more { "more than " } else { "" };
            format!("The {old} of {edit} fits {more}{} places in {file}.", occurrences.total)
        }
        EditRefusalKind::CountMismatch { expected, found, .. } => {
            let subject = terms.subject();
            format!("{subject} expects {expected} occurrences in {file}, but there are {found}.")
        }
        EditRefusalKind::Overlap { other_edit, .. } => {
            let (subject, other) = (terms.subject(), terms.other(*other_edit));
            format!("{subject} and {other} change the same text of {file}.")
        }
        EditRefusalKind::Dependency { other_edit, .. } => {
            let other = terms.other(*other_edit);
            format!("The {old} of {edit} is not in {file}; only {other} would insert it.")
        }
        EditRefusalKind::Contradiction { other_edit, .. } => {
            let (subject, other) = (terms.subject(), terms.other(*other_edit));
            format!("{subject} and {other} replace the same text of {file} differently.")
        }
        EditRefusalKind::NoChange => format!("{} would leave {file} exactly as it is.", terms.subject()),
        EditRefusalKind::EmptyOldText => {
            format!("The {old} of {edit} is empty, so there is nothing to search for.")
        }
        EditRefusalKind::TooLarge { limit, size } => {
            format!(
                "Inserting the {new} of {edit} at every match would put {size} bytes into {file}, more than the limit of {limit}."
            )
        }
        EditRefusalKind::Timeout => {
            format!("Searching for the {old} of {edit} in {file} took longer than the deadline allows.")
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
            "Read the file to make sure: if the edit is not applied yet, compare with `closest` and send `oldText` as the file has it."
        }
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            "Read the file again and copy `oldText` from it exactly."
        }
        EditRefusalKind::NotFound { .. } => {
            "Compare with `closest`, where each `diff` shows asked against found, and send `oldText` as the file has it."
        }
        EditRefusalKind::MissingContext { .. } => {
            "Copy the whole context line as the file has it; see `closest`. It must come before the edited lines."
        }
        EditRefusalKind::Placeholder { .. } if !of_edit => {
            "Write the lines out: lines that are not in the content are removed from the file. If the line is meant literally, send `literal: true`."
        }
        EditRefusalKind::Placeholder { .. } => {
            "Write the lines out, or leave them out of `oldText` too: lines that an edit does not mention stay. If the line is meant literally, send `matching: \"exact\"`."
        }
        EditRefusalKind::Ambiguous { occurrences } if occurrences.overlap => {
            "The matches overlap, so it is ambiguous which are meant: send a longer `oldText`, with its surrounding text, for each of them."
        }
        EditRefusalKind::Ambiguous { .. } => {
            "Add neighbouring lines to `oldText` until it fits one place; if all places are meant, send `replaceAll: true`."
        }
        EditRefusalKind::CountMismatch { .. } => {
            "Look at `occurrences`, then send `expectedReplacements` with the intended number, or a longer `oldText`."
        }
        EditRefusalKind::Overlap { .. } => {
            "Combine the two edits into one, or shorten their texts until they no longer overlap."
        }
        EditRefusalKind::Dependency { .. } => {
            "All edits match the file as it was read: put both into one edit, or send `sequential: true` so that each edit applies to the result of the previous ones."
        }
        EditRefusalKind::Contradiction { .. } => "Keep one of the two edits.",
        EditRefusalKind::NoChange => "Leave this edit out, or check its `newText`.",
        EditRefusalKind::EmptyOldText => {
            "Put the text that should be replaced into `oldText`; use a `write` change for a new file or entirely new content."
        }
        EditRefusalKind::TooLarge { .. } => {
            "Send a shorter `newText` or a longer `oldText`, so that less text is inserted."
        }
        EditRefusalKind::Timeout => "Send smaller edits, or a longer and more distinctive `oldText`.",
    }
}

/// Returns the hint for text that was not found in the JSON of a notebook: a read shows the cells instead.
/// Returns `None` for refusals with another cause.
fn hint_for_notebook(kind: &EditRefusalKind, in_patch: bool) -> Option<&'static str> {
    match kind {
        EditRefusalKind::NotFound { already_applied: false, .. } | EditRefusalKind::MissingContext { .. } => {
        }
        _ => return None,
    }
    Some(if in_patch {
        "The file is a notebook: a hunk is searched for in its JSON, not in the cells that a read shows. Change a cell with a `notebook` change; or read the file with `raw: true` and copy the hunk's context and removed lines from there."
    } else {
        "The file is a notebook: text is searched for in its JSON, not in the cells that a read shows. Change a cell with a `notebook` change; or read the file with `raw: true` and copy `oldText` from there."
    })
}

/// Returns the hint for a patch, if it differs from that for `edits`.
fn hint_for_patch(kind: &EditRefusalKind) -> Option<&'static str> {
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => Some(
            "Read the file to make sure: if the hunk is not applied yet, compare with `closest` and send its context and removed lines as the file has them.",
        ),
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            Some("Read the file again and copy the hunk's context and removed lines from it exactly.")
        }
        EditRefusalKind::NotFound { .. } => Some(
            "Compare with `closest`, where each `diff` shows asked against found, and send the hunk's context and removed lines as the file has them.",
        ),
        EditRefusalKind::Placeholder { .. } => Some(
            "Write the lines out, or leave them out of the hunk altogether: lines that it does not mention stay. If the line is meant literally, send `matching: \"exact\"`.",
        ),
        EditRefusalKind::Ambiguous { .. } => {
            Some("Add neighbouring lines of context to the hunk until it fits one place.")
        }
        EditRefusalKind::Overlap { .. } => {
            Some("Combine the two hunks into one, or shorten their context until they no longer overlap.")
        }
        EditRefusalKind::Dependency { .. } => Some(
            "All hunks match the file as it was read: combine both into one hunk, or send `sequential: true`.",
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
