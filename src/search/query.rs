use grep_matcher::LineTerminator;
use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder};
use regex_automata::nfa::thompson::{Compiler, NFA, WhichCaptures};
use regex_automata::util::syntax;

use super::Stop;
use super::finder::Finder;
use super::steps::Steps;

/// Bytes of a pattern. Who sends more has mistaken a text for a pattern.
const LONGEST: usize = 10_000;
/// Bytes that a compiled pattern may take; repetitions of repetitions take any amount.
const COMPILED: usize = 4 << 20;
/// Bytes of a compiled pattern, times bytes of text: what is looked through without a look at whether to stop.
const WORK: usize = 1 << 29;
/// Bytes that remembering states of a pattern may take, on each thread.
const STATES: usize = 16 << 20;
/// Bytes of a line that is searched.
const LINE: usize = 16 << 20;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Query {
    matcher: RegexMatcher,
    nfa: NFA,
    pub(super) bounds: Bounds,
}

/// How much is wanted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lines that match.
    pub lines: usize,
    /// Lines before and after each.
    pub context: usize,
    /// Bytes of text over all of them.
    pub bytes: usize,
}

impl Bounds {
    pub(super) fn are_passed(self, lines: usize, bytes: usize) -> bool {
        lines > self.lines || bytes > self.bytes
    }
}

impl Query {
    /// Compiles a pattern; fails with what is wrong with it, in words that can follow its name.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool, bounds: Bounds) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("it is empty".to_owned());
        }
        if pattern.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder.fixed_strings(literal).case_insensitive(ignore_case).multi_line(true);
        builder.size_limit(COMPILED).dfa_size_limit(STATES).crlf(true);
        let matcher = builder.build(pattern).map_err(|error| problem(&error, literal))?;
        let nfa = automaton(pattern, literal, ignore_case);
        let nfa = nfa.map_err(|error| said(&error.to_string(), literal))?;
        Ok(Self { matcher, nfa, bounds })
    }

    pub(super) fn finder<'a>(&self, stop: &'a Stop<'a>) -> Finder<'a> {
        self.finder_of(WORK / self.nfa.memory_usage().max(1), stop)
    }

    fn finder_of<'a>(&self, most: usize, stop: &'a Stop<'a>) -> Finder<'a> {
        Finder::new(self.matcher.clone(), Steps::new(self.nfa.clone()), most, stop)
    }

    pub(super) fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(self.bounds.context)
            .after_context(self.bounds.context)
            .bom_sniffing(false)
            .heap_limit(Some(LINE))
            .build()
    }
}

fn problem(error: &Error, literal: bool) -> String {
    if let ErrorKind::NotAllowed(_) | ErrorKind::Banned(_) = error.kind() {
        return "a match lies within one line, so it cannot have a line end in it".to_owned();
    }
    said(&error.to_string(), literal)
}

/// Errors of syntax come with a drawing; the last line says what it is.
fn said(text: &str, literal: bool) -> String {
    let last = text.lines().last().unwrap_or_default();
    let said = last.strip_prefix("error: ").unwrap_or(last).trim_end_matches('.');
    if literal {
        return said.to_owned();
    }
    format!("it is no regular expression ({said}); send `literal: true` to search for it as it stands")
}

/// The same pattern for those who go through it step by step.
fn automaton(
    pattern: &str,
    literal: bool,
    ignore_case: bool,
) -> Result<NFA, regex_automata::nfa::thompson::BuildError> {
    let escaped = |character| format!("\\x{{{:x}}}", u32::from(character));
    let pattern = if literal { pattern.chars().map(escaped).collect() } else { pattern.to_owned() };
    let config = NFA::config().utf8(false).nfa_size_limit(Some(COMPILED)).which_captures(WhichCaptures::None);
    let syntax = syntax::Config::new().utf8(false).multi_line(true).crlf(true).case_insensitive(ignore_case);
    Compiler::new().configure(config).syntax(syntax).build(&pattern)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use grep_searcher::sinks::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::edit::Deadline;

    const BOUNDS: Bounds = Bounds { lines: 100, context: 0, bytes: 1 << 20 };

    fn query(pattern: &str) -> Query {
        Query::new(pattern, false, false, BOUNDS).expect("a pattern")
    }

    /// The numbers of the lines that match, looked through in pieces of some size.
    fn found(query: &Query, text: &[u8], most: usize) -> Vec<u64> {
        let (never, mut found) = (|| false, Vec::new());
        let stop = Stop::new(&never, Deadline::NONE);
        let take = Bytes(|number, _| {
            found.push(number);
            Ok(true)
        });
        let finder = query.finder_of(most, &stop);
        query.searcher().search_reader(&finder, text, take).expect("a text can be searched");
        found
    }

    proptest! {
        #[test]
        fn pieces_and_steps_find_the_same_lines(
            text in "([abxé ]|\n|\r\n){0,24}",
            pattern in proptest::sample::select(vec![
                "a", "^a", "b$", "^$", "$", "^", "a+b", "a.*b", "\\bé", "é\\b", "\\Bx", "[^a]b", "(?i)É", "a{2,3}$", "a{2}",
                "\\Ab", "b\\z", "x|^", "\\w\\W", "\\s$", "(?-u:\\xC3)", "(?-m:^x$)", "[a&&b]", "x\\b{end}",
            ]),
            most in 0..12_usize,
        ) {
            let query = query(pattern);
            prop_assert_eq!(found(&query, text.as_bytes(), most), found(&query, text.as_bytes(), 1 << 20));
        }
    }

    #[test]
    fn literals_are_literals_step_by_step_too() {
        for ignore_case in [false, true] {
            let query = Query::new("a.(É\\<", true, ignore_case, BOUNDS).expect("a pattern");
            let text = "a.(É\\<\nax(É\\<\nA.(é\\<\n".as_bytes();
            assert_eq!(found(&query, text, 0), if ignore_case { vec![1, 3] } else { vec![1] });
        }
    }

    /// What a thread does between two looks at whether to stop is what nobody can stop it from.
    #[test]
    fn a_pattern_that_is_slow_is_stopped_within_a_line_and_between_lines() {
        let query = query(r"\b(?:[a-dé]|[e-h]){1,900}[XYZ1-9]\b");
        for line in [1 << 20, 1 << 6] {
            let line = format!("{}é\n", "abcdefgh".repeat(line / 8));
            let text = line.repeat((1 << 20) / line.len() + 1);
            let (never, started) = (|| false, Instant::now());
            let stop = Stop::new(&never, Deadline::after(Duration::from_millis(100)));
            let none = Bytes(|_, _| Ok(true));
            let ended = query.searcher().search_reader(query.finder(&stop), text.as_bytes(), none);
            assert!(ended.is_err() && stop.has_happened());
            assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        }
    }
}
