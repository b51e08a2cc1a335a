//! Messages and hints for edits of texts and of notebook cells that cannot be located or applied.

use crate::edit::EditRefusalKind;
use crate::notebook::{CellRef, CellRefusalKind, CellSummary, is_named_as_notebook};
use crate::workspace::{Audience, ChangeForm};

use super::Refusal;

/// Maximum number of cells that a message lists.
const NAMED: usize = 8;
/// Maximum number of characters of an id that a message shows.
const ID: usize = 64;

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

/// The names of the parts of an edit, as its author knows them.
pub(super) struct Terms {
    /// The edit within a sentence.
    edit: String,
    /// The edit at the beginning of a sentence.
    subject: String,
    /// The old text of the edit, without the article.
    pub(super) old_text: String,
    /// The new text of the edit, if the edit has been mentioned before.
    its_new_text: &'static str,
    /// The new text of the edit, without the article, as a parameter.
    new_text: String,
    /// The new text of the edit, without the article, as a text with lines.
    new_lines: String,
    is_hunk: bool,
}

impl Terms {
    pub(super) fn new(edit: Option<usize>, patch_line: Option<usize>, audience: Audience) -> Self {
        if patch_line.is_none() && audience == Audience::CommandLine {
            return Self {
                edit: "the edit".to_owned(),
                subject: "The edit".to_owned(),
                old_text: "text of --old".to_owned(),
                its_new_text: "the text of --new",
                new_text: "text of --new".to_owned(),
                new_lines: "new text".to_owned(),
                is_hunk: false,
            };
        }
        let (edit, subject) = match (edit, patch_line) {
            (_, Some(line)) => (
                format!("the hunk at line {line} of the patch"),
                format!("The hunk at line {line} of the patch"),
            ),
            (Some(index), None) => (format!("edits[{index}]"), format!("edits[{index}]")),
            (None, None) => ("the edit".to_owned(), "The edit".to_owned()),
        };
        let is_hunk = patch_line.is_some();
        let (old, new) = if is_hunk { ("old text", "new text") } else { ("`oldText`", "`newText`") };
        Self {
            subject,
            old_text: format!("{old} of {edit}"),
            its_new_text: if is_hunk { "its new text" } else { "its `newText`" },
            new_text: format!("{new} of {edit}"),
            new_lines: format!("new text of {edit}"),
            edit,
            is_hunk,
        }
    }

    fn other(&self, index: usize) -> String {
        if self.is_hunk { format!("hunk {} of that file", index + 1) } else { format!("edits[{index}]") }
    }
}

pub(super) fn message(kind: &EditRefusalKind, refusal: &Refusal, file: &str, audience: Audience) -> String {
    let terms = Terms::new(refusal.edit, refusal.patch_line, audience);
    let Terms { edit, subject, old_text, its_new_text, new_text, new_lines, is_hunk } = &terms;
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => format!(
            "The {old_text} is not in {file}, but {its_new_text} is: the edit seems to be applied already."
        ),
        EditRefusalKind::NotFound { .. } => format!("The {old_text} is not in {file}."),
        EditRefusalKind::MissingContext { context, .. } => {
            format!("The context line `{context}` of {edit} is not in {file}.")
        }
        EditRefusalKind::Placeholder { line, text } if refusal.edit.is_none() && !is_hunk => {
            format!("Line {line} of the content omits code of {file}: `{text}`.")
        }
        EditRefusalKind::Placeholder { line, text } => {
            format!("Line {line} of the {new_lines} omits code of {file}: `{text}`.")
        }
        EditRefusalKind::Ambiguous { occurrences } => {
            let more = if occurrences.more { "more than " } else { "" };
            format!("The {old_text} fits {more}{} places in {file}.", occurrences.total)
        }
        EditRefusalKind::CountMismatch { expected, found, .. } => {
            let expects = match audience {
                Audience::CommandLine if !is_hunk => "--expect says".to_owned(),
                _ => format!("{subject} expects"),
            };
            format!("{expects} {expected} occurrences in {file}, but there are {found}.")
        }
        EditRefusalKind::Overlap { other_edit, .. } => {
            format!("{subject} and {} change the same text of {file}.", terms.other(*other_edit))
        }
        EditRefusalKind::Dependency { other_edit, .. } => {
            format!("The {old_text} is not in {file}; only {} would insert it.", terms.other(*other_edit))
        }
        EditRefusalKind::Contradiction { other_edit, .. } => {
            format!("{subject} and {} replace the same text of {file} differently.", terms.other(*other_edit))
        }
        EditRefusalKind::NoChange => format!("{subject} would leave {file} exactly as it is."),
        EditRefusalKind::EmptyOldText => {
            format!("The {old_text} is empty, so there is nothing to search for.")
        }
        EditRefusalKind::TooLarge { limit, size } => format!(
            "Inserting the {new_text} at every match would put {size} bytes into {file}, more than the limit of {limit}."
        ),
        EditRefusalKind::Timeout => {
            format!("Searching for the {old_text} in {file} took longer than the deadline allows.")
        }
    }
}

