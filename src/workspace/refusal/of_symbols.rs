//! Texts for operations on symbols and for syntax errors.

use crate::Audience;
use editd_syntax::{Candidate, RenameRefusal, SymbolRefusal, SyntaxError, Unclear};

use super::messages::{Texts, texts};

/// Maximum number of symbols that a message lists.
const LISTED: usize = 5;

pub(super) fn texts_of(refusal: &SymbolRefusal, file: &str, audience: Audience) -> Texts {
    let outline = audience.select("`editd/outline` lists", "`outline` lists", "`editd outline` lists");
    let op = |name: &str| audience.parameters_or(format!("`op: \"{name}\"`"), format!("--op {name}"));
    match refusal {
        SymbolRefusal::Unknown { total: 0, .. } => {
            texts(format!("{file} has no symbols."), "Edit it by its text or by line numbers.")
        }
        SymbolRefusal::Unknown { candidates, .. } if candidates.is_empty() => {
            texts(format!("{file} has no symbol with this name."), format!("{outline} its symbols."))
        }
        SymbolRefusal::Unknown { candidates, .. } => texts(
            format!("{file} has no symbol with this name; similar are {}.", listed(candidates, 0)),
            format!("Use one of these names; {outline} all."),
        ),
        SymbolRefusal::Ambiguous { candidates, more } => texts(
            format!("Several symbols of {file} have this name: {}.", listed(candidates, *more)),
            "Add `@` and a line of the one that is meant to its name, or the name of the symbol around it.",
        ),
        SymbolRefusal::Broken { line } => texts(
            format!("The symbol contains a syntax error in line {line} of {file}, so its end is uncertain."),
            "Edit it by its text or by line numbers.",
        ),
        SymbolRefusal::WithoutBody { lines } => texts(
            format!("The symbol in line {} of {file} has no body.", lines.start),
            format!("Replace the whole symbol with {}.", op("replace")),
        ),
        SymbolRefusal::BodyInLine { lines } => texts(
            format!("The body of the symbol in line {} of {file} has no lines of its own.", lines.start),
            format!(
                "Name the {} to wrap, or replace the body with {}.",
                audience.parameters_or("`lines`", "--lines"),
                op("body")
            ),
        ),
        SymbolRefusal::WithoutName { lines } => texts(
            format!("The declaration in line {} of {file} has no name to replace.", lines.start),
            format!("Replace the whole symbol with {}.", op("replace")),
        ),
        SymbolRefusal::BadText { reason } => texts(
            format!("The new text for the symbol of {file} is {reason}."),
            format!("Send the complete new text; {} deletes a symbol.", op("delete")),
        ),
        SymbolRefusal::SharedLines { line } => texts(
            format!(
                "Line {line} of {file} contains other code, so nothing can be inserted beside it, or moved from or to it, by name."
            ),
            "Change it by its text or by line numbers.",
        ),
        SymbolRefusal::NotAnItem { line } => texts(
            format!("Line {line} of {file}: items of a list can only be moved to lists, and only they can."),
            "Name a symbol of the same kind as the place, or make the change by text or line numbers.",
        ),
        SymbolRefusal::InMoved { line } => texts(
            format!("The place in line {line} of {file} is inside of what is moved."),
            "Name a place outside of it.",
        ),
        SymbolRefusal::NoRename(refusal)
        | SymbolRefusal::NameTaken(refusal)
        | SymbolRefusal::RenameUnclear(refusal) => {
            texts(format!("Nothing was renamed in {file}: {refusal}."), hint_of(refusal, &op("rename_here")))
        }
    }
}

/// Returns what to do after the refusal of a rename.
fn hint_of(refusal: &RenameRefusal, here: &str) -> String {
    match refusal {
        RenameRefusal::NotOffered { .. } => {
            format!("Rename the declaration alone with {here}, and replace the other places by their text.")
        }
        RenameRefusal::Broken { .. } => {
            format!("Correct the error first, or rename the declaration alone with {here}.")
        }
        RenameRefusal::Keyword | RenameRefusal::Reread { .. } => "Choose another name.".to_owned(),
        RenameRefusal::Taken { .. } | RenameRefusal::Captured { .. } | RenameRefusal::Hidden { .. } => {
            "Choose another name, or rename what is in that line first.".to_owned()
        }
        RenameRefusal::Unclear { reason: Unclear::Constructor, .. } => {
            "Rename the type instead; its constructors follow.".to_owned()
        }
        RenameRefusal::Unclear { .. } => format!(
            "Rename the declaration alone with {here}, which lists the other lines with the name, and edit those."
        ),
    }
}

/// Returns the texts for a file whose symbols are not offered.
pub(super) fn no_syntax(reason: &str, file: &str) -> Texts {
    let hint = "Name lines or a text of it instead of a symbol, or read it without one.";
    texts(format!("Symbols of {file} are not offered: {reason}."), hint)
}

/// Returns the texts for a change that adds syntax errors.
pub(super) fn new_errors(errors: &[SyntaxError], file: &str, audience: Audience) -> Texts {
    let shown = audience.parameters_or("`errors`", "the lines above");
    let places: Vec<_> = errors.iter().take(LISTED).map(|error| error.line.to_string()).collect();
    let lines = if places.len() == 1 { "line" } else { "lines" };
    texts(
        format!("The change would add syntax errors to {file}, in {lines} {}.", places.join(", ")),
        format!(
            "Compare with {shown}, which are lines of the new text, and send the edit again without these errors."
        ),
    )
}

fn listed(candidates: &[Candidate], more: usize) -> String {
    let name = |candidate: &Candidate| format!("`{}` (line {})", candidate.path, candidate.lines.start);
    let names: Vec<_> = candidates.iter().take(LISTED).map(name).collect();
    let more = more + candidates.len().saturating_sub(LISTED);
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}
