//! Matching of lines that can be stopped at any time.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;
use memchr::{memchr, memrchr};
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

use editd_edit::Deadline;

/// The stop condition of a search or read, and whether it was met.
pub struct StopCondition<'a> {
    cancelled: &'a (dyn Fn() -> bool + Sync),
    deadline: Deadline,
    happened: AtomicBool,
}

impl<'a> StopCondition<'a> {
    /// Creates a condition that is met at a deadline, or when the request is cancelled.
    pub fn new(cancelled: &'a (dyn Fn() -> bool + Sync), deadline: Deadline) -> Self {
        Self { cancelled, deadline, happened: AtomicBool::new(false) }
    }

    /// Returns `true` if the work is to stop.
    pub fn is_due(&self) -> bool {
        let due = self.has_happened() || (self.cancelled)() || self.deadline.check().is_err();
        if due {
            self.now();
        }
        due
    }

    /// Stops the work.
    pub fn now(&self) {
        self.happened.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the work was stopped.
    pub fn has_happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }
}

/// A stoppable matcher: it searches in chunks of bounded size and can stop between two chunks, or within a
/// line that is longer than a chunk. The fast matcher it builds on can do neither, and never fails. Each
/// thread needs its own, because it caches states of the pattern.
pub(super) struct Finder<'a> {
    pub(super) fast: RegexMatcher,
    /// Matcher for lines that are too long for the fast one.
    pub(super) steps: RefCell<Steps>,
    /// Maximum number of bytes that the fast matcher searches at a time.
    pub(super) chunk_bytes: usize,
    pub(super) stop: &'a StopCondition<'a>,
}

impl Finder<'_> {
    /// Returns the end of the first match in some lines, or another offset within its line.
    fn in_lines(&self, lines: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = lines.get(at..) {
            let offset = match self.fast.find_candidate_line(rest).ok()?? {
                LineMatchKind::Confirmed(offset) => return Some(at + offset),
                LineMatchKind::Candidate(offset) => at + offset,
            };
            let start = memrchr(b'\n', &lines[..offset]).map_or(0, |end| end + 1);
            let end = memchr(b'\n', &lines[offset..]).map_or(lines.len(), |end| offset + end);
            let line = &lines[start..end];
            if let Ok(Some(offset)) = self.fast.shortest_match(without_end(line)) {
                return Some(start + offset);
            }
            at = end + 1;
        }
        None
    }

    /// Returns the end of a match in a line.
    pub(super) fn in_line(&self, line: &[u8]) -> Result<Option<usize>, Stopped> {
        if line.len() > self.chunk_bytes {
            return self.steps.borrow_mut().end_of_match(line, self.stop);
        }
        Ok(self.fast.shortest_match(line).ok().flatten())
    }

    /// Returns the number of matches in a line that has one. A line that is longer than a chunk counts as one.
    pub(super) fn count_in(&self, line: &[u8]) -> u64 {
        let mut count = 0;
        if line.len() <= self.chunk_bytes {
            // The fast matcher never fails.
            let _ = self.fast.find_iter(line, |_| {
                count += 1;
                true
            });
        }
        count.max(1)
    }

    /// Returns the end of the chunk that begins at a line: as many lines as fit into the maximum, or one
    /// longer line.
    fn chunk_end(&self, lines: &[u8], at: usize) -> usize {
        let limit = at + self.chunk_bytes;
        if limit >= lines.len() {
            return lines.len();
        }
        if let Some(end) = memrchr(b'\n', &lines[at..limit]) {
            return at + end + 1;
        }
        memchr(b'\n', &lines[limit..]).map_or(lines.len(), |end| limit + end + 1)
    }
}

