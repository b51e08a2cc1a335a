//! Symbols that are moved and copied.

use editd_syntax::Language;
use serde_json::{Value, json};

use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::in_unit;
use super::super::symbols::layout::Function;
use super::certain::{
    after_move, at_depth, departures, gap, is_alone, is_clean, is_plain, keeps_neighbor, reference, text,
    with_gaps,
};
use super::scan::Scanned;
use super::texts::{self, Text};
use super::{Case, Tree, joined};

/// A file with a symbol to move.
pub(super) struct Source {
    pub(super) text: &'static Text,
    pub(super) scanned: &'static Scanned,
    pub(super) one: Function,
}

/// Draws a symbol that can leave its place.
pub(super) fn source(rng: &mut Rng) -> Option<Source> {
    let text = text(rng)?;
    source_of(rng, text)
}

fn source_of(rng: &mut Rng, text: &'static Text) -> Option<Source> {
    let one = rng.any(text.functions())?.clone();
    let scanned = text.scanned()?;
    let alone = is_alone(text, &one);
    let fits = one.whole.len() <= 60
        && is_plain(scanned, &one)
        && !alone
        && is_clean(&text.lines[one.whole.clone()]);
    fits.then_some(Source { text, scanned, one })
}

impl Source {
    pub(super) fn lines(&self) -> Vec<String> {
        self.text.lines[self.one.whole.clone()].to_vec()
    }

    /// Returns the lines at another depth.
    pub(super) fn at_depth(&self, depth: &str) -> Option<Vec<String>> {
        at_depth(self.text, self.scanned, &self.one.whole, self.one.head, depth)
    }

    /// Returns another symbol of the file.
    pub(super) fn other(&self, rng: &mut Rng, wanted: impl Fn(&Function) -> bool) -> Option<Function> {
        let is_apart = |other: &&Function| {
            other.whole.end <= self.one.whole.start || self.one.whole.end <= other.whole.start
        };
        let others: Vec<_> =
            self.text.functions().iter().filter(is_apart).filter(|other| wanted(other)).collect();
        rng.any(&others).map(|other| (*other).clone()).filter(|other| is_plain(self.scanned, other))
    }

    fn is_of_one_depth(&self, other: &Function) -> bool {
        self.text.depth(other.head) == self.text.depth(self.one.head)
    }

    /// Returns `true` if only blank lines are between the symbols, `other` first.
    fn follows(&self, one: &Function, other: &Function) -> bool {
        other.whole.end <= one.whole.start
            && (other.whole.end..one.whole.start).all(|line| self.text.is_blank(line))
    }
}

/// Returns the lines to insert beside a symbol and the line before which they go.
fn beside(lines: Vec<String>, target: &Function, gap: usize, after: bool) -> (usize, Vec<String>) {
    let blank = vec![String::new(); gap];
    if after {
        (target.whole.end, [blank, lines].concat())
    } else {
        (target.whole.start, [lines, blank].concat())
    }
}

fn moved(rng: &mut Rng, after: bool, removes: bool) -> Option<Case> {
    let source = source(rng)?;
    let target = source.other(rng, |other| source.is_of_one_depth(other))?;
    let stays =
        if after { source.follows(&source.one, &target) } else { source.follows(&target, &source.one) };
    if removes && (stays || !keeps_neighbor(source.text, &target, &[&source.one])) {
        return None;
    }
    let (at, new) = beside(source.lines(), &target, gap(source.text, &target)?, after);
    let departures =
        if removes { vec![departures(&source.text.lines, &source.one.whole)] } else { Vec::new() };
    let results = after_move(&source.text.lines, &departures, at, &new);
    let part = json!({ "symbol": reference(rng, source.text, &source.one) });
    let place = if after { "afterSymbol" } else { "beforeSymbol" };
    let to = json!({ place: reference(rng, source.text, &target) });
    let request = json!({ "path": source.text.name("one"), "edits": [{ verb(removes): part, "to": to }] });
    Case::one(source.text, request, &results).map(|case| case.in_any_ending(rng))
}

