//! The LSP framework: the only place that names it, next to [`connection`](super::connection), which
//! drives its service.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, InitializeParams, InitializeResult, OneOf,
    PositionEncodingKind, ServerCapabilities, ServerInfo, TextDocumentContentChangeEvent,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFolder, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::daemon::{Daemon, Failure, Introduction, Outlet, SessionContext};
use crate::protocol::{
    Apply, ApplyResult, Blame, BlameResult, Changes, ChangesResult, Code, DIAGNOSTICS_CHANGED,
    DOCUMENT_STATE, Decide, Diagnostics, DiagnosticsResult, Discard, Edit, FOCUS, FocusParams, HistoryMethod,
    HistoryResult, Invalid, Method, PROTOCOL, ProposalMethod, ProposalResult, Proposals, ProposalsResult,
    Propose, ProposeResult, Read, ReadResult, RpcError, Shutdown, ShutdownResult, Status, StatusResult, Undo,
    decode, path_of_uri,
};
use crate::text::{Position, PositionEncoding};
use crate::workspace::buffers::TextChange;
use crate::workspace::history::DISK;
use crate::workspace::{Abilities, Role};

/// The methods that every session may call, as `initialize` announces them.
pub(super) const METHODS: [&str; 13] = [
    Read::NAME,
    Propose::NAME,
    Apply::NAME,
    Edit::NAME,
    Discard::NAME,
    ProposalMethod::NAME,
    Proposals::NAME,
    Undo::NAME,
    HistoryMethod::NAME,
    Blame::NAME,
    Changes::NAME,
    Diagnostics::NAME,
    Status::NAME,
];

/// One connection's side of the framework.
pub(crate) struct Backend {
    daemon: Daemon,
    role: Role,
    outlet: Arc<dyn Outlet>,
    session: Arc<OnceLock<Arc<SessionContext>>>,
}

/// The framework's service for one connection. `session` is filled by `initialize`.
pub(crate) fn service(
    daemon: Daemon,
    role: Role,
    outlet: Arc<dyn Outlet>,
    session: Arc<OnceLock<Arc<SessionContext>>>,
) -> (LspService<Backend>, ClientSocket) {
    LspService::build(|_| Backend { daemon, role, outlet, session })
        .custom_method(Read::NAME, Backend::read)
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
        .custom_method(Shutdown::NAME, Backend::stop)
        .custom_method(DOCUMENT_STATE, Backend::document_state)
        .custom_method(FOCUS, Backend::focus)
        .finish()
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let introduction = introduction(self.role, &params).map_err(|invalid| wire(invalid.into()))?;
        let encoding = introduction.encoding;
        let context = self.daemon.introduce(introduction).await.map_err(failed)?;
        self.daemon.connect(&context, self.outlet.clone()).map_err(failed)?;
        if let Some(client) = params.client_info.filter(|client| client.name == env!("CARGO_PKG_NAME")) {
            self.daemon.met_client_version(client.version.as_deref().unwrap_or_default());
        }
        // The framework lets only one `initialize` succeed.
        let _ = self.session.set(Arc::new(context));
        Ok(self.initialize_result(encoding))
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        if let Some(session) = self.session.get() {
            self.daemon.document_opened(session, document.uri.as_str(), document.version, &document.text);
        }
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let DidChangeTextDocumentParams { text_document, content_changes } = params;
        let changes = content_changes.into_iter().map(text_change).collect();
        if let Some(session) = self.session.get() {
            let (uri, version) = (text_document.uri.as_str(), text_document.version);
            self.daemon.document_changed(session, uri, version, changes);
        }
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            folders.iter().filter_map(|folder| path_of_uri(folder.uri.as_str()).ok()).collect()
        };
        if let Some(session) = self.session.get() {
            let (gone, added) = (paths(&params.event.removed), paths(&params.event.added));
            self.daemon.folders_changed(session, &gone, &added);
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        if let Some(session) = self.session.get() {
            self.daemon.document_saved(session, params.text_document.uri.as_str());
        }
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        if let Some(session) = self.session.get() {
            self.daemon.document_closed(session, params.text_document.uri.as_str());
        }
    }
}

