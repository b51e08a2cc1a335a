//! The server side of the LSP framework. Only this module, [`connection`](super::connection), which drives
//! the service, and `message` use the framework.

mod documents;
mod introduce;
mod request;
mod review;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use lsp_types::{
    CodeLens, CodeLensParams, DidChangeWorkspaceFoldersParams, ExecuteCommandParams, InitializeParams,
    InitializeResult, InitializedParams, OneOf, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkspaceFolder,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::daemon::{ClientSink, Daemon, Failure, Follow, SessionContext};
use crate::protocol::{
    Apply, ApplyResult, Blame, BlameResult, Changes, ChangesResult, Code, DIAGNOSTICS_CHANGED,
    DOCUMENT_STATE, Decide, Diagnostics, DiagnosticsResult, Discard, EDITOR_METHODS, Edit, Entries, FOCUS,
    Find, FocusParams, Forget, ForgetResult, HistoryMethod, HistoryResult, Invalid, List, METHODS, Method,
    PROTOCOL, ProposalMethod, ProposalResult, Proposals, ProposalsResult, Propose, ProposeResult, Read,
    ReadResult, Reopen, RpcError, Search, SearchResult, Shutdown, ShutdownResult, Status, StatusResult,
    TOOLS, Undo, decode, path_of_uri,
};
use crate::text::PositionEncoding;
use crate::workspace::{Abilities, Audience, Role};

use introduce::{encoding_kind, introduction};

use introduce::copy_newer_capabilities;
pub(super) use request::request;
pub(super) use review::complete;
use review::routed;

/// The framework's backend for one connection.
pub(crate) struct Backend {
    daemon: Daemon,
    role: Role,
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
    role: Role,
    sink: Arc<dyn ClientSink>,
    session: Arc<OnceLock<Arc<SessionContext>>>,
) -> (LspService<Backend>, ClientSocket) {
    let (follow, gone) = (Follow::default(), CancellationToken::new());
    let backend = |_| {
        let guard = gone.clone().drop_guard();
        Backend { daemon, role, sink, session, follow, gone, _guard: guard }
    };
    LspService::build(backend)
        .custom_method(Read::NAME, Backend::read)
        .custom_method(Search::NAME, Backend::search)
        .custom_method(Find::NAME, Backend::find)
        .custom_method(List::NAME, Backend::list)
        .custom_method(Forget::NAME, Backend::forget)
        .custom_method(Propose::NAME, Backend::propose)
        .custom_method(Apply::NAME, Backend::apply)
        .custom_method(Edit::NAME, Backend::edit)
        .custom_method(Discard::NAME, Backend::discard)
        .custom_method(ProposalMethod::NAME, Backend::proposal)
        .custom_method(Proposals::NAME, Backend::proposals)
        .custom_method(Undo::NAME, Backend::undo)
        .custom_method(HistoryMethod::NAME, Backend::history)
        .custom_method(Blame::NAME, Backend::blame)
        .custom_method(Changes::NAME, Backend::changes)
        .custom_method(Diagnostics::NAME, Backend::diagnostics)
        .custom_method(DIAGNOSTICS_CHANGED, Backend::diagnostics_changed)
        .custom_method(Status::NAME, Backend::status)
        .custom_method(Decide::NAME, Backend::decide)
        .custom_method(Reopen::NAME, Backend::reopen)
        .custom_method(Shutdown::NAME, Backend::stop)
        .custom_method(DOCUMENT_STATE, Backend::document_state)
        .custom_method(FOCUS, Backend::focus)
        .custom_method(documents::DID_OPEN, Backend::did_open)
        .custom_method(documents::DID_CHANGE, Backend::did_change)
        .custom_method(documents::DID_SAVE, Backend::did_save)
        .custom_method(documents::DID_CLOSE, Backend::did_close)
        .custom_method(review::CODE_ACTION, Backend::code_actions)
        .custom_method(review::DOCUMENT_CONTENT, Backend::document_content)
        .finish()
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let introduction =
            introduction(self.role, &params).map_err(|invalid| wire(invalid.error(Audience::Wire)))?;
        let (encoding, audience) = (introduction.encoding, introduction.abilities.audience);
        let context =
            self.daemon.introduce(introduction).await.map_err(|failure| wire(failure.error(audience)))?;
        let abilities = context.abilities;
        self.daemon.connect(&context, self.sink_of(abilities));
        if let Some(client) = params.client_info.filter(|client| client.name == env!("CARGO_PKG_NAME")) {
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
        if self.role == Role::Editor {
            methods.extend(EDITOR_METHODS);
        }
        let editd = json!({ "version": version, "protocol": PROTOCOL, "methods": methods, "tools": TOOLS });
        let mut capabilities = ServerCapabilities {
            position_encoding: Some(encoding_kind(encoding)),
            text_document_sync: (self.role == Role::Editor).then(document_sync),
            workspace: (self.role == Role::Editor).then(workspace_folders),
            experimental: Some(json!({ "editd": editd })),
            ..ServerCapabilities::default()
        };
        review::announce(&mut capabilities, abilities);
        InitializeResult {
            capabilities,
            server_info: Some(ServerInfo { name: "editd".to_owned(), version: Some(version.to_owned()) }),
            ..InitializeResult::default()
        }
    }

    fn session(&self) -> Result<&Arc<SessionContext>> {
        self.session.get().ok_or_else(|| Error::new(ErrorCode::ServerError(Code::NotInitialized as i64)))
    }

    /// Returns the session and the parameters of a request.
    fn request<M: Method>(&self, params: Value) -> Result<(&Arc<SessionContext>, M::Params)> {
        let session = self.session()?;
        Ok((session, fields::<M>(params, session.abilities.audience)?))
    }

    async fn read(&self, params: Value) -> Result<ReadResult> {
        let (session, params) = self.request::<Read>(params)?;
        self.daemon.read(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn search(&self, params: Value) -> Result<SearchResult> {
        let (session, params) = self.request::<Search>(params)?;
        self.daemon.search(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn find(&self, params: Value) -> Result<Entries> {
        let (session, params) = self.request::<Find>(params)?;
        self.daemon.find(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn list(&self, params: Value) -> Result<Entries> {
        let (session, params) = self.request::<List>(params)?;
        self.daemon.list(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn forget(&self, params: Value) -> Result<ForgetResult> {
        let (session, params) = self.request::<Forget>(params)?;
        self.daemon.forget(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn propose(&self, params: Value) -> Result<ProposeResult> {
        let (session, params) = self.request::<Propose>(params)?;
        self.daemon.propose(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn apply(&self, params: Value) -> Result<ApplyResult> {
        let (session, params) = self.request::<Apply>(params)?;
        self.daemon.apply(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn edit(&self, params: Value) -> Result<ApplyResult> {
        let (session, params) = self.request::<Edit>(params)?;
        let audience = session.abilities.audience.with_form(params.propose.form());
        self.daemon.edit(session, params).await.map_err(|failure| wire(failure.error(audience)))
    }

    async fn discard(&self, params: Value) -> Result<ProposeResult> {
        let (session, params) = self.request::<Discard>(params)?;
        self.daemon.discard(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn proposal(&self, params: Value) -> Result<ProposalResult> {
        let (session, params) = self.request::<ProposalMethod>(params)?;
        self.daemon.proposal(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn decide(&self, params: Value) -> Result<ProposalResult> {
        let (session, params) = self.request::<Decide>(params)?;
        self.daemon.decide(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn reopen(&self, params: Value) -> Result<ProposalResult> {
        let (session, params) = self.request::<Reopen>(params)?;
        self.daemon.reopen(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn proposals(&self, params: Value) -> Result<ProposalsResult> {
        let (session, params) = self.request::<Proposals>(params)?;
        self.daemon.proposals(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn undo(&self, params: Value) -> Result<ApplyResult> {
        let (session, params) = self.request::<Undo>(params)?;
        self.daemon.undo(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn history(&self, params: Value) -> Result<HistoryResult> {
        let (session, params) = self.request::<HistoryMethod>(params)?;
        self.daemon.history(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn blame(&self, params: Value) -> Result<BlameResult> {
        let (session, params) = self.request::<Blame>(params)?;
        self.daemon.blame(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn changes(&self, params: Value) -> Result<ChangesResult> {
        let (session, params) = self.request::<Changes>(params)?;
        self.daemon.changes(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn diagnostics(&self, params: Value) -> Result<DiagnosticsResult> {
        let (session, params) = self.request::<Diagnostics>(params)?;
        self.daemon.diagnostics(session, params).await.map_err(|failure| failed(failure, session))
    }

    async fn diagnostics_changed(&self, params: Value) {
        // An invalid notification is ignored, because notifications have no response.
        if let (Ok(session), Ok(params)) = (self.session(), decode(params)) {
            self.daemon.diagnostics_changed(session, params);
        }
    }

    async fn status(&self, params: Value) -> Result<StatusResult> {
        let (session, _) = self.request::<Status>(params)?;
        self.daemon.status(session).map_err(|failure| failed(failure, session))
    }

    async fn document_state(&self, params: Value) {
        if let (Some(session), Ok(params)) = (self.session.get(), serde_json::from_value(params)) {
            self.daemon.document_state(session, &params);
        }
    }

    async fn focus(&self, params: Value) {
        if let (Some(session), Ok(FocusParams { uri })) = (self.session.get(), serde_json::from_value(params))
        {
            self.daemon.document_focused(session, &uri);
        }
    }

    async fn stop(&self, params: Value) -> Result<ShutdownResult> {
        fields::<Shutdown>(params, Audience::Wire)?;
        Ok(self.daemon.shutdown())
    }
}

/// Sync options: editors send every change of their open documents.
fn document_sync() -> TextDocumentSyncCapability {
    TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    })
}

/// Workspace options: editors send changes of their folders.
fn workspace_folders() -> WorkspaceServerCapabilities {
    let workspace_folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    WorkspaceServerCapabilities {
        workspace_folders: Some(workspace_folders),
        ..WorkspaceServerCapabilities::default()
    }
}

fn fields<M: Method>(params: Value, audience: Audience) -> Result<M::Params> {
    if !params.is_object() {
        return Err(wire(Invalid::new("", "expected an object").error(audience)));
    }
    decode(params).map_err(|invalid| wire(invalid.error(audience)))
}

fn failed(failure: Failure, session: &SessionContext) -> Error {
    wire(failure.error(session.abilities.audience))
}

/// Converts an error to the framework's type.
pub(crate) fn wire(error: RpcError) -> Error {
    Error { code: ErrorCode::from(error.code), message: error.message.into(), data: error.data }
}
