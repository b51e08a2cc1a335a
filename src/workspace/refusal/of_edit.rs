//! Texts for edits of texts and of notebook cells that cannot be located or applied.

use crate::{Audience, ChangeForm};
use editd_edit::EditRefusalKind;
use editd_edit::notebook::{CellRef, CellRefusalKind, CellSummary, is_named_as_notebook};

use super::Refusal;
use super::messages::{Texts, texts};
use super::of_lines;
use super::of_lines::named;

/// Maximum number of cells that a message lists.
const NAMED: usize = 8;
/// Maximum number of characters of an id that a message shows.
const ID: usize = 64;

pub(super) fn texts_of(kind: &EditRefusalKind, refusal: &Refusal, file: &str, audience: Audience) -> Texts {
    if let EditRefusalKind::Lines(lines) = kind {
        let terms = Terms::new(refusal.edit, refusal.patch_line, audience);
        return of_lines::texts_of(lines, &terms, file, audience);
    }
    texts(message(kind, refusal, file, audience), hint(kind, refusal, audience))
}

/// The names of the parts of an edit, as its author knows them.
pub(super) struct Terms {
    /// The edit within a sentence.
    edit: String,
    /// The edit at the beginning of a sentence.
    pub(super) subject: String,
    /// The old text of the edit, without the article.
    pub(super) old_text: String,
    /// The new text of the edit, if the edit has been mentioned before.
    its_new_text: &'static str,
    /// The new text of the edit, without the article, as a parameter.
    new_text: String,
    /// The new text of the edit, without the article, as a text with lines.
    new_lines: String,
    pub(super) is_hunk: bool,
}

impl Terms {
    pub(super) fn new(edit: Option<usize>, patch_line: Option<usize>, audience: Audience) -> Self {
        let is_hunk = patch_line.is_some();
        let is_option = audience == Audience::CommandLine && !is_hunk;
        let edit = match (patch_line, edit) {
            (Some(line), _) => format!("the hunk at line {line} of the patch"),
            (None, Some(index)) if !is_option => format!("edits[{index}]"),
            (None, _) => "the edit".to_owned(),
        };
        let (old, new, its_new_text) = match (is_hunk, is_option) {
            (true, _) => ("old text", "new text", "its new text"),
            (_, true) => ("text of --old", "text of --new", "the text of --new"),
            _ => ("`oldText`", "`newText`", "its `newText`"),
        };
        let of_edit = if is_option { String::new() } else { format!(" of {edit}") };
        Self {
            subject: edit.strip_prefix("the ").map_or_else(|| edit.clone(), |edit| format!("The {edit}")),
            old_text: format!("{old}{of_edit}"),
            its_new_text,
            new_text: format!("{new}{of_edit}"),
            new_lines: format!("new text{of_edit}"),
            edit,
            is_hunk,
        }
    }

    fn other(&self, index: usize) -> String {
        if self.is_hunk { format!("hunk {} of that file", index + 1) } else { format!("edits[{index}]") }
    }
}