fn verb(removes: bool) -> &'static str {
    if removes { "move" } else { "copy" }
}

pub(super) fn symbol_moved_after(rng: &mut Rng) -> Option<Case> {
    moved(rng, true, true)
}

pub(super) fn symbol_moved_before(rng: &mut Rng) -> Option<Case> {
    moved(rng, false, true)
}

pub(super) fn symbol_copied(rng: &mut Rng) -> Option<Case> {
    let after = rng.percent(50);
    moved(rng, after, false)
}

/// Moves several symbols of a file beside another one, in an order of their own.
pub(super) fn symbols_moved(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let mut all = vec![source.one.clone()];
    for _ in 0..=rng.below(2) {
        let more = source.other(rng, |other| {
            source.is_of_one_depth(other) && all.iter().all(|one| one.head != other.head)
        })?;
        if !is_clean(&source.text.lines[more.whole.clone()]) || is_alone(source.text, &more) {
            return None;
        }
        all.push(more);
    }
    rng.shuffle(&mut all);
    let target = source
        .other(rng, |other| source.is_of_one_depth(other) && all.iter().all(|one| one.head != other.head))?;
    if !keeps_neighbor(source.text, &target, &all.iter().collect::<Vec<_>>()) {
        return None;
    }
    let gap = gap(source.text, &target)?;
    let parts: Vec<Vec<String>> =
        all.iter().map(|one| source.text.lines[one.whole.clone()].to_vec()).collect();
    let after = rng.percent(60);
    let (at, new) = beside(with_gaps(&parts, gap), &target, gap, after);
    let departures: Vec<_> = all.iter().map(|one| departures(&source.text.lines, &one.whole)).collect();
    let results = after_move(&source.text.lines, &departures, at, &new);
    let references: Vec<String> = all.iter().map(|one| reference(rng, source.text, one)).collect();
    let place = if after { "afterSymbol" } else { "beforeSymbol" };
    let to = json!({ place: reference(rng, source.text, &target) });
    let request = json!({ "path": source.text.name("one"), "edits": [{ "move": { "symbols": references }, "to": to }] });
    Case::one(source.text, request, &results)
}

/// Moves a method beside a function at the top level, or the reverse.
pub(super) fn method_moved_out(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let target = source.other(rng, |other| !source.is_of_one_depth(other))?;
    let is_method = |function: &Function| !source.text.depth(function.head).is_empty();
    // An interface has no bodies, and a function of Lua has its table in its name.
    if is_method(&source.one) && is_method(&target) {
        return None;
    }
    // A method is not written like a function in these languages.
    if matches!(source.text.language, Language::JavaScript | Language::TypeScript | Language::Tsx) {
        return None;
    }
    source.text.unit.as_ref()?;
    let new = source.at_depth(source.text.depth(target.head))?;
    let after = rng.percent(50);
    let (at, new) = beside(new, &target, gap(source.text, &target)?, after);
    let results =
        after_move(&source.text.lines, &[departures(&source.text.lines, &source.one.whole)], at, &new);
    let part = json!({ "symbol": reference(rng, source.text, &source.one) });
    let place = if after { "afterSymbol" } else { "beforeSymbol" };
    let to = json!({ place: reference(rng, source.text, &target) });
    let request = json!({ "path": source.text.name("one"), "edits": [{ "move": part, "to": to }] });
    Case::one(source.text, request, &results)
}

