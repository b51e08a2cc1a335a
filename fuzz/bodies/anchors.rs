//! Builds a text, edits at its lines and a later version of it from bytes, and checks that only the named lines
//! change, and that edits are carried to the same lines.

use editd_edit::{
    LineEdit, LineMap, LineOrigin, LinePlace, LineRange, LocatedLines, MovedText, locate, plan_lines, snippet,
};
use editd_text::lines;

const LINES: [&str; 14] = [
    "fn main() {", "    a();", "    b();", "}", "", "if x {", "12\tc", "\td", "é😀", "def f():", "    return 1", "a", ")", "  ",
];
const ENDINGS: [&str; 5] = ["\n", "\n", "\r\n", "\r", ""];

pub fn run(data: &[u8]) {
    let mut bytes = data.iter().copied();
    let mut next = move || bytes.next().unwrap_or_default() as usize;
    let base = text(&mut next);
    let edits: Vec<(usize, LineEdit)> = (0..=next() % 4).map(|edit| (edit, line_edit(&mut next))).collect();
    let now = changed(&base, &mut next);
    let map = LineMap::between(&base, &now);
    for (_, edit) in &edits {
        check_bounds(&base, edit.place, &map);
    }
    let Ok(located) = locate(&base, edits) else { return };
    let plan = plan_lines(&base, &located, Vec::new()).expect("located edits do not overlap");
    check_kept(&base, &plan.apply(&base), &located);
    let carried: Vec<_> = located.iter().filter_map(|located| located.carried(&map)).collect();
    for (before, after) in located.iter().filter_map(|one| Some((one, one.carried(&map)?))) {
        assert_eq!(named(&base, before.place), named(&now, after.place), "an edit is carried to equal lines");
    }
    if let Ok(plan) = plan_lines(&now, &carried, Vec::new()) {
        check_kept(&now, &plan.apply(&now), &carried);
    }
}

fn text(next: &mut impl FnMut() -> usize) -> String {
    (0..next() % 12).map(|_| [LINES[next() % LINES.len()], ENDINGS[next() % ENDINGS.len()]].concat()).collect()
}

fn line_edit(next: &mut impl FnMut() -> usize) -> LineEdit {
    let (start, end) = (number(next), number(next));
    let place = match next() % 4 {
        0 => LinePlace::After(start),
        1 => LinePlace::Before(start.max(1)),
        2 => LinePlace::End,
        _ => LinePlace::Lines(LineRange { start: start.min(end).max(1), end: end.max(start).max(1) }),
    };
    let mut check = || next().is_multiple_of(4).then(|| LINES[next() % LINES.len()].to_owned());
    let (first, last) = (check(), check());
    let new = Some(text(next)).filter(|_| !next().is_multiple_of(4));
    let moved = LineOrigin::Moved { warnings: Vec::new() };
    let origin = if next().is_multiple_of(4) { moved } else { LineOrigin::Written };
    LineEdit { place, new, first, last, origin }
}

/// Returns a number of a line; a few are the largest ones.
fn number(next: &mut impl FnMut() -> usize) -> usize {
    match next() {
        large @ 250.. => usize::MAX - (255 - large),
        small => small % 16,
    }
}

/// Uses the numbers of an edit where they are not known to be those of lines.
fn check_bounds(base: &str, place: LinePlace, map: &LineMap) {
    MovedText::new(base).indented_at(base, place, place.anchors());
    let Some(lines) = place.anchors().filter(|lines| lines.start > 0) else { return };
    let shown = snippet(base, lines.start, lines.end, 2);
    assert!(shown.lines().count() < 100, "{shown}");
    assert!(map.get(lines).is_none() || lines.end <= editd_text::count_lines(base), "{lines:?}");
}

/// Returns the text with some lines changed.
fn changed(base: &str, next: &mut impl FnMut() -> usize) -> String {
    let mut all: Vec<String> = lines(base).map(|line| base[line.start..line.end()].to_owned()).collect();
    for _ in 0..next() % 3 {
        let at = next() % (all.len() + 1);
        let end = (at + next() % 3).min(all.len());
        all.splice(at..end, [LINES[next() % LINES.len()].to_owned() + "\n"]);
    }
    all.concat()
}

fn named(text: &str, place: LinePlace) -> Option<Vec<&str>> {
    place.anchors().map(|lines| contents(text, lines))
}

fn contents(text: &str, range: LineRange) -> Vec<&str> {
    lines(text).skip(range.start - 1).take(range.end + 1 - range.start).map(|line| line.content).collect()
}

/// Asserts that all lines outside the edits are in the result, in order.
fn check_kept(base: &str, result: &str, located: &[LocatedLines]) {
    let replaced = |line: usize| {
        located.iter().any(|one| matches!(one.place, LinePlace::Lines(range) if (range.start..=range.end).contains(&line)))
    };
    let mut rest = lines(result);
    for (line, number) in lines(base).zip(1..).filter(|(_, number)| !replaced(*number)) {
        let found = rest.any(|other| other.content == line.content);
        assert!(found, "line {number} of {base:?} is missing in {result:?}");
    }
}
