//! Texts for edits that name lines by number.

use crate::Audience;
use editd_edit::{LineRange, LineRefusal, ReshapeProblem};

use super::messages::{Texts, texts};
use super::of_edit::Terms;

/// Returns the texts. `terms` names the edit.
pub(super) fn texts_of(refusal: &LineRefusal, terms: &Terms, file: &str, audience: Audience) -> Texts {
    let excerpt = audience.parameters_or("`excerpt`", "the lines above");
    let Terms { subject, is_hunk, .. } = terms;
    match refusal {
        LineRefusal::NoSuchLine { line, total } => {
            let has = if *total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
            let last = if *is_hunk {
                "`PUT >$:`".to_owned()
            } else {
                audience.parameters_or(format!("`after: {total}`"), format!("--after {total}"))
            };
            texts(
                format!(
                    "{subject} names line {line}, but the version of {file} that it refers to has {has}."
                ),
                format!("Use the line numbers of that version; {last} adds lines at its end."),
            )
        }
        LineRefusal::OtherText { line, parameter, .. } => {
            let parameter = audience.parameters_or(format!("`{parameter}`"), format!("--{parameter}"));
            texts(
                format!("Line {line} of {file} does not have the text in {parameter}."),
                if *is_hunk {
                    format!("Compare with {excerpt}, and correct the line number.")
                } else {
                    format!("Compare with {excerpt}, and correct the line number or {parameter}.")
                },
            )
        }
        LineRefusal::Unseen { lines, complete, .. } => {
            let read = audience.select("editd/read", "read", "editd read");
            let offset = audience.parameters_or("`offset", "`--offset");
            let hint = if *complete {
                format!("Check {excerpt}, which shows them with their numbers, and send the edit again.")
            } else {
                format!("Read them first: `{read}` with {offset}: {}`.", lines.start)
            };
            texts(format!("This session was not shown {} of {file}.", named(*lines)), hint)
        }
        LineRefusal::NotReshaped { line, problem, .. } => {
            let named = audience.parameters_or("`lines`", "--lines");
            let (message, hint) = match problem {
                ReshapeProblem::Blank => (
                    format!("The lines of {file} from line {line} on have no code."),
                    format!("Name other {named}."),
                ),
                ReshapeProblem::NotIndented => (
                    format!("Line {line} of {file} has too little indentation to remove."),
                    format!("Look at {excerpt}, and name {named} that are all indented."),
                ),
                ReshapeProblem::Continues => (
                    format!("Line {line} of {file}, the first to wrap, does not begin a statement."),
                    format!(
                        "Name {named} that are whole statements: begin where this one begins, or below it."
                    ),
                ),
                ReshapeProblem::LeavesBlock => (
                    format!("Line {line} of {file} does not belong to the block of the first line to wrap."),
                    format!("Name {named} that are whole statements of one block."),
                ),
                ReshapeProblem::CutsBlock => (
                    format!(
                        "The lines to wrap end within a statement: line {line} of {file} belongs to it, too."
                    ),
                    format!("Name {named} that are whole statements: include the rest."),
                ),
                ReshapeProblem::InString => (
                    format!("Line {line} of {file} is inside a string."),
                    format!("Its indentation is content; name {named} that are code."),
                ),
            };
            texts(message, hint)
        }
        LineRefusal::SeveralVersions { lines, tags } => {
            let newest = tags.first().map_or("", String::as_str);
            let version = if *is_hunk {
                format!("`[path#{newest}]`")
            } else {
                audience.parameters_or(format!("`path#{newest}`"), format!("PATH#{newest}"))
            };
            let shown = tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(", ");
            texts(
                format!("This session was shown different versions of {} of {file}: {shown}.", named(*lines)),
                format!(
                    "Add the tag of the version whose line numbers you use to the path: {version} is the newest."
                ),
            )
        }
    }
}

/// Names lines within a sentence.
pub(super) fn named(lines: LineRange) -> String {
    match lines {
        LineRange { start, end } if start == end => format!("line {start}"),
        LineRange { start, end } => format!("lines {start}-{end}"),
    }
}
