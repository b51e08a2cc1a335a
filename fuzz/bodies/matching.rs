//! Builds a base text and the edits of one call from bytes, and checks invariants of matching.

use std::ops::Range;

use editd_edit::{Count, Edit, EditRefusalKind, FoundMatch, Options, Strategy, find};
use editd_text::lines;

/// Building blocks of texts: words, spaces, punctuation, and decorations that tools add to lines.
const TOKENS: [&str; 40] = [
    "a",
    "b",
    "foo(1)",
    "bar = 2",
    "return None",
    "if ready {",
    "}",
    "{",
    "(",
    ")",
    " ",
    " ",
    "  ",
    "    ",
    "\t",
    "“",
    "”",
    "\"",
    "'",
    "’",
    "-",
    "—",
    "\u{a0}",
    "…",
    "½",
    "é",
    "e\u{301}",
    "ﬁ",
    "😀",
    "12\t",
    "3: ",
    "4 | ",
    "\\n",
    "\\\"",
    "\\\\",
    "...",
    "// ... existing code ...",
    "\u{feff}",
    "\u{2028}",
    "# rest of the code",
];
const ENDINGS: [&str; 6] = ["\n", "\n", "\n", "\r\n", "\r", ""];

/// Runs the call encoded in the bytes. Panics if an invariant is violated.
pub fn run(data: &[u8]) {
    let (base, edits, options) = decode(data);
    let found = find(&base, &edits, &options);
    if let Ok(found) = &found {
        check_plan(&base, found);
        let exact = found.matches.iter().all(|one| one.strategy == Strategy::Exact);
        assert!(options.fuzzy || exact, "no tolerance without the option");
    }
    check_order(&base, &edits, &options, found.as_ref().ok());
    if let [edit] = &edits[..]
        && edit.count == Count::One
        && occurs_once(&base, &edit.old)
    {
        check_exact(&found);
    }
}

/// Decodes the base, the edits and the options from bytes.
fn decode(data: &[u8]) -> (String, Vec<Edit>, Options) {
    let mut input = Input { data, at: 0 };
    let options = Options { fuzzy: input.below(8) != 0, ..Options::default() };
    let base = input.text(24);
    let edits = (0..=input.below(3)).map(|_| input.edit(&base)).collect();
    (base, edits, options)
}

fn check_plan(base: &str, found: &FoundMatch) {
    assert!(found.plan.fits(base), "the plan fits its base");
    let result = found.plan.apply(base);
    assert_eq!(found.plan.invert(base).apply(&result), base, "the plan can be inverted");
    if found.matches.iter().any(|one| one.replacements != 1) {
        return;
    }
    let bounds: Vec<Range<usize>> = lines(base).map(|line| line.start..line.end()).collect();
    let whole = |one: usize, other: usize| {
        let start = bounds.get(one - 1).map_or(base.len(), |line| line.start);
        start..bounds.get(other - 1).map_or(base.len(), |line| line.end)
    };
    let matches: Vec<_> = found.matches.iter().map(|one| whole(one.start_line, one.end_line)).collect();
    // Touching splices are joined, so a splice may span adjacent matches.
    let covered = |at: usize| matches.iter().any(|range| range.start <= at && at <= range.end);
    for splice in found.plan.splices() {
        assert!(splice.range.clone().all(covered), "only matched lines change");
        assert!(covered(splice.range.start) && covered(splice.range.end), "no text is inserted elsewhere");
    }
}

/// Checks that the order of edits does not matter, because all of them apply to the base.
fn check_order(base: &str, edits: &[Edit], options: &Options, found: Option<&FoundMatch>) {
    let reversed: Vec<Edit> = edits.iter().rev().cloned().collect();
    let again = find(base, &reversed, options).ok();
    let result = |found: Option<&FoundMatch>| found.map(|found| found.plan.apply(base));
    // Edits that insert at the same location keep the given order, so their results may differ.
    if found.is_none_or(starts_are_apart) {
        assert_eq!(result(found), result(again.as_ref()), "the order of independent edits does not matter");
    }
}

fn starts_are_apart(found: &FoundMatch) -> bool {
    let mut ends: Vec<(usize, usize)> =
        found.matches.iter().map(|one| (one.start_line, one.end_line)).collect();
    ends.sort_unstable();
    let single = found.matches.iter().all(|one| one.replacements == 1);
    single && ends.windows(2).all(|two| two[0].1 < two[1].0)
}

