//! Edits that name lines or symbols, located in one version of a file.

use std::cell::LazyCell;

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::draft::DraftError;
use crate::engine::change::guard::Guard;
use crate::engine::change::lines::unseen;
use crate::engine::change::outlined::{Outlined, no_outline};
use crate::engine::change::relocate::{SymbolChanges, relocate};
use crate::engine::change::spread::UsesElsewhere;
use crate::engine::change::{EditForm, RequestedEdit};
use editd_edit::{
    EditRefusal, EditRefusalKind, LineEdit, LineMap, LineOrigin, LinePlace, LineRange, LocatedLines, Match,
    Plan, Reshape, Reshaped, Splice, Strategy, TextScope, lines_of, listed_lines, locate, plan_lines,
    reshape,
};
use editd_syntax::parsing::edit_symbols;
use editd_syntax::{
    Renamed, SymbolChange, SymbolEdit, SymbolOp, SymbolPath, SymbolRefusal, body_lines, edit_symbol,
};
use editd_text::{count_line_ends, count_lines, line_start};
use editd_workspace::{RefusalKind, ShownLines};

/// The edits of a change that name lines or symbols.
#[derive(Default)]
pub(crate) struct Placed {
    pub(crate) lines: Vec<LocatedLines>,
    pub(crate) others: Vec<PlacedSplices>,
}

/// An edit of a symbol, or a change of lines that repeats none of them.
pub(crate) struct PlacedSplices {
    /// Position of the edit.
    edit: usize,
    strategy: Strategy,
    change: SymbolChange,
    /// The lines that the edit needs or changes.
    extent: LineRange,
    /// The line of each use that a rename changes; otherwise the lines of the edit.
    places: Vec<LineRange>,
}

impl Placed {
    /// Locates the edits in a version. Refuses those whose lines the author was not shown.
    pub(crate) fn of(
        outlined: &Outlined<'_>,
        shown: &ShownLines,
        edits: &[RequestedEdit],
        rules: &ComputeOptions<'_>,
    ) -> Result<Self, DraftError> {
        let lines = locate(outlined.text(), line_edits(edits)).map_err(DraftError::Edits)?;
        let mut others = place_symbols(outlined, edits, rules)?;
        others.extend(place_reshaped(outlined, edits)?);
        let placed = Self { lines, others };
        placed.refuse_placeholders(outlined, edits, rules)?;
        let with_blank_lines = LazyCell::new(|| shown.with_blank_lines(outlined.text()));
        let is_unseen =
            |(_, lines): &(usize, LineRange)| !shown.contains(*lines) && !with_blank_lines.contains(*lines);
        let refused = placed.needed().filter(is_unseen).map(|(edit, lines)| {
            let kind = EditRefusalKind::Lines(unseen(outlined.text(), lines));
            EditRefusal { edit, kind }
        });
        let refused: Vec<_> = refused.collect();
        if refused.is_empty() { Ok(placed) } else { Err(DraftError::Edits(refused)) }
    }