pub(super) fn hint(kind: &EditRefusalKind, refusal: &Refusal, audience: Audience) -> String {
    let is_hunk = refusal.patch_line.is_some() || audience == Audience::Tools(ChangeForm::Patch);
    let is_notebook = refusal.path.as_deref().is_some_and(is_named_as_notebook);
    if let (true, Some(hint)) = (is_notebook, hint_for_notebook(kind, is_hunk, audience)) {
        return hint;
    }
    if let (true, Some(hint)) = (is_hunk, hint_for_patch(kind, audience)) {
        return hint;
    }
    let old = audience.parameters_or("`oldText`", "--old");
    let new = audience.parameters_or("`newText`", "--new");
    let send = audience.parameters_or("send", "give");
    match kind {
        EditRefusalKind::NotFound { .. } | EditRefusalKind::MissingContext { .. } => {
            hint_for_missing_text(kind, audience)
        }
        EditRefusalKind::Placeholder { .. } => hint_for_placeholder(refusal.edit.is_some(), audience),
        EditRefusalKind::Ambiguous { occurrences } if occurrences.overlap => format!(
            "The matches overlap, so it is ambiguous which are meant: {send} a longer {old}, with its surrounding text, for each of them."
        ),
        EditRefusalKind::Ambiguous { .. } => {
            let all = audience.parameters_or("send `replaceAll: true`", "pass --all");
            format!(
                "Add neighbouring lines to {old} until it fits one place; if all places are meant, {all}."
            )
        }
        EditRefusalKind::CountMismatch { .. } => {
            let look = audience.parameters_or(
                "Look at `occurrences`, then send `expectedReplacements`",
                "Look at the places above, then pass --expect",
            );
            format!("{look} with the intended number, or a longer {old}.")
        }
        EditRefusalKind::Overlap { .. } => {
            "Combine the two edits into one, or shorten their texts until they no longer overlap.".to_owned()
        }
        EditRefusalKind::Dependency { .. } => format!(
            "All edits match the file as it was read: put both into one edit, or {} so that each edit applies to the result of the previous ones.",
            send_parameter("sequential: true", audience)
        ),
        EditRefusalKind::Contradiction { .. } => "Keep one of the two edits.".to_owned(),
        EditRefusalKind::NoChange => format!("Leave this edit out, or check its {new}."),
        EditRefusalKind::EmptyOldText => {
            let write = audience.select("a `write` change", "`write`", "`editd write`");
            format!(
                "Put the text that should be replaced into {old}; use {write} for a new file or entirely new content."
            )
        }
        EditRefusalKind::TooLarge { .. } => {
            let send = audience.parameters_or("Send", "Give");
            format!("{send} a shorter {new} or a longer {old}, so that less text is inserted.")
        }
        EditRefusalKind::Timeout => {
            let send = audience.parameters_or("Send", "Give");
            format!("{send} smaller edits, or a longer and more distinctive {old}.")
        }
    }
}

