//! Lines and symbols that a request moves or copies.

mod seams;

use std::cell::LazyCell;
use std::path::Path;

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::lines::{Basis, given_text, unseen};
use crate::engine::change::outlined::Outlined;
use crate::engine::change::rebase::stale;
use crate::engine::change::{
    ChangeKind, Clip, EditForm, EditIndex, NewContent, Precondition, RequestedChange,
};
use crate::engine::files::observe::Observed;
use editd_disk::Target;
use editd_edit::{
    Deadline, EditRefusalKind, LineEdit, LineMap, LinePlace, LineRange, LineRefusal, MovedText, TextScope,
    lines_of,
};
use editd_syntax::{Language, NewPlace, Outline, Position, Symbol, SymbolPath, SymbolRefusal, moved_text};
use editd_text::{count_lines, indent_style, lines};
use editd_workspace::{BaseState, FileKey, Refusal, RefusalKind};
use seams::Source;

/// Text that a request moves or copies.
struct Taken {
    clip: Clip,
    text: MovedText,
    /// The origin of lines; `None` for a symbol.
    lines: Option<Source>,
}

/// Inserts the text that a request moves or copies into the edits that put it into its new places.
pub(crate) fn fill_moves(
    changes: &mut [RequestedChange<Observed>],
    bases: &[Basis],
    rules: &ComputeOptions<'_>,
) -> Result<(), Vec<Refusal>> {
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    for (change, basis) in changes.iter().zip(bases) {
        let wanted = change.kind.edits().iter().enumerate().filter_map(|(position, edit)| match &edit.form {
            EditForm::Take { clip, part, removes } => Some((position, edit.of, *clip, part, *removes)),
            _ => None,
        });
        for (position, of, clip, part, removes) in wanted {
            match take(change, basis, (part, removes), rules) {
                Ok((text, lines)) => taken.push(Taken { clip, text, lines }),
                Err(kind) => refused.push(at(change, (position, of), kind)),
            }
        }
    }
    for change in changes.iter().filter(|change| change.kind.creates()) {
        refused.extend(not_created(change).map(|kind| at(change, (0, change.kind.edits()[0].of), kind)));
    }
    refused.extend(changes.iter().flat_map(|change| items_outside(change, &taken)));
    if !refused.is_empty() {
        return Err(refused);
    }
    for (change, basis) in changes.iter_mut().zip(bases) {
        if change.kind.creates() {
            change.kind = ChangeKind::Write(new_file(change, &taken));
            continue;
        }
        if change.kind.edits().iter().any(|edit| matches!(edit.form, EditForm::Put { .. })) {
            put(change, basis, &taken, rules.deadline);
        }
    }
    Ok(())
}

/// Replaces the edits that put text into a file.
fn put(change: &mut RequestedChange<Observed>, basis: &Basis, taken: &[Taken], deadline: Deadline) {
    let path = change.file.target.path.clone();
    // Few changes put text, and a copy of the text of the file takes time.
    let base = LazyCell::new(|| given_text(&change.file, basis));
    let mut filled = Vec::new();
    for (position, edit) in change.kind.edits().iter().enumerate() {
        let EditForm::Put { clip, place, reindent } = &edit.form else { continue };
        let of_clip: Vec<&Taken> = taken.iter().filter(|taken| taken.clip == *clip).collect();
        let moved: Vec<MovedText> = of_clip.iter().map(|taken| taken.text.clone()).collect();
        let form = match place {
            NewPlace::Beside { symbol, position } => {
                EditForm::Beside { symbol: symbol.clone(), is_named: true, position: *position, moved }
            }
            NewPlace::Lines(place) if moved.iter().any(|moved| moved.symbol.is_some()) => {
                let neighbor = base.as_deref().and_then(|base| {
                    let outlined = Outlined::new(&path, base, deadline);
                    neighbor(base, outlined.outline().ok()?, *place, moved.first()?)
                });
                match neighbor {
                    Some((symbol, position)) => {
                        let is_named = *place != LinePlace::End;
                        EditForm::Beside { symbol, is_named, position, moved }
                    }
                    None if *place == LinePlace::End => at_end(&moved, base.as_deref(), &path),
                    None => symbols_at(&moved, base.as_deref(), *place),
                }
            }
            NewPlace::Lines(place) => {
                let target = Outlined::new(&path, base.as_deref().unwrap_or_default(), deadline);
                lines_at(&of_clip, (&target, &change.file.target.key), (*place, *reindent))
            }
            // Such a file was refused or is written as a whole.
            NewPlace::NewFile { .. } => continue,
        };
        filled.push((position, form));
    }
    for (position, form) in filled {
        change.kind.edits_mut()[position].form = form;
    }
}

/// Returns the edit that puts symbols between lines, with the indentation of these.
fn symbols_at(moved: &[MovedText], base: Option<&str>, place: LinePlace) -> EditForm {
    let text = |moved: &MovedText| match base {
        Some(base) => moved.indented_at(base, place, None),
        None => moved.text.clone(),
    };
    EditForm::Lines(LineEdit::of_moved(place, moved.iter().map(text).collect(), Vec::new()))
}

