use std::collections::VecDeque;

use serde_json::Value;

use super::budget::Reservation;

/// Maximum number of queued requests of one connection.
const MAX_QUEUED: usize = 256;

/// A request or notification, the size of its message in bytes, and the memory reserved for it.
pub(super) struct Call {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Option<Value>,
    pub(super) size: usize,
    pub(super) reservation: Reservation,
    /// `true` if the client had already sent more data when the message was complete.
    pub(super) followed: bool,
}

/// Requests that arrived while the maximum number of requests was running, in the order of arrival.
///
/// The connection keeps reading while requests are queued, because running requests may wait for responses or
/// notifications of an editor that arrive after the queued requests.
#[derive(Default)]
pub(super) struct Backlog(VecDeque<Call>);

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MAX_QUEUED
    }

    pub(super) fn push(&mut self, call: Call) {
        self.0.push_back(call);
    }

    pub(super) fn pop(&mut self) -> Option<Call> {
        self.0.pop_front()
    }

    /// Removes and returns the request that a `$/cancelRequest` with these parameters refers to.
    pub(super) fn cancel(&mut self, params: Option<&Value>) -> Option<Call> {
        let id = params?.get("id")?;
        let at = self.0.iter().position(|call| call.id.as_ref() == Some(id))?;
        self.0.remove(at)
    }
}
