use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::daemon::clients::Asked;
use crate::daemon::{Daemon, Failure, Outlet, SessionContext};
use crate::protocol::plain::{Command, Place, Say, Waiting, neighbour};
use crate::protocol::{DecideParams, Invalid, PickParam, ProposalParams, RpcError, uri_of};

use super::{ERROR, INFO, diffs, show_message};

impl Daemon {
    /// LSP's `workspace/executeCommand`. What is refused is also shown: not every editor shows errors.
    pub async fn run_command(
        &self,
        session: &Arc<SessionContext>,
        outlet: &Arc<dyn Outlet>,
        command: Command,
    ) -> Result<(), Failure> {
        let run = self.run(session, outlet, command).await;
        run.inspect_err(|failure| show_message(&**outlet, ERROR, &format!("editd: {}", failure.message())))
    }

    async fn run(
        &self,
        session: &Arc<SessionContext>,
        outlet: &Arc<dyn Outlet>,
        command: Command,
    ) -> Result<(), Failure> {
        let decision = |id, revision, yes: bool, pick| {
            let (accept, reject) = if yes { (Some(pick), None) } else { (None, Some(pick)) };
            DecideParams { id, revision, accept, reject, ..DecideParams::default() }
        };
        let params = match command {
            Command::Go { forward, from } => return self.go(session, outlet, forward, from.as_ref()).await,
            Command::ShowDiff { id } => return self.show_diff(session, outlet, id).await,
            Command::Hunks { say: Say::Take, id, revision, hunks } => {
                DecideParams { id, revision, take: Some(hunks), ..DecideParams::default() }
            }
            Command::Hunks { say, id, revision, hunks } => {
                decision(id, revision, say == Say::Accept, PickParam::Hunks(hunks))
            }
            Command::All { yes, id, revision } => {
                decision(id, revision, yes, PickParam::Word("all".to_owned()))
            }
            Command::File { yes, id, revision, path } => {
                let hunks = self.hunks_in(session, &id, &path, yes).await?;
                decision(id, revision, yes, PickParam::Hunks(hunks))
            }
        };
        let decided = self.decide(session, params).await?;
        if let Some(notice) = decided.notice {
            show_message(&**outlet, INFO, &format!("editd: {notice}"));
        }
        Ok(())
    }

    /// What is left to decide in a file; conflicts are accepted one by one only.
    async fn hunks_in(
        &self,
        session: &Arc<SessionContext>,
        id: &str,
        path: &str,
        yes: bool,
    ) -> Result<Vec<String>, Failure> {
        let params = ProposalParams { id: id.to_owned(), wait_ms: None };
        let waiting = Waiting::of(&self.proposal(session, params).await?);
        let hunks = waiting.iter().flat_map(|one| &one.hunks).filter(|hunk| hunk.path == Path::new(path));
        let hunks = hunks.filter(|hunk| !(yes && hunk.conflicted)).map(|hunk| hunk.id.clone());
        let hunks: Vec<_> = hunks.collect();
        if hunks.is_empty() {
            let problem = "nothing is left to decide at once in that file; what has changed since is decided one by one";
            return Err(Invalid::new("arguments", problem).into());
        }
        Ok(hunks)
    }

    async fn go(
        &self,
        session: &Arc<SessionContext>,
        outlet: &Arc<dyn Outlet>,
        forward: bool,
        from: Option<&Place>,
    ) -> Result<(), Failure> {
        let waiting = self.waiting(session, None).await?;
        let Some((one, hunk)) = neighbour(&waiting, from, forward) else {
            show_message(&**outlet, INFO, "editd: no change waits for you.");
            return Ok(());
        };
        if hunk.kind.as_deref() == Some("create") {
            // There is nothing yet to go to.
            return self.show_diff(session, outlet, Some(one.id.clone())).await;
        }
        let at = json!({ "line": hunk.line, "character": 0 });
        let params = json!({
            "uri": uri_of(&hunk.path), "takeFocus": true, "selection": { "start": at, "end": at },
        });
        let words = format!("editd: the change is in {}, line {}.", hunk.path.display(), hunk.line + 1);
        show_document(session, outlet, params, words);
        Ok(())
    }

    async fn show_diff(
        &self,
        session: &Arc<SessionContext>,
        outlet: &Arc<dyn Outlet>,
        id: Option<String>,
    ) -> Result<(), Failure> {
        let id = match id {
            Some(id) => id,
            None => match self.waiting(session, None).await?.as_slice() {
                [one] => one.id.clone(),
                [] => return Err(Invalid::new("arguments", "no change waits for you").into()),
                _ => {
                    return Err(Invalid::new(
                        "arguments",
                        "several proposals wait; choose one by a code action",
                    )
                    .into());
                }
            },
        };
        if session.abilities.text_document_content {
            let uri = format!("editd:///{id}/diff/{id}.diff");
            let words = format!("editd: the diff is {uri}.");
            show_document(session, outlet, json!({ "uri": uri, "takeFocus": true }), words);
            return Ok(());
        }
        let Some(text) = self.diff_text(session, &id).await? else {
            return Err(Invalid::new("arguments", "that proposal does not wait any more").into());
        };
        let path = self.core.diff_file(&id);
        let (to, words) = (path.clone(), format!("editd: the diff is in {}.", path.display()));
        let written = super::blocking(move || diffs::write(&to, &text)).await?;
        written.map_err(|error| Failure::Fault(format!("The diff could not be written: {error}.")))?;
        show_document(session, outlet, json!({ "uri": uri_of(&path), "takeFocus": true }), words);
        Ok(())
    }
}

/// Has the editor show a document; where it cannot, or does not, `words` tell the person where it is.
fn show_document(
    session: &SessionContext,
    outlet: &Arc<dyn Outlet>,
    params: serde_json::Value,
    words: String,
) {
    if !session.abilities.show_document {
        return show_message(&**outlet, INFO, &words);
    }
    let asked: Asked = outlet.request("window/showDocument", params);
    let outlet = outlet.clone();
    // The editor may answer only after it has the answer to what it asked itself.
    tokio::spawn(async move {
        let shown = matches!(asked.await, Ok(Ok(answer)) if answer["success"] != false);
        if !shown {
            show_message(&*outlet, INFO, &words);
        }
    });
}

impl Failure {
    fn message(&self) -> String {
        match self {
            Self::Refused(refusals) => {
                let messages = refusals.iter().map(crate::workspace::Refusal::message);
                messages.collect::<Vec<_>>().join(" ")
            }
            Self::Invalid(invalid) => RpcError::from(invalid.clone()).message,
            Self::Fault(message) => message.clone(),
        }
    }
}
