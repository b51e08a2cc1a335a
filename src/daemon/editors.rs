//! Changing files through the editors that have them open.
//!
//! What is open belongs to its editor: the edit is handed over, and what the editor then holds is compared
//! with what was asked for. A file that is open nowhere, or that its editor would harm by saving it, is
//! written on the disk.

mod apply;
mod back;
mod event;
mod interrupted;
mod ready;
mod route;
mod save;
mod settle;

pub(crate) use event::{DocumentEvent, EditorsEvent, Effect};
pub(crate) use interrupted::Interrupted;
pub(crate) use route::{EditorPart, Saving};

use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::protocol::RpcError;
use crate::workspace::{Abilities, SessionId};

use super::Core;
use super::clients::Asked;
use super::event::{Event, Reply};

/// How long an editor may take to apply edits. Editors do so between two keys of a person; one that does not is
/// busy with something else.
const APPLY: Duration = Duration::from_secs(10);
/// How long it may take to load a file anew, or to tell of a change that it has made.
const SETTLE: Duration = Duration::from_secs(2);
/// How long it may take to save: formatters run then.
const SAVE: Duration = Duration::from_secs(10);
/// How often what it holds is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(2);

/// An editor, as far as it said.
#[derive(Clone, Debug)]
pub(crate) struct Editor {
    pub(crate) name: String,
    pub(crate) abilities: Abilities,
}

/// Why an editor did not answer as it should.
#[derive(Clone, Debug)]
pub(crate) enum Silence {
    /// It is gone.
    Gone,
    /// It takes too long.
    Late,
    /// It says that it cannot.
    Error(RpcError),
}

impl Core {
    /// The editor of a session, if it is still there.
    pub(crate) fn editor(&self, session: SessionId) -> Option<Editor> {
        self.ask_editors(|reply| EditorsEvent::Editor { session, reply }).flatten()
    }

    /// Asks the books about editors; nothing if they do not answer.
    pub(crate) fn ask_editors<T>(&self, event: impl FnOnce(Reply<T>) -> EditorsEvent) -> Option<T> {
        self.ask(|reply| Event::Editors(event(reply))).ok()
    }
}

/// Waits for an editor's answer, on a thread that may block. A late one can still be waited for.
fn answer(asked: &mut Asked, patience: Duration) -> Result<Value, Silence> {
    let answered = Handle::current().block_on(tokio::time::timeout(patience, asked));
    match answered {
        Ok(Ok(Ok(value))) => Ok(value),
        Ok(Ok(Err(error))) => Err(Silence::Error(error)),
        Ok(Err(_)) => Err(Silence::Gone),
        Err(_) => Err(Silence::Late),
    }
}

impl Silence {
    fn reason(&self, patience: Duration) -> String {
        match self {
            Self::Gone => "it went away".to_owned(),
            Self::Late => format!("it did not answer within {} s", patience.as_secs()),
            Self::Error(error) => error.message.trim_end_matches('.').to_owned(),
        }
    }
}
