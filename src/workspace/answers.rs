use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::limits::{REMEMBERED_ANSWERS, REQUEST_ID_SECONDS};

/// Names a request of an author, so that it can be sent twice and happen once.
pub type RequestKey = (String, String);

/// Answers to requests that carried a `requestId`, for as long as a client may repeat them.
///
/// The answer is kept as it went out on the wire, since it must come out the same again.
#[derive(Debug, Default)]
pub struct RememberedAnswers {
    answers: HashMap<RequestKey, (Instant, Arc<str>)>,
    order: VecDeque<RequestKey>,
}

impl RememberedAnswers {
    /// The answer that this request got, if it is young enough.
    pub fn get(&self, key: &RequestKey, now: Instant) -> Option<Arc<str>> {
        let (at, answer) = self.answers.get(key)?;
        (now.duration_since(*at) < Duration::from_secs(REQUEST_ID_SECONDS)).then(|| answer.clone())
    }

    /// Remembers an answer; the oldest go beyond the limit.
    pub fn insert(&mut self, key: RequestKey, answer: Arc<str>, now: Instant) {
        if self.answers.insert(key.clone(), (now, answer)).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED_ANSWERS
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}
