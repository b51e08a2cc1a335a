//! LSP methods for review in editors without an editd plugin.

use std::sync::Arc;

use lsp_types::{CodeLens, CodeLensParams, ExecuteCommandParams};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;

use editd_protocol::decode;
use editd_protocol::lsp_review::{CodeActionQuery, Command};
use editd_text::with_codes;
use editd_workspace::{Abilities, Role};

use super::{Backend, failed};

/// Internal name of `textDocument/codeAction`, because the framework's types lack newer parts of it.
pub(super) const CODE_ACTION: &str = "editd:codeAction";

/// Adds capabilities of LSP 3.18, which the framework's types lack, to the response to `initialize`.
pub(in crate::transport) fn complete(answer: &mut Value, abilities: Abilities) {
    let capabilities = &mut answer["result"]["capabilities"];
    if abilities.reviews_plainly() && abilities.text_document_content && capabilities.is_object() {
        capabilities["workspace"]["textDocumentContent"] = json!({ "schemes": ["editd"] });
    }
}

/// The relevant parameters of `textDocument/codeAction`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CodeActionRequest {
    text_document: Document,
    range: lsp_types::Range,
    #[serde(default)]
    context: CodeActionContext,
}

#[derive(Deserialize)]
struct Document {
    uri: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CodeActionContext {
    only: Option<Vec<String>>,
    trigger_kind: Option<u32>,
}

/// `CodeActionTriggerKind.Automatic` of LSP.
const AUTOMATIC: u32 = 2;

impl Backend {
    /// Starts to notify the editor about waiting hunks.
    pub(super) fn start_following(&self) {
        let Some(session) = self.session.get().filter(|session| session.abilities.reviews_plainly()) else {
            return;
        };
        let (daemon, session, sink) = (self.daemon.clone(), session.clone(), self.sink.clone());
        tokio::spawn(daemon.follow(session, sink, self.follow.clone(), self.gone.clone()));
    }

    pub(super) async fn code_actions(&self, params: Value) -> Result<Value> {
        let session = self.session()?;
        if !session.abilities.reviews_plainly() {
            return Ok(Value::Null);
        }
        let CodeActionRequest { text_document, range, context } = decode(params).map_err(failed)?;
        // A selection of whole lines ends at the start of the next line, which is not part of it.
        let ends_before = range.end.character == 0 && range.end.line > range.start.line;
        let wanted = CodeActionQuery {
            first: range.start.line,
            last: range.end.line - u32::from(ends_before),
            only: context.only,
            automatic: context.trigger_kind == Some(AUTOMATIC),
            tags: session.abilities.generated_tag,
        };
        let actions = self.daemon.code_actions(session, &text_document.uri, &wanted).await;
        actions.map(Value::from).map_err(failed)
    }

    pub(super) async fn code_lenses(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let session = self.session()?;
        if !session.abilities.reviews_plainly() {
            return Ok(None);
        }
        let lenses = self.daemon.code_lenses(session, params.text_document.uri.as_str());
        let lenses = lenses.await.map_err(failed)?.into_iter();
        Ok(Some(lenses.filter_map(|lens| serde_json::from_value(lens).ok()).collect()))
    }

    pub(super) async fn run_command(&self, params: ExecuteCommandParams) -> Result<()> {
        let session = self.session()?;
        let command = Command::read(&params.command, params.arguments).map_err(failed)?;
        let done = self.daemon.run_command(session, &self.sink, command).await;
        // A session receives no notification about its own decision.
        self.follow.look_again();
        done.map_err(|failure| {
            let mut error = failed(failure);
            // Editors show it. Paths in it may contain any characters.
            error.message = with_codes(&error.message).into();
            error
        })
    }

    pub(super) async fn document_content(&self, params: Value) -> Result<Value> {
        let Document { uri } = decode(params).map_err(failed)?;
        let content = self.daemon.document_content(self.session()?, &uri).await.map_err(failed)?;
        Ok(json!(content))
    }

    /// Returns the sink for notifications to a session, depending on its abilities.
    pub(super) fn sink_of(&self, abilities: Abilities) -> Arc<dyn crate::server::ClientSink> {
        if self.peer.role == Role::Editor && abilities.reviews_plainly() {
            self.follow.sink(self.sink.clone())
        } else {
            self.sink.clone()
        }
    }
}
