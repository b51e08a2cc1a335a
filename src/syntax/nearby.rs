//! A quick check for syntax errors: only the declarations around a change are parsed.
//!
//! Parsing a whole file takes far longer than an edit of it. Declarations of most languages begin in the first
//! column, so the lines between two such lines can be parsed alone. If they have no errors before and after the
//! change, the change adds none. Otherwise nothing is known, for example because the lines are a part of a comment.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use memchr::{memchr, memrchr};

use super::Language;
use super::parse::{Budget, MAX_CHECK_TIME, parse};
use editd_edit::{Deadline, common_ends};

/// Minimum size of a text for which this check is worthwhile, in bytes.
const MIN_SIZE: usize = 8_000;

/// Maximum part of the text that is parsed. Parsing more is no quicker than parsing all of it.
const MAX_PART: usize = 4;

/// Maximum number of parts that are known to be free of errors.
const MAX_KNOWN: usize = 4096;

/// Beginnings of lines in the first column that end a declaration.
const ENDS: [&str; 9] = ["end", "fi", "done", "esac", "}", ")", "]", "</", "*/"];

/// Texts that pair with one that may be far away, and that are valid alone in other meanings: `a /*b` is a division
/// in C if no comment ends below it.
const PAIRED: [&str; 10] = ["/*", "*/", "\"\"\"", "'''", "`", "<!--", "-->", "[[", "]]", "#"];

/// Directives of a preprocessor that pair with others. Grammars also take an unknown or a single one as valid.
const DIRECTIVES: [&str; 12] = [
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "elifdef",
    "elifndef",
    "elseif",
    "else",
    "endif",
    "end",
    "region",
    "endregion",
];

/// The declarations around a change, before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearby {
    /// Both are free of errors.
    Free,
    /// The change breaks them.
    Broken,
    /// Neither: the declarations had errors before, or cannot be parsed alone.
    Unknown,
}

impl Nearby {
    pub(super) fn of(before: &str, after: &str, language: Language, budget: Budget) -> Self {
        let Some(parts) = changed_parts(before, after, usize::MAX) else { return Self::Unknown };
        let has_errors = |part| parse(part, language, budget).map(|tree| tree.root_node().has_error());
        match parts.map(has_errors) {
            [Ok(false), Ok(false)] => Self::Free,
            [Ok(false), Ok(true)] => Self::Broken,
            _ => Self::Unknown,
        }
    }
}

/// Returns the declarations around a change, before and after it, if it is worthwhile to check them alone. If both are
/// [free of errors](FreeParts::contain), the change adds none.
pub fn nearby_parts<'t>(before: &'t str, after: &'t str) -> Option<[&'t str; 2]> {
    let most = if after.len() < MIN_SIZE { return None } else { after.len() / MAX_PART };
    changed_parts(before, after, most).filter(|parts| parts.iter().all(|part| part.len() <= most))
}

/// Parts of texts that are known to be free of syntax errors: the part after a change is that before the next one.
#[derive(Debug, Default)]
pub struct FreeParts {
    /// Hashes of the parts and their languages. Their seed is random, so that no text can be made to look known.
    known: HashSet<u64>,
    hasher: RandomState,
}

impl FreeParts {
    /// Returns `true` if [`nearby_parts`] are free of syntax errors.
    pub fn contain(&mut self, parts: [&str; 2], language: Language, deadline: Deadline) -> bool {
        let budget = Budget::new(MAX_CHECK_TIME, deadline);
        // The new part is the one that may have errors.
        parts.into_iter().rev().all(|part| {
            let hash = self.hasher.hash_one((part, language));
            if self.known.contains(&hash) {
                return true;
            }
            let is_free = parse(part, language, budget).is_ok_and(|tree| !tree.root_node().has_error());
            if is_free {
                if self.known.len() >= MAX_KNOWN {
                    self.known.clear();
                }
                self.known.insert(hash);
            }
            is_free
        })
    }
}

/// Returns the declarations around the change in both texts. Returns `None` if the change concerns a text that
/// pairs with one outside them, or if the changed lines have more than `most` bytes.
fn changed_parts<'t>(before: &'t str, after: &'t str, most: usize) -> Option<[&'t str; 2]> {
    // Lines before and after the change are the same in both texts.
    let (head, tail) = common_lines(before.as_bytes(), after.as_bytes());
    let changed = [before, after].map(|text| &text[head..text.len() - tail]);
    if changed.iter().any(|lines| lines.len() > most) {
        return None;
    }
    let count = |text: &str, word: &&str| text.matches(*word).count();
    let pairs_elsewhere = PAIRED.iter().any(|word| count(changed[0], word) != count(changed[1], word));
    if pairs_elsewhere || !paired_lines(changed[0]).eq(paired_lines(changed[1])) {
        return None;
    }
    let start = declaration_before(before, head);
    let rest = tail - declaration_after(&before[before.len() - tail..]);
    Some([before, after].map(|text| &text[start..text.len() - rest]))
}

/// Returns the lines that may pair with ones far away: directives of a preprocessor, and lines of a single word, which
/// may end a here-document or a block.
fn paired_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
    };
    let paired = move |line: &'_ str| {
        let directive =
            line.strip_prefix('#').map(|rest| rest.trim_start().split(|sign: char| !sign.is_alphanumeric()));
        let directive = directive.and_then(|mut words| words.next());
        directive.map_or(is_word(line), |name| DIRECTIVES.contains(&name))
    };
    text.lines().map(str::trim).filter(move |line| paired(line))
}

/// Returns the length of the whole lines that the texts have in common at the start, and of those at the end.
fn common_lines(one: &[u8], other: &[u8]) -> (usize, usize) {
    let (head, tail) = common_ends(one, other);
    let head = memrchr(b'\n', &one[..head]).map_or(0, |at| at + 1);
    let partial = memchr(b'\n', &one[one.len() - tail..]).map_or(tail, |at| at + 1);
    (head, tail - partial)
}

/// Returns the start of the last declaration that begins before a line.
fn declaration_before(text: &str, line: usize) -> usize {
    let mut start = line;
    while start > 0 {
        start = memrchr(b'\n', &text.as_bytes()[..start - 1]).map_or(0, |at| at + 1);
        if begins_declaration(&text[start..]) {
            break;
        }
    }
    start
}

/// Returns the start of the first declaration in a text.
fn declaration_after(text: &str) -> usize {
    let mut start = 0;
    while start < text.len() && !begins_declaration(&text[start..]) {
        start = memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at + 1);
    }
    start
}

fn begins_declaration(line: &str) -> bool {
    // Most lines are indented.
    if line.starts_with([' ', '\t']) {
        return false;
    }
    let first = line.chars().next();
    first.is_some_and(|first| !first.is_whitespace()) && !ENDS.iter().any(|end| line.starts_with(end))
}
