use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::SessionContext;
use editd_workspace::fair::to_evict;
use editd_workspace::history::Origin;
use editd_workspace::limits::NATIVE_CALLS;

/// The calls of tools that belong to a session although they arrive over another connection, oldest first.
#[derive(Debug, Default)]
pub(crate) struct AnnouncedCalls(Mutex<VecDeque<AnnouncedCall>>);

/// A call and the session to which it belongs.
#[derive(Clone, Debug)]
pub(crate) struct AnnouncedCall {
    author: String,
    process: Option<i32>,
    tool_call: String,
    pub(crate) session: Arc<str>,
    pub(crate) origin: Origin,
}

impl AnnouncedCalls {
    /// Adds a call of a session.
    pub(crate) fn add(&self, session: &SessionContext, tool_call: String, origin: Origin) {
        let (author, process) = (session.author.clone(), session.process);
        let call = AnnouncedCall { author, process, tool_call, session: session.name.clone(), origin };
        let mut calls = self.0.lock();
        calls.retain(|known| !known.is(&call.author, &call.tool_call));
        if calls.len() >= NATIVE_CALLS {
            let at = to_evict(calls.iter().map(|call| (&call.author, &call.session, call.process)));
            at.and_then(|at| calls.remove(at));
        }
        calls.push_back(call);
    }

    /// Returns a call that a session of this author has announced.
    pub(crate) fn get(&self, author: &str, tool_call: &str) -> Option<AnnouncedCall> {
        self.0.lock().iter().find(|call| call.is(author, tool_call)).cloned()
    }
}

impl AnnouncedCall {
    fn is(&self, author: &str, tool_call: &str) -> bool {
        self.author == author && self.tool_call == tool_call
    }
}
