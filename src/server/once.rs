//! Requests that can be repeated but take effect once.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;

use crate::engine::Failure;
use crate::protocol::{ApplyResult, ProposeParams, ProposeResult};
use crate::text::{ContentHash, Hasher};
use crate::workspace::limits::{REMEMBERED_ANSWERS, REMEMBERED_BYTES, REQUEST_ID_SECONDS};
use crate::workspace::{Refusal, RefusalKind, Repeatable};

/// The method of a request, and its parameters besides the changes. The timeout is omitted, because a
/// repeated request may have a different one.
#[derive(Clone, Copy, Serialize)]
pub(crate) enum Kind {
    Propose,
    Edit { review: Option<bool> },
}

/// Returns a digest of a request that does not depend on the spelling of its parameters.
pub(crate) fn request_digest(kind: Kind, params: &ProposeParams) -> ContentHash {
    let mut digest = Digest(Hasher::default());
    serde_json::to_writer(&mut digest, &(kind, params))
        .expect("parameters are JSON, and a digest takes it all");
    digest.0.finish()
}

/// Answers to requests that carried a `requestId`, for as long as a client may repeat them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RememberedAnswers(Arc<Mutex<AnswersById>>);

impl RememberedAnswers {
    /// Carries out a request with a `requestId` only once: a repeated request gets the same answer and has no
    /// effect. Refusals are not stored, because the next try may succeed.
    pub(crate) fn once<T: Clone + Into<Answer> + TryFrom<Answer>>(
        &self,
        author: &str,
        request: Option<Repeatable>,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(request) = request else { return work() };
        let known = self.0.lock().get(author, &request.id, Instant::now()).cloned();
        if let Some((asks, answer)) = known {
            let same = T::try_from(answer).ok().filter(|_| asks == request.asks);
            return same.ok_or_else(|| Refusal::new(RefusalKind::RequestIdUsed { id: request.id }).into());
        }
        let result = work()?;
        self.remember(author, request, result.clone().into());
        Ok(result)
    }

    /// Remembers the answer to a request, in case it is repeated.
    pub(crate) fn remember(&self, author: &str, request: Repeatable, answer: Answer) {
        let bytes = answer.bytes();
        self.0.lock().insert(author, request, (answer, bytes), Instant::now());
    }
}

/// The answer to a request that may be repeated.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Proposed(ProposeResult),
    Applied(ApplyResult),
}

impl Answer {
    /// Returns the size of the answer on the wire.
    fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |json| json.len())
    }
}

impl From<ProposeResult> for Answer {
    fn from(result: ProposeResult) -> Self {
        Self::Proposed(result)
    }
}

impl From<ApplyResult> for Answer {
    fn from(result: ApplyResult) -> Self {
        Self::Applied(result)
    }
}

impl TryFrom<Answer> for ProposeResult {
    type Error = ();

    fn try_from(answer: Answer) -> Result<Self, ()> {
        if let Answer::Proposed(result) = answer { Ok(result) } else { Err(()) }
    }
}

impl TryFrom<Answer> for ApplyResult {
    type Error = ();

    fn try_from(answer: Answer) -> Result<Self, ()> {
        if let Answer::Applied(result) = answer { Ok(result) } else { Err(()) }
    }
}

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

/// A writer that hashes its input.
struct Digest(Hasher);

impl io::Write for Digest {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
