//! The server side of the LSP framework. Only this module, [`connection`](super::connection), which drives
//! the service, and `message` use the framework.

mod documents;
mod initialize;
mod review;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use lsp_types::{
    CodeActionKind, CodeLens, CodeLensParams, DidChangeWorkspaceFoldersParams, ExecuteCommandParams,
    InitializeParams, InitializeResult, InitializedParams, ServerInfo, TextDocumentSyncKind, WorkspaceFolder,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Result};
use tower_lsp::{LanguageServer, LspService, LspServiceBuilder};

use crate::server::{ClientSink, Daemon, Failure, Follow, SessionContext};
use editd_protocol::lsp_review::COMMANDS;
use editd_protocol::{
    self as protocol, ApplyResult, Code, DIAGNOSTICS_CHANGED, DOCUMENT_CONTENT, DOCUMENT_STATE,
    DocumentStateParams, EDITOR_METHODS, Edit, FOCUS, FocusParams, Invalid, LEAVING, METHODS, Method, NAME,
    PROTOCOL, RpcError, Shutdown, ShutdownResult, Status, StatusResult, TOOLS, decode, ends_of,
    invalid_params, path_of_uri, with_methods,
};
use editd_text::PositionEncoding;
use editd_workspace::{Abilities, Audience, DocumentEvent, Role};

use initialize::{copy_newer_capabilities, encoding_kind, introduction};
pub(super) use review::complete;

/// The program at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    /// The role that its socket grants.
    pub(super) role: Role,
    /// The process; `None` if the system does not tell, as for a process that this one cannot see.
    pub(super) process: Option<i32>,
}

/// The framework's backend for one connection.
pub(crate) struct Backend {
    daemon: Daemon,
    peer: Peer,
    sink: Arc<dyn ClientSink>,
    session: Arc<OnceLock<Arc<SessionContext>>>,
    follow: Follow,
    /// Cancelled when the connection ends.
    gone: CancellationToken,
    _guard: DropGuard,
}

/// Creates the framework's service for one connection. `initialize` sets `session`.
pub(crate) fn service(
    daemon: Daemon,
    peer: Peer,
    sink: Arc<dyn ClientSink>,
    session: Arc<OnceLock<Arc<SessionContext>>>,
) -> LspService<Backend> {
    let (follow, gone) = (Follow::default(), CancellationToken::new());
    let backend = |_| {
        let guard = gone.clone().drop_guard();
        Backend { daemon, peer, sink, session, follow, gone, _guard: guard }
    };
    with_methods(LspService::build(backend))
        .custom_method(Edit::NAME, Backend::edit)
        .custom_method(Status::NAME, Backend::status)
        .custom_method(Shutdown::NAME, Backend::stop)
        .custom_method(DIAGNOSTICS_CHANGED, Backend::diagnostics_changed)
        .custom_method(DOCUMENT_STATE, Backend::document_state)
        .custom_method(FOCUS, Backend::focus)
        .custom_method(LEAVING, Backend::leaving)
        .custom_method(documents::DID_OPEN, Backend::did_open)
        .custom_method(documents::DID_CHANGE, Backend::did_change)
        .custom_method(documents::DID_SAVE, Backend::did_save)
        .custom_method(documents::DID_CLOSE, Backend::did_close)
        .custom_method(review::CODE_ACTION, Backend::code_actions)
        .custom_method(DOCUMENT_CONTENT, Backend::document_content)
        .finish()
        .0
}