#[expect(
    clippy::unused_async,
    reason = "the framework's handlers are asynchronous, whether or not they wait"
)]
impl Backend {
    fn initialize_result(&self, encoding: PositionEncoding) -> InitializeResult {
        let version = env!("CARGO_PKG_VERSION");
        let mut methods = METHODS.to_vec();
        if self.role == Role::Editor {
            methods.extend([Decide::NAME, Shutdown::NAME]);
        }
        let tools: [&str; 0] = [];
        let editd = json!({ "version": version, "protocol": PROTOCOL, "methods": methods, "tools": tools });
        InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(encoding_kind(encoding)),
                text_document_sync: (self.role == Role::Editor).then(document_sync),
                workspace: (self.role == Role::Editor).then(workspace_folders),
                experimental: Some(json!({ "editd": editd })),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo { name: "editd".to_owned(), version: Some(version.to_owned()) }),
            ..InitializeResult::default()
        }
    }

    fn session(&self) -> Result<&Arc<SessionContext>> {
        self.session.get().ok_or_else(|| Error::new(ErrorCode::ServerError(Code::NotInitialized as i64)))
    }

    async fn read(&self, params: Value) -> Result<ReadResult> {
        self.daemon.read(self.session()?, fields::<Read>(params)?).await.map_err(failed)
    }

    async fn propose(&self, params: Value) -> Result<ProposeResult> {
        self.daemon.propose(self.session()?, fields::<Propose>(params)?).await.map_err(failed)
    }

    async fn apply(&self, params: Value) -> Result<ApplyResult> {
        self.daemon.apply(self.session()?, fields::<Apply>(params)?).await.map_err(failed)
    }

    async fn edit(&self, params: Value) -> Result<ApplyResult> {
        self.daemon.edit(self.session()?, fields::<Edit>(params)?).await.map_err(failed)
    }

    async fn discard(&self, params: Value) -> Result<ProposeResult> {
        self.daemon.discard(self.session()?, fields::<Discard>(params)?).await.map_err(failed)
    }

    async fn proposal(&self, params: Value) -> Result<ProposalResult> {
        self.daemon.proposal(self.session()?, fields::<ProposalMethod>(params)?).await.map_err(failed)
    }

    async fn decide(&self, params: Value) -> Result<ProposalResult> {
        self.daemon.decide(self.session()?, fields::<Decide>(params)?).await.map_err(failed)
    }

    async fn proposals(&self, params: Value) -> Result<ProposalsResult> {
        self.daemon.proposals(self.session()?, fields::<Proposals>(params)?).await.map_err(failed)
    }

    async fn undo(&self, params: Value) -> Result<ApplyResult> {
        self.daemon.undo(self.session()?, fields::<Undo>(params)?).await.map_err(failed)
    }

    async fn history(&self, params: Value) -> Result<HistoryResult> {
        self.daemon.history(self.session()?, fields::<HistoryMethod>(params)?).await.map_err(failed)
    }

    async fn blame(&self, params: Value) -> Result<BlameResult> {
        self.daemon.blame(self.session()?, fields::<Blame>(params)?).await.map_err(failed)
    }

    async fn changes(&self, params: Value) -> Result<ChangesResult> {
        self.daemon.changes(self.session()?, fields::<Changes>(params)?).await.map_err(failed)
    }

    async fn diagnostics(&self, params: Value) -> Result<DiagnosticsResult> {
        self.daemon.diagnostics(self.session()?, fields::<Diagnostics>(params)?).await.map_err(failed)
    }

    async fn diagnostics_changed(&self, params: Value) {
        // What cannot be read is not answered: it is a notification.
        if let (Ok(session), Ok(told)) = (self.session(), decode(params)) {
            self.daemon.diagnostics_changed(session, told);
        }
    }

    async fn status(&self, params: Value) -> Result<StatusResult> {
        fields::<Status>(params)?;
        self.daemon.status(self.session()?).map_err(failed)
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
        fields::<Shutdown>(params)?;
        Ok(self.daemon.shutdown())
    }
}

/// Editors tell every change of what they have open.
fn document_sync() -> TextDocumentSyncCapability {
    TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    })
}

/// And which folders they have open.
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

