//! Syntax errors that a change adds.

mod compare;

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::Language;
use super::grammar::words;
use super::indentation;
use super::nearby::{FreeParts, Nearby, nearby_parts};
use super::parse::{Budget, MAX_CHECK_TIME, next_beside, parse};
use compare::Comparison;
use editd_edit::{Deadline, common_ends};
use editd_text::{floor_char_boundary, line_end, line_start, lines};

/// Maximum number of errors that are returned.
const MAX_ERRORS: usize = 10;
/// Maximum number of errors of a text that are compared.
const MAX_COMPARED: usize = 1_000;
/// Maximum number of characters of an excerpt.
const EXCERPT: usize = 120;

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxError {
    /// Line of the error, from 1.
    pub line: usize,
    /// The line without indentation, cut if long.
    pub excerpt: String,
    /// Kind of the error.
    pub kind: SyntaxErrorKind,
}

impl SyntaxError {
    /// Creates an error at unexpected text.
    pub fn new(line: usize, excerpt: String) -> Self {
        Self { line, excerpt, kind: SyntaxErrorKind::Unexpected }
    }
}

/// The kind of a syntax error.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SyntaxErrorKind {
    /// Text that is not valid at its position.
    Unexpected,
    /// A token is missing.
    Missing {
        /// The token, as the grammar names it.
        token: String,
    },
}

/// Returns the syntax errors of `after` that `before` does not have, at most ten. Returns `None` if one of the
/// texts cannot be parsed within the limits.
///
/// Errors are compared by kind and by the text of their lines, not by position. Grammars report errors in correct files as well, for
/// example because of macros, and an edit beside such an error changes the text that it covers. So an error in the
/// lines of an old one counts only if it has become much longer, or if the change breaks a declaration that was free
/// of errors.
///
/// ```
/// use editd_edit::Deadline;
/// use editd_syntax::{Language, new_errors};
///
/// let before = "def f(a):\n    return a\n";
/// let errors = |after| new_errors(before, after, Language::Python, Deadline::NONE).unwrap();
/// assert_eq!(errors("def f(a):\n    return a + 1\n"), []);
/// assert_eq!(errors("def f(a):\n    return (a + 1\n")[0].line, 2);
///
/// let before = "int x y;\n\nint f(void) {\n    return 1;\n}\n";
/// let errors = |after: &str| new_errors(before, after, Language::C, Deadline::NONE).unwrap();
/// assert_eq!(errors(&before.replace("x y", "x z")), []);
/// assert_eq!(errors(&before.replace("1;", "1 +;"))[0].line, 4);
/// ```
pub fn new_errors(
    before: &str,
    after: &str,
    language: Language,
    deadline: Deadline,
) -> Option<Vec<SyntaxError>> {
    let nearby = nearby_parts(before, after);
    let is_free = |parts| FreeParts::default().contain(parts, language, deadline);
    let found = if nearby.is_some_and(is_free) {
        Some(Vec::new())
    } else {
        new_errors_of_whole(before, after, language, deadline)
    };
    found.map(|found| with_indentation(found, (before, after), nearby, language))
}

/// Returns the new syntax errors with those that the grammar does not find. `nearby` are the [`nearby_parts`] of the texts.
pub(super) fn with_indentation(
    found: Vec<SyntaxError>,
    (before, after): (&str, &str),
    nearby: Option<[&str; 2]>,
    language: Language,
) -> Vec<SyntaxError> {
    if !found.is_empty() || language != Language::Python {
        return found;
    }
    // The declarations around the change take a fraction of the time. What looks wrong there may be in a string.
    let is_valid = nearby.is_some_and(|[_, part]| indentation::is_valid(part));
    if is_valid { found } else { indentation::new_errors(before, after) }
}

/// Describes an error of the line at an offset.
pub(super) fn described_line(text: &str, start: usize) -> SyntaxError {
    Found { range: start..start, missing: None }.described(text, text.len())
}

/// Returns the new syntax errors after parsing the whole texts.
pub(super) fn new_errors_of_whole(
    before: &str,
    after: &str,
    language: Language,
    deadline: Deadline,
) -> Option<Vec<SyntaxError>> {
    let parsed = |text| parse(text, language, Budget::new(MAX_CHECK_TIME, deadline)).ok();
    let found = parsed(after)?;
    if !found.root_node().has_error() {
        return Some(Vec::new());
    }
    Some(compared((before, after), (&parsed(before)?, &found), language, deadline))
}