    /// Returns the lines that each edit needs, with its position.
    fn needed(&self) -> impl Iterator<Item = (usize, LineRange)> + '_ {
        let lines = self.lines.iter().filter_map(|located| Some((located.edit, located.place.anchors()?)));
        let others = self.others.iter();
        lines.chain(others.flat_map(|other| other.change.lines.iter().map(|lines| (other.edit, *lines))))
    }

    /// Returns the edits for a later version of the text, or `None` if their lines have changed or cannot be
    /// found with certainty.
    pub(crate) fn carried(&self, given: &str, now: &str) -> Option<Self> {
        let map = LineMap::between(given, now);
        let lines = self.lines.iter().map(|located| located.carried(&map)).collect::<Option<_>>()?;
        let others = self.others.iter().map(|other| other.carried(&map, given, now));
        Some(Self { lines, others: others.collect::<Option<_>>()? })
    }

    /// Returns the splices of the edits that are none of whole lines.
    pub(crate) fn splices(&self) -> Vec<Splice> {
        self.others.iter().flat_map(|symbol| symbol.change.splices.iter().cloned()).collect()
    }

    /// Returns the splices of each edit, with its position.
    pub(crate) fn by_edit(&self, text: &str) -> Vec<(usize, Vec<Splice>)> {
        let lines = self.lines.iter().map(|located| {
            let plan = plan_lines(text, std::slice::from_ref(located), Vec::new());
            (located.edit, plan.map_or_else(|_| Vec::new(), Plan::into_splices))
        });
        let others = self.others.iter().map(|other| (other.edit, other.change.splices.clone()));
        lines.chain(others).collect()
    }

    pub(crate) fn matches(&self) -> impl Iterator<Item = Match> + '_ {
        let lines = self.lines.iter().map(|located| {
            let lines = located.place.anchors().unwrap_or(LineRange { start: 1, end: 1 });
            (located.edit, lines, Strategy::Lines, vec![lines])
        });
        let others =
            self.others.iter().map(|other| (other.edit, other.extent, other.strategy, other.places.clone()));
        lines.chain(others).map(|(edit, lines, strategy, places)| Match {
            edit,
            strategy,
            similarity: 1.0,
            start_line: lines.start,
            end_line: lines.end,
            replacements: places.len(),
            places,
        })
    }

    /// Refuses new text with a placeholder for omitted code, in the place of lines or symbols.
    fn refuse_placeholders(
        &self,
        outlined: &Outlined<'_>,
        edits: &[RequestedEdit],
        rules: &ComputeOptions<'_>,
    ) -> Result<(), DraftError> {
        let (guard, text) = (Guard::new(outlined.path(), rules), outlined.text());
        let of_reshaped = |(edit, splices): (usize, Vec<Splice>)| {
            let EditForm::Reshape(Reshape::Wrap { before, after }) = &edits.get(edit)?.form else {
                return None;
            };
            (!splices.is_empty()).then(|| (edit, String::new(), format!("{before}\n{after}")))
        };
        let of_symbol = |(edit, splices): (usize, Vec<Splice>)| {
            let EditForm::Symbol(SymbolEdit { op, new, .. }) = &edits.get(edit)?.form else { return None };
            let has_text = !matches!(op, SymbolOp::Delete | SymbolOp::Rename | SymbolOp::RenameHere);
            let old: String = splices.iter().map(|splice| &text[splice.range.clone()]).collect();
            has_text.then_some((edit, old, new.clone()))
        };
        let of_lines = |(edit, splices): (usize, Vec<Splice>)| {
            let EditForm::Lines(LineEdit { place, new: Some(new), origin: LineOrigin::Written, .. }) =
                &edits.get(edit)?.form
            else {
                return None;
            };
            let old = if let LinePlace::Lines(lines) = place { lines_of(text, *lines) } else { "" };
            (!splices.is_empty()).then(|| (edit, old.to_owned(), new.clone()))
        };
        let texts = self.by_edit(text).into_iter().filter_map(|one| {
            of_symbol(one.clone()).or_else(|| of_lines(one.clone())).or_else(|| of_reshaped(one))
        });
        let refused: Vec<_> = texts
            .filter_map(|(edit, old, new)| Some(EditRefusal { edit, kind: guard.check(&old, &new).err()? }))
            .collect();
        if refused.is_empty() { Ok(()) } else { Err(DraftError::Edits(refused)) }
    }

    /// Returns the names that the edits change in a declaration only.
    pub(crate) fn renamed(&self) -> Vec<String> {
        self.others.iter().filter_map(|symbol| symbol.change.renamed.clone()).collect()
    }

    /// Returns the renames of symbols with their uses.
    pub(crate) fn renames(&self) -> Vec<Renamed> {
        self.others.iter().filter_map(|symbol| symbol.change.uses.clone()).collect()
    }

    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let lines = self.lines.iter().map(|located| (located.edit, &located.warnings));
        let others = self.others.iter().map(|other| (other.edit, &other.change.warnings));
        let about = |(edit, warnings): (usize, &'_ Vec<String>)| {
            warnings.iter().map(|warning| format!("edit {edit}: {warning}")).collect::<Vec<_>>()
        };
        lines.chain(others).flat_map(about)
    }
}

