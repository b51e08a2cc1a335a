use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::limits::{REMEMBERED_ANSWERS, REMEMBERED_BYTES, REQUEST_ID_SECONDS};

/// Names a request of an author, so that it can be sent twice and happen once.
pub type RequestKey = (String, String);

/// Answers to requests that carried a `requestId`, for as long as a client may repeat them.
///
/// The answer is kept as it went out on the wire, since it must come out the same again.
#[derive(Debug, Default)]
pub struct RememberedAnswers {
    answers: HashMap<RequestKey, (Instant, Arc<str>)>,
    order: VecDeque<(Instant, RequestKey)>,
    bytes: usize,
}

impl RememberedAnswers {
    /// The answer that this request got, if it is young enough.
    pub fn get(&self, key: &RequestKey, now: Instant) -> Option<Arc<str>> {
        let (at, answer) = self.answers.get(key)?;
        (now.duration_since(*at) < Duration::from_secs(REQUEST_ID_SECONDS)).then(|| answer.clone())
    }

    /// Remembers an answer; those that are too old go, and the oldest beyond the limits.
    pub fn insert(&mut self, key: RequestKey, answer: Arc<str>, now: Instant) {
        self.bytes += answer.len();
        self.order.push_back((now, key.clone()));
        if let Some((_, replaced)) = self.answers.insert(key, (now, answer)) {
            self.bytes -= replaced.len();
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
            && let Some((_, answer)) = self.answers.remove(&key)
        {
            self.bytes -= answer.len();
        }
    }
}