/// Names a line beside a symbol instead of the symbol.
pub(super) fn symbol_moved_to_line(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let target = source.other(rng, |other| source.is_of_one_depth(other))?;
    let space = gap(source.text, &target)?;
    if !keeps_neighbor(source.text, &target, &[&source.one]) {
        return None;
    }
    let after = rng.percent(50);
    let neighbors =
        source.text.functions().iter().filter(|other| {
            if after { source.follows(other, &target) } else { source.follows(&target, other) }
        });
    let near: Vec<&Function> = neighbors.collect();
    let is_certain =
        near.iter().all(|other| gap(source.text, other) == Some(space) && other.head != source.one.head);
    if !is_certain {
        return None;
    }
    let (at, new) = beside(source.lines(), &target, space, after);
    let results =
        after_move(&source.text.lines, &[departures(&source.text.lines, &source.one.whole)], at, &new);
    // A place among blank lines is beside the symbol, too.
    let blanks = if near.is_empty() { 0 } else { rng.below(space + 1) };
    let to = match (after, rng.percent(50)) {
        (true, true) => json!({ "after": target.whole.end + blanks }),
        (true, false) if target.whole.end < source.text.lines.len() => {
            json!({ "before": target.whole.end + 1 })
        }
        (true, false) => return None,
        (false, true) => json!({ "before": target.whole.start + 1 - blanks }),
        (false, false) => json!({ "after": target.whole.start - blanks }),
    };
    let part = json!({ "symbol": reference(rng, source.text, &source.one) });
    let request = json!({ "path": source.text.name("one"), "edits": [{ "move": part, "to": to }] });
    Case::one(source.text, request, &results)
}

/// A symbol and another file of its language and indentation.
struct Two {
    source: Source,
    other: &'static Text,
}

fn two(rng: &mut Rng) -> Option<Two> {
    let source = source(rng)?;
    let other = texts::text(rng, &[source.text.language])?;
    let is_alike = source.text.unit.is_some() && source.text.unit == other.unit;
    is_alike.then_some(Two { source, other })
}

impl Two {
    fn tree(&self) -> Tree {
        self.tree_with(&self.other.lines)
    }

    fn tree_with(&self, other: &[String]) -> Tree {
        Tree::from([
            (self.source.text.name("one"), joined(&self.source.text.lines)),
            (self.other.name("two"), joined(other)),
        ])
    }

    /// Returns the results: the symbol has left its file if `removes`, and the other file has these lines.
    fn results(&self, removes: bool, other: &[String]) -> Vec<Tree> {
        let lines = &self.source.text.lines;
        let gone = if removes { vec![departures(lines, &self.source.one.whole)] } else { Vec::new() };
        let without = after_move(lines, &gone, lines.len() + 1, &[]);
        let tree = |one: Vec<String>| {
            Tree::from([
                (self.source.text.name("one"), joined(&one)),
                (self.other.name("two"), joined(other)),
            ])
        };
        without.into_iter().map(tree).collect()
    }

    fn request(&self, rng: &mut Rng, removes: bool, mut to: Value) -> Value {
        let part = json!({ "symbol": reference(rng, self.source.text, &self.source.one) });
        to["path"] = json!(self.other.name("two"));
        json!({ "path": self.source.text.name("one"), "edits": [{ verb(removes): part, "to": to }] })
    }
}

