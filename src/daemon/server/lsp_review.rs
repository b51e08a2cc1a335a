//! Review in editors without an editd plugin: pending proposals are shown and decided with the means of LSP.
//!
//! Each such editor has a task, which is woken when a proposal changes or the user types. The task collects
//! all pending proposals and sends the editor the differences from what it sent before. So no change is lost,
//! and many changes in a row cost one pass.

mod commands;
mod documents;

pub(crate) use documents::clear;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::jobs::blocking;
use crate::engine::{Failure, Result, SessionContext};
use crate::server::Daemon;
use crate::server::clients::{ClientSink, PendingResponse};
use editd_disk::real_path;
use editd_protocol::lsp_review::{
    CodeActionQuery, PendingProposal, announcement, code_actions, code_lenses, hints,
};
use editd_protocol::{PROPOSAL_CHANGED, ProposalParams, ProposalSummary, ProposalsParams, path_of_uri};
use editd_text::with_codes;
use editd_workspace::ProposalState;
use editd_workspace::buffers::Buffer;

/// Delay before a pass, which collects further changes.
const PAUSE: Duration = Duration::from_millis(40);

/// Minimum pause after a pass, as a multiple of the time that the pass took.
const REST: u32 = 4;

/// Wakes the task that follows an editor.
#[derive(Clone, Debug, Default)]
pub struct Follow(Arc<Notify>);

impl Follow {
    /// Wakes the task, because something may have changed for the editor.
    pub fn look_again(&self) {
        self.0.notify_one();
    }

    /// Wraps the sink of the editor: a notification about a proposal wakes the task instead of reaching the
    /// editor.
    pub fn sink(&self, to: Arc<dyn ClientSink>) -> Arc<dyn ClientSink> {
        Arc::new(FollowSink { to, follow: self.clone() })
    }
}

struct FollowSink {
    to: Arc<dyn ClientSink>,
    follow: Follow,
}

impl ClientSink for FollowSink {
    fn notify(&self, method: &'static str, params: Value) {
        if method == PROPOSAL_CHANGED {
            self.follow.look_again();
        } else {
            self.to.notify(method, params);
        }
    }

    fn request(&self, method: &'static str, params: Value) -> PendingResponse {
        self.to.request(method, params)
    }
}

/// The state that was last sent to an editor.
#[derive(Default)]
struct SentState {
    /// Revisions of the pending proposals, by id.
    proposals: HashMap<String, u32>,
    /// Ids of the proposals that were announced to the user.
    announced: HashSet<String>,
    /// Hints in each document, by URI.
    hints: HashMap<String, Vec<Value>>,
}

impl Daemon {
    /// Keeps an editor informed of the pending proposals for its user, until it disconnects.
    pub async fn follow(
        self,
        session: Arc<SessionContext>,
        sink: Arc<dyn ClientSink>,
        follow: Follow,
        gone: CancellationToken,
    ) {
        let mut sent = SentState::default();
        if let Ok(Some(unreviewed)) = self.unreviewed(&session).await {
            show_message(&*sink, INFO, &format!("editd: {}", unreviewed.message));
        }
        loop {
            let began = Instant::now();
            match self.waiting(&session, None).await {
                Ok(waiting) => self.update_editor(&session, &*sink, &mut sent, &waiting).await,
                Err(failure) => {
                    tracing::debug!(?failure, "the pending proposals could not be sent to an editor");
                }
            }
            let took = began.elapsed();
            tokio::select! {
                () = gone.cancelled() => return,
                () = follow.0.notified() => {}
            }
            // If a pass takes long, as with large files, passes are less frequent, because the user may be
            // typing.
            tokio::time::sleep(PAUSE + took * REST).await;
        }
    }

    async fn update_editor(
        &self,
        session: &Arc<SessionContext>,
        sink: &dyn ClientSink,
        sent: &mut SentState,
        waiting: &[PendingProposal],
    ) {
        let fresh: Vec<_> =
            waiting.iter().filter(|one| sent.announced.insert(one.id.clone())).cloned().collect();
        if let Some(text) = announcement(&fresh) {
            show_message(sink, INFO, &text);
        }
        let now: HashMap<_, _> = waiting.iter().map(|one| (one.id.clone(), one.revision)).collect();
        self.update_diffs(session, &sent.proposals, &now).await;
        if now != sent.proposals {
            sent.proposals = now;
            if session.abilities.code_lens_refresh {
                // The editor may ignore the request.
                drop(sink.request("workspace/codeLens/refresh", Value::Null));
            }
        }
        if session.abilities.hints {
            self.update_hints(session, sink, sent, waiting);
        }
    }