impl PlacedSplices {
    fn new(text: &str, (edit, strategy): (usize, Strategy), change: SymbolChange) -> Self {
        let line_of = |offset: usize| count_lines(&text[..line_start(text, offset)]) + 1;
        let first = change.splices.first().map(|splice| splice.range.start);
        let last = change.splices.iter().map(|splice| splice.range.end).max();
        let changed = first.into_iter().chain(last).map(line_of);
        let needed = change.lines.iter().flat_map(|lines| [lines.start, lines.end]);
        let touched: Vec<usize> = changed.chain(needed).collect();
        let start = touched.iter().copied().min().unwrap_or(1);
        let end = touched.into_iter().max().unwrap_or(start).min(count_lines(text).max(1));
        let extent = LineRange { start: start.min(end), end };
        let places = match &change.uses {
            Some(uses) => lines_of_uses(text, &uses.splices),
            None => vec![extent],
        };
        Self { edit, strategy, change, extent, places }
    }

    fn reshaped(edit: usize, Reshaped { splices, lines, kept }: Reshaped) -> Self {
        let mut warnings = Vec::new();
        if !kept.is_empty() {
            let lines = listed_lines(&kept);
            warnings.push(format!("not indented, because it is inside a string: line {lines}"));
        }
        let change = SymbolChange { splices, lines: vec![lines], warnings, ..SymbolChange::default() };
        Self { edit, strategy: Strategy::Lines, change, extent: lines, places: vec![lines] }
    }

    fn carried(&self, map: &LineMap, given: &str, now: &str) -> Option<Self> {
        // Others may have added uses.
        if self.change.uses.is_some() {
            return None;
        }
        let extent = map.get(self.extent)?;
        let (old, new) = (lines_of(given, self.extent), lines_of(now, extent));
        // Offsets are valid only if all bytes are equal, line endings included.
        if old != new {
            return None;
        }
        let start_of = |text: &str, part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        let (from, to) = (start_of(given, old), start_of(now, new));
        let moved = |splice: &Splice| Splice {
            range: splice.range.start - from + to..splice.range.end - from + to,
            text: splice.text.clone(),
        };
        let splices = self.change.splices.iter().map(moved).collect();
        let change = SymbolChange { splices, lines: vec![extent], ..self.change.clone() };
        Some(Self { change, extent, places: vec![extent], ..*self })
    }
}

/// Returns the line of each splice of a rename, which are in the order of the text.
fn lines_of_uses(text: &str, splices: &[Splice]) -> Vec<LineRange> {
    let (mut line, mut counted) = (1, 0);
    let line_of = |splice: &Splice| {
        line += count_line_ends(&text[counted..splice.range.start]);
        counted = splice.range.start;
        LineRange { start: line, end: line }
    };
    splices.iter().map(line_of).collect()
}

/// Returns the edits at lines, with their positions.
fn line_edits(edits: &[RequestedEdit]) -> Vec<(usize, LineEdit)> {
    let of = |(position, edit): (usize, &RequestedEdit)| {
        let edit = match &edit.form {
            EditForm::Lines(edit) => edit.clone(),
            EditForm::Take { part: TextScope::Lines(lines), removes: true, .. } => LineEdit::removal(*lines),
            EditForm::Text(_)
            | EditForm::Symbol(_)
            | EditForm::Renamed(..)
            | EditForm::Uses(_)
            | EditForm::Reshape(_)
            | EditForm::Take { .. }
            | EditForm::Put { .. }
            | EditForm::Beside { .. } => return None,
        };
        Some((position, edit))
    };
    edits.iter().enumerate().filter_map(of).collect()
}