fn text_change(change: TextDocumentContentChangeEvent) -> TextChange {
    let position =
        |at: lsp_types::Position| Position { line: at.line as usize, character: at.character as usize };
    let range = change.range.map(|range| (position(range.start), position(range.end)));
    TextChange { range, text: change.text }
}

fn fields<M: Method>(params: Value) -> Result<M::Params> {
    if !params.is_object() {
        return Err(wire(Invalid::new("", "expected an object").into()));
    }
    decode(params).map_err(|invalid| wire(invalid.into()))
}

fn failed(failure: Failure) -> Error {
    wire(failure.into())
}

/// An error in the framework's terms.
pub(crate) fn wire(error: RpcError) -> Error {
    Error { code: ErrorCode::from(error.code), message: error.message.into(), data: error.data }
}

fn introduction(role: Role, params: &InitializeParams) -> std::result::Result<Introduction, Invalid> {
    let author = params.client_info.as_ref().map(|client| client.name.trim()).filter(|name| !name.is_empty());
    Ok(Introduction {
        role,
        // `disk` stands for programs that do not ask editd.
        author: author.filter(|name| *name != DISK).unwrap_or("unknown").to_owned(),
        roots: roots(role, params)?,
        encoding: encoding(params),
        abilities: if role == Role::Editor { abilities(params) } else { Abilities::default() },
    })
}

fn roots(role: Role, params: &InitializeParams) -> std::result::Result<Vec<PathBuf>, Invalid> {
    let folders = params.workspace_folders.as_deref().unwrap_or_default();
    let mut uris: Vec<_> = folders
        .iter()
        .enumerate()
        .map(|(index, folder)| (format!("workspaceFolders[{index}].uri"), folder.uri.as_str()))
        .collect();
    #[expect(deprecated, reason = "clients of older LSP versions send nothing else")]
    if let (true, Some(root)) = (uris.is_empty(), &params.root_uri) {
        uris.push(("rootUri".to_owned(), root.as_str()));
    }
    let mut roots = Vec::new();
    for (field, uri) in uris {
        match path_of_uri(uri) {
            Ok(path) => roots.push(path),
            // An editor may have remote or virtual folders open; there is nothing to edit for us in them.
            Err(_) if role == Role::Editor => {}
            Err(problem) => return Err(Invalid::new(field, problem)),
        }
    }
    Ok(roots)
}

/// What an editor announces: by itself, by our plugin in it, or by its user's settings for it.
fn abilities(params: &InitializeParams) -> Abilities {
    let capabilities = &params.capabilities;
    let ours = capabilities.experimental.as_ref().map(|experimental| &experimental["editd"]);
    let announced = |name: &str| ours.is_some_and(|ours| ours[name] == true);
    let settings = params.initialization_options.as_ref().map(|options| &options["editd"]);
    let wanted = |name: &str| settings.is_some_and(|settings| settings[name] == true);
    let (workspace, window) = (capabilities.workspace.as_ref(), capabilities.window.as_ref());
    let show_document = window.and_then(|window| window.show_document.as_ref());
    let text_document = capabilities.text_document.as_ref();
    Abilities {
        review: announced("review") || wanted("review"),
        apply_edits: announced("applyEdits"),
        save: announced("save"),
        reload: announced("reload"),
        document_state: announced("documentState"),
        diagnostics: announced("diagnostics"),
        apply_edit: workspace.and_then(|workspace| workspace.apply_edit).unwrap_or_default(),
        show_document: show_document.is_some_and(|show| show.support),
        code_lens: text_document.is_some_and(|documents| documents.code_lens.is_some()),
        text_document_content: false,
    }
}

/// UTF-8 where it is offered, else what every client must know.
fn encoding(params: &InitializeParams) -> PositionEncoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
    if offered.contains(&PositionEncodingKind::UTF8) {
        PositionEncoding::Utf8
    } else if offered.contains(&PositionEncodingKind::UTF32)
        && !offered.contains(&PositionEncodingKind::UTF16)
    {
        PositionEncoding::Utf32
    } else {
        PositionEncoding::Utf16
    }
}

fn encoding_kind(encoding: PositionEncoding) -> PositionEncodingKind {
    match encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
    }
}
