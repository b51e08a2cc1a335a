//! Every declaration of real files, replaced by itself, deleted and put back, moved and moved back: the bytes
//! must be those of before.

use std::collections::HashMap;
use std::ops::Range;

use editd_edit::{Deadline, Plan};
use editd_syntax::{Language, Outline, Symbol, SymbolEdit, SymbolOp, SymbolRefusal, edit_symbol, outline};

use super::files::{File, real_files};
use super::samples::samples;

/// Number of symbols that are tested in a file.
const PER_FILE: usize = 4;

/// Minimum numbers for the samples of each language: of symbols, of comparisons, and the percentage of comparisons
/// in which every byte came back. In the others, only the number of blank lines differs, as docs/matching.md
/// describes.
const LEAST: [(Language, usize, usize, usize); 16] = [
    (Language::Bash, 95, 180, 85),
    (Language::C, 150, 260, 75),
    (Language::Css, 175, 290, 85),
    (Language::Go, 145, 215, 80),
    (Language::Html, 135, 180, 100),
    (Language::Java, 90, 135, 70),
    (Language::JavaScript, 120, 215, 85),
    (Language::Json, 270, 410, 100),
    (Language::Lua, 145, 240, 70),
    (Language::Markdown, 110, 150, 100),
    (Language::Python, 75, 115, 85),
    (Language::Rust, 125, 205, 95),
    (Language::Toml, 330, 515, 95),
    (Language::Tsx, 160, 275, 65),
    (Language::TypeScript, 180, 250, 85),
    (Language::Yaml, 295, 430, 80),
];

#[test]
fn every_declaration_of_the_samples_survives_edits_that_change_nothing() {
    let (mut failures, mut counts) = (Vec::new(), HashMap::<Language, Count>::new());
    for file in samples() {
        check(&file, usize::MAX, &mut failures, counts.entry(file.language).or_default());
    }
    assert_eq!(failures, [""; 0], "{counts:#?}");
    let mut short = Vec::new();
    for (language, symbols, comparisons, percent) in LEAST {
        let count = counts.get(&language).copied().unwrap_or_default();
        let all = count.exact + count.spaced;
        if count.symbols < symbols || all < comparisons || count.exact * 100 < all * percent {
            short.push(format!("{language}: {count:?}"));
        }
        // Only a symbol that has no name of its own, or shares its line with another one, cannot be tested.
        assert!(count.skipped * 20 <= count.symbols, "{language}: {count:?}");
    }
    assert_eq!(short, [""; 0]);
}

#[test]
fn declarations_of_real_files_survive_edits_that_change_nothing() {
    let (mut failures, mut count) = (Vec::new(), Count::default());
    for file in real_files() {
        check(&file, PER_FILE, &mut failures, &mut count);
    }
    assert!(
        failures.is_empty(),
        "{} failures of {count:?}:\n{}",
        failures.len(),
        failures[..failures.len().min(40)].join("\n")
    );
    assert!(count.symbols > 100, "{count:?}");
}

/// Tests some symbols of a file.
fn check(file: &File, most: usize, failures: &mut Vec<String>, count: &mut Count) {
    let Ok(outline) = outline(&file.text, file.language, Deadline::NONE) else { return };
    let step = outline.symbols().len().div_ceil(most).max(1);
    for symbol in outline.symbols().iter().step_by(step) {
        let case = Case { file, outline: &outline, symbol };
        if case.reference().is_none() || case.deleted().is_none() {
            count.skipped += 1;
            continue;
        }
        count.symbols += 1;
        case.replaced_by_itself(failures);
        case.put_back(failures, count);
        case.moved_and_back(failures, count);
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    symbols: usize,
    /// Symbols that were not tested, because they cannot be named or deleted.
    skipped: usize,
    /// Symbols that came back byte for byte.
    exact: usize,
    /// Symbols that came back with other blank lines, because the numbers before and after them differed.
    spaced: usize,
}

/// A symbol of a file.
struct Case<'a> {
    file: &'a File,
    outline: &'a Outline,
    symbol: &'a Symbol,
}

