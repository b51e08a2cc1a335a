//! Pending proposals for the user of an editor, as code actions and code lenses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::daemon::requests::canonical;
use crate::daemon::{Daemon, Failure, SessionContext};
use crate::protocol::lsp_review::{CodeActionQuery, PendingProposal, code_actions, code_lenses};
use crate::protocol::{ProposalParams, ProposalSummary, ProposalsParams, path_of_uri};
use crate::workspace::buffers::{Buffer, BufferId};

/// Maximum number of proposals that an editor shows at a time, oldest first.
const SHOWN: usize = 64;

impl Daemon {
    /// Answers the LSP request for the code actions of a range.
    pub async fn code_actions(
        &self,
        session: &Arc<SessionContext>,
        uri: &str,
        wanted: &CodeActionQuery,
    ) -> Result<Vec<Value>, Failure> {
        let Some(path) = self.path_in(session, uri) else { return Ok(Vec::new()) };
        let only = wanted.automatic.then_some(path.as_path());
        Ok(code_actions(&self.waiting(session, only).await?, &path, wanted))
    }

    /// Answers the LSP request for the code lenses of a document.
    pub async fn code_lenses(&self, session: &Arc<SessionContext>, uri: &str) -> Result<Vec<Value>, Failure> {
        let Some(buffer) = self.buffer_of(session, uri).filter(|buffer| buffer.blocked_reason.is_none())
        else {
            return Ok(Vec::new());
        };
        let last = u32::try_from(buffer.text.line_count() - 1).unwrap_or(u32::MAX);
        let waiting = self.waiting(session, Some(&buffer.path)).await?;
        Ok(code_lenses(&waiting, &buffer.path, last))
    }

    /// Returns the pending proposals for the user of this editor. With `only`, returns those about that file.
    pub(super) async fn waiting(
        &self,
        session: &Arc<SessionContext>,
        only: Option<&Path>,
    ) -> Result<Vec<PendingProposal>, Failure> {
        let pending = ProposalsParams { state: Some("pending".to_owned()) };
        let summaries = self.proposals(session, pending).await?.proposals;
        let open = self.open_in(session);
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

    /// Returns the open documents of an editor.
    pub(super) fn open_in(&self, session: &SessionContext) -> Vec<Buffer> {
        self.core.open_in(session.id)
    }

    fn buffer_of(&self, session: &SessionContext, uri: &str) -> Option<Buffer> {
        let id = BufferId { session: session.id, uri: uri.to_owned() };
        self.open_in(session).into_iter().find(|buffer| buffer.id == id)
    }

    /// Returns the path of a document, open or not.
    fn path_in(&self, session: &SessionContext, uri: &str) -> Option<PathBuf> {
        let open = self.buffer_of(session, uri).map(|buffer| buffer.path);
        open.or_else(|| path_of_uri(uri).ok().map(|path| canonical(&path)))
    }
}

/// Returns `true` if the file belongs to the work in an editor: it is in a folder of the editor or open
/// there. An editor without folders covers all files.
fn covers(session: &SessionContext, open: &[Buffer], path: &Path) -> bool {
    let roots = session.root_paths();
    roots.is_empty()
        || roots.iter().any(|root| path.starts_with(root))
        || open.iter().any(|buffer| buffer.path == path)
}
