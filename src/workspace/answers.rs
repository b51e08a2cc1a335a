use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::text::ContentHash;

use super::limits::{REMEMBERED_ANSWERS, REMEMBERED_BYTES, REQUEST_ID_SECONDS};

/// A request that may be sent twice and happens once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeatable {
    /// Its `requestId`.
    pub id: String,
    /// Digest of all that it asks for: the same id with another one is another request.
    pub asks: ContentHash,
}

/// A request's id, with its author.
pub type RequestKey = (String, String);

/// What became of a request.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Digest of what it asked for.
    pub asks: ContentHash,
    /// The answer, as it went out on the wire: it must come out the same again.
    pub answer: Arc<str>,
}

/// Answers to requests that carried a `requestId`, for as long as a client may repeat them.
#[derive(Debug, Default)]
pub struct RememberedAnswers {
    answers: HashMap<RequestKey, (Instant, Answered)>,
    order: VecDeque<(Instant, RequestKey)>,
    bytes: usize,
}

impl RememberedAnswers {
    /// What the request of that name asked for and was answered, if that is young enough.
    pub fn get(&self, key: &RequestKey, now: Instant) -> Option<Answered> {
        let (at, answer) = self.answers.get(key)?;
        (now.duration_since(*at) < Duration::from_secs(REQUEST_ID_SECONDS)).then(|| answer.clone())
    }

    /// Remembers an answer; those that are too old go, and the oldest beyond the limits.
    pub fn insert(&mut self, key: RequestKey, answered: Answered, now: Instant) {
        self.bytes += answered.answer.len();
        self.order.push_back((now, key.clone()));
        if let Some((_, replaced)) = self.answers.insert(key, (now, answered)) {
            self.bytes -= replaced.answer.len();
        }
        while self.is_over(now) && self.order.len() > 1 {
            self.forget_oldest();
        }
    }

    fn is_over(&self, now: Instant) -> bool {
        let expired = |at: Instant| now.duration_since(at) >= Duration::from_secs(REQUEST_ID_SECONDS);
        self.order.len() > REMEMBERED_ANSWERS
            || self.bytes > REMEMBERED_BYTES
            || self.order.front().is_some_and(|(at, _)| expired(*at))
    }

    fn forget_oldest(&mut self) {
        let Some((at, key)) = self.order.pop_front() else { return };
        // A later answer under the same name has its own place in the order.
        if self.answers.get(&key).is_some_and(|(since, _)| *since == at)
            && let Some((_, forgotten)) = self.answers.remove(&key)
        {
            self.bytes -= forgotten.answer.len();
        }
    }
}