/// Returns `true` if a text occurs exactly once in another, ignoring line endings. Returns `false` for
/// special cases such as byte order marks.
fn occurs_once(base: &str, old: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let (text, wanted) = (plain(base), plain(old));
    let special = wanted.is_empty() || old.contains('\u{feff}') || base.starts_with('\u{feff}');
    let cuts = old.starts_with('\n') || old.ends_with('\r');
    let starts = (0..text.len()).filter(|&at| text.is_char_boundary(at) && text[at..].starts_with(&wanted));
    let more = wanted.ends_with('\n') && text.ends_with(wanted.trim_end_matches('\n'));
    !special && !cuts && !more && starts.count() == 1
}

/// Checks that an exact occurrence is the match.
fn check_exact(found: &Result<FoundMatch, Vec<editd_edit::EditRefusal>>) {
    match found {
        Ok(found) => {
            let exact = found.matches.iter().all(|one| one.strategy == Strategy::Exact);
            assert!(exact, "an exact match takes precedence");
        }
        Err(refusals) => {
            let fair = |kind: &EditRefusalKind| {
                matches!(kind, EditRefusalKind::NoChange | EditRefusalKind::Placeholder { .. })
            };
            assert!(
                refusals.iter().all(|refusal| fair(&refusal.kind)),
                "an exact match is found: {refusals:?}"
            );
        }
    }
}

/// Reads decisions from bytes; zeros when the bytes are used up.
struct Input<'a> {
    data: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn below(&mut self, end: usize) -> usize {
        let byte = self.data.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % end
    }

    fn done(&self) -> bool {
        self.at >= self.data.len()
    }

    fn token(&mut self) -> &'static str {
        TOKENS[self.below(TOKENS.len())]
    }

    fn text(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(most + 1) {
            for _ in 0..self.below(5) {
                text.push_str(self.token());
            }
            text.push_str(ENDINGS[self.below(ENDINGS.len())]);
            if self.done() {
                break;
            }
        }
        text
    }

    fn edit(&mut self, base: &str) -> Edit {
        let mut old = if self.below(8) == 0 { self.text(4) } else { self.part(base) };
        for _ in 0..self.below(3) {
            old = self.altered(&old);
        }
        let mut new = if self.below(8) == 0 { self.text(4) } else { old.clone() };
        for _ in 0..self.below(4) {
            new = self.altered(&new);
        }
        let count = match self.below(8) {
            6 => Count::All,
            7 => Count::Exactly(1 + self.below(3) as u32),
            _ => Count::One,
        };
        Edit { count, ..Edit::new(old, new) }
    }

    /// Returns some lines of a text, or a part of it that may cut lines.
    fn part(&mut self, base: &str) -> String {
        let starts: Vec<usize> = lines(base).map(|line| line.start).chain([base.len()]).collect();
        let first = self.below(starts.len());
        let last = (first + 1 + self.below(8)).min(starts.len() - 1);
        let (mut start, mut end) = (starts[first], starts[last]);
        if self.below(4) == 0 {
            start += self.below(6);
            end = end.saturating_sub(self.below(6));
        }
        let text = base.get(start..end.max(start)).unwrap_or_default();
        if self.below(2) == 0 { text.trim_end_matches(['\r', '\n']).to_owned() } else { text.to_owned() }
    }

    /// Alters a text: drops, duplicates or inserts a line, changes indentation, adds line numbers, and so on.
    fn altered(&mut self, text: &str) -> String {
        let mut parts: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = self.below(parts.len().max(1));
        let line = parts.get(at).cloned().unwrap_or_default();
        match self.below(12) {
            0 => drop(parts.drain(at..(at + 1).min(parts.len()))),
            1 => parts.insert(at, line),
            2 => parts.insert(at, format!("{}\n", self.token())),
            3 => parts.iter_mut().for_each(|line| line.insert_str(0, "  ")),
            4 => parts.iter_mut().for_each(|line| *line = line.replace("    ", "\t")),
            5 => parts.iter_mut().for_each(|line| *line = line.trim_start_matches([' ', '\t']).to_owned()),
            6 => parts.iter_mut().for_each(|line| *line = line.replace('“', "\"").replace('…', "...")),
            7 => parts.iter_mut().enumerate().for_each(|(at, line)| line.insert_str(0, &format!("{at}\t"))),
            8 => return text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\""),
            9 => parts.insert(at, "...\n".to_owned()),
            10 => parts.insert(at, "\n".to_owned()),
            _ => {
                let token = self.token();
                if let Some(line) = parts.get_mut(at) {
                    let end = line.trim_end().len();
                    line.insert_str(end, token);
                }
            }
        }
        parts.concat()
    }
}
