//! Removal of artifacts from requests: line numbers at the start of lines, as tools print them; one layer of
//! surplus escapes, as in a string that was written into another string; HTML and XML entities.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::fold::Needle;
use editd_text::{Line, lines};

/// A request without its artifacts.
pub(super) struct Unwrapped {
    pub(super) needle: Needle<'static>,
    /// Warning for the author that names what was removed.
    pub(super) warning: &'static str,
    /// `true` if another reading that matches at the same location must give the same result.
    pub(super) undecided: bool,
}

/// Removes an artifact from a whole text, if all of the text has it.
type Unwrap = fn(&str) -> Option<String>;

const NUMBERS_REMOVED: &str = "line numbers were removed";
const ESCAPES_REMOVED: &str = "surplus escapes were removed";
const ENTITIES_DECODED: &str = "HTML entities were decoded";

/// The predefined XML entities, with both forms of the apostrophe. The ampersand is last, so that they can be
/// decoded one after the other.
pub(super) const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")];
/// The functions that remove one layer of escapes, fullest first.
const UNESCAPERS: [Unwrap; 3] = [unescape_all, unescape_quotes, unescape_backslashes];
/// The separators between a line number and its line.
const SEPARATORS: [&str; 4] = ["\t", "→", "|", ":"];

/// Returns the other readings of a request, likeliest first. An artifact of the old text is removed from the
/// new text too, which may be free of it; if only parts of the new text have it, there is no such reading.
pub(super) fn unwrapped(needle: &Needle<'_>) -> Vec<Unwrapped> {
    let numbered = remove_numbers(&needle.old, &needle.new).into_iter();
    let unescaped = UNESCAPERS.into_iter().filter_map(|unescape| {
        let old = unescape(&needle.old).filter(|old| *old != needle.old)?;
        Some(reading(old, unescape(&needle.new)?, ESCAPES_REMOVED))
    });
    let numbered = numbered.map(|(old, new)| reading(old, new, NUMBERS_REMOVED));
    numbered.chain(unescaped).chain(without_entities(needle)).collect()
}

/// Decodes HTML entities. A new text without any entity stays as it is: it may be free of what was added to
/// the old one.
fn without_entities(needle: &Needle<'_>) -> Option<Unwrapped> {
    let old = decode(&needle.old).filter(|old| *old != needle.old)?;
    let free = !ENTITIES.iter().any(|(entity, _)| needle.new.contains(entity));
    let new = if free { needle.new.to_string() } else { decode(&needle.new)? };
    Some(reading(old, new, ENTITIES_DECODED))
}

fn reading(old: String, new: String, warning: &'static str) -> Unwrapped {
    let blank = old.trim().is_empty();
    Unwrapped {
        needle: Needle { old: Cow::Owned(old), new: Cow::Owned(new), blank, whole_lines: true },
        warning,
        undecided: warning != NUMBERS_REMOVED,
    }
}

/// Decodes the entities of a text. Returns `None` if the text was not escaped as a whole: it has an unescaped
/// `<`, `>` or `&`, or another entity.
fn decode(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (entity, sign) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))?;
        plain.push_str(sign);
        rest = &rest[entity.len()..];
    }
    plain.push_str(rest);
    Some(plain)
}

/// Removes every escape that strings have: line endings, tabs, quotes, backslashes, code points. Returns
/// `None` if a quote or a backslash is unescaped.
fn unescape_all(text: &str) -> Option<String> {
    let quoted = text.contains('\\');
    unescaped(text, |next, rest| {
        Some(match next {
            'n' => ('\n', 0),
            't' => ('\t', 0),
            'r' => ('\r', 0),
            'u' => (char::from_u32(u32::from_str_radix(rest.get(..4)?, 16).ok()?)?, 4),
            '"' | '\'' | '\\' | '/' | '`' => (next, 0),
            _ => return None,
        })
    })
    .filter(|_| !quoted || !has_bare(text, '"'))
    .map(|text| text.replace("\r\n", "\n"))
}

