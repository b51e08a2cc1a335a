//! Drafts of edits that search for text, of edits that name lines or symbols, and of both together.

use std::cell::LazyCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::engine::change::compute::{ComputeOptions, MatchOptions};
use crate::engine::change::draft::{Draft, DraftError};
use crate::engine::change::lines::unseen;
use crate::engine::change::outlined::Outlined;
use crate::engine::change::placed::Placed;
use crate::engine::change::{EditForm, RequestedEdit};
use editd_edit::{
    Count, Edit, EditRefusal, EditRefusalKind, FoundMatch, LineRange, LineRefusal, Match, Options, Plan,
    Splice, TextScope, find, lines_of, plan_lines,
};
use editd_syntax::SymbolPath;
use editd_text::{ContentHash, count_lines, line_start};
use editd_workspace::{ShownLines, is_prose};

/// Maximum number of places of an edit that are remembered.
const PLACES: usize = 200;

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
    let outlined = Outlined::new(path, version.text, rules.deadline);
    let (positions, texts) = text_edits(&outlined, edits)?;
    let placed = if texts.len() == edits.len() {
        Placed::default()
    } else {
        Placed::of(&outlined, version.shown, edits, rules)?
    };
    let mut found = if texts.is_empty() {
        FoundMatch { plan: Plan::empty(version.text.len()), matches: Vec::new(), warnings: Vec::new() }
    } else {
        let at_position = |refusal: EditRefusal| EditRefusal { edit: positions[refusal.edit], ..refusal };
        find_texts(path, (version.hash, version.text), &texts, (rules, Offers::Wanted))
            .map_err(|refused| DraftError::Edits(refused.into_iter().map(at_position).collect()))?
    };
    found.matches.iter_mut().for_each(|found| found.edit = positions[found.edit]);
    refuse_unseen(version, edits, &found, rules.matching.sequential)?;
    let FoundMatch { plan, mut matches, mut warnings } = found;
    for found in &mut matches {
        found.places.truncate(PLACES);
    }
    if texts.len() == edits.len() {
        return Ok(Draft { plan, matches, warnings, ..Draft::default() });
    }
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
    let outlined = Outlined::new(path, version.text, rules.deadline);
    let placed = Placed::of(&outlined, version.shown, edits, rules)?;
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
        since: None,
        original_plan: Some((version.hash, Arc::new(original))),
        renamed: placed.renamed(),
        renames: placed.renames(),
    }))
}

/// A change of one version of a text, and the same change rebased onto a later version.
pub(crate) struct Rebased<'a> {
    pub(crate) path: &'a Path,
    pub(crate) given: &'a str,
    /// The change of `given`.
    pub(crate) plan: &'a Plan,
    pub(crate) now: &'a str,
    /// The change of `now`.
    pub(crate) current: &'a Plan,
}

impl Rebased<'_> {
    /// Returns `true` if the edits that replace all places of a text have replaced all of them in the later version,
    /// too. Others may have written the text again, and such an edit is not done without these places.
    pub(crate) fn replaces_all(&self, edits: &[RequestedEdit], rules: &ComputeOptions<'_>) -> bool {
        let is_for_all =
            |edit: &&RequestedEdit| matches!(&edit.form, EditForm::Text(text) if text.count != Count::One);
        let mut for_all = edits.iter().filter(is_for_all).peekable();
        if for_all.peek().is_none() {
            return true;
        }
        let results = [self.plan.apply(self.given), self.current.apply(self.now)];
        for_all.all(|edit| {
            let [wanted, rebased] = results.each_ref().map(|text| self.places(edit, text, rules));
            wanted == rebased || !self.is_touched(edit, rules)
        })
    }

    /// Returns the number of places of an edit in a text.
    fn places(&self, edit: &RequestedEdit, text: &str, rules: &ComputeOptions<'_>) -> usize {
        let EditForm::Text(requested) = &edit.form else { return 0 };
        let form = EditForm::Text(Edit { count: Count::All, ..requested.clone() });
        // Lines have other numbers in the results.
        let within = edit.within.clone().filter(|within| matches!(within, TextScope::Symbol(_)));
        let edit = RequestedEdit { form, within, ..edit.clone() };
        let options = Options { fuzzy: false, prose: true, deadline: rules.deadline, ..Options::default() };
        let outlined = Outlined::new(self.path, text, rules.deadline);
        let edits = text_edits(&outlined, &[edit]).ok();
        let found = edits.and_then(|(_, edits)| find(text, &edits, &options).ok());
        found.map_or(0, |found| found.matches.iter().map(|found| found.replacements).sum())
    }

    /// Returns `true` if others have changed the part of the file in which an edit searches for its text.
    fn is_touched(&self, edit: &RequestedEdit, rules: &ComputeOptions<'_>) -> bool {
        let Some(TextScope::Lines(lines)) = &edit.within else { return true };
        let Ok(scope) = bytes_of(self.given, *lines) else { return true };
        let since = Plan::between(self.given, self.now, rules.deadline);
        since.splices().iter().any(|splice| {
            let is_insertion = splice.range.is_empty();
            let ends_before =
                splice.range.end < scope.start || !is_insertion && splice.range.end == scope.start;
            let starts_behind = splice.range.start >= scope.end;
            !ends_before && !starts_behind
        })
    }
}

