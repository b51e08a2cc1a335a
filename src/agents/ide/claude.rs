//! The protocol between Claude Code and its extensions of editors: MCP over a WebSocket, with a token in a header.
//! Recorded from version 2.1.331.
//!
//! In its manual mode, Claude Code calls `openDiff` before each edit, waits for the answer without a
//! time limit, and writes its text. It closes the diff when the person answers in its own prompt.

pub(super) mod lock_file;
mod websocket;

use std::sync::Arc;

use axum::Router;
use axum::extract::{State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use lsp_types::Range;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomNotification, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::gate::AgentProgram;
use crate::web::{Token, refusal};
use editd_protocol::OpenFileEntry;

use super::arguments::{ClaudeDiff, OfFile, Tab, failed, read, texts};
use super::context;
use super::daemon::{Daemon, Session};
use super::open_files::Notifier;
use super::reviews::{Decision, Diff, Made, Reviews};
use super::{MESSAGE, server_config};

/// Header with the token.
const TOKEN: &str = "x-claude-code-ide-authorization";
/// Name of the protocol within the WebSocket.
const SUBPROTOCOL: &str = "mcp";
/// Maximum number of programs that are connected. The limit of connections does not count them.
const MAX_CLIENTS: usize = 16;

/// Returns the variables with which Claude Code finds this server and no other.
pub(super) fn environment(port: u16) -> Vec<(&'static str, String)> {
    vec![("CLAUDE_CODE_SSE_PORT", port.to_string()), ("ENABLE_IDE_INTEGRATION", "true".to_owned())]
}

/// State of the route.
#[derive(Clone)]
struct Served {
    daemon: Arc<Daemon>,
    token: Token,
    end: CancellationToken,
    slots: Arc<Semaphore>,
}

/// Returns the route of the WebSocket.
pub(super) fn routes(daemon: &Arc<Daemon>, token: &Token, end: &CancellationToken) -> Router {
    let slots = Arc::new(Semaphore::new(MAX_CLIENTS));
    let served = Served { daemon: daemon.clone(), token: token.clone(), end: end.clone(), slots };
    Router::new().route("/", get(connect)).with_state(served)
}

async fn connect(State(served): State<Served>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    let shown = headers.get(TOKEN).and_then(|value| value.to_str().ok());
    if !shown.is_some_and(|shown| served.token.matches(shown)) {
        return refusal(StatusCode::UNAUTHORIZED, "Send the token of the lock file in ~/.claude/ide.");
    }
    let Ok(slot) = served.slots.try_acquire_owned() else {
        let sentence = format!("{MAX_CLIENTS} programs are connected already. End one of them first.");
        return refusal(StatusCode::SERVICE_UNAVAILABLE, &sentence);
    };
    upgrade.protocols([SUBPROTOCOL]).max_message_size(MESSAGE).max_frame_size(MESSAGE).on_upgrade(
        async move |socket| {
            let client = Client::new(Session::new(&served.daemon, AgentProgram::Claude));
            let (reviews, (sender, receiver)) = (client.reviews.clone(), websocket::split(socket));
            // The server waits for its calls, and so for the person, when the client is gone.
            let gone = stream::once(async move { reviews.abandon() }).filter_map(|()| ready(None));
            let both = (sender, receiver.chain(gone.boxed()));
            // The end of this service cancels its token, and not that of the server.
            let Ok(running) = client.serve_with_ct(both, served.end.child_token()).await else { return };
            drop(running.waiting().await);
            drop(slot);
        },
    )
}

/// The server for one client.
struct Client {
    reviews: Arc<Reviews>,
    notifier: Notifier,
}

impl Client {
    fn new(session: Session) -> Self {
        Self { reviews: Arc::new(Reviews::new(session)), notifier: Notifier::default() }
    }

    async fn open_diff(&self, given: ClaudeDiff, cancelled: &CancellationToken) -> CallToolResult {
        let key = given.tab_name.clone();
        let review = self.reviews.review(&key, Diff::from(given));
        let decided = tokio::select! {
            decided = review => decided,
            () = cancelled.cancelled() => {
                self.reviews.close(&key).await;
                Ok(Decision::Closed)
            }
        };
        match decided {
            // Claude Code does not write a file that has been changed since it read it, but tells its model to read it.
            Ok(Decision::Accepted(text) | Decision::Made(Made { text, .. })) => {
                texts(["FILE_SAVED".to_owned(), text])
            }
            Ok(Decision::Rejected | Decision::Closed) => texts(["DIFF_REJECTED".to_owned(), key]),
            Err(failure) => failed(&failure),
        }
    }

    async fn diagnostics(&self, given: OfFile) -> CallToolResult {
        match context::diagnostics(self.reviews.session(), given.uri).await {
            Ok(list) => texts([list.to_string()]),
            Err(failure) => failed(&failure),
        }
    }
}

impl ServerHandler for Client {
    fn get_info(&self) -> ServerConfig {
        server_config()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.notifier.start(self.reviews.session().clone(), context.peer, selection_changed);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments;
        let result = match &*request.name {
            "openDiff" => self.open_diff(read(arguments)?, &context.ct).await,
            "close_tab" => {
                self.reviews.close(&read::<Tab>(arguments)?.tab_name).await;
                texts(["TAB_CLOSED"])
            }
            "closeAllDiffTabs" => texts([format!("CLOSED_{}_DIFF_TABS", self.reviews.close_all().await)]),
            "getDiagnostics" => self.diagnostics(read(arguments)?).await,
            "getWorkspaceFolders" => texts([context::folders(self.reviews.session().roots()).to_string()]),
            name => return Err(ErrorData::invalid_params(format!("There is no tool `{name}`."), None)),
        };
        Ok(result.into())
    }
}

/// Returns the notification about the file that the person is in, and what is selected there.
fn selection_changed(files: &[OpenFileEntry]) -> Option<CustomNotification> {
    let file = files.iter().find(|file| file.active)?;
    let Range { start, end } = file.selection.unwrap_or_default();
    let params = json!({
        "filePath": file.path,
        "fileUrl": file.uri,
        "text": file.selected_text.as_deref().unwrap_or_default(),
        "selection": { "start": start, "end": end, "isEmpty": start == end },
    });
    Some(CustomNotification::new("selection_changed", Some(params)))
}

fn tools() -> Vec<Tool> {
    let text = json!({ "type": "string" });
    let tool = |name: &'static str, description: &'static str, properties: serde_json::Value| {
        let schema = json!({ "type": "object", "properties": properties });
        Tool::new(name, description, Arc::new(schema.as_object().cloned().unwrap_or_default()))
    };
    vec![
        tool(
            "openDiff",
            "Put a change under review and wait for the decision",
            json!({
                "old_file_path": text, "new_file_path": text, "new_file_contents": text, "tab_name": text,
            }),
        ),
        tool("close_tab", "Close a diff and withdraw its change", json!({ "tab_name": text })),
        tool("closeAllDiffTabs", "Close all diffs", json!({})),
        tool("getDiagnostics", "Diagnostics of attached editors", json!({ "uri": text })),
        tool("getWorkspaceFolders", "The folders of the project", json!({})),
    ]
}