/// Defines a request handler for each method, which calls the daemon's function of that name, and registers
/// them all.
macro_rules! handlers {
    ($($(#[$_list:meta])* $list:ident {
        $($(#[$_doc:meta])* $method:ident = $name:literal, $params:ty => $result:ty $(, $function:ident)?;)*
    })*) => {
        impl Backend {$($($(
            async fn $function(&self, params: Value) -> Result<<protocol::$method as Method>::Result> {
                let (session, params) = self.request::<protocol::$method>(params)?;
                let answer = self.daemon.$function(session, params).await;
                answer.map_err(|failure| wire(failure.error(session.abilities.audience)))
            }
        )?)*)*}

        fn with_methods(builder: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
            builder$($($(.custom_method($name, Backend::$function))?)*)*
        }
    };
}

with_methods!(handlers);

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let introduction = introduction(self.peer, &params).map_err(failed)?;
        let (encoding, audience) = (introduction.encoding, introduction.abilities.audience);
        let context =
            self.daemon.introduce(introduction).await.map_err(|failure| wire(failure.error(audience)))?;
        let abilities = context.abilities;
        self.daemon.connect(&context, self.sink_of(abilities));
        if let Some(client) = params.client_info.filter(|client| client.name == NAME) {
            self.daemon.met_client_version(client.version.as_deref().unwrap_or_default());
        }
        // The framework lets only one `initialize` succeed.
        let _ = self.session.set(Arc::new(context));
        Ok(self.initialize_result(encoding, abilities))
    }

    async fn initialized(&self, _: InitializedParams) {
        self.start_following();
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            folders.iter().filter_map(|folder| path_of_uri(folder.uri.as_str()).ok()).collect()
        };
        if let Some(session) = self.session.get() {
            let (gone, added) = (paths(&params.event.removed), paths(&params.event.added));
            self.daemon.folders_changed(session, &gone, &added);
            self.follow.look_again();
        }
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.code_lenses(params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        self.run_command(params).await.map(|()| None)
    }
}

#[expect(
    clippy::unused_async,
    reason = "the framework's handlers are asynchronous, whether or not they wait"
)]
impl Backend {
    fn initialize_result(&self, encoding: PositionEncoding, abilities: Abilities) -> InitializeResult {
        let version = env!("CARGO_PKG_VERSION");
        let mut methods = METHODS.to_vec();
        let mut capabilities = json!({ "positionEncoding": encoding_kind(encoding) });
        if self.peer.role == Role::Editor {
            methods.extend(EDITOR_METHODS);
            // Editors send every change of their open documents and of their folders.
            capabilities["textDocumentSync"] = json!({
                "openClose": true, "change": TextDocumentSyncKind::INCREMENTAL, "save": true,
            });
            let folders = json!({ "supported": true, "changeNotifications": true });
            capabilities["workspace"] = json!({ "workspaceFolders": folders });
        }
        if abilities.reviews_plainly() {
            let kinds = json!([CodeActionKind::QUICKFIX, "source.editd"]);
            capabilities["codeActionProvider"] = json!({ "codeActionKinds": kinds });
            capabilities["executeCommandProvider"] = json!({ "commands": COMMANDS });
            if abilities.code_lens {
                capabilities["codeLensProvider"] = json!({ "resolveProvider": false });
            }
        }
        let editd = json!({ "version": version, "protocol": PROTOCOL, "methods": methods, "tools": TOOLS });
        capabilities["experimental"] = json!({ "editd": editd });
        InitializeResult {
            capabilities: serde_json::from_value(capabilities).expect("these are capabilities of LSP"),
            server_info: Some(ServerInfo { name: NAME.to_owned(), version: Some(version.to_owned()) }),
            ..InitializeResult::default()
        }
    }

    fn session(&self) -> Result<&Arc<SessionContext>> {
        self.session.get().ok_or_else(|| Error::new(ErrorCode::ServerError(Code::NotInitialized as i64)))
    }

    /// Returns the session and the parameters of a request.
    fn request<M: Method>(&self, params: Value) -> Result<(&Arc<SessionContext>, M::Params)> {
        let session = self.session()?;
        let invalid = |invalid: Invalid| wire(invalid_params(invalid, session.abilities.audience));
        if !params.is_object() {
            return Err(invalid(Invalid::new("", "expected an object")));
        }
        Ok((session, decode(params).map_err(invalid)?))
    }