fn place_symbols(
    outlined: &Outlined<'_>,
    edits: &[RequestedEdit],
    rules: &ComputeOptions<'_>,
) -> Result<Vec<PlacedSplices>, DraftError> {
    let (mut placed, mut refused) = (Vec::new(), Vec::new());
    let mut changes = relocate(outlined, edits, rules)?;
    let symbols = edits.iter().enumerate().filter_map(|(position, edit)| match &edit.form {
        EditForm::Symbol(edit) if !changes.contains_key(&position) => Some((position, edit)),
        _ => None,
    });
    let symbols: Vec<_> = symbols.collect();
    changes.extend(symbol_changes(outlined, symbols, rules)?);
    for (position, edit) in edits.iter().enumerate() {
        let change = match (changes.remove(&position), &edit.form) {
            (Some(change), _) => change,
            (None, EditForm::Uses(UsesElsewhere::Found(uses))) => Ok(SymbolChange {
                // Its author has named the files, not the lines.
                lines: lines_of_uses(outlined.text(), &uses.splices),
                ..SymbolChange::default().with_uses(uses.clone())
            }),
            (None, EditForm::Uses(UsesElsewhere::Served(uses))) => {
                Ok(SymbolChange::default().with_uses(uses.renamed(outlined.text())))
            }
            (None, EditForm::Renamed(edit, uses)) => {
                // Nothing but the places is that of the server.
                let change = edit_symbol(outlined.text(), outlined.outline()?, edit);
                change.map(|change| change.with_uses(uses.renamed(outlined.text())))
            }
            (None, EditForm::Uses(UsesElsewhere::Refused(refusal))) => {
                Err(SymbolRefusal::from(refusal.clone()))
            }
            (None, _) => continue,
        };
        match change {
            Ok(change) => {
                let is_served =
                    matches!(edit.form, EditForm::Renamed(..) | EditForm::Uses(UsesElsewhere::Served(_)));
                let strategy = if is_served { Strategy::LanguageServer } else { Strategy::Symbol };
                placed.push(PlacedSplices::new(outlined.text(), (position, strategy), change));
            }
            Err(refusal) => refused.push((position, refusal)),
        }
    }
    if refused.is_empty() { Ok(placed) } else { Err(DraftError::Symbols(refused)) }
}

/// Returns the changes that edits of symbols make, by the positions of the edits.
fn symbol_changes(
    outlined: &Outlined<'_>,
    edits: Vec<(usize, &SymbolEdit)>,
    rules: &ComputeOptions<'_>,
) -> Result<SymbolChanges, RefusalKind> {
    let (positions, edits): (Vec<usize>, Vec<&SymbolEdit>) = edits.into_iter().unzip();
    if edits.is_empty() {
        return Ok(SymbolChanges::new());
    }
    let changes = edit_symbols(&outlined.version()?, &edits, rules.deadline).map_err(no_outline)?;
    Ok(positions.into_iter().zip(changes).collect())
}

/// Locates the changes of lines that repeat none of them.
fn place_reshaped(
    outlined: &Outlined<'_>,
    edits: &[RequestedEdit],
) -> Result<Vec<PlacedSplices>, DraftError> {
    // A parser is asked only if there is such an edit.
    let strings = LazyCell::new(|| outlined.string_lines());
    let (mut placed, mut refused, mut unnamed) = (Vec::new(), Vec::new(), Vec::new());
    for (position, RequestedEdit { form, within, .. }) in edits.iter().enumerate() {
        let EditForm::Reshape(how) = form else { continue };
        let lines = match reshaped_lines(outlined, within.as_ref(), how)? {
            Ok(lines) => lines,
            Err(refusal) => {
                unnamed.push((position, refusal));
                continue;
            }
        };
        match reshape(outlined.text(), lines, how, &strings) {
            Ok(reshaped) => placed.push(PlacedSplices::reshaped(position, reshaped)),
            Err(refusal) => {
                refused.push(EditRefusal { edit: position, kind: EditRefusalKind::Lines(refusal) });
            }
        }
    }
    match (refused.is_empty(), unnamed.is_empty()) {
        (false, _) => Err(DraftError::Edits(refused)),
        (true, false) => Err(DraftError::Symbols(unnamed)),
        (true, true) => Ok(placed),
    }
}

/// Returns the lines that an edit reshapes: of a symbol to wrap those of its body.
fn reshaped_lines(
    outlined: &Outlined<'_>,
    within: Option<&TextScope>,
    how: &Reshape,
) -> Result<Result<LineRange, SymbolRefusal>, RefusalKind> {
    Ok(match within {
        None => Ok(LineRange { start: 1, end: count_lines(outlined.text()).max(1) }),
        Some(TextScope::Lines(lines)) => Ok(*lines),
        Some(TextScope::Symbol(symbol)) => {
            let (outline, symbol) = (outlined.outline()?, SymbolPath::parse(symbol));
            match how {
                Reshape::Wrap { .. } => body_lines(outlined.text(), outline, &symbol),
                Reshape::Indent(_) | Reshape::Width { .. } => outline.lines_of(&symbol),
            }
        }
    })
}
