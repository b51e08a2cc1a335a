//! Patterns: whole words and regular expressions, and new texts that refer to their groups.

use std::ops::Range;

use regex_automata::meta::{Config, Regex};
use regex_automata::nfa::thompson::{Compiler, NFA};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Input, PatternID};

use super::fold::with_lf_endings;

/// Maximum length of a pattern, in bytes. A longer one is probably a text sent by mistake.
const MAX_PATTERN: usize = 10_000;
/// Maximum size of a compiled pattern, in bytes. Nested repetitions can grow without bound.
const MAX_COMPILED: usize = 1 << 20;
/// Maximum number of states of a pattern times bytes of text. One search cannot be interrupted, and in the worst case
/// it visits each state at each byte.
const MAX_WORK: usize = 1 << 34;

/// The way to read the old text of an edit. The default reads it as a text that may begin and end within words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternKind {
    /// Only whole words match: a match neither begins nor ends within a word.
    pub word: bool,
    /// The old text is a regular expression, and the new text may refer to its groups.
    pub regex: bool,
}

/// The reason why a pattern or its new text cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A problem of the pattern, worded so that it can follow the name of the parameter.
    #[error("{0}")]
    Old(String),
    /// A problem of the new text.
    #[error("{0}")]
    New(String),
}

impl PatternKind {
    /// Returns `true` if the old text is a pattern.
    pub fn is_pattern(self) -> bool {
        self.word || self.regex
    }

    /// Checks an old text and a new text, which are patterns of this kind.
    ///
    /// ```
    /// use editd_edit::{PatternError, PatternKind};
    ///
    /// let regex = PatternKind { regex: true, word: false };
    /// assert!(regex.check(r"get\((\w+)\)", "fetch($1, $$)").is_ok());
    /// assert!(matches!(regex.check("(a)", "$2"), Err(PatternError::New(_))));
    /// assert!(matches!(regex.check("a*", "b"), Err(PatternError::Old(_))));
    /// ```
    pub fn check(self, old: &str, new: &str) -> Result<(), PatternError> {
        Pattern::new(self, old, new).map(|_| ())
    }
}

/// A compiled pattern with its new text.
pub(super) struct Pattern {
    regex: Regex,
    /// Number of states of the automaton.
    states: usize,
    template: Vec<Piece>,
    /// A reference to a group in the new text as other programs write it.
    foreign: Option<String>,
}

/// A part of a new text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// The text of a group; empty if the group did not take part in the match.
    Group(usize),
}

/// A match in a text with LF line endings.
pub(super) struct PatternMatch {
    pub(super) range: Range<usize>,
    /// New text, with LF line endings.
    pub(super) new: String,
}

impl Pattern {
    pub(super) fn new(kind: PatternKind, old: &str, new: &str) -> Result<Self, PatternError> {
        let old = with_lf_endings(old);
        if old.is_empty() {
            return Err(PatternError::Old("it is empty".to_owned()));
        }
        if old.len() > MAX_PATTERN {
            return Err(PatternError::Old(format!("it is longer than {MAX_PATTERN} bytes")));
        }
        let config = syntax::Config::new().multi_line(true);
        let text = if kind.regex {
            // Parsed alone, so that what stands around it cannot change its meaning.
            let parsed = syntax::parse_with(&old, &config).map_err(|error| invalid(&error.to_string()))?;
            if parsed.properties().minimum_len() == Some(0) {
                let problem = "the regular expression can match an empty text, which is everywhere; `[ \\t]+$` for example matches only text, and `^([ \\t]*)(\\S)` with `$1# $2` as new text changes the beginnings of lines";
                return Err(PatternError::Old(problem.to_owned()));
            }
            old.into_owned()
        } else {
            literal(&old)
        };
        // Not within a word: at a word boundary, or beside a character that belongs to no word.
        let text =
            if kind.word { format!(r"(?:\b|\b{{start-half}})(?:{text})(?:\b|\b{{end-half}})") } else { text };
        let hir = syntax::parse_with(&text, &config).map_err(|error| invalid(&error.to_string()))?;
        let too_large = || PatternError::Old("the pattern is too large when it is compiled".to_owned());
        let limit = Some(MAX_COMPILED);
        let nfa = Compiler::new().configure(NFA::config().nfa_size_limit(limit)).build_from_hir(&hir);
        let states = nfa.map_err(|_| too_large())?.states().len();
        let built = Regex::builder().configure(Config::new().nfa_size_limit(limit)).build_from_hir(&hir);
        let built = built.map_err(|_| too_large())?;
        let new = with_lf_endings(new).into_owned();
        let foreign = if kind.regex { foreign_reference(&new) } else { None };
        let template = if kind.regex { pieces(&new, &built)? } else { vec![Piece::Text(new)] };
        Ok(Self { regex: built, states, template, foreign })
    }

    /// Returns a warning for the author of the pattern, if its new text was probably not meant as it was written.
    pub(super) fn warning(&self) -> Option<String> {
        let reference = self.foreign.as_ref()?;
        Some(format!(
            "`{reference}` in the new text was written as it is; the groups of a match are `$1`, `$2`, ..."
        ))
    }

