use std::cell::RefCell;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder};
use regex_automata::nfa::thompson::{BuildError, Compiler, NFA, WhichCaptures};
use regex_automata::util::syntax;

use super::StopCondition;
use super::matcher::{Finder, Steps};

/// Maximum length of a pattern, in bytes. A longer one is probably a text sent by mistake.
const MAX_PATTERN: usize = 10_000;
/// Maximum size of a compiled pattern, in bytes. Nested repetitions can grow without bound.
const MAX_COMPILED: usize = 4 << 20;
/// Amount of work between two stop checks: bytes of the compiled pattern times bytes of text.
const WORK_BETWEEN_CHECKS: usize = 1 << 29;
/// Maximum size of the state cache of a pattern on each thread, in bytes.
const MAX_CACHE: usize = 16 << 20;
/// Maximum length of a searched line, in bytes.
const MAX_LINE: usize = 16 << 20;

/// A compiled search pattern with the bounds of its results.
#[derive(Clone, Debug)]
pub struct Query {
    matcher: RegexMatcher,
    nfa: NFA,
    pub(super) bounds: Bounds,
}

/// Bounds on the results of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of matching lines.
    pub lines: usize,
    /// Number of context lines before and after each match.
    pub context: usize,
    /// Maximum total size of the texts, in bytes.
    pub bytes: usize,
    /// `true` to count the matches of each file and return only its first line; then `lines` limits the files.
    pub counts: bool,
}

/// An error in a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A problem, worded so that it can follow the name of the pattern.
    #[error("the pattern is invalid: {0}")]
    Invalid(String),
    /// The text is not a regular expression, with the message of the parser. It may be meant literally.
    #[error("the pattern is not a regular expression: {0}")]
    Syntax(String),
}

impl Bounds {
    pub(super) fn are_exceeded(self, lines: usize, bytes: usize) -> bool {
        lines > self.lines || bytes > self.bytes
    }
}

impl Query {
    /// Compiles a pattern.
    pub fn new(
        pattern: &str,
        literal: bool,
        ignore_case: bool,
        bounds: Bounds,
    ) -> Result<Self, PatternError> {
        if pattern.is_empty() {
            return Err(PatternError::Invalid("it is empty".to_owned()));
        }
        if pattern.len() > MAX_PATTERN {
            return Err(PatternError::Invalid(format!("it is longer than {MAX_PATTERN} bytes")));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder.fixed_strings(literal).case_insensitive(ignore_case).multi_line(true);
        builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_CACHE).crlf(true);
        let matcher = builder.build(pattern).map_err(|error| error_message(&error, literal))?;
        let nfa = automaton(pattern, literal, ignore_case);
        let nfa = nfa.map_err(|error| brief(&error.to_string(), literal))?;
        Ok(Self { matcher, nfa, bounds })
    }

    /// Returns `true` if the pattern matches in a short text, such as a name.
    pub fn fits(&self, text: &str) -> bool {
        self.matcher.is_match(text.as_bytes()).unwrap_or(false)
    }

    pub(super) fn finder<'a>(&self, stop: &'a StopCondition<'a>) -> Finder<'a> {
        self.finder_with(WORK_BETWEEN_CHECKS / self.nfa.memory_usage().max(1), stop)
    }

    fn finder_with<'a>(&self, chunk_bytes: usize, stop: &'a StopCondition<'a>) -> Finder<'a> {
        let steps = RefCell::new(Steps::new(self.nfa.clone()));
        Finder { fast: self.matcher.clone(), steps, chunk_bytes, stop }
    }

    pub(super) fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(self.bounds.context)
            .after_context(self.bounds.context)
            .bom_sniffing(false)
            .heap_limit(Some(MAX_LINE))
            .build()
    }
}

fn error_message(error: &Error, literal: bool) -> PatternError {
    if let ErrorKind::NotAllowed(_) | ErrorKind::Banned(_) = error.kind() {
        let problem = "a match lies within one line, so the pattern cannot contain a line ending";
        return PatternError::Invalid(problem.to_owned());
    }
    brief(&error.to_string(), literal)
}

