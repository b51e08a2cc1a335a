//! Review in editors that have no plugin of ours: what waits for a person is shown and decided with LSP's own
//! means.
//!
//! Each such editor is followed by a task. It is woken when a proposal changes or the person types, looks at all
//! that waits, and tells the editor what is different from what it was told before. So nothing can get lost, and
//! many changes in a row cost one look.

mod content;
mod diffs;
mod look;
mod run;

pub(crate) use diffs::clear;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::protocol::PROPOSAL_CHANGED;
use crate::protocol::plain::{Waiting, announcement, hints};

use super::clients::Asked;
use super::editors::EditorsEvent;
use super::job::blocking;
use super::{Daemon, Outlet, SessionContext};

/// How long a task waits for more to happen before it looks.
const PAUSE: Duration = Duration::from_millis(40);
/// How many times as long as a look takes, the task rests after it.
const REST: u32 = 4;

/// Wakes the task that follows an editor.
#[derive(Clone, Debug, Default)]
pub struct Follow(Arc<Notify>);

impl Follow {
    /// Something happened that the editor may have to be told.
    pub fn look_again(&self) {
        self.0.notify_one();
    }

    /// The way to the editor, on which it hears in LSP's terms what others hear in ours.
    pub fn outlet(&self, to: Arc<dyn Outlet>) -> Arc<dyn Outlet> {
        Arc::new(PlainOutlet { to, follow: self.clone() })
    }
}

struct PlainOutlet {
    to: Arc<dyn Outlet>,
    follow: Follow,
}

impl Outlet for PlainOutlet {
    fn notify(&self, method: &'static str, params: Value) {
        if method == PROPOSAL_CHANGED {
            self.follow.look_again();
        } else {
            self.to.notify(method, params);
        }
    }

    fn request(&self, method: &'static str, params: Value) -> Asked {
        self.to.request(method, params)
    }
}

/// What an editor was told.
#[derive(Default)]
struct Told {
    /// Proposals that it was told of, by id.
    proposals: HashMap<String, u32>,
    /// Those that the person was told of.
    announced: HashSet<String>,
    /// By URI, the hints in a document.
    hints: HashMap<String, Vec<Value>>,
}

impl Daemon {
    /// Tells an editor what waits for its person, until it is gone.
    pub async fn follow(
        self,
        session: Arc<SessionContext>,
        outlet: Arc<dyn Outlet>,
        follow: Follow,
        gone: CancellationToken,
    ) {
        let mut told = Told::default();
        loop {
            let began = Instant::now();
            match self.waiting(&session, None).await {
                Ok(waiting) => self.tell_editor(&session, &*outlet, &mut told, &waiting).await,
                Err(failure) => tracing::debug!(?failure, "an editor could not be told what waits"),
            }
            let took = began.elapsed();
            tokio::select! {
                () = gone.cancelled() => return,
                () = follow.0.notified() => {}
            }
            // Where to look takes long, as with large files, it is done less often: a person may be typing.
            tokio::time::sleep(PAUSE + took * REST).await;
        }
    }

    async fn tell_editor(
        &self,
        session: &Arc<SessionContext>,
        outlet: &dyn Outlet,
        told: &mut Told,
        waiting: &[Waiting],
    ) {
        let fresh: Vec<_> =
            waiting.iter().filter(|one| told.announced.insert(one.id.clone())).cloned().collect();
        if let Some(text) = announcement(&fresh) {
            show_message(outlet, INFO, &text);
        }
        let now: HashMap<_, _> = waiting.iter().map(|one| (one.id.clone(), one.revision)).collect();
        self.renew_diffs(session, &told.proposals, &now).await;
        if now != told.proposals {
            told.proposals = now;
            if session.abilities.code_lens_refresh {
                // Whether it does is its own business.
                drop(outlet.request("workspace/codeLens/refresh", Value::Null));
            }
        }
        if session.abilities.hints {
            self.tell_hints(session, outlet, told, waiting);
        }
    }

    fn tell_hints(
        &self,
        session: &SessionContext,
        outlet: &dyn Outlet,
        told: &mut Told,
        waiting: &[Waiting],
    ) {
        let session_id = session.id;
        let open = self.core.ask_editors(|reply| EditorsEvent::OpenIn { session: session_id, reply });
        let open = open.unwrap_or_default();
        told.hints.retain(|uri, _| open.iter().any(|buffer| buffer.id.uri == *uri));
        for buffer in open {
            let items = match buffer.trouble {
                None => hints(waiting, &buffer.path, &buffer.text, session.encoding),
                // Its lines are not known.
                Some(_) => Vec::new(),
            };
            let before = told.hints.get(&buffer.id.uri);
            if before.map(Vec::as_slice).unwrap_or_default() != items {
                let params = json!({ "uri": buffer.id.uri, "version": buffer.version, "diagnostics": items });
                outlet.notify("textDocument/publishDiagnostics", params);
                told.hints.insert(buffer.id.uri, items);
            }
        }
    }

    /// Writes the diffs anew that are shown of proposals that are different now, and removes those of what waits no
    /// more.
    async fn renew_diffs(
        &self,
        session: &Arc<SessionContext>,
        before: &HashMap<String, u32>,
        now: &HashMap<String, u32>,
    ) {
        for id in self.core.shown_diffs() {
            let (known, present) = (before.get(&id), now.get(&id));
            if known == present && present.is_some() {
                continue;
            }
            let (text, path) = (self.diff_text(session, &id).await, self.core.diff_file(&id));
            let is_ours = present.is_some();
            let renewed = blocking(move || match text {
                Ok(Some(text)) if is_ours => diffs::write(&path, &text),
                Ok(Some(_)) => Ok(()),
                _ => diffs::remove(&path),
            });
            if let Ok(Err(error)) = renewed.await {
                tracing::warn!(%error, "a shown diff could not be renewed");
            }
        }
    }
}

/// LSP's numbers for messages.
const ERROR: u32 = 1;
const INFO: u32 = 3;

fn show_message(outlet: &dyn Outlet, kind: u32, text: &str) {
    outlet.notify("window/showMessage", json!({ "type": kind, "message": text }));
}
