//! Commands that the user runs on pending proposals.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::{ERROR, INFO, documents, show_message};
use crate::engine::jobs::blocking;
use crate::engine::{Failure, Result, SessionContext};
use crate::server::Daemon;
use crate::server::clients::{ClientSink, PendingResponse};
use editd_protocol::lsp_review::{
    AllArgument, Command, Decision, FileArgument, HunksArgument, Location, PendingProposal, neighbour,
};
use editd_protocol::{DecideParams, Invalid, PickParam, ProposalParams, invalid_params, uri_of};
use editd_workspace::Audience;
use editd_workspace::review::HunkKind;

impl Daemon {
    /// Answers the LSP request `workspace/executeCommand`. Also shows failures as messages, because not every
    /// editor shows the errors of requests.
    pub async fn run_command(
        &self,
        session: &Arc<SessionContext>,
        sink: &Arc<dyn ClientSink>,
        command: Command,
    ) -> Result<()> {
        let run = self.run(session, sink, command).await;
        run.inspect_err(|failure| show_message(&**sink, ERROR, &format!("editd: {}", failure.message())))
    }

    async fn run(
        &self,
        session: &Arc<SessionContext>,
        sink: &Arc<dyn ClientSink>,
        command: Command,
    ) -> Result<()> {
        let mut keep_earlier = None;
        let (id, revision, decision, pick) = match command {
            Command::Go { forward, from } => return self.go(session, sink, forward, from.as_ref()).await,
            Command::ShowDiff { id } => return self.show_diff(session, sink, id).await,
            Command::Hunks(decision, HunksArgument { id, revision, hunks }) => {
                (id, revision, decision, PickParam::Hunks(hunks))
            }
            Command::All(decision, AllArgument { id, revision, keep_earlier: keeps }) => {
                keep_earlier = Some(keeps);
                (id, revision, decision, PickParam::Word("all".to_owned()))
            }
            Command::File(decision, FileArgument { id, revision, path }) => {
                let hunks = self.hunks_in(session, &id, &path, decision).await?;
                (id, revision, decision, PickParam::Hunks(hunks))
            }
        };
        let mut params = DecideParams { id, revision, keep_earlier, ..DecideParams::default() };
        match (decision, pick) {
            (Decision::Take, PickParam::Hunks(hunks)) => params.take = Some(hunks),
            (Decision::Reject, pick) => params.reject = Some(pick),
            (Decision::Accept | Decision::Take, pick) => params.accept = Some(pick),
        }
        let decided = self.decide(session, params).await?;
        if let Some(notice) = decided.notice {
            show_message(&**sink, INFO, &format!("editd: {notice}"));
        }
        Ok(())
    }

    /// Returns the undecided hunks of a file. For a decision that writes to the file, excludes conflicted hunks,
    /// which are written only one by one.
    async fn hunks_in(
        &self,
        session: &Arc<SessionContext>,
        id: &str,
        path: &str,
        decision: Decision,
    ) -> Result<Vec<String>> {
        let params = ProposalParams { id: id.to_owned(), wait_ms: None };
        let waiting = PendingProposal::of(&self.proposal(session, params).await?);
        let hunks = waiting.iter().flat_map(|one| &one.hunks).filter(|hunk| hunk.path == Path::new(path));
        let writes = (decision == Decision::Reject) == waiting.as_ref().is_some_and(|one| one.landed);
        let hunks = hunks.filter(|hunk| !(writes && hunk.conflicted)).map(|hunk| hunk.id.clone());
        let hunks: Vec<_> = hunks.collect();
        if hunks.is_empty() {
            let problem =
                "no hunk of that file is left to decide at once; conflicted hunks are decided one by one";
            return Err(Invalid::new("arguments", problem).into());
        }
        Ok(hunks)
    }

    async fn go(
        &self,
        session: &Arc<SessionContext>,
        sink: &Arc<dyn ClientSink>,
        forward: bool,
        from: Option<&Location>,
    ) -> Result<()> {
        let waiting = self.waiting(session, None).await?;
        let Some((one, hunk)) = neighbour(&waiting, from, forward) else {
            show_message(&**sink, INFO, "editd: no change is pending.");
            return Ok(());
        };
        let without_file = if one.landed { HunkKind::Delete } else { HunkKind::Create };
        if hunk.kind.as_deref() == Some(without_file.as_ref()) {
            return self.show_diff(session, sink, Some(one.id.clone())).await;
        }
        let at = json!({ "line": hunk.line, "character": 0 });
        let params = json!({
            "uri": uri_of(&hunk.path), "takeFocus": true, "selection": { "start": at, "end": at },
        });
        let fallback = format!("editd: the change is in {}, line {}.", hunk.path.display(), hunk.line + 1);
        show_document(session, sink, params, fallback);
        Ok(())
    }

    async fn show_diff(
        &self,
        session: &Arc<SessionContext>,
        sink: &Arc<dyn ClientSink>,
        id: Option<String>,
    ) -> Result<()> {
        let id = match id {
            Some(id) => id,
            None => match self.waiting(session, None).await?.as_slice() {
                [one] => one.id.clone(),
                [] => return Err(Invalid::new("arguments", "no change is pending").into()),
                _ => {
                    let problem = "several proposals are pending; choose one by a code action";
                    return Err(Invalid::new("arguments", problem).into());
                }
            },
        };
        if session.abilities.text_document_content {
            let uri = format!("editd:///{id}/diff/{id}.diff");
            let fallback = format!("editd: the diff is {uri}.");
            show_document(session, sink, json!({ "uri": uri, "takeFocus": true }), fallback);
            return Ok(());
        }
        let Some(text) = self.diff_text(session, &id).await? else {
            return Err(Invalid::new("arguments", "that proposal is no longer pending").into());
        };
        let path = documents::diff_file(&self.engine, &id);
        let (to, fallback) = (path.clone(), format!("editd: the diff is in {}.", path.display()));
        let written = blocking(move || documents::write(&to, &text)).await?;
        written.map_err(|error| Failure::Fault(format!("The diff could not be written: {error}.")))?;
        show_document(session, sink, json!({ "uri": uri_of(&path), "takeFocus": true }), fallback);
        Ok(())
    }
}

/// Makes the editor show a document. If the editor cannot or does not, shows `fallback` as a message, which
/// says where the document is.
fn show_document(
    session: &SessionContext,
    sink: &Arc<dyn ClientSink>,
    params: serde_json::Value,
    fallback: String,
) {
    if !session.abilities.show_document {
        return show_message(&**sink, INFO, &fallback);
    }
    let asked: PendingResponse = sink.request("window/showDocument", params);
    let sink = sink.clone();
    // The editor may answer only after it has received the answer to its own request, so do not wait here.
    tokio::spawn(async move {
        let shown = matches!(asked.await, Ok(Ok(answer)) if answer["success"] != false);
        if !shown {
            show_message(&*sink, INFO, &fallback);
        }
    });
}

impl Failure {
    fn message(&self) -> String {
        match self {
            Self::Refused(refusals) => {
                let messages = refusals.iter().map(|refusal| refusal.message(Audience::Wire));
                messages.collect::<Vec<_>>().join(" ")
            }
            Self::Invalid(invalid) => invalid_params(invalid.clone(), Audience::Wire).message,
            Self::Fault(message) => message.clone(),
        }
    }
}