/// Returns the hint for a line that stands for omitted code, in an edit or in a whole content.
fn hint_for_placeholder(is_edit: bool, audience: Audience) -> String {
    let old = audience.parameters_or("`oldText`", "--old");
    if !is_edit {
        return format!(
            "Write the lines out: lines that are not in the content are removed from the file. If the line is meant literally, {}.",
            send_parameter("literal: true", audience)
        );
    }
    format!(
        "Write the lines out, or leave them out of {old} too: lines that an edit does not mention stay. If the line is meant literally, {}.",
        send_parameter("matching: \"exact\"", audience)
    )
}

/// Returns the hint for text that is not in the file.
fn hint_for_missing_text(kind: &EditRefusalKind, audience: Audience) -> String {
    let old = audience.parameters_or("`oldText`", "--old");
    let send = audience.parameters_or("send", "give");
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => {
            let closest = audience.parameters_or("`closest`", "the lines above");
            format!(
                "Read the file to make sure: if the edit is not applied yet, compare with {closest} and {send} {old} as the file has it."
            )
        }
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            format!("Read the file again and copy {old} from it exactly.")
        }
        EditRefusalKind::NotFound { .. } => {
            format!("{}, and {send} {old} as the file has it.", compare(audience))
        }
        _ => {
            let closest = audience.parameters_or("`closest`", "the lines above");
            format!(
                "Copy the whole context line as the file has it; see {closest}. It must come before the edited lines."
            )
        }
    }
}

/// Advises to compare the requested text with the most similar text of the file.
fn compare(audience: Audience) -> &'static str {
    audience.parameters_or(
        "Compare with `closest`, where each `diff` shows asked against found",
        "Compare the requested lines (-) with the found lines (+)",
    )
}

/// Advises to send a parameter without a separate option on the command line.
fn send_parameter(parameter: &str, audience: Audience) -> String {
    let send = audience.parameters_or("send", "use `editd edit --json` with");
    format!("{send} `{parameter}`")
}

/// Returns the hint for text that was not found in the JSON of a notebook: a read shows the cells instead.
/// Returns `None` for refusals with another cause.
fn hint_for_notebook(kind: &EditRefusalKind, is_hunk: bool, audience: Audience) -> Option<String> {
    match kind {
        EditRefusalKind::NotFound { already_applied: false, .. } | EditRefusalKind::MissingContext { .. } => {
        }
        _ => return None,
    }
    let (searched, copied) = match audience {
        _ if is_hunk => ("a hunk", "the hunk's context and removed lines"),
        Audience::CommandLine => ("text", "--old"),
        Audience::Wire | Audience::Tools(_) => ("text", "`oldText`"),
    };
    let next = audience.select(
        "Change a cell with a `notebook` change; or read the file with `raw: true`",
        "Change a cell with `notebook_edit`; or read the file with `raw: true`",
        "Change a cell with `editd edit --json` and a `notebook` change; or look at the JSON with `editd read --raw`",
    );
    Some(format!(
        "The file is a notebook: {searched} is searched for in its JSON, not in the cells that a read shows. {next} and copy {copied} from there."
    ))
}

