//! The connected clients, as the engine sees them.

use std::sync::Arc;

use lsp_types::TextEdit;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::engine::clients::{
    Client, EditorAnswer, EditorReply, EditorRequestError, RenameAnswer, RenameEdit, RenameReply,
};
use crate::engine::editors::{EditorPart, FileInEditor, Saving};
use editd_protocol::{
    APPLY_EDITS, ApplyEditsParams, DocumentEdits, DocumentsResult, FILE_CHANGED, FILE_RENAMED, PROGRESS,
    PROPOSAL_CHANGED, RELOAD, RENAME, RESYNC, RenameParams, RenameResult, RenamedFile, RpcError, SAVE,
    UrisParams, encoding_name, encoding_named, ends_of, path_of_uri, range_of, text_edits, uri_of,
};
use editd_text::{ContentHash, Position, PositionEncoding, visible, with_codes};
use editd_workspace::Notice;

/// The standard LSP request to apply an edit.
const APPLY_EDIT: &str = "workspace/applyEdit";
/// The LSP request that asks the user a question.
const ASK: &str = "window/showMessageRequest";
/// The LSP message type for information.
const INFO: u32 = 3;
/// The choice with which the user saves the document.
const YES: &str = "Save";

/// The pending answer of a client to a request from the daemon. The sender is dropped when the client
/// disconnects.
pub type PendingResponse = oneshot::Receiver<Result<Value, RpcError>>;

