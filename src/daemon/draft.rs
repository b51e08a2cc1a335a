//! What edits and contents come to on one text.

use std::path::Path;
use std::sync::Arc;

use crate::edit::{self, Edit, EditRefusalKind, Found, Match, Options, Plan, find};
use crate::notebook::{CellChange, CellOp, NotebookError, broken, edit_cells};
use crate::text::{ContentHash, lines};
use crate::workspace::{RefusalKind, is_prose};

use super::work::{Manner, Rules, Trouble};

/// What was found out about the text of a file before it is written down as a [`PlannedFile`].
#[derive(Default)]
pub(crate) struct Drafted {
    pub(crate) plan: Plan,
    pub(crate) matches: Vec<Match>,
    pub(crate) warnings: Vec<String>,
    pub(crate) rebased: bool,
    /// The plan as it was, and the version that it was for, where it was carried over to another one.
    pub(crate) alone: Option<(ContentHash, Arc<Plan>)>,
}

/// The plan of edits for one version of a file's text.
pub(crate) fn drafted_edits(
    path: &Path,
    (version, text): (ContentHash, &str),
    edits: &[Edit],
    rules: &Rules<'_>,
) -> Result<Drafted, Trouble> {
    let index = Some(rules.indexes.of(version));
    let Manner { fuzzy, sequential } = rules.manner;
    // What is put in can hardly be more than the whole may be.
    let room = usize::try_from(rules.file_size).unwrap_or(usize::MAX);
    let prose = is_prose(path);
    let options = Options { fuzzy, sequential, prose, room, deadline: rules.deadline, index };
    let Found { plan, matches, warnings } = find(text, edits, &options).map_err(Trouble::Edits)?;
    Ok(Drafted { plan, matches, warnings, ..Drafted::default() })
}

/// The plan of operations on a notebook's cells.
pub(crate) fn drafted_cells(text: &str, ops: &[CellOp]) -> Result<Drafted, Trouble> {
    let CellChange { plan, warnings } = edit_cells(text, ops).map_err(|error| match error {
        NotebookError::Unreadable(unreadable) => Trouble::File(RefusalKind::Notebook(unreadable)),
        NotebookError::Cells(refusals) => Trouble::Cells(refusals),
    })?;
    Ok(Drafted { plan, warnings, ..Drafted::default() })
}

/// A change of its text must not leave a notebook that no program can open: neither an edit that was made for its
/// cells, nor some of the hunks of one.
pub(crate) fn stays_notebook(path: &Path, text: &str, plan: &Plan) -> Result<(), RefusalKind> {
    broken(path, text, plan).map_or(Ok(()), |why| Err(RefusalKind::BrokenNotebook(why)))
}

/// A content that says that code is left out would lose that code. Prose may say so and mean it.
pub(crate) fn refuse_placeholder(path: &Path, text: &str, content: &str) -> Result<(), RefusalKind> {
    if is_prose(path) {
        return Ok(());
    }
    let Some(line) = edit::placeholder(text, content) else { return Ok(()) };
    let text = lines(content).nth(line - 1).map_or("", |line| line.content.trim()).to_owned();
    Err(RefusalKind::Edit(EditRefusalKind::Placeholder { line, text }))
}

/// The plan of a new file.
pub(crate) fn created(content: &str) -> Drafted {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let splice = edit::Splice { range: 0..0, text: content.to_owned() };
    // One insertion into an empty text is a plan.
    let plan = Plan::new(0, vec![splice]).unwrap_or_default();
    Drafted { plan, ..Drafted::default() }
}