/// Moves a symbol to a place beside one of another file.
pub(super) fn symbol_moved_beside_in_file(rng: &mut Rng) -> Option<Case> {
    let two = two(rng)?;
    let target = rng.any(two.other.functions())?.clone();
    two.other.scanned().filter(|scanned| is_plain(scanned, &target))?;
    // A method is written like a function in some languages only.
    let alike =
        two.other.depth(target.head).is_empty() == two.source.text.depth(two.source.one.head).is_empty();
    let is_script = matches!(two.other.language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    if is_script && !alike {
        return None;
    }
    let (after, removes) = (rng.percent(50), rng.percent(70));
    let new = two.source.at_depth(two.other.depth(target.head))?;
    let (at, new) = beside(new, &target, gap(two.other, &target)?, after);
    let other = after_move(&two.other.lines, &[], at, &new).pop()?;
    let place = if after { "afterSymbol" } else { "beforeSymbol" };
    let to = json!({ place: reference(rng, two.other, &target) });
    let request = two.request(rng, removes, to);
    Case::of(two.tree(), request, two.results(removes, &other)).map(|case| case.in_any_ending(rng))
}

/// Returns the last function of a file, if the file ends with it and it tells the blank lines between functions.
fn last(text: &Text) -> Option<(Function, usize)> {
    let last = text.functions().iter().find(|function| function.whole.end == text.lines.len())?;
    let scanned = text.scanned()?;
    let has_neighbor = text
        .functions()
        .iter()
        .any(|other| text.depth(other.head).is_empty() && other.whole.end <= last.whole.start);
    let is_certain = text.depth(last.head).is_empty() && is_plain(scanned, last) && has_neighbor;
    is_certain.then_some((last.clone(), gap(text, last)?))
}

/// Moves a symbol to the end of another file.
pub(super) fn symbol_moved_to_file(rng: &mut Rng) -> Option<Case> {
    let two = two(rng)?;
    let (_, gap) = last(two.other)?;
    let new = two.source.at_depth("")?;
    let is_script = matches!(two.other.language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    if is_script && !two.source.text.depth(two.source.one.head).is_empty() {
        return None;
    }
    let other = [two.other.lines.clone(), vec![String::new(); gap], new].concat();
    let removes = rng.percent(70);
    let request = two.request(rng, removes, json!({}));
    Case::of(two.tree(), request, two.results(removes, &other)).map(|case| case.in_any_ending(rng))
}

/// Moves several functions to the end of another file, in an order of their own.
pub(super) fn symbols_moved_to_end(rng: &mut Rng) -> Option<Case> {
    let two = two(rng)?;
    let (_, gap) = last(two.other)?;
    let source = &two.source;
    if !source.text.depth(source.one.head).is_empty() {
        return None;
    }
    let next = source.other(rng, |other| source.is_of_one_depth(other))?;
    if !is_clean(&source.text.lines[next.whole.clone()]) || is_alone(source.text, &next) {
        return None;
    }
    let mut all = [source.one.clone(), next];
    rng.shuffle(&mut all);
    let parts: Vec<Vec<String>> =
        all.iter().map(|one| source.text.lines[one.whole.clone()].to_vec()).collect();
    let other = [two.other.lines.clone(), vec![String::new(); gap], with_gaps(&parts, gap)].concat();
    let gone: Vec<_> = all.iter().map(|one| departures(&source.text.lines, &one.whole)).collect();
    let without = after_move(&source.text.lines, &gone, source.text.lines.len() + 1, &[]);
    let tree = |one: Vec<String>| {
        Tree::from([(source.text.name("one"), joined(&one)), (two.other.name("two"), joined(&other))])
    };
    let references: Vec<String> = all.iter().map(|one| reference(rng, source.text, one)).collect();
    // The parts may name their file themselves.
    let mut part = json!({ "symbols": references });
    let edit = if rng.percent(50) {
        part["path"] = json!(source.text.name("one"));
        json!({ "move": part, "to": { "path": two.other.name("two") } })
    } else {
        json!({ "path": source.text.name("one"), "move": part, "to": { "path": two.other.name("two") } })
    };
    Case::of(two.tree(), json!({ "edits": [edit] }), without.into_iter().map(tree).collect())
}

/// Moves symbols to a new file with a first line.
fn to_new_file(rng: &mut Rng, several: bool, removes: bool) -> Option<Case> {
    let source = source(rng)?;
    let is_script =
        matches!(source.text.language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    if is_script && !source.text.depth(source.one.head).is_empty() {
        return None;
    }
    let mut all = vec![source.one.clone()];
    if several {
        let next = source.other(rng, |other| source.is_of_one_depth(other))?;
        if !is_clean(&source.text.lines[next.whole.clone()]) || is_alone(source.text, &next) {
            return None;
        }
        all.push(next);
        rng.shuffle(&mut all);
    }
    let mut parts: Vec<Vec<String>> = Vec::new();
    for one in &all {
        parts.push(at_depth(source.text, source.scanned, &one.whole, one.head, "")?);
    }
    let mark = match source.text.language {
        Language::Python | Language::Bash => "#",
        Language::Lua => "--",
        _ => "//",
    };
    let head = rng.percent(60).then(|| format!("{mark} Moved from elsewhere."));
    if let Some(head) = &head {
        parts.insert(0, vec![head.clone()]);
    }
    let gap = if source.text.language == Language::Python { 2 } else { 1 };
    let new = with_gaps(&parts, gap);
    let lines = &source.text.lines;
    let gone: Vec<_> =
        if removes { all.iter().map(|one| departures(lines, &one.whole)).collect() } else { Vec::new() };
    let without = after_move(lines, &gone, lines.len() + 1, &[]);
    let name = source.text.name("new");
    let tree = |one: Vec<String>| {
        Tree::from([(source.text.name("one"), joined(&one)), (name.clone(), joined(&new))])
    };
    let references: Vec<String> = all.iter().map(|one| reference(rng, source.text, one)).collect();
    let part = if several { json!({ "symbols": references }) } else { json!({ "symbol": references[0] }) };
    let create = head.map_or_else(String::new, |head| if rng.percent(70) { head + "\n" } else { head });
    let edit = json!({ verb(removes): part, "to": { "path": name, "create": create } });
    let request = json!({ "path": source.text.name("one"), "edits": [edit] });
    let before = Tree::from([(source.text.name("one"), joined(lines))]);
    Case::of(before, request, without.into_iter().map(tree).collect())
}

pub(super) fn symbol_moved_to_new_file(rng: &mut Rng) -> Option<Case> {
    to_new_file(rng, false, true)
}

pub(super) fn symbols_copied_to_new_file(rng: &mut Rng) -> Option<Case> {
    to_new_file(rng, true, false)
}

/// Moves a symbol to a file with another unit of indentation.
pub(super) fn symbol_moved_to_other_unit(rng: &mut Rng) -> Option<Case> {
    let two = two(rng)?;
    let from = two.source.text.unit.clone()?;
    let to = *rng.pick(&["\t", "  ", "    "]);
    let whole = |line: &String| indent(line).replace(&from, "").is_empty();
    let scanned = two.other.scanned()?;
    let own_strings = two.source.one.whole.clone().any(|line| two.source.scanned.begins_in_string(line));
    let has_strings = own_strings || (0..two.other.lines.len()).any(|line| scanned.begins_in_string(line));
    let own = two.source.lines();
    if to == from
        || has_strings
        || !two.other.lines.iter().chain(&own).all(whole)
        || !is_clean(&two.other.lines)
    {
        return None;
    }
    let target = rng.any(two.other.functions())?.clone();
    if !is_plain(scanned, &target)
        || two.other.depth(target.head) != two.source.text.depth(two.source.one.head)
    {
        return None;
    }
    let convert =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| in_unit(line, &from, to)).collect() };
    let gap = gap(two.other, &target)?;
    let before = convert(&two.other.lines);
    let with = |lines: &[String]| {
        let (at, new) = beside(lines.to_vec(), &target, gap, true);
        after_move(&before, &[], at, &new).pop()
    };
    let mut results = two.results(true, &with(&convert(&own))?);
    // The documentation leaves open whether spaces become more or fewer spaces.
    if from != "\t" && to != "\t" {
        let own: Option<Vec<String>> = own
            .iter()
            .map(|line| moved_to(line, two.source.text.depth(two.source.one.head), &convert))
            .collect();
        results.extend(two.results(true, &with(&own?)?));
    }
    let request =
        two.request(rng, true, json!({ "afterSymbol": format!("{}@{}", target.name, target.head + 1) }));
    Case::of(two.tree_with(&before), request, results)
}

/// Returns a line whose indentation beyond a depth stays as it is.
fn moved_to(line: &str, depth: &str, convert: &dyn Fn(&[String]) -> Vec<String>) -> Option<String> {
    if line.is_empty() {
        return Some(String::new());
    }
    let rest = line.strip_prefix(depth)?;
    Some(convert(&[depth.to_owned()]).concat() + rest)
}