/// Sends messages to a client. Sending never waits: the connection disconnects a client that does not read.
pub trait ClientSink: Send + Sync {
    /// Sends a notification.
    fn notify(&self, method: &'static str, params: Value);

    /// Sends a request.
    fn request(&self, method: &'static str, params: Value) -> PendingResponse;
}

/// A client of the engine behind a sink for messages.
pub(crate) struct WireClient(pub(crate) Arc<dyn ClientSink>);

impl WireClient {
    /// Sends a request now. The reply reads the answer with `read`.
    fn request(&self, method: &'static str, params: Value, read: fn(Value) -> EditorAnswer) -> EditorReply {
        let response = self.0.request(method, params);
        Box::pin(async move {
            match response.await {
                Ok(Ok(value)) => Ok(read(value)),
                Ok(Err(error)) => Err(EditorRequestError::Error(error.message)),
                Err(_) => Err(EditorRequestError::Gone),
            }
        })
    }
}

impl Client for WireClient {
    fn notify(&self, notice: &Notice) {
        let (method, params) = match notice {
            Notice::FileChanged { path, hash, by } => {
                let hash = hash.map(|hash| hash.to_string());
                let path_text = path.display().to_string();
                (FILE_CHANGED, json!({ "uri": uri_of(path), "path": path_text, "hash": hash, "by": by }))
            }
            Notice::FileRenamed { uri, to } => {
                let path = to.display().to_string();
                (FILE_RENAMED, json!({ "uri": uri, "newUri": uri_of(to), "newPath": path }))
            }
            Notice::ProposalChanged { id, revision, state } => {
                let params =
                    json!({ "id": id.to_string(), "revision": revision, "state": state.to_string() });
                (PROPOSAL_CHANGED, params)
            }
        };
        self.0.notify(method, params);
    }

    fn report_walk(&self, token: &str, (files, bytes): (usize, u64)) {
        let message = format!("{files} files, {} MiB", bytes >> 20);
        let value = json!({ "kind": "report", "message": message, "files": files, "bytes": bytes });
        self.0.notify(PROGRESS, json!({ "token": token, "value": value }));
    }

    fn apply_edits(&self, parts: &[&EditorPart], id: &str, label: &str) -> EditorReply {
        // Editors show it in one line. A label may have several.
        let label = visible(label).collect::<String>().trim_end().to_owned();
        let has_plugin = parts.first().is_some_and(|part| part.editor.abilities.apply_edits);
        let edits = |part: &EditorPart| {
            let (text, plan) = part.buffer.as_in_editor(&part.plan);
            (text_edits(&text, &plan, part.buffer.encoding), text)
        };
        if has_plugin {
            let documents = parts.iter().map(|part| {
                let (edits, text) = edits(part);
                DocumentEdits {
                    uri: part.buffer.id.uri.clone(),
                    version: part.buffer.version,
                    base_hash: ContentHash::of_chunks(text.chunks().map(str::as_bytes)).to_string(),
                    edits,
                    save: part.save == Saving::Yes,
                }
            });
            let params = json!(ApplyEditsParams { id: id.to_owned(), label, documents: documents.collect() });
            return self.request(APPLY_EDITS, params, applied);
        }
        // Built without the LSP types, because they reject some of the URIs that editors send.
        let standard = |part: &&EditorPart| {
            let document = json!({ "uri": part.buffer.id.uri, "version": part.buffer.version });
            json!({ "textDocument": document, "edits": edits(part).0 })
        };
        let edit = json!({ "documentChanges": parts.iter().map(standard).collect::<Value>() });
        self.request(APPLY_EDIT, json!({ "label": label, "edit": edit }), applied)
    }

    fn reload(&self, uri: &str) -> EditorReply {
        self.request(RELOAD, json!(UrisParams { uris: vec![uri.to_owned()] }), documents)
    }

    fn resync(&self, uri: &str) -> EditorReply {
        self.request(RESYNC, json!(UrisParams { uris: vec![uri.to_owned()] }), documents)
    }

    fn save(&self, uris: &[String]) -> EditorReply {
        self.request(SAVE, json!(UrisParams { uris: uris.to_vec() }), documents)
    }

    fn rename(
        &self,
        file: &FileInEditor,
        (at, encoding): (Position, PositionEncoding),
        new: &str,
    ) -> RenameReply {
        let uri = match file {
            FileInEditor::Open(uri) => uri.clone(),
            FileInEditor::Closed(path) => uri_of(path).to_string(),
        };
        let position = range_of(at, at).start;
        let position_encoding = encoding_name(encoding).to_owned();
        let params = RenameParams { uri, position, position_encoding, new_name: new.to_owned() };
        let response = self.0.request(RENAME, json!(params));
        Box::pin(async move {
            match response.await {
                Ok(Ok(value)) => Ok(serde_json::from_value(value).ok().flatten().map(rename_answer)),
                Ok(Err(error)) => Err(EditorRequestError::Error(error.message)),
                Err(_) => Err(EditorRequestError::Gone),
            }
        })
    }

    fn ask_to_save(&self, question: &str) -> EditorReply {
        let actions = json!([{ "title": YES }, { "title": "Not now" }]);
        // The name of the file may contain any characters.
        let params = json!({ "type": INFO, "message": with_codes(question), "actions": actions });
        self.request(ASK, params, |chosen| EditorAnswer { applied: chosen["title"] == YES, reason: None })
    }
}

/// Reads the edits of a language server.
fn rename_answer(RenameResult { files, position_encoding, reason }: RenameResult) -> RenameAnswer {
    let mut answer = RenameAnswer { reason, ..RenameAnswer::default() };
    answer.encoding = position_encoding.as_deref().and_then(encoding_named);
    for RenamedFile { uri, edits } in files {
        let Ok(path) = path_of_uri(&uri) else {
            answer.reason = Some(format!("it would also change {uri}, which is not a file"));
            continue;
        };
        let edit = |edit: TextEdit| {
            let (start, end) = ends_of(edit.range);
            RenameEdit { start, end, new: edit.new_text }
        };
        answer.files.push((path, edits.into_iter().map(edit).collect()));
    }
    answer
}

/// Reads the answer of an editor to a request of editd.
fn documents(value: Value) -> EditorAnswer {
    let DocumentsResult { applied, reason, .. } = serde_json::from_value(value).unwrap_or_default();
    EditorAnswer { applied, reason }
}

/// Reads the answer of an editor to either of the two requests that apply edits.
fn applied(value: Value) -> EditorAnswer {
    let standard_reason = value["failureReason"].as_str().map(str::to_owned);
    let EditorAnswer { applied, reason } = documents(value);
    EditorAnswer { applied, reason: reason.or(standard_reason) }
}
