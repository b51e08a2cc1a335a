use grep_matcher::LineTerminator;
use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

/// Bytes of a pattern. Who sends more has mistaken a text for a pattern.
const LONGEST: usize = 10_000;
/// Bytes that a compiled pattern may take; repetitions of repetitions take any amount.
const COMPILED: usize = 16 << 20;
/// Bytes that remembering states of a pattern may take, on each thread.
const STATES: usize = 16 << 20;
/// Bytes of a line that is searched.
const LINE: usize = 16 << 20;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Query {
    matcher: RegexMatcher,
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
        Ok(Self { matcher, bounds })
    }

    /// For one thread: what it remembers of the pattern is its own.
    pub(super) fn matcher(&self) -> RegexMatcher {
        self.matcher.clone()
    }

    pub(super) fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(self.bounds.context)
            .after_context(self.bounds.context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LINE))
            .build()
    }
}

fn problem(error: &Error, literal: bool) -> String {
    if let ErrorKind::NotAllowed(_) | ErrorKind::Banned(_) = error.kind() {
        return "a match lies within one line, so it cannot have a line end in it".to_owned();
    }
    // Errors of syntax come with a drawing; the last line says what it is.
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    let said = last.strip_prefix("error: ").unwrap_or(last).trim_end_matches('.');
    if literal {
        return said.to_owned();
    }
    format!("it is no regular expression ({said}); send `literal: true` to search for it as it stands")
}