    /// `editd/edit`. A refusal is worded for the form of the change.
    async fn edit(&self, params: Value) -> Result<ApplyResult> {
        let (session, params) = self.request::<Edit>(params)?;
        let audience = session.abilities.audience.with_form(params.propose.form());
        self.daemon.edit(session, params).await.map_err(|failure| wire(failure.error(audience)))
    }

    async fn status(&self, params: Value) -> Result<StatusResult> {
        let (session, _) = self.request::<Status>(params)?;
        self.daemon.status(session).map_err(|failure| wire(failure.error(session.abilities.audience)))
    }

    async fn diagnostics_changed(&self, params: Value) {
        if let Some((session, params)) = self.notification(params) {
            self.daemon.diagnostics_changed(session, params);
        }
    }

    async fn document_state(&self, params: Value) {
        if let Some((session, DocumentStateParams { uri, dirty, version })) = self.notification(params) {
            self.daemon.document_event(session, &uri, DocumentEvent::State { dirty, version });
        }
    }

    async fn focus(&self, params: Value) {
        if let Some((session, FocusParams { uri, selection })) = self.notification(params) {
            let selection = selection.map(ends_of);
            self.daemon.document_event(session, &uri, DocumentEvent::Focused { selection });
        }
    }

    async fn leaving(&self, _: Value) {
        if let Some(session) = self.session.get() {
            Daemon::may_return(session);
        }
    }

    /// Returns the session and the parameters of a notification. An invalid notification is ignored, because
    /// notifications have no response.
    fn notification<P: DeserializeOwned>(&self, params: Value) -> Option<(&Arc<SessionContext>, P)> {
        Some((self.session.get()?, serde_json::from_value(params).ok()?))
    }

    async fn stop(&self, params: Value) -> Result<ShutdownResult> {
        self.request::<Shutdown>(params)?;
        Ok(self.daemon.shutdown())
    }
}

/// Converts a failure to the framework's type, worded for clients of the protocol.
fn failed(failure: impl Into<Failure>) -> Error {
    wire(failure.into().error(Audience::Wire))
}

/// Converts an error to the framework's type.
pub(crate) fn wire(error: RpcError) -> Error {
    Error { code: ErrorCode::from(error.code), message: error.message.into(), data: error.data }
}

/// Converts a call to a request of the framework. Adds members that clients commonly omit.
pub(super) fn request(id: Option<Value>, method: String, params: Option<Value>) -> Request {
    let params = match (method.as_str(), params) {
        ("initialize", Some(Value::Object(mut params))) => {
            if params.get("capabilities").is_none_or(Value::is_null) {
                params.insert("capabilities".to_owned(), Map::new().into());
            }
            copy_newer_capabilities(&mut params);
            Some(params.into())
        }
        // They have no parameters, which the framework insists on; some clients send an empty object.
        ("shutdown" | "exit", _) => None,
        (method, None | Some(Value::Null)) if method.starts_with("editd/") => Some(Map::new().into()),
        (_, params) => params,
    };
    let mut request = Request::build(routed(method));
    if let Some(params) = params {
        request = request.params(params);
    }
    if let Some(id) = id {
        request = request.id(request_id(&id));
    }
    request.finish()
}

/// Returns the name under which a method is registered. Some methods have an internal name, because the types
/// of the framework lack parts of them.
fn routed(method: String) -> String {
    let internal = match method.as_str() {
        "textDocument/didOpen" => documents::DID_OPEN,
        "textDocument/didChange" => documents::DID_CHANGE,
        "textDocument/didSave" => documents::DID_SAVE,
        "textDocument/didClose" => documents::DID_CLOSE,
        "textDocument/codeAction" => review::CODE_ACTION,
        _ => return method,
    };
    internal.to_owned()
}

fn request_id(id: &Value) -> Id {
    match id {
        Value::String(text) => Id::String(text.clone()),
        other => other.as_i64().map_or(Id::Null, Id::Number),
    }
}