/// Returns the new syntax errors of the second of two texts with these trees.
pub(super) fn compared(
    (before, after): (&str, &str),
    (old, new): (&Tree, &Tree),
    language: Language,
    deadline: Deadline,
) -> Vec<SyntaxError> {
    let (known, found) = (errors(old), errors(new));
    // An old error beyond the limit would look like a new one.
    if known.len() >= MAX_COMPARED {
        return Vec::new();
    }
    if stay_beside_the_change((before, &known), (after, &found)) {
        return Vec::new();
    }
    let nearby = || Nearby::of(before, after, language, Budget::new(MAX_CHECK_TIME, deadline));
    let new = Comparison::new((before, &known), (after, &found), deadline).new_errors(nearby);
    let changed = first_difference(before, after);
    let new = new.into_iter().map(|error| error.described(after, changed));
    let mut new: Vec<SyntaxError> = new.collect();
    new.dedup();
    new.truncate(MAX_ERRORS);
    new
}

/// Returns `true` if all errors of the second text are before or behind the change, and the first one has them too.
fn stay_beside_the_change((before, known): (&str, &[Found]), (after, found): (&str, &[Found])) -> bool {
    let (head, tail) = common_ends(before.as_bytes(), after.as_bytes());
    // Errors behind the change are found by their distance from the end.
    let place = |length: usize, error: &Found| {
        let (start, end) = (error.range.start, error.range.end);
        let is_behind = start >= length - tail;
        let from = if is_behind { length - start } else { start };
        (is_behind, from, end - start, error.missing, is_behind || end <= head)
    };
    let known: HashSet<_> = known.iter().map(|error| place(before.len(), error)).collect();
    found.iter().all(|error| {
        let place = place(after.len(), error);
        place.4 && known.contains(&place)
    })
}

/// An error in a tree.
struct Found {
    range: Range<usize>,
    /// The missing token.
    missing: Option<&'static str>,
}

impl Found {
    /// Returns what identifies an error independent of its position: its kind and its lines. The error alone may be
    /// a single sign.
    fn identity(&self, text: &str) -> (&'static str, String) {
        let start = self.place(text);
        let end = text[..self.range.end].trim_end().len().max(start);
        (self.missing.unwrap_or_default(), words(&text[line_start(text, start)..line_end(text, end).0]))
    }

    /// Returns the offset of the error. A missing token is before the whitespace of the next one.
    fn place(&self, text: &str) -> usize {
        if self.missing.is_some() { text[..self.range.start].trim_end().len() } else { self.range.start }
    }

    /// Describes the error. One that covers the first change and much else is reported there.
    fn described(&self, text: &str, changed: usize) -> SyntaxError {
        let at =
            if self.missing.is_none() && self.range.contains(&changed) { changed } else { self.place(text) };
        let start = line_start(text, at);
        let line = lines(&text[..start]).count() + 1;
        let content = text[start..line_end(text, at).0].trim();
        let excerpt = content.chars().take(EXCERPT).collect();
        let kind = match self.missing {
            Some(token) => SyntaxErrorKind::Missing { token: token.to_owned() },
            None => SyntaxErrorKind::Unexpected,
        };
        SyntaxError { line, excerpt, kind }
    }
}

/// Returns the errors of a tree. An error inside another one is not counted.
fn errors(tree: &Tree) -> Vec<Found> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        found.extend(error(node));
        if found.len() >= MAX_COMPARED {
            return found;
        }
        let is_inside = node.has_error() && !node.is_error() && !node.is_missing();
        if is_inside && cursor.goto_first_child() {
            continue;
        }
        if !next_beside(&mut cursor) {
            return found;
        }
    }
}

fn error(node: Node<'_>) -> Option<Found> {
    let missing = node.is_missing().then(|| node.kind());
    (node.is_error() || missing.is_some()).then(|| Found { range: node.byte_range(), missing })
}

/// Returns the offset in `after` at which it begins to differ from `before`.
fn first_difference(before: &str, after: &str) -> usize {
    let (common, _) = common_ends(before.as_bytes(), after.as_bytes());
    floor_char_boundary(after, common)
}

#[cfg(test)]
mod tests;
