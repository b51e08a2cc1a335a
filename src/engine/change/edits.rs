//! Drafts of edits that search for text, of edits that name lines or symbols, and of both together.

use std::path::Path;
use std::sync::Arc;

use crate::edit::{
    Edit, EditRefusal, EditRefusalKind, FoundMatch, LineRange, Match, Options, Plan, Splice, find, plan_lines,
};
use crate::engine::change::compute::{ComputeOptions, MatchOptions};
use crate::engine::change::draft::{Draft, DraftError};
use crate::engine::change::placed::Placed;
use crate::engine::change::{EditForm, RequestedEdit};
use crate::text::{ContentHash, count_lines};
use crate::workspace::{ShownLines, is_prose};

/// A version of a file that edits are made for.
#[derive(Clone, Copy)]
pub(crate) struct Version<'t> {
    pub(crate) hash: ContentHash,
    pub(crate) text: &'t str,
    /// The lines that the author was shown.
    pub(crate) shown: &'t ShownLines,
}

/// Plans edits of one version of a file.
pub(crate) fn draft_edits(
    path: &Path,
    version: Version<'_>,
    edits: &[RequestedEdit],
    rules: &ComputeOptions<'_>,
) -> Result<Draft, DraftError> {
    let (positions, texts): (Vec<_>, Vec<_>) = edits.iter().enumerate().filter_map(text_edit).unzip();
    if texts.len() == edits.len() {
        return draft_texts(path, (version.hash, version.text), &texts, rules);
    }
    let placed = Placed::of(path, version, edits, rules)?;
    let mut found = if texts.is_empty() {
        FoundMatch { plan: Plan::empty(version.text.len()), matches: Vec::new(), warnings: Vec::new() }
    } else {
        let at_position = |refusal: EditRefusal| EditRefusal { edit: positions[refusal.edit], ..refusal };
        find_texts(path, (version.hash, version.text), &texts, rules)
            .map_err(|refused| DraftError::Edits(refused.into_iter().map(at_position).collect()))?
    };
    found.matches.iter_mut().for_each(|found| found.edit = positions[found.edit]);
    let FoundMatch { plan, mut matches, mut warnings } = found;
    let plan = combined(version.text, &placed, (plan, &matches))?;
    matches.extend(placed.matches());
    warnings.extend(placed.warnings());
    Ok(Draft {
        plan,
        matches,
        warnings,
        renamed: placed.renamed(),
        renames: placed.renames(),
        ..Draft::default()
    })
}

/// Plans edits that name lines or symbols of an earlier version for the current text. Returns `None` if their
/// lines have changed since, or cannot be found with certainty.
pub(crate) fn carry_edits(
    (path, version): (&Path, Version<'_>),
    edits: &[RequestedEdit],
    now: &str,
    rules: &ComputeOptions<'_>,
) -> Result<Option<Draft>, DraftError> {
    let placed = Placed::of(path, version, edits, rules)?;
    let Some(carried) = placed.carried(version.text, now) else { return Ok(None) };
    let none = |text: &str| (Plan::empty(text.len()), &[][..]);
    let original = combined(version.text, &placed, none(version.text))?;
    let mut warnings: Vec<_> = placed.warnings().collect();
    let moved = "The file has changed since these lines were shown; the edit was made where they are now.";
    warnings.push(moved.to_owned());
    Ok(Some(Draft {
        plan: combined(now, &carried, none(now))?,
        matches: carried.matches().collect(),
        warnings,
        rebased: true,
        original_plan: Some((version.hash, Arc::new(original))),
        renamed: placed.renamed(),
        renames: placed.renames(),
    }))
}

/// Plans edits that search for text.
pub(crate) fn draft_texts(
    path: &Path,
    version: (ContentHash, &str),
    edits: &[Edit],
    rules: &ComputeOptions<'_>,
) -> Result<Draft, DraftError> {
    let found = find_texts(path, version, edits, rules).map_err(DraftError::Edits)?;
    let FoundMatch { plan, matches, warnings } = found;
    Ok(Draft { plan, matches, warnings, ..Draft::default() })
}

fn find_texts(
    path: &Path,
    (version, text): (ContentHash, &str),
    edits: &[Edit],
    rules: &ComputeOptions<'_>,
) -> Result<FoundMatch, Vec<EditRefusal>> {
    let index = Some(rules.indexes.of(version));
    let MatchOptions { fuzzy, sequential } = rules.matching;
    // The inserted text cannot be larger than the whole file may be.
    let room = usize::try_from(rules.file_size).unwrap_or(usize::MAX);
    let prose = is_prose(path);
    find(text, edits, &Options { fuzzy, sequential, prose, room, deadline: rules.deadline, index })
}

fn text_edit((position, edit): (usize, &RequestedEdit)) -> Option<(usize, Edit)> {
    if let EditForm::Text(edit) = &edit.form { Some((position, edit.clone())) } else { None }
}

/// Returns the plan of all edits of a text.
fn combined(text: &str, placed: &Placed, (plan, matches): (Plan, &[Match])) -> Result<Plan, DraftError> {
    let others: Vec<_> = plan.splices().iter().cloned().chain(placed.splices()).collect();
    let plan = plan_lines(text, &placed.lines, others)
        .map_err(|_| DraftError::Edits(vec![conflict(text, placed, (&plan, matches))]))?;
    if plan.changes(text) {
        return Ok(plan);
    }
    Err(DraftError::Edits(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]))
}

/// Returns the refusal of two edits that change the same text.
fn conflict(text: &str, placed: &Placed, (plan, matches): (&Plan, &[Match])) -> EditRefusal {
    let lines = |splice: &Splice| {
        let start = count_lines(&text[..splice.range.start]).max(1);
        LineRange { start, end: start.max(count_lines(&text[..splice.range.end])) }
    };
    let of_text = |splice: &Splice| {
        let own = lines(splice);
        let found = matches.iter().find(|found| found.start_line <= own.end && own.start <= found.end_line);
        (found.map_or(0, |found| found.edit), splice.clone())
    };
    let by_edit = placed.by_edit(text);
    let placed =
        by_edit.into_iter().flat_map(|(edit, splices)| splices.into_iter().map(move |one| (edit, one)));
    let mut all: Vec<_> = plan.splices().iter().map(of_text).chain(placed).collect();
    all.sort_by_key(|(_, splice)| (splice.range.start, splice.range.end));
    let overlap =
        all.windows(2).find(|pair| pair[1].1.range.start < pair[0].1.range.end && pair[0].0 != pair[1].0);
    let (one, other) = overlap.map_or((&all[0], &all[0]), |pair| (&pair[0], &pair[1]));
    let (first, second) = if one.0 < other.0 { (one, other) } else { (other, one) };
    let (lines, other_lines) = (lines(&second.1), lines(&first.1));
    EditRefusal { edit: second.0, kind: EditRefusalKind::Overlap { other_edit: first.0, lines, other_lines } }
}