impl Matcher for Finder<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        let found = self.shortest_match_at(line, at)?;
        Ok(found.map(Match::zero))
    }

    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        let found = self.in_line(&line[at..])?;
        Ok(found.map(|offset| at + offset))
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.fast.line_terminator()
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.fast.non_matching_bytes()
    }

    fn find_candidate_line(&self, lines: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        let mut at = 0;
        while at < lines.len() {
            let end = self.chunk_end(lines, at);
            // Without the last line ending: after it, an empty match would be possible.
            let chunk = without_end(&lines[at..end]);
            let is_line = chunk.len() > self.chunk_bytes;
            let found = if is_line { self.in_line(chunk)? } else { self.in_lines(chunk) };
            if let Some(offset) = found {
                return Ok(Some(LineMatchKind::Confirmed(at + offset)));
            }
            at = end;
            if self.stop.is_due() {
                return Err(Stopped);
            }
        }
        Ok(None)
    }
}

/// Returns a line without its line ending.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Number of states entered between two stop checks.
const CHECK_INTERVAL: usize = 1 << 15;

/// The error of a stopped search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped")]
pub(super) struct Stopped;

/// A matcher that simulates an NFA byte by byte. It is slow, but it can be stopped at any byte, which the
/// fast matcher cannot. A run takes time proportional to the length of the text times the size of the
/// pattern.
#[derive(Debug)]
pub(super) struct Steps {
    nfa: NFA,
    now: States,
    next: States,
    /// States whose transitions are yet to be followed.
    waiting: Vec<StateID>,
}

/// The active states at one position of a text.
#[derive(Debug, Default)]
struct States {
    list: Vec<StateID>,
    has: Vec<bool>,
}

impl States {
    fn add(&mut self, state: StateID) -> bool {
        let is_new = !std::mem::replace(&mut self.has[state], true);
        if is_new {
            self.list.push(state);
        }
        is_new
    }

    fn clear(&mut self, all: usize) {
        for state in self.list.drain(..) {
            self.has[state] = false;
        }
        self.has.resize(all, false);
    }
}

impl Steps {
    pub(super) fn new(nfa: NFA) -> Self {
        Self { nfa, now: States::default(), next: States::default(), waiting: Vec::new() }
    }

    /// Returns the end of the match that ends first in a line.
    pub(super) fn end_of_match(
        &mut self,
        line: &[u8],
        stop: &StopCondition<'_>,
    ) -> Result<Option<usize>, Stopped> {
        let (nfa, mut entered) = (self.nfa.clone(), 0);
        self.now.clear(nfa.states().len());
        for at in 0..=line.len() {
            self.next.clear(nfa.states().len());
            std::mem::swap(&mut self.now, &mut self.next);
            // `next` now holds the states of the previous position.
            for index in 0..self.next.list.len() {
                let next = at.checked_sub(1).and_then(|at| after(nfa.state(self.next.list[index]), line[at]));
                if next.is_some_and(|next| self.enter(next, line, at)) {
                    return Ok(Some(at));
                }
            }
            // A match may begin anywhere.
            if self.enter(nfa.start_anchored(), line, at) {
                return Ok(Some(at));
            }
            entered += self.now.list.len();
            if entered > CHECK_INTERVAL {
                entered = 0;
                if stop.is_due() {
                    return Err(Stopped);
                }
            }
        }
        Ok(None)
    }

    /// Enters a state and all states reachable without a further byte. Returns `true` if one of them is a
    /// match.
    fn enter(&mut self, state: StateID, line: &[u8], at: usize) -> bool {
        self.waiting.clear();
        self.waiting.push(state);
        while let Some(state) = self.waiting.pop() {
            if !self.now.add(state) {
                continue;
            }
            match self.nfa.state(state) {
                State::Match { .. } => return true,
                State::Look { look, next } => {
                    if self.nfa.look_matcher().matches(*look, line, at) {
                        self.waiting.push(*next);
                    }
                }
                State::Union { alternates } => self.waiting.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => self.waiting.extend([alt1, alt2]),
                State::Capture { next, .. } => self.waiting.push(*next),
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Fail => {}
            }
        }
        false
    }
}

/// Returns the state that a byte leads to from a state.
fn after(state: &State, byte: u8) -> Option<StateID> {
    match state {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(sparse) => sparse.matches_byte(byte),
        State::Dense(dense) => dense.matches_byte(byte),
        _ => None,
    }
}