/// Unescapes quotes only: every quote must be escaped, all other backslashes stay. A text without escaped
/// quotes stays as it is.
fn unescape_quotes(text: &str) -> Option<String> {
    for (quote, escaped) in [('"', "\\\""), ('\'', "\\'"), ('`', "\\`")] {
        if text.contains(escaped) {
            return (!has_bare(text, quote)).then(|| text.replace(escaped, quote.encode_utf8(&mut [0; 4])));
        }
    }
    Some(text.to_owned())
}

/// Unescapes backslashes only: every one must be doubled.
fn unescape_backslashes(text: &str) -> Option<String> {
    unescaped(text, |next, _| (next == '\\').then_some(('\\', 0)))
}

/// Returns `true` if a character occurs without a backslash before it.
fn has_bare(text: &str, sign: char) -> bool {
    text.match_indices(sign).any(|(at, _)| !text[..at].ends_with('\\'))
}

/// Replaces every escape in `text`. `read` takes the character after the backslash and the rest of the text,
/// and returns the unescaped character and the number of further bytes that the escape uses. Returns `None`
/// if an escape is unknown.
fn unescaped(text: &str, read: impl Fn(char, &str) -> Option<(char, usize)>) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let next = rest[at + 1..].chars().next()?;
        rest = &rest[at + 1 + next.len_utf8()..];
        let (character, taken) = read(next, rest)?;
        plain.push(character);
        rest = rest.get(taken..)?;
    }
    plain.push_str(rest);
    Some(plain)
}

/// Returns both texts without their line numbers, in every possible way. The old text must have a number on
/// every line, counting up by one. The new one may have numbers or not: see [`Reading`]. A space that follows
/// every separator may belong to it or not.
fn remove_numbers(old: &str, new: &str) -> Vec<(String, String)> {
    SEPARATORS.iter().find_map(|separator| read_by(separator, old, new)).unwrap_or_default()
}

fn read_by(separator: &str, old: &str, new: &str) -> Option<Vec<(String, String)>> {
    let old = Numbered::read(old, separator).filter(Numbered::counts_up)?;
    let numbered = match Reading::of(&old, new, separator) {
        Reading::AsGiven => None,
        Reading::Numbered => Some(Numbered::read(new, separator)?),
        Reading::Unclear => return None,
    };
    let text = |padded| numbered.as_ref().map_or_else(|| new.to_owned(), |new| new.text(padded));
    let mut paddings: Vec<_> = match old.pad().filter(|_| matches!(separator, "|" | ":")) {
        None => vec![false],
        Some(likely) => vec![likely, !likely],
    };
    // A new text without numbers shows how the old text was indented.
    paddings.sort_by_key(|&padded| std::cmp::Reverse(common_lines(&old.text(padded), &text(padded))));
    // The number of an empty last line shows that the line is part of the old text.
    let last = if new.is_empty() && old.ends_empty() { "\n" } else { "" };
    Some(paddings.into_iter().map(|padded| (old.text(padded) + last, text(padded))).collect())
}

/// The reading of a new text whose old text has line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The text has no line numbers: what looks like them is content.
    AsGiven,
    /// Every line has a line number.
    Numbered,
    /// The text can be read either way.
    Unclear,
}

impl Reading {
    fn of(old: &Numbered<'_>, new: &str, separator: &str) -> Self {
        let split_lines: Vec<_> = lines(new).map(|line| split(line.content, separator)).collect();
        let numbers: Vec<u64> = split_lines.iter().flatten().map(|line| line.0).collect();
        if numbers.is_empty() {
            return Self::AsGiven;
        }
        let every = numbers.len() == split_lines.len();
        let continues = every && old.continues_in(&numbers);
        if !old.has_columns(separator) {
            return match (continues, old.is_near(&numbers)) {
                (true, _) => Self::Numbered,
                (false, true) => Self::Unclear,
                (false, false) => Self::AsGiven,
            };
        }
        // The file's own lines begin with numbers: the lines that both texts share decide whose the numbers
        // are.
        let given: Vec<&str> = lines(new).map(|line| line.content).collect();
        let stripped: Vec<&str> = split_lines.iter().flatten().map(|line| line.1).collect();
        match (old.shares(&given), old.shares(&stripped)) {
            (given, stripped) if given > stripped => Self::AsGiven,
            (given, stripped) if given < stripped && continues => Self::Numbered,
            (given, stripped) if given < stripped => Self::Unclear,
            _ => old.by_columns(&given, separator, continues),
        }
    }
}

