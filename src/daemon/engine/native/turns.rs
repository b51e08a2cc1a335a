use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::engine::SessionContext;
use editd_workspace::fair::to_evict;
use editd_workspace::limits::NATIVE_TURNS;

/// The current turns of sessions whose client does not name the turn with each change, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<VecDeque<Turn>>);

#[derive(Debug)]
struct Turn {
    author: String,
    process: Option<i32>,
    session: String,
    id: String,
}

impl Turns {
    /// Stores the current turn of a session.
    pub(crate) fn begin(&self, context: &SessionContext, id: String) {
        let (author, session) = (&context.author, &context.name);
        let mut turns = self.0.lock();
        turns.retain(|turn| !turn.is_of(author, session));
        if turns.len() >= NATIVE_TURNS {
            let at = to_evict(turns.iter().map(|turn| (&turn.author, (), turn.process)));
            at.and_then(|at| turns.remove(at));
        }
        let (author, session) = (author.clone(), session.to_string());
        turns.push_back(Turn { author, process: context.process, session, id });
    }

    /// Returns the current turn of a session.
    pub(crate) fn current(&self, author: &str, session: &str) -> Option<String> {
        self.0.lock().iter().find(|turn| turn.is_of(author, session)).map(|turn| turn.id.clone())
    }
}

impl Turn {
    fn is_of(&self, author: &str, session: &str) -> bool {
        self.author == author && self.session == session
    }
}