    /// Returns `true` if a search in a text of this length takes a bounded time.
    pub(super) fn is_affordable(&self, length: usize) -> bool {
        self.states.saturating_mul(length) <= MAX_WORK
    }

    /// Calls `each` with the matches within a range of a text, from left to right and without overlaps, until it
    /// returns an error. The text around the range decides what is a word and where a line ends, but no match
    /// reaches into it.
    pub(super) fn each_match<E>(
        &self,
        text: &str,
        range: Range<usize>,
        mut each: impl FnMut(PatternMatch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut captures = self.regex.create_captures();
        let mut at = range.start;
        while at < range.end {
            let input = Input::new(text).span(at..range.end);
            self.regex.search_captures(&input, &mut captures);
            let Some(found) = captures.get_match() else { break };
            each(PatternMatch { range: found.range(), new: self.expanded(text, &captures) })?;
            at = found.end().max(at + 1);
        }
        Ok(())
    }

    fn expanded(&self, text: &str, captures: &Captures) -> String {
        let mut new = String::new();
        for piece in &self.template {
            match piece {
                Piece::Text(piece) => new.push_str(piece),
                Piece::Group(group) => {
                    let range = captures.get_group(*group).map(|span| span.range());
                    new.push_str(range.and_then(|range| text.get(range)).unwrap_or_default());
                }
            }
        }
        new
    }
}

/// Returns the first `\1` or `\g<1>` of a new text.
fn foreign_reference(new: &str) -> Option<String> {
    let after = |at: usize| &new[at + 1..];
    let reference = |at: usize| match after(at).chars().next()? {
        digit @ '1'..='9' => Some(format!("\\{digit}")),
        'g' if after(at)[1..].starts_with('<') => {
            let end = after(at).find('>')?;
            Some(new[at..=at + 1 + end].to_owned())
        }
        _ => None,
    };
    new.match_indices('\\').find_map(|(at, _)| reference(at))
}

/// Returns a regular expression that matches a text.
fn literal(text: &str) -> String {
    let escaped = |character| format!("\\x{{{:x}}}", u32::from(character));
    text.chars().map(escaped).collect()
}

/// Returns the error of a pattern with the message of the parser, which may include an illustration: only its last
/// line is a description.
fn invalid(text: &str) -> PatternError {
    let last = text.lines().last().unwrap_or_default();
    let message = last.strip_prefix("error: ").unwrap_or(last).trim_end_matches('.');
    PatternError::Old(format!("it is not a regular expression: {message}; without `regex` it is plain text"))
}

/// Splits a new text at its references to groups: `$1`, `${1}`, `${name}`. `$$` is a dollar sign, and so is a `$`
/// before anything that is no name.
fn pieces(new: &str, regex: &Regex) -> Result<Vec<Piece>, PatternError> {
    let groups = regex.group_info();
    let known = groups.group_len(PatternID::ZERO);
    let unknown = |name: &str| {
        let problem = match known {
            0 | 1 => format!("`{name}` refers to a group, but the pattern has none; `$0` is the whole match"),
            _ => format!(
                "`{name}` refers to no group of the pattern, whose groups are `$0` to `${}`",
                known - 1
            ),
        };
        PatternError::New(format!("{problem}, and `$$` is a dollar sign"))
    };
    let group = |name: &str, shown: &str| {
        let index = match name.parse::<usize>() {
            Ok(number) if name.bytes().all(|digit| digit.is_ascii_digit()) => Some(number),
            _ => groups.to_index(PatternID::ZERO, name),
        };
        index.filter(|&index| index < known).ok_or_else(|| unknown(shown))
    };
    let (mut pieces, mut text, mut rest) = (Vec::new(), String::new(), new);
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let is_name = |character: char| character.is_alphanumeric() || character == '_';
        let digits = after.len() - after.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let (found, length) = if after.starts_with('$') {
            text.push('$');
            (None, 1)
        } else if let Some(inner) = after.strip_prefix('{') {
            let unclosed = || PatternError::New("`${` has no `}`; `$$` is a dollar sign".to_owned());
            let end = inner.find('}').ok_or_else(unclosed)?;
            (Some(group(&inner[..end], &rest[at..at + end + 3])?), end + 2)
        } else if digits > 0 {
            (Some(group(&after[..digits], &rest[at..=at + digits])?), digits)
        } else if after.starts_with(is_name) {
            let end = after.find(|character| !is_name(character)).unwrap_or(after.len());
            let name = &after[..end];
            let problem = format!(
                "`${name}` is unclear: write `${{{name}}}` for a group, or `$${name}` for a dollar sign"
            );
            return Err(PatternError::New(problem));
        } else {
            text.push('$');
            (None, 0)
        };
        if let Some(index) = found {
            pieces.extend((!text.is_empty()).then(|| Piece::Text(std::mem::take(&mut text))));
            pieces.push(Piece::Group(index));
        }
        rest = &after[length..];
    }
    text.push_str(rest);
    pieces.extend((!text.is_empty()).then_some(Piece::Text(text)));
    Ok(pieces)
}

#[cfg(test)]
mod tests;
