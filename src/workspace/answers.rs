use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::text::ContentHash;

use super::limits::{REMEMBERED_ANSWERS, REMEMBERED_BYTES, REQUEST_ID_SECONDS};

/// A request that may be sent twice but takes effect once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeatable {
    /// The `requestId`.
    pub id: String,
    /// Digest of all parameters. The same id with another digest is another request.
    pub asks: ContentHash,
}

/// Author and id of a request.
pub type RequestKey = (String, String);

/// The remembered answer to a request.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Digest of the request's parameters.
    pub asks: ContentHash,
    /// The answer as sent on the wire, so that a repeated request gets the identical answer.
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
    /// Returns the answer to a request, unless it has expired.
    pub fn get(&self, key: &RequestKey, now: Instant) -> Option<Answered> {
        let (at, answer) = self.answers.get(key)?;
        (now.duration_since(*at) < Duration::from_secs(REQUEST_ID_SECONDS)).then(|| answer.clone())
    }

    /// Remembers an answer, and drops expired answers and the oldest ones beyond the limits.
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
        // A later answer under the same key has its own entry in `order`.
        if self.answers.get(&key).is_some_and(|(since, _)| *since == at)
            && let Some((_, forgotten)) = self.answers.remove(&key)
        {
            self.bytes -= forgotten.answer.len();
        }
    }
}