/// Shortens a syntax error, which includes an illustration, to its last line: the description.
fn brief(text: &str, literal: bool) -> PatternError {
    let last = text.lines().last().unwrap_or_default();
    let message = last.strip_prefix("error: ").unwrap_or(last).trim_end_matches('.');
    let error = if literal { PatternError::Invalid } else { PatternError::Syntax };
    error(message.to_owned())
}

/// Compiles the pattern into an automaton for stepwise matching.
fn automaton(pattern: &str, literal: bool, ignore_case: bool) -> Result<NFA, BuildError> {
    let escaped = |character| format!("\\x{{{:x}}}", u32::from(character));
    let pattern = if literal { pattern.chars().map(escaped).collect() } else { pattern.to_owned() };
    let config =
        NFA::config().utf8(false).nfa_size_limit(Some(MAX_COMPILED)).which_captures(WhichCaptures::None);
    let syntax = syntax::Config::new().utf8(false).multi_line(true).crlf(true).case_insensitive(ignore_case);
    Compiler::new().configure(config).syntax(syntax).build(&pattern)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use grep_searcher::sinks::Bytes;
    use proptest::prelude::*;

    use super::*;
    use editd_edit::Deadline;

    const BOUNDS: Bounds = Bounds { lines: 100, context: 0, bytes: 1 << 20, counts: false };

    fn query(pattern: &str) -> Query {
        Query::new(pattern, false, false, BOUNDS).expect("a pattern")
    }

    /// Returns the numbers of the matching lines, searched in chunks of a given size.
    fn found(query: &Query, text: &[u8], chunk_bytes: usize) -> Vec<u64> {
        let (never, mut found) = (|| false, Vec::new());
        let stop = StopCondition::new(&never, Deadline::NONE);
        let take = Bytes(|number, _| {
            found.push(number);
            Ok(true)
        });
        let finder = query.finder_with(chunk_bytes, &stop);
        query.searcher().search_reader(&finder, text, take).expect("a text can be searched");
        found
    }

    proptest! {
        #[test]
        fn chunked_and_stepwise_matching_find_the_same_lines(
            text in "([abxé ]|\n|\r\n){0,24}",
            pattern in proptest::sample::select(vec![
                "a", "^a", "b$", "^$", "$", "^", "a+b", "a.*b", "\\bé", "é\\b", "\\Bx", "[^a]b", "(?i)É", "a{2,3}$", "a{2}",
                "\\Ab", "b\\z", "x|^", "\\w\\W", "\\s$", "(?-u:\\xC3)", "(?-m:^x$)", "[a&&b]", "x\\b{end}",
            ]),
            chunk_bytes in 0..12_usize,
        ) {
            let query = query(pattern);
            prop_assert_eq!(found(&query, text.as_bytes(), chunk_bytes), found(&query, text.as_bytes(), 1 << 20));
        }
    }

    #[test]
    fn stepwise_matching_takes_literals_literally() {
        for ignore_case in [false, true] {
            let query = Query::new("a.(É\\<", true, ignore_case, BOUNDS).expect("a pattern");
            let text = "a.(É\\<\nax(É\\<\nA.(é\\<\n".as_bytes();
            assert_eq!(found(&query, text, 0), if ignore_case { vec![1, 3] } else { vec![1] });
        }
    }

    /// Limits the time between two stop checks, because nothing can interrupt the work in between.
    #[test]
    fn a_slow_pattern_is_stopped_within_a_line_and_between_lines() {
        let query = query(r"\b(?:[a-dé]|[e-h]){1,900}[XYZ1-9]\b");
        for line in [1 << 20, 1 << 6] {
            let line = format!("{}é\n", "abcdefgh".repeat(line / 8));
            let text = line.repeat((1 << 20) / line.len() + 1);
            let (never, started) = (|| false, Instant::now());
            let stop = StopCondition::new(&never, Deadline::after(Duration::from_millis(100)));
            let none = Bytes(|_, _| Ok(true));
            let ended = query.searcher().search_reader(query.finder(&stop), text.as_bytes(), none);
            assert!(ended.is_err() && stop.has_happened());
            assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        }
    }
}