/// Returns the edit that puts lines between others of a file, on request with the indentation of these.
fn lines_at(
    moved: &[&Taken],
    (target, key): (&Outlined<'_>, &FileKey),
    (place, reindent): (LinePlace, bool),
) -> EditForm {
    let (mut text, mut warnings) = (String::new(), Vec::new());
    for taken in moved {
        let source = taken.lines.as_ref();
        let leaves = source.filter(|source| source.leaves && source.key == *key).map(|source| source.lines);
        let part = if reindent {
            taken.text.indented_at(target.text(), place, leaves)
        } else {
            taken.text.text.clone()
        };
        if reindent && part == taken.text.text {
            warnings
                .push("`reindent` changed nothing: the lines have the indentation of their place".to_owned());
        }
        warnings.extend(source.into_iter().flat_map(|source| seams::warnings(source, target, place, leaves)));
        text.push_str(&part);
    }
    EditForm::Lines(LineEdit::of_moved(place, text, warnings))
}

/// Returns the edit that puts symbols at the end of a file.
fn at_end(moved: &[MovedText], base: Option<&str>, path: &Path) -> EditForm {
    let base = base.unwrap_or_default();
    let ending = lines(base).next().map_or("\n", |line| line.ending.as_str());
    let ending = if ending.is_empty() { "\n" } else { ending };
    let text = joined(moved.iter().map(|moved| moved.indented("", indent_style(base))), ending, path);
    let blank = base.len() - base.trim_end_matches(['\n', '\r']).len();
    let has = lines(&base[base.len() - blank..]).count().saturating_sub(1);
    let gap = if base.trim().is_empty() { 0 } else { gap_in(path).saturating_sub(has) };
    EditForm::Lines(LineEdit::of_moved(LinePlace::End, ending.repeat(gap) + &text, Vec::new()))
}

/// Returns the number of blank lines between the declarations of a file.
fn gap_in(path: &Path) -> usize {
    if Language::of(path, "") == Some(Language::Python) { 2 } else { 1 }
}

/// Joins parts of a file, with blank lines around those of several lines.
fn joined(parts: impl Iterator<Item = String>, ending: &str, path: &Path) -> String {
    let mut text = String::new();
    let mut was_long = true;
    for part in parts {
        let part = part.trim_end_matches(['\n', '\r']);
        if part.trim().is_empty() {
            continue;
        }
        let is_long = count_lines(part) > 1;
        if !text.is_empty() && (is_long || was_long) {
            text.push_str(&ending.repeat(gap_in(path)));
        }
        text.extend([part, ending]);
        was_long = is_long;
    }
    text
}

/// Returns a symbol that ends before a place between lines, or one that begins there, with the side of it: of several,
/// the one with the indentation of the moved text, else the outermost.
fn neighbor(
    text: &str,
    outline: &Outline,
    place: LinePlace,
    moved: &MovedText,
) -> Option<(String, Position)> {
    let contents: Vec<&str> = lines(text).map(|line| line.content).collect();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let depth = moved.text.lines().find(|line| !line.trim().is_empty()).map_or(0, indentation);
    let above = match place {
        LinePlace::After(line) => line,
        LinePlace::Before(line) => line.checked_sub(1)?,
        LinePlace::Lines(_) => return None,
        LinePlace::End => contents.len(),
    };
    if above > contents.len() {
        return None;
    }
    let (before, after) = contents.split_at(above);
    let is_code = |line: &&str| !line.trim().is_empty();
    let last = before.iter().rposition(is_code).map(|index| index + 1);
    let first = after.iter().position(is_code).map(|index| before.len() + index + 1);
    let best = |at: Option<usize>, line_of: fn(&Symbol) -> usize, position: Position| {
        let is_outside = |one: &&Symbol| place != LinePlace::End || one.parent.is_none();
        let there = outline.symbols().iter().filter(|one| Some(line_of(one)) == at);
        let found: Vec<&Symbol> = there.filter(is_outside).collect();
        let is_alike =
            |one: &&&Symbol| contents.get(one.lines.start - 1).is_some_and(|line| indentation(line) == depth);
        let symbol = found.iter().find(is_alike).or(found.first())?;
        Some((format!("{}@{}", outline.path(symbol), symbol.lines.start), position))
    };
    best(last, |symbol| symbol.lines.end, Position::After)
        .or_else(|| best(first, |symbol| symbol.lines.start, Position::Before))
}

/// Refuses items of lists at the end of a file or in a new one: no list is there.
fn items_outside(change: &RequestedChange<Observed>, taken: &[Taken]) -> Vec<Refusal> {
    let refused = change.kind.edits().iter().enumerate().filter_map(|(position, edit)| {
        let EditForm::Put { clip, place: NewPlace::NewFile { .. } | NewPlace::Lines(LinePlace::End), .. } =
            &edit.form
        else {
            return None;
        };
        let is_item = taken.iter().any(|taken| {
            taken.clip == *clip && taken.text.symbol.is_some_and(|symbol| symbol.comma.is_some())
        });
        let line = change.file.text.as_ref().map_or(1, |text| count_lines(text.as_str()).max(1));
        is_item
            .then(|| at(change, (position, edit.of), RefusalKind::Symbol(SymbolRefusal::NotAnItem { line })))
    });
    refused.collect()
}

/// Returns the reason why a file to which text is moved cannot be created.
fn not_created(change: &RequestedChange<Observed>) -> Option<RefusalKind> {
    let is_put = |form: &EditForm| {
        matches!(
            form,
            EditForm::Put { place: NewPlace::NewFile { .. } | NewPlace::Lines(LinePlace::End), .. }
        )
    };
    if change.file.exists() {
        return Some(RefusalKind::Exists);
    }
    let all = change.kind.edits().iter().all(|edit| is_put(&edit.form));
    (!all).then_some(RefusalKind::Missing)
}

/// Returns the content of a new file to which text is moved.
fn new_file(change: &RequestedChange<Observed>, taken: &[Taken]) -> NewContent {
    let mut parts: Vec<String> = Vec::new();
    let first = change.kind.edits().iter().find_map(|edit| match &edit.form {
        EditForm::Put { clip, .. } => taken.iter().find(|taken| taken.clip == *clip),
        _ => None,
    });
    let ending =
        first.and_then(|taken| lines(&taken.text.text).next()).map_or("\n", |line| line.ending.as_str());
    let ending = if ending.is_empty() { "\n" } else { ending };
    for edit in change.kind.edits() {
        let EditForm::Put { clip, place, .. } = &edit.form else { continue };
        if let NewPlace::NewFile { head } = place {
            let head = lines(head).map(|line| line.content).collect::<Vec<_>>().join(ending);
            // Several moves into one file may name the same first lines.
            if !parts.contains(&head) {
                parts.push(head);
            }
        }
        let of_clip = taken.iter().filter(|taken| taken.clip == *clip);
        parts.extend(of_clip.map(|Taken { text, .. }| {
            if text.symbol.is_some() {
                text.indented("", indent_style(&text.text))
            } else {
                text.text.clone()
            }
        }));
    }
    let text = joined(parts.into_iter(), ending, &change.file.target.path);
    NewContent { text, literal: false, encoding: None, mode: None, precondition: Precondition::New }
}

/// Returns the text to move or copy, and the origin of lines. The edit that removes moved text checks that it is unchanged;
/// for copied text, this does.
fn take(
    change: &RequestedChange<Observed>,
    basis: &Basis,
    (part, removes): (&TextScope, bool),
    rules: &ComputeOptions<'_>,
) -> Result<(MovedText, Option<Source>), RefusalKind> {
    let refused = |refusal| RefusalKind::Edit(EditRefusalKind::Lines(refusal));
    let (_, now) = change.file.content()?;
    if matches!(basis.state, BaseState::Unread { .. }) {
        change.check_known(&basis.state, rules)?;
    }
    let Some(text) = given_text(&change.file, basis) else {
        return Err(stale(None, &change.file, rules.deadline));
    };
    let total = count_lines(&text);
    let (lines, moved): (LineRange, MovedText) = match part {
        TextScope::Lines(lines) if lines.end > total => {
            return Err(refused(LineRefusal::NoSuchLine { line: lines.end, total }));
        }
        TextScope::Lines(lines) => (*lines, MovedText::new(lines_of(&text, *lines))),
        TextScope::Symbol(symbol) => {
            let outlined = Outlined::new(&change.file.target.path, &text, rules.deadline);
            let (outline, path) = (outlined.outline()?, SymbolPath::parse(symbol));
            let lines = outline.lines_of(&path).map_err(RefusalKind::Symbol)?;
            let strings = outlined.string_lines();
            (lines, moved_text(&text, outline, &path, &strings).map_err(RefusalKind::Symbol)?)
        }
    };
    if !basis.shown.contains(lines) && !basis.shown.with_blank_lines(&text).contains(lines) {
        return Err(refused(unseen(&text, lines)));
    }
    if !removes && *text != *now && LineMap::between(&text, now).get(lines).is_none() {
        let given = if let BaseState::Moved { text, .. } = &basis.state { text.as_deref() } else { None };
        return Err(stale(given, &change.file, rules.deadline));
    }
    let Target { key, path, .. } = &change.file.target;
    let of_lines = moved.symbol.is_none();
    let source =
        of_lines.then(|| Source { key: key.clone(), path: path.clone(), text, lines, leaves: removes });
    Ok((moved, source))
}

fn at(
    change: &RequestedChange<Observed>,
    (position, of): (usize, Option<EditIndex>),
    kind: RefusalKind,
) -> Refusal {
    let of = of.unwrap_or(EditIndex { change: change.index, edit: position });
    let refusal = Refusal::at(&change.file.target.path, kind).of_change(of.change);
    Refusal { edit: Some(of.edit), ..refusal }
}