/// Counts the lines of `new` that are in `old`.
fn common_lines(old: &str, new: &str) -> usize {
    let old: HashSet<&str> = lines(old).map(|line| line.content).collect();
    lines(new).filter(|line| !line.content.trim().is_empty() && old.contains(line.content)).count()
}

/// The lines of a text with a number on each; at least one.
struct Numbered<'a> {
    lines: Vec<(u64, &'a str, &'static str)>,
}

impl<'a> Numbered<'a> {
    fn read(text: &'a str, separator: &str) -> Option<Self> {
        let line = |line: Line<'a>| {
            let (number, content) = split(line.content, separator)?;
            Some((number, content, line.ending.as_str()))
        };
        let lines: Vec<_> = lines(text).map(line).collect::<Option<_>>()?;
        (!lines.is_empty()).then_some(Self { lines })
    }

    fn ends_empty(&self) -> bool {
        self.lines.len() > 1
            && self.lines.last().is_some_and(|(_, line, ending)| line.is_empty() && ending.is_empty())
    }

    fn counts_up(&self) -> bool {
        self.lines.windows(2).all(|pair| pair[0].0.checked_add(1) == Some(pair[1].0))
    }

    /// Returns `true` if these can be the numbers of the lines that replace the old ones.
    fn continues_in(&self, numbers: &[u64]) -> bool {
        let (first, last) = self.ends();
        let most = last.max(first.saturating_add(numbers.len() as u64 - 1));
        let inside = numbers.iter().all(|number| (first..=most).contains(number));
        inside && numbers.windows(2).all(|pair| pair[0] <= pair[1])
    }

    /// Returns `true` if one of these is so near to the old numbers that it may be a miscounted line number.
    fn is_near(&self, numbers: &[u64]) -> bool {
        const REACH: u64 = 20;
        let (first, last) = self.ends();
        let near = |number: &u64| (first.saturating_sub(REACH)..=last.saturating_add(REACH)).contains(number);
        numbers.iter().any(near)
    }

    /// Returns the first and the last number.
    fn ends(&self) -> (u64, u64) {
        (self.lines[0].0, self.lines[self.lines.len() - 1].0)
    }

    /// Returns `true` if these are rows like those that they replace, which begin with equally many numbers, after
    /// another number, and one of them has the number of a replaced row.
    fn repeats_rows(&self, replaced: &[&str], separator: &str) -> bool {
        let filled = replaced.iter().copied().filter(|line| !line.trim().is_empty());
        let mut counts = filled.map(|line| leading_numbers(line, separator));
        let Some(count) = counts.next().filter(|count| *count > 0) else { return false };
        let key = |line: &str| split(line, separator).map(|(key, _)| key);
        let keys: Vec<_> = replaced.iter().filter_map(|line| key(line)).collect();
        counts.all(|other| other == count)
            && self.lines.iter().all(|line| leading_numbers(line.1, separator) == count)
            && self.lines.iter().any(|line| key(line.1).is_some_and(|key| keys.contains(&key)))
    }

    /// Returns `true` if any line begins with a number and the separator even without its line number.
    fn has_columns(&self, separator: &str) -> bool {
        self.lines.iter().any(|line| leading_numbers(line.1, separator) > 0)
    }

    /// Counts the lines that are old lines without their numbers.
    fn shares(&self, lines: &[&str]) -> usize {
        let is_shared = |line: &&&str| {
            !line.trim().is_empty() && self.lines.iter().any(|old| old.1.trim() == line.trim())
        };
        lines.iter().filter(is_shared).count()
    }

    /// Chooses the reading by how many numbers the new lines begin with: as many as the file's lines, or one
    /// more.
    fn by_columns(&self, new: &[&str], separator: &str, continues: bool) -> Reading {
        let count = |line: &str| leading_numbers(line, separator);
        let old = || self.lines.iter().map(|line| count(line.1));
        let (least, most) = (old().min().unwrap_or_default(), old().max().unwrap_or_default());
        let new = || new.iter().filter(|line| !line.trim().is_empty()).map(|line| count(line));
        let as_given = new().all(|count| (least..=most).contains(&count));
        let numbered = continues && new().all(|count| (least + 1..=most + 1).contains(&count));
        match (as_given, numbered) {
            (true, false) => Reading::AsGiven,
            (false, true) => Reading::Numbered,
            // The texts share no lines, and the numbers do not continue: they are not line numbers.
            (false, false) if !continues => Reading::AsGiven,
            _ => Reading::Unclear,
        }
    }

    /// Returns `true` if a space that follows every separator likely belongs to it: the line with the least
    /// indentation then has an odd number of spaces. Returns `None` if a line has no space there.
    fn pad(&self) -> Option<bool> {
        let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let said = self.lines.iter().filter(|line| !line.1.trim().is_empty());
        said.map(|line| blanks(line.1)).min().filter(|&least| least > 0).map(|least| least % 2 == 1)
    }

    fn text(&self, padded: bool) -> String {
        let content = |line: &'a str| line.strip_prefix(' ').filter(|_| padded).unwrap_or(line);
        self.lines.iter().flat_map(|&(_, line, ending)| [content(line), ending]).collect()
    }
}

