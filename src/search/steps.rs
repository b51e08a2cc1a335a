use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

use super::StopCondition;

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