/// Returns the hint for a patch, if it differs from that for `edits`.
fn hint_for_patch(kind: &EditRefusalKind, audience: Audience) -> Option<String> {
    let send = audience.parameters_or("send", "give");
    let hint = match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => {
            let closest = audience.parameters_or("`closest`", "the lines above");
            format!(
                "Read the file to make sure: if the hunk is not applied yet, compare with {closest} and {send} its context and removed lines as the file has them."
            )
        }
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            "Read the file again and copy the hunk's context and removed lines from it exactly.".to_owned()
        }
        EditRefusalKind::NotFound { .. } => format!(
            "{}, and {send} the hunk's context and removed lines as the file has them.",
            compare(audience)
        ),
        EditRefusalKind::Placeholder { .. } => format!(
            "Write the lines out, or leave them out of the hunk altogether: lines that it does not mention stay. If the line is meant literally, {}.",
            send_parameter("matching: \"exact\"", audience)
        ),
        EditRefusalKind::Ambiguous { .. } => {
            "Add neighbouring lines of context to the hunk until it fits one place.".to_owned()
        }
        EditRefusalKind::Overlap { .. } => {
            "Combine the two hunks into one, or shorten their context until they no longer overlap."
                .to_owned()
        }
        EditRefusalKind::Dependency { .. } => format!(
            "All hunks match the file as it was read: combine both into one hunk, or {}.",
            send_parameter("sequential: true", audience)
        ),
        EditRefusalKind::Contradiction { .. } => "Keep one of the two hunks.".to_owned(),
        EditRefusalKind::NoChange => "Leave this hunk out, or check its added lines.".to_owned(),
        EditRefusalKind::Timeout => {
            "Send fewer or smaller hunks, with more distinctive lines of context.".to_owned()
        }
        EditRefusalKind::MissingContext { .. }
        | EditRefusalKind::TooLarge { .. }
        | EditRefusalKind::CountMismatch { .. }
        | EditRefusalKind::EmptyOldText => return None,
    };
    Some(hint)
}

pub(super) fn cell_name(kind: &CellRefusalKind) -> &'static str {
    match kind {
        CellRefusalKind::NotFound { .. } => "not_found",
        CellRefusalKind::Ambiguous { .. } => "ambiguous",
        CellRefusalKind::Contradiction { .. } => "contradiction",
    }
}

pub(super) fn cell_message(kind: &CellRefusalKind, op: Option<usize>, file: &str) -> String {
    let op = op.map_or_else(|| "the operation".to_owned(), |op| format!("cells[{op}]"));
    match kind {
        CellRefusalKind::NotFound { wanted, cells, total } => {
            let there = existing_cells(cells, *total);
            match wanted {
                Some(CellRef::Id(id)) => {
                    format!("{file} has no cell with the id `{}`; {there}.", shown(id))
                }
                Some(CellRef::Index(index)) => format!("{file} has no cell {index}; {there}."),
                None => format!("{op} does not say where in {file} the new cell goes; {there}."),
            }
        }
        CellRefusalKind::Ambiguous { id, occurrences } => {
            format!("{} cells of {file} have the id `{}`.", occurrences.total, shown(id))
        }
        CellRefusalKind::Contradiction { other_op, cell, .. } => {
            format!("{op} and cells[{other_op}] are both about cell {cell} of {file}.")
        }
    }
}

pub(super) fn cell_hint(kind: &CellRefusalKind) -> &'static str {
    match kind {
        CellRefusalKind::NotFound { wanted: None, .. } => {
            "Send `index`, the position of the new cell, or `id` of the cell to insert it after."
        }
        CellRefusalKind::NotFound { .. } => {
            "Use an id or an index of `cells`; all operations refer to the cells as they were read."
        }
        CellRefusalKind::Ambiguous { .. } => "Name the cell by `index`.",
        CellRefusalKind::Contradiction { .. } => "Combine the two operations into one, or drop one of them.",
    }
}

/// Describes the existing cells.
fn existing_cells(cells: &[CellSummary], total: usize) -> String {
    let name = |cell: &CellSummary| match &cell.id {
        Some(id) => format!("{} `{}`", cell.index, shown(id)),
        None => cell.index.to_string(),
    };
    let listed: Vec<_> = cells.iter().take(NAMED).map(name).collect();
    match total {
        0 => "it has no cells".to_owned(),
        total if total > NAMED => format!("its cells are {} and {} more", listed.join(", "), total - NAMED),
        _ => format!("its cells are {}", listed.join(", ")),
    }
}

/// Escapes and shortens an id for a message.
fn shown(id: &str) -> String {
    id.escape_debug().take(ID).collect()
}