fn message(kind: &EditRefusalKind, refusal: &Refusal, file: &str, audience: Audience) -> String {
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
        EditRefusalKind::OutsideScope { scope, occurrences } => {
            let more = if occurrences.more { "more than " } else { "" };
            let places = if occurrences.total == 1 && !occurrences.more { "place" } else { "places" };
            let found = occurrences
                .lines
                .first()
                .map_or_else(String::new, |lines| format!(", first in {}", named(*lines)));
            format!(
                "The {old_text} is not in {} of {file}, but in {more}{} {places} outside{found}.",
                named(*scope),
                occurrences.total
            )
        }
        EditRefusalKind::NoMatch { scope, within_words } => {
            let there = scope.map_or_else(|| file.to_owned(), |scope| format!("{} of {file}", named(scope)));
            match within_words.lines.first() {
                Some(lines) => {
                    format!(
                        "The {old_text} is no whole word in {there}: it stands only within longer words, first in {}.",
                        named(*lines)
                    )
                }
                None => format!("The pattern of {edit} matches nothing in {there}."),
            }
        }
        EditRefusalKind::TooManyMatches { limit } => {
            format!("The {old_text} has more than {limit} matches in {file}.")
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
        EditRefusalKind::NoChange | EditRefusalKind::Lines(_) => {
            format!("{subject} would leave {file} exactly as it is.")
        }
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

fn hint(kind: &EditRefusalKind, refusal: &Refusal, audience: Audience) -> String {
    let is_hunk = refusal.patch_line.is_some() || audience == Audience::Tools(ChangeForm::Patch);
    let is_notebook = refusal.path.as_deref().is_some_and(is_named_as_notebook);
    let (old, new) = audience.parameters_or(("`oldText`", "`newText`"), ("--old", "--new"));
    let (send, at_start) = audience.parameters_or(("send", "Send"), ("give", "Give"));
    let (edits, texts) = if is_hunk { ("hunks", "context") } else { ("edits", "texts") };
    match kind {
        EditRefusalKind::NotFound { already_applied: false, .. } | EditRefusalKind::MissingContext { .. }
            if is_notebook =>
        {
            hint_for_notebook(is_hunk, audience)
        }
        EditRefusalKind::NotFound { .. } | EditRefusalKind::MissingContext { .. } => {
            hint_for_missing_text(kind, is_hunk, audience)
        }
        EditRefusalKind::OutsideScope { .. } => {
            let look = audience.parameters_or("Look at `occurrences`", "Look at the places above");
            let scope = audience.parameters_or("`lines` or `symbol`", "--lines or --symbol");
            format!("{look}, then {send} the {scope} that is meant, or leave {scope} out.")
        }
        EditRefusalKind::NoMatch { within_words, .. } if within_words.total > 0 => {
            let word = audience.parameters_or("`word`", "--word");
            format!(
                "If parts of words are meant, leave {word} out; otherwise {send} the whole word in {old}."
            )
        }
        EditRefusalKind::NoMatch { .. } => {
            let search = audience.select("editd/search", "search", "editd search");
            format!("Correct the pattern; `{search}` with the same pattern shows the lines that it matches.")
        }
        EditRefusalKind::TooManyMatches { .. } => {
            let scope = audience.parameters_or("`lines` or `symbol`", "--lines or --symbol");
            format!("{at_start} a longer {old}, or fewer lines at a time with {scope}.")
        }
        EditRefusalKind::Placeholder { .. } => {
            hint_for_placeholder(is_hunk, refusal.edit.is_some(), audience)
        }
        EditRefusalKind::Ambiguous { .. } if is_hunk => {
            "Add neighbouring lines of context to the hunk until it fits one place.".to_owned()
        }
        EditRefusalKind::Ambiguous { occurrences } if occurrences.overlap => format!(
            "The matches overlap, so it is ambiguous which are meant: {send} a longer {old}, with its surrounding text, for each of them."
        ),
        EditRefusalKind::Ambiguous { .. } => {
            let all = audience.parameters_or("send `replaceAll: true`", "pass --all");
            let scope = audience.parameters_or("`lines` or `symbol`", "--lines or --symbol");
            format!(
                "Add neighbouring lines to {old} until it fits one place, or name the place by {scope}; if all places are meant, {all}."
            )
        }
        EditRefusalKind::CountMismatch { .. } => {
            let look = audience.parameters_or(
                "Look at `occurrences`, then send `expect`",
                "Look at the places above, then pass --expect",
            );
            format!("{look} with the intended number, or a longer {old}.")
        }
        EditRefusalKind::Overlap { .. } => format!(
            "Combine the two {edits} into one, or shorten their {texts} until they no longer overlap. Lines that an edit moves are changed in a later call."
        ),
        EditRefusalKind::Dependency { .. } => hint_for_dependency(is_hunk, audience),
        EditRefusalKind::Contradiction { .. } => format!("Keep one of the two {edits}."),
        EditRefusalKind::NoChange if is_hunk => "Leave this hunk out, or check its added lines.".to_owned(),
        EditRefusalKind::NoChange | EditRefusalKind::Lines(_) => {
            format!("Leave this edit out, or check its {new}.")
        }
        EditRefusalKind::EmptyOldText => hint_for_empty_text(old, audience),
        EditRefusalKind::TooLarge { .. } => {
            format!("{at_start} a shorter {new} or a longer {old}, so that less text is inserted.")
        }
        EditRefusalKind::Timeout if is_hunk => {
            "Send fewer or smaller hunks, with more distinctive lines of context.".to_owned()
        }
        EditRefusalKind::Timeout => {
            format!("{at_start} smaller edits, or a longer and more distinctive {old}.")
        }
    }
}

fn hint_for_empty_text(old: &str, audience: Audience) -> String {
    let write = audience.select("a `write` change", "`write`", "`editd write`");
    format!(
        "Put the text that should be replaced into {old}; use {write} for a new file or entirely new content."
    )
}

/// Returns the hint for an edit that matches only text that another edit inserts.
fn hint_for_dependency(is_hunk: bool, audience: Audience) -> String {
    let sequential = send_parameter("sequential: true", audience);
    if is_hunk {
        format!("All hunks match the file as it was read: combine both into one hunk, or {sequential}.")
    } else {
        format!(
            "All edits match the file as it was read: put both into one edit, or {sequential} so that each edit applies to the result of the previous ones."
        )
    }
}

/// Returns the hint for a line that stands for omitted code, in an edit or in a whole content.
fn hint_for_placeholder(is_hunk: bool, is_edit: bool, audience: Audience) -> String {
    let old = audience.parameters_or("`oldText`", "--old");
    let (next, parameter) = if is_hunk {
        let next = ", or leave them out of the hunk altogether: lines that it does not mention stay";
        (next.to_owned(), "matching: \"exact\"")
    } else if is_edit {
        let next = format!(
            ", or leave them out of the old text ({old}) or of the edited lines, too: lines that an edit does not mention stay"
        );
        (next, "matching: \"exact\"")
    } else {
        (": lines that are not in the content are removed from the file".to_owned(), "literal: true")
    };
    let send = send_parameter(parameter, audience);
    format!("Write the lines out{next}. If the line is meant literally, {send}.")
}

/// Returns the hint for text that is not in the file.
fn hint_for_missing_text(kind: &EditRefusalKind, is_hunk: bool, audience: Audience) -> String {
    let send = audience.parameters_or("send", "give");
    let closest = audience.parameters_or("`closest`", "the lines above");
    let old = audience.parameters_or("`oldText`", "--old");
    let (edit, its_text, text, has_it) = if is_hunk {
        ("hunk", "its context and removed lines", "the hunk's context and removed lines", "has them")
    } else {
        ("edit", old, old, "has it")
    };
    match kind {
        EditRefusalKind::NotFound { already_applied: true, .. } => format!(
            "Read the file to make sure: if the {edit} is not applied yet, compare with {closest} and {send} {its_text} as the file {has_it}."
        ),
        EditRefusalKind::NotFound { closest, .. } if closest.is_empty() => {
            format!("Read the file again and copy {text} from it exactly.")
        }
        EditRefusalKind::NotFound { .. } => {
            let compare = audience.parameters_or(
                "Compare with `closest`, where each `diff` shows asked against found",
                "Compare the requested lines (-) with the found lines (+)",
            );
            format!("{compare}, and {send} {text} as the file {has_it}.")
        }
        _ => format!(
            "Copy the whole context line as the file has it; see {closest}. It must come before the edited lines."
        ),
    }
}

/// Advises to send a parameter without a separate option on the command line.
fn send_parameter(parameter: &str, audience: Audience) -> String {
    let send = audience.parameters_or("send", "use `editd edit --json` with");
    format!("{send} `{parameter}`")
}

/// Returns the hint for text that was not found in the JSON of a notebook: a read shows the cells instead.
fn hint_for_notebook(is_hunk: bool, audience: Audience) -> String {
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
    format!(
        "The file is a notebook: {searched} is searched for in its JSON, not in the cells that a read shows. {next} and copy {copied} from there."
    )
}

pub(super) fn texts_of_cells(kind: &CellRefusalKind, op: Option<usize>, file: &str) -> Texts {
    let op = op.map_or_else(|| "the operation".to_owned(), |op| format!("cells[{op}]"));
    match kind {
        CellRefusalKind::NotFound { wanted, cells, total } => {
            let there = existing_cells(cells, *total);
            let missing = match wanted {
                Some(CellRef::Id(id)) => format!("{file} has no cell with the id `{}`", shown(id)),
                Some(CellRef::Index(index)) => format!("{file} has no cell {index}"),
                None => format!("{op} does not say where in {file} the new cell goes"),
            };
            let hint = if wanted.is_some() {
                "Use an id or an index of `cells`; all operations refer to the cells as they were read."
            } else {
                "Send `index`, the position of the new cell, or `id` of the cell to insert it after."
            };
            texts(format!("{missing}; {there}."), hint)
        }
        CellRefusalKind::Ambiguous { id, occurrences } => texts(
            format!("{} cells of {file} have the id `{}`.", occurrences.total, shown(id)),
            "Name the cell by `index`.",
        ),
        CellRefusalKind::Contradiction { other_op, cell, .. } => texts(
            format!("{op} and cells[{other_op}] are both about cell {cell} of {file}."),
            "Combine the two operations into one, or drop one of them.",
        ),
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