/// Plans edits that search for text.
pub(crate) fn draft_texts(
    path: &Path,
    version: (ContentHash, &str),
    edits: &[Edit],
    rules: &ComputeOptions<'_>,
) -> Result<Draft, DraftError> {
    let found = find_texts(path, version, edits, (rules, Offers::None)).map_err(DraftError::Edits)?;
    let FoundMatch { plan, matches, warnings } = found;
    Ok(Draft { plan, matches, warnings, ..Draft::default() })
}

/// The search for changes that edits without a match probably mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offers {
    Wanted,
    None,
}

fn find_texts(
    path: &Path,
    (version, text): (ContentHash, &str),
    edits: &[Edit],
    (rules, offers): (&ComputeOptions<'_>, Offers),
) -> Result<FoundMatch, Vec<EditRefusal>> {
    let index = Some(rules.indexes.of(version));
    let MatchOptions { fuzzy, sequential } = rules.matching;
    // The inserted text cannot be larger than the whole file may be.
    let room = usize::try_from(rules.file_size).unwrap_or(usize::MAX);
    let prose = is_prose(path);
    let offers = fuzzy && offers == Offers::Wanted;
    find(text, edits, &Options { fuzzy, sequential, offers, prose, room, deadline: rules.deadline, index })
}

/// Returns the edits that search for text, each with its position, and with the bytes of its scope.
fn text_edits(
    outlined: &Outlined<'_>,
    edits: &[RequestedEdit],
) -> Result<(Vec<usize>, Vec<Edit>), DraftError> {
    let (mut positions, mut texts) = (Vec::new(), Vec::new());
    let (mut not_there, mut not_named) = (Vec::new(), Vec::new());
    for (position, requested) in edits.iter().enumerate() {
        let EditForm::Text(edit) = &requested.form else { continue };
        let scope = match &requested.within {
            // An accepted offer names its bytes.
            None => edit.scope.clone(),
            Some(TextScope::Lines(lines)) => match bytes_of(outlined.text(), *lines) {
                Ok(scope) => Some(scope),
                Err(kind) => {
                    not_there.push(EditRefusal { edit: position, kind });
                    None
                }
            },
            Some(TextScope::Symbol(symbol)) => match outlined.outline()?.extent(&SymbolPath::parse(symbol)) {
                Ok(scope) => Some(scope),
                Err(refusal) => {
                    not_named.push((position, refusal));
                    None
                }
            },
        };
        positions.push(position);
        texts.push(Edit { scope, ..edit.clone() });
    }
    match (not_there.is_empty(), not_named.is_empty()) {
        (false, _) => Err(DraftError::Edits(not_there)),
        (true, false) => Err(DraftError::Symbols(not_named)),
        (true, true) => Ok((positions, texts)),
    }
}

/// Returns the bytes of lines of a text, or the refusal for lines that it does not have.
pub(crate) fn bytes_of(text: &str, lines: LineRange) -> Result<Range<usize>, EditRefusalKind> {
    let total = count_lines(text);
    if lines.end > total {
        return Err(EditRefusalKind::Lines(LineRefusal::NoSuchLine { line: lines.end, total }));
    }
    let part = lines_of(text, lines);
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    Ok(start..start + part.len())
}

/// Refuses edits that change lines which their author was not shown, where it need not know these lines to ask for
/// the change: it can then not have meant them.
fn refuse_unseen(
    version: Version<'_>,
    edits: &[RequestedEdit],
    found: &FoundMatch,
    sequential: bool,
) -> Result<(), DraftError> {
    let needs = |edit: usize| edits.get(edit).is_some_and(RequestedEdit::needs_shown_lines);
    if *version.shown == ShownLines::All || !found.matches.iter().any(|found| needs(found.edit)) {
        return Ok(());
    }
    // Most edits change only lines that were shown.
    let with_blank_lines = LazyCell::new(|| version.shown.with_blank_lines(version.text));
    let is_known = |lines: LineRange| version.shown.contains(lines) || with_blank_lines.contains(lines);
    let refusal = |edit: usize, lines: LineRange| {
        (!is_known(lines))
            .then(|| EditRefusal { edit, kind: EditRefusalKind::Lines(unseen(version.text, lines)) })
    };
    let refused: Vec<_> = if sequential && found.matches.len() > 1 {
        // The places of an edit are those in the result of the edits before it.
        let first =
            found.matches.iter().map(|found| found.edit).find(|edit| needs(*edit)).unwrap_or_default();
        let mut lines = found.plan.splices().iter().map(|splice| lines_of_splice(version.text, splice));
        lines.find_map(|lines| refusal(first, lines)).into_iter().collect()
    } else {
        // All of them at once, so that one more read is enough.
        let of_edit = |found: &Match| {
            let mut unseen = found.places.iter().filter(|lines| !is_known(**lines));
            let first = unseen.next()?;
            let last = unseen.next_back().unwrap_or(first);
            refusal(found.edit, LineRange { start: first.start, end: last.end })
        };
        found.matches.iter().filter(|found| needs(found.edit)).filter_map(of_edit).collect()
    };
    if refused.is_empty() { Ok(()) } else { Err(DraftError::Edits(refused)) }
}

/// Returns the lines that a splice changes.
fn lines_of_splice(text: &str, splice: &Splice) -> LineRange {
    let start = count_lines(&text[..line_start(text, splice.range.start)]) + 1;
    let touched = count_lines(&text[line_start(text, splice.range.start)..splice.range.end]).max(1);
    LineRange { start, end: start + touched - 1 }
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
    let lines = |splice: &Splice| lines_of_splice(text, splice);
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