    fn update_hints(
        &self,
        session: &SessionContext,
        sink: &dyn ClientSink,
        sent: &mut SentState,
        waiting: &[PendingProposal],
    ) {
        let open = self.engine.open_in(session.id);
        sent.hints.retain(|uri, _| open.iter().any(|buffer| buffer.id.uri == *uri));
        for buffer in open {
            let items = match buffer.blocked_reason {
                None => hints(waiting, &buffer.path, &buffer.text, session.encoding),
                // The lines of the document are not known.
                Some(_) => Vec::new(),
            };
            let before = sent.hints.get(&buffer.id.uri);
            if before.map(Vec::as_slice).unwrap_or_default() != items {
                let params = json!({ "uri": buffer.id.uri, "version": buffer.version, "diagnostics": items });
                sink.notify("textDocument/publishDiagnostics", params);
                sent.hints.insert(buffer.id.uri, items);
            }
        }
    }

    /// Rewrites the shown diffs of proposals that have changed, and removes the diffs of proposals that are
    /// no longer pending.
    async fn update_diffs(
        &self,
        session: &Arc<SessionContext>,
        before: &HashMap<String, u32>,
        now: &HashMap<String, u32>,
    ) {
        for id in documents::shown_diffs(&self.engine) {
            let (known, present) = (before.get(&id), now.get(&id));
            if known == present && present.is_some() {
                continue;
            }
            let (text, path) = (self.diff_text(session, &id).await, documents::diff_file(&self.engine, &id));
            let is_pending = present.is_some();
            let updated = blocking(move || match text {
                Ok(Some(text)) if is_pending => documents::write(&path, &text),
                Ok(Some(_)) => Ok(()),
                _ => documents::remove(&path),
            });
            if let Ok(Err(error)) = updated.await {
                tracing::warn!(%error, "a shown diff could not be updated");
            }
        }
    }

    /// Answers the LSP request for the code actions of a range.
    pub async fn code_actions(
        &self,
        session: &Arc<SessionContext>,
        uri: &str,
        wanted: &CodeActionQuery,
    ) -> Result<Vec<Value>> {
        let Some(path) = self.path_in(session, uri) else { return Ok(Vec::new()) };
        let only = wanted.automatic.then_some(path.as_path());
        Ok(code_actions(&self.waiting(session, only).await?, &path, wanted))
    }

    /// Answers the LSP request for the code lenses of a document.
    pub async fn code_lenses(&self, session: &Arc<SessionContext>, uri: &str) -> Result<Vec<Value>> {
        let Some(buffer) = self.buffer_of(session, uri).filter(|buffer| buffer.blocked_reason.is_none())
        else {
            return Ok(Vec::new());
        };
        let last = u32::try_from(buffer.text.line_count() - 1).unwrap_or(u32::MAX);
        let waiting = self.waiting(session, Some(&buffer.path)).await?;
        Ok(code_lenses(&waiting, &buffer.path, last))
    }

    /// Returns the pending proposals and landed changes for the user of this editor. With `only`, returns those about that file.
    pub(crate) async fn waiting(
        &self,
        session: &Arc<SessionContext>,
        only: Option<&Path>,
    ) -> Result<Vec<PendingProposal>> {
        let mut summaries = Vec::new();
        for state in [ProposalState::Pending, ProposalState::Landed] {
            let of_state = ProposalsParams { state: Some(state.to_string()) };
            summaries.extend(self.proposals(session, of_state).await?.proposals);
        }
        let open = self.engine.open_in(session.id);
        let concerns = |summary: &&ProposalSummary| {
            let mut paths = summary.paths.iter().map(Path::new);
            match only {
                Some(only) => paths.any(|path| path == only),
                None => paths.any(|path| covers(session, &open, path)),
            }
        };
        let mut waiting = Vec::new();
        for summary in summaries.iter().filter(concerns).take(SHOWN) {
            let params = ProposalParams { id: summary.id.clone(), wait_ms: None };
            match self.proposal(session, params).await {
                Ok(proposal) => waiting.extend(PendingProposal::of(&proposal)),
                // The proposal was decided in the meantime.
                Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(waiting)
    }

    fn buffer_of(&self, session: &SessionContext, uri: &str) -> Option<Buffer> {
        self.engine.open_in(session.id).into_iter().find(|buffer| buffer.id.uri == uri)
    }

    /// Returns the path of a document, open or not.
    fn path_in(&self, session: &SessionContext, uri: &str) -> Option<PathBuf> {
        let open = self.buffer_of(session, uri).map(|buffer| buffer.path);
        open.or_else(|| path_of_uri(uri).ok().map(|path| real_path(&path)))
    }
}

/// Message types of LSP.
const ERROR: u32 = 1;

const INFO: u32 = 3;

/// Shows a message of one line. Paths in it may contain any characters.
fn show_message(sink: &dyn ClientSink, kind: u32, text: &str) {
    sink.notify("window/showMessage", json!({ "type": kind, "message": with_codes(text) }));
}

/// Maximum number of proposals and landed changes that an editor shows at a time, each oldest first.
const SHOWN: usize = 64;

/// Returns `true` if the file belongs to the work in an editor: it is in a folder of the editor or open
/// there. An editor without folders covers all files.
fn covers(session: &SessionContext, open: &[Buffer], path: &Path) -> bool {
    let roots = session.root_paths();
    roots.is_empty()
        || roots.iter().any(|root| path.starts_with(root))
        || open.iter().any(|buffer| buffer.path == path)
}