impl Case<'_> {
    fn text(&self) -> &str {
        &self.file.text
    }

    /// Returns a reference that means only this symbol.
    fn reference(&self) -> Option<String> {
        let name = format!("{}@{}", self.outline.path(self.symbol), self.symbol.lines.start);
        let found = self.outline.resolve(&editd_syntax::SymbolPath::parse(&name)).ok()?;
        (found == self.symbol).then_some(name)
    }

    fn edit(&self, op: SymbolOp, new: &str) -> SymbolEdit {
        SymbolEdit::new(self.reference().unwrap_or_default(), op, new)
    }

    fn fail(&self, failures: &mut Vec<String>, what: &str, detail: &str) {
        let (path, line) = (self.file.path.display(), self.symbol.lines.start);
        failures.push(format!("{path}:{line}: {}: {what}: {detail}", self.outline.path(self.symbol)));
    }

    fn replaced_by_itself(&self, failures: &mut Vec<String>) {
        let whole = &self.text()[self.symbol.range.clone()];
        let indent = whole.len() - whole.trim_start_matches([' ', '\t']).len();
        let mut same = vec![
            (SymbolOp::Replace, whole.to_owned()),
            (SymbolOp::Replace, whole.trim_end().to_owned()),
            (SymbolOp::Replace, whole[indent..].to_owned()),
        ];
        same.extend(less_indented(whole).map(|new| (SymbolOp::Replace, new)));
        if let Some(body) = &self.symbol.body {
            same.push((SymbolOp::Body, self.text()[body.clone()].to_owned()));
            same.push((SymbolOp::Body, self.text()[body.clone()].trim().to_owned()));
        }
        same.push((SymbolOp::RenameHere, self.symbol.name.clone()));
        for (op, new) in same {
            match edit_symbol(self.text(), self.outline, &self.edit(op, &new)) {
                Ok(change) if change.splices.is_empty() => {}
                Ok(change) => self.fail(
                    failures,
                    &format!("{op} by itself"),
                    &format!(
                        "{:?}\n   old {:?}",
                        change.splices,
                        &self.text()[change.splices[0].range.clone()]
                    ),
                ),
                Err(SymbolRefusal::WithoutName { .. }) if op == SymbolOp::RenameHere => {}
                Err(SymbolRefusal::BadText { .. }) if op == SymbolOp::Body && new.trim().is_empty() => {}
                Err(refusal) => self.fail(failures, &format!("{op} by itself"), &format!("{refusal:?}")),
            }
        }
    }

    /// Deletes the symbol and inserts it again, after the symbol before it or before the one after it.
    fn put_back(&self, failures: &mut Vec<String>, count: &mut Count) {
        let Some(deleted) = self.deleted() else { return };
        let whole = self.text()[self.symbol.range.clone()].to_owned();
        let (previous, next) = self.outline.neighbors(self.symbol);
        let lost = self.text().len() - deleted.len();
        let mut results = Vec::new();
        if let Some(previous) = previous.filter(|it| self.is_adjacent(it, self.symbol)) {
            results.extend(self.inserted(&deleted, previous, previous.lines.start, SymbolOp::After, &whole));
        }
        if let Some(next) = next.filter(|next| self.is_adjacent(self.symbol, next)) {
            let at = next.range.start - lost;
            let line = deleted.get(..at).map_or(0, |before| editd_text::lines(before).count()) + 1;
            results.extend(self.inserted(&deleted, next, line, SymbolOp::Before, &whole));
        }
        self.compare(failures, count, "put back", &results);
    }

    /// Moves the symbol behind the next one, and back.
    fn moved_and_back(&self, failures: &mut Vec<String>, count: &mut Count) {
        let (_, Some(next)) = self.outline.neighbors(self.symbol) else { return };
        if !self.is_adjacent(self.symbol, next) {
            return;
        }
        let Some(deleted) = self.deleted() else { return };
        let whole = self.text()[self.symbol.range.clone()].to_owned();
        let lost = self.text().len() - deleted.len();
        let before =
            |text: &str, at: usize| text.get(..at).map_or(0, |before| editd_text::lines(before).count()) + 1;
        let line = before(&deleted, next.range.start - lost);
        let Some(moved) = self.inserted(&deleted, next, line, SymbolOp::After, &whole) else { return };
        let Ok(again) = outline(&moved, self.file.language, Deadline::NONE) else { return };
        let path = self.outline.path(self.symbol);
        let mut behind =
            again.symbols().iter().filter(|symbol| symbol.lines.start > line && again.path(symbol) == path);
        let Some(symbol) = behind.next() else { return };
        let file = File { path: self.file.path.clone(), text: moved.clone(), language: self.file.language };
        let case = Case { file: &file, outline: &again, symbol };
        let Some(deleted_again) = case.reference().and_then(|_| case.deleted()) else { return };
        let result = case.inserted(&deleted_again, next, line, SymbolOp::Before, &whole);
        self.compare(failures, count, "moved and back", &result.into_iter().collect::<Vec<_>>());
    }

    fn compare(&self, failures: &mut Vec<String>, count: &mut Count, what: &str, results: &[String]) {
        let Some(first) = results.first() else { return };
        if results.iter().any(|result| result == self.text()) {
            count.exact += 1;
        } else if results.iter().any(|result| without_blank_lines(result) == without_blank_lines(self.text()))
            && !self.has_equal_gaps()
        {
            count.spaced += 1;
        } else {
            self.fail(failures, what, &difference(self.text(), first));
        }
    }

    /// Returns `true` if as many blank lines are before the symbol as after it, so that putting it back must
    /// restore every byte.
    fn has_equal_gaps(&self) -> bool {
        let Range { start, end } = self.symbol.range;
        let text = self.text();
        let before = text[..start].trim_end_matches([' ', '\t', '\n', '\r']);
        let after = text[end..].trim_start_matches([' ', '\t', '\n', '\r']);
        let blank = |gap: &str| editd_text::lines(gap).filter(|line| line.ending.as_str() != "").count();
        let (above, below) = (blank(&text[before.len()..start]), blank(&text[end..text.len() - after.len()]));
        above == below + 1
            && text[end..].find(after).is_some()
            && !after.is_empty()
            && self.is_between_siblings()
    }

    /// Returns `true` if only blank lines are between two symbols.
    fn is_adjacent(&self, one: &Symbol, next: &Symbol) -> bool {
        self.text().get(one.range.end..next.range.start).is_some_and(|gap| gap.trim().is_empty())
    }

    fn is_between_siblings(&self) -> bool {
        let (previous, next) = self.outline.neighbors(self.symbol);
        let text = self.text();
        let touches = |one: &Symbol, other: &Symbol| {
            text.get(one.range.end..other.range.start)
                .is_some_and(|gap| gap.chars().all(|c| matches!(c, '\n' | '\r')))
        };
        previous.is_some_and(|previous| touches(previous, self.symbol))
            && next.is_some_and(|next| touches(self.symbol, next))
    }

    fn deleted(&self) -> Option<String> {
        let change = edit_symbol(self.text(), self.outline, &self.edit(SymbolOp::Delete, "")).ok()?;
        Some(Plan::new(self.text().len(), change.splices).ok()?.apply(self.text()))
    }

    /// Inserts a text beside a symbol of another text, which starts in this line.
    fn inserted(&self, text: &str, beside: &Symbol, line: usize, op: SymbolOp, new: &str) -> Option<String> {
        let outline = outline(text, self.file.language, Deadline::NONE).ok()?;
        let name = format!("{}@{line}", self.outline.path(beside));
        let found = outline.resolve(&editd_syntax::SymbolPath::parse(&name)).ok()?;
        if found.lines.start != line {
            return None;
        }
        let change = edit_symbol(text, &outline, &SymbolEdit::new(name, op, new)).ok()?;
        Some(Plan::new(text.len(), change.splices).ok()?.apply(text))
    }
}

/// Returns a text with the indentation of its first line removed from all lines, if all of them have it.
fn less_indented(text: &str) -> Option<String> {
    let first = text.split_inclusive('\n').next()?;
    let indent = &first[..first.len() - first.trim_start_matches([' ', '\t']).len()];
    let shorten = |line: &str| {
        if line.trim().is_empty() {
            Some(line.to_owned())
        } else {
            line.strip_prefix(indent).map(str::to_owned)
        }
    };
    (!indent.is_empty())
        .then(|| text.split_inclusive('\n').map(shorten).collect::<Option<String>>())
        .flatten()
}

fn without_blank_lines(text: &str) -> String {
    let lines = editd_text::lines(text).map(|line| line.content).filter(|line| !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn difference(one: &str, other: &str) -> String {
    let at = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let show = |text: &str| {
        let start =
            (0..=at.saturating_sub(60)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
        text[start..].chars().take(160).collect::<String>()
    };
    format!("\n   expected {:?}\n   got      {:?}", show(one), show(other))
}
