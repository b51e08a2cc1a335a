use std::collections::VecDeque;

use serde_json::Value;

use super::intake::Room;

/// Requests of one connection that may wait for others of it to end.
const WAITING: usize = 256;

/// A request or notification, the bytes that it came in, and their room.
pub(super) struct Call {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Option<Value>,
    pub(super) size: usize,
    pub(super) room: Room,
    /// Whether others of the client came with it.
    pub(super) followed: bool,
}

/// Requests that came while as many as are allowed were under way, in the order of arrival.
///
/// They are read all the same: behind them may come the answers and the notifications of an editor that those
/// under way wait for.
#[derive(Default)]
pub(super) struct Backlog(VecDeque<Call>);

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= WAITING
    }

    pub(super) fn push(&mut self, call: Call) {
        self.0.push_back(call);
    }

    pub(super) fn pop(&mut self) -> Option<Call> {
        self.0.pop_front()
    }

    /// Takes out what a `$/cancelRequest` with these parameters is about.
    pub(super) fn cancel(&mut self, params: Option<&Value>) -> Option<Call> {
        let id = params?.get("id")?;
        let at = self.0.iter().position(|call| call.id.as_ref() == Some(id))?;
        self.0.remove(at)
    }
}
