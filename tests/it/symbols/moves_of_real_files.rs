//! Symbols of real source files that are moved past their neighbors: the sources of the project and the samples of the
//! tests.

use std::fs;
use std::path::{Path, PathBuf};

use editd_edit::{Deadline, LineRange, Plan, Splice, StringLines};
use editd_syntax::{
    Language, Outline, Position, Symbol, SymbolEdit, SymbolOp, SymbolPath, edit_symbol, insert_beside,
    moved_text, new_errors, outline, string_lines,
};

use super::renames_of_real_files::files;

/// Maximum number of symbols of a file that are moved: of Rust, of which there is much, and of other languages.
const SYMBOLS: (usize, usize) = (6, 40);

/// Returns the lines that are not blank, without the commas at their ends.
fn code<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let line = |line: &'a str| line.trim_end().trim_end_matches(',').trim_end();
    lines.map(line).filter(|line| !line.trim().is_empty()).collect()
}

/// Returns the text in which the first lines stand after or before the others.
fn expected(text: &str, moved: LineRange, beside: LineRange, position: Position) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let part = |range: LineRange| &lines[range.start - 1..range.end.min(lines.len())];
    let at = match position {
        Position::Before => beside.start - 1,
        Position::After => beside.end,
    };
    let rest = |from: usize, to: usize| {
        let stays = move |number: &usize| !(moved.start..=moved.end).contains(&(number + 1));
        (from..to.min(lines.len())).filter(stays).map(|number| lines[number]).collect::<Vec<_>>()
    };
    code([rest(0, at), part(moved).to_vec(), rest(at, lines.len())].concat().into_iter())
}

fn moved(
    text: &str,
    outline: &Outline,
    strings: &[StringLines],
    (symbol, other, position): (&str, &str, Position),
) -> Option<String> {
    let taken = moved_text(text, outline, &SymbolPath::parse(symbol), strings).ok()?;
    let removed = edit_symbol(text, outline, &SymbolEdit::new(symbol, SymbolOp::Delete, "")).ok()?;
    let put = insert_beside(text, outline, &SymbolPath::parse(other), position, &[taken]).ok()?;
    let mut splices: Vec<Splice> = removed.splices.into_iter().chain(put.splices).collect();
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    Some(Plan::new(text.len(), splices).expect("disjoint splices").apply(text))
}

/// Each symbol is moved past the next but one of its neighbors, and to the first place: the lines are in the order that
/// was asked for, and no syntax error is new.
#[test]
fn moved_symbols_are_complete_and_where_they_belong() {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in ["src", "tests/it", "benches", "docs", "editors/page", "packaging", "scripts", "fuzz"] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    let is_chosen =
        |(index, path): &(usize, &PathBuf)| path.extension().is_none_or(|it| it != "rs") || index % 6 == 0;
    let (mut done, mut languages) = (0, Vec::new());
    for (_, path) in found.iter().enumerate().filter(is_chosen) {
        let Some(language) = Language::of_path(path) else { continue };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let Ok(names) = outline(&text, language, Deadline::NONE) else { continue };
        let strings = string_lines(&text, language, Deadline::NONE).expect("a tree");
        let most = if language == Language::Rust { SYMBOLS.0 } else { SYMBOLS.1 };
        let step = names.symbols().len().div_ceil(most).max(1);
        for symbol in names.symbols().iter().step_by(step) {
            let (Some(other), position) = neighbor(&names, symbol) else { continue };
            let reference = |symbol: &Symbol| format!("{}@{}", names.path(symbol), symbol.lines.start);
            let shares_lines = [symbol, other].iter().any(|one| {
                let whole = &text[one.range.clone()];
                let at_start = one.range.start == 0 || text[..one.range.start].ends_with('\n');
                !at_start || !(whole.ends_with('\n') || one.range.end == text.len())
            });
            if shares_lines || names.resolve(&SymbolPath::parse(&reference(symbol))).ok() != Some(symbol) {
                continue;
            }
            let asked = (&*reference(symbol), &*reference(other), position);
            let Some(after) = moved(&text, &names, &strings, asked) else { continue };
            let place = format!("{}: {asked:?}", path.display());
            assert_eq!(
                code(after.lines()),
                expected(&text, symbol.lines, other.lines, position),
                "{place}\n{after}"
            );
            assert_eq!(
                new_errors(&text, &after, language, Deadline::NONE),
                Some(Vec::new()),
                "{place}\n{after}"
            );
            done += 1;
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
    }
    assert!(done > 800 && languages.len() >= 10, "{done} moved, in {languages:?}");
}

/// Returns the neighbor beside which a symbol is put: the next but one, else the first of its block.
fn neighbor<'a>(names: &'a Outline, symbol: &Symbol) -> (Option<&'a Symbol>, Position) {
    let next = names.neighbors(symbol).1.and_then(|next| names.neighbors(next).1);
    if next.is_some() {
        return (next, Position::After);
    }
    let before = |symbol: &&'a Symbol| names.neighbors(symbol).0;
    let first = std::iter::successors(names.neighbors(symbol).0, before).last();
    (first, Position::Before)
}
