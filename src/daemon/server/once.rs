//! Requests that can be repeated but take effect once.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;

use crate::engine::Result;
use editd_protocol::ProposeParams;
use editd_text::ContentHash;
use editd_workspace::limits::{REMEMBERED_ANSWERS, REMEMBERED_BYTES, REQUEST_ID_SECONDS};
use editd_workspace::{Refusal, RefusalKind, Repeatable};

/// The method of a request, and its parameters besides the changes. The timeout is omitted, because a
/// repeated request may have a different one.
#[derive(Clone, Copy, Serialize)]
pub(crate) enum Kind {
    Propose,
    Edit { review: Option<bool> },
}

/// Returns a digest of a request that does not depend on the spelling of its parameters.
pub(crate) fn request_digest(kind: Kind, params: &ProposeParams) -> ContentHash {
    ContentHash::of(&serde_json::to_vec(&(kind, params)).expect("parameters are JSON"))
}

/// Answers to requests that carried a `requestId`, for as long as a client may repeat them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RememberedAnswers(Arc<Mutex<AnswersById>>);

impl RememberedAnswers {
    /// Carries out a request with a `requestId` only once: a repeated request gets the same answer and has no
    /// effect. Refusals are not stored, because the next try may succeed.
    pub(crate) fn once<T: Clone + Serialize + Send + Sync + 'static>(
        &self,
        author: &str,
        request: Option<Repeatable>,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some(request) = request else { return work() };
        let known = self.0.lock().get(author, &request.id, Instant::now()).cloned();
        if let Some((asks, answer)) = known {
            let same = answer.downcast_ref::<T>().filter(|_| asks == request.asks).cloned();
            return same.ok_or_else(|| Refusal::new(RefusalKind::RequestIdUsed { id: request.id }).into());
        }
        let result = work()?;
        self.remember(author, request, result.clone());
        Ok(result)
    }

    /// Remembers the answer to a request, in case it is repeated.
    pub(crate) fn remember<T: Serialize + Send + Sync + 'static>(
        &self,
        author: &str,
        request: Repeatable,
        answer: T,
    ) {
        let bytes = serde_json::to_vec(&answer).map_or(0, |json| json.len());
        self.0.lock().insert(author, request, (Arc::new(answer), bytes), Instant::now());
    }
}

/// The result that answered a request. Its type depends on the method.
type Answer = Arc<dyn Any + Send + Sync>;

#[derive(Debug, Default)]
struct AnswersById {
    /// Answers by author and id of the request.
    answers: HashMap<(String, String), RememberedAnswer>,
    /// Keys in the order of insertion. A later answer under the same key has its own entry.
    order: VecDeque<(Instant, (String, String))>,
    bytes: usize,
}

#[derive(Debug)]
struct RememberedAnswer {
    at: Instant,
    /// The digest of the request's parameters, and the answer.
    answered: (ContentHash, Answer),
    /// Size of the answer on the wire.
    bytes: usize,
}

impl AnswersById {
    /// Returns the digest of a request's parameters and its answer, unless it has expired.
    fn get(&self, author: &str, id: &str, now: Instant) -> Option<&(ContentHash, Answer)> {
        let known = self.answers.get(&(author.to_owned(), id.to_owned()))?;
        (!has_expired(known.at, now)).then_some(&known.answered)
    }

    /// Remembers an answer and its size, and drops expired answers and the oldest ones beyond the limits.
    fn insert(&mut self, author: &str, request: Repeatable, (answer, bytes): (Answer, usize), now: Instant) {
        let key = (author.to_owned(), request.id);
        self.bytes += bytes;
        self.order.push_back((now, key.clone()));
        let answered = (request.asks, answer);
        if let Some(replaced) = self.answers.insert(key, RememberedAnswer { at: now, answered, bytes }) {
            self.bytes -= replaced.bytes;
        }
        while self.order.len() > 1
            && (self.order.len() > REMEMBERED_ANSWERS
                || self.bytes > REMEMBERED_BYTES
                || self.order.front().is_some_and(|(at, _)| has_expired(*at, now)))
        {
            let Some((at, key)) = self.order.pop_front() else { return };
            if self.answers.get(&key).is_some_and(|known| known.at == at)
                && let Some(forgotten) = self.answers.remove(&key)
            {
                self.bytes -= forgotten.bytes;
            }
        }
    }
}

fn has_expired(at: Instant, now: Instant) -> bool {
    now.duration_since(at) >= Duration::from_secs(REQUEST_ID_SECONDS)
}