/// Returns a line without its line number, or `None` if it has none.
pub(super) fn without_number(line: &str) -> Option<&str> {
    SEPARATORS.iter().find_map(|separator| Some(split(line, separator)?.1))
}

/// Returns new lines without line numbers, if every line has one, they count up from one of `numbers`, and the
/// lines around have none; or if these are rows of a table, and the new rows have one number more
/// than those that they replace.
pub(super) fn numbered_from(
    new: &str,
    numbers: RangeInclusive<usize>,
    around: &[&str],
    replaced: &[&str],
) -> Option<String> {
    SEPARATORS.iter().find_map(|separator| {
        let read = Numbered::read(new, separator).filter(Numbered::counts_up)?;
        // A single line such as `12: text` may be content.
        let is_usual = *separator == "\t" || *separator == "→" || read.lines.len() > 1;
        let is_usual = is_usual && read.lines.iter().any(|line| !line.1.is_empty());
        let begins = usize::try_from(read.ends().0).is_ok_and(|first| numbers.contains(&first));
        let has_numbers =
            around.iter().any(|line| split(line, separator).is_some_and(|(_, rest)| !rest.is_empty()));
        let is_content = has_numbers && !read.repeats_rows(replaced, separator)
            || *separator == "\t" && has_columns_of(new, around);
        let padded = matches!(*separator, "|" | ":") && read.pad() == Some(true);
        (is_usual && begins && !is_content).then(|| read.text(padded))
    })
}

/// Returns `true` if the new lines have as many columns as each of the lines around.
fn has_columns_of(new: &str, around: &[&str]) -> bool {
    let columns = |line: &str| line.trim().matches('\t').count();
    let filled = |line: &&str| !line.trim().is_empty();
    let mut around = around.iter().copied().filter(filled).map(columns);
    let Some(count) = around.next().filter(|count| *count > 0) else { return false };
    around.all(|other| other == count) && new.lines().filter(filled).map(columns).all(|other| other == count)
}

/// Counts the numbers with a separator that a line begins with.
fn leading_numbers(line: &str, separator: &str) -> usize {
    let mut rest = line;
    let mut count = 0;
    while let Some((_, after)) = split(rest, separator).filter(|(_, after)| !after.is_empty()) {
        rest = after;
        count += 1;
    }
    count
}

/// Splits a line into its number and the text after the separator. An empty line may lack the separator.
fn split<'a>(line: &'a str, separator: &str) -> Option<(u64, &'a str)> {
    let line = line.trim_start_matches(' ');
    let line = line.strip_prefix('L').unwrap_or(line);
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let number = number.parse().ok()?;
    if rest.trim().is_empty() && !rest.starts_with('\t') {
        return Some((number, ""));
    }
    let rest = if separator == "\t" { rest } else { rest.trim_start_matches(' ') };
    Some((number, rest.strip_prefix(separator)?))
}

#[cfg(test)]
mod tests;
