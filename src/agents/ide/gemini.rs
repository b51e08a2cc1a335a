//! The protocol between Gemini CLI and its companions in editors: MCP over HTTP. Recorded from version 0.61.
//!
//! `openDiff` is answered at once. A notification reports the decision of the person, with the final text, which
//! Gemini CLI writes. It closes the diff when the person answers in its own prompt.

pub(super) mod discovery;
mod presence;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::{Router, middleware};
use lsp_types::Range;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomNotification, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerConfig, ServerNotification, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::gate::AgentProgram;
use crate::web::{Token, require_token};
use editd_protocol::OpenFileEntry;

use super::arguments::{ClosedFile, GeminiDiff, failed, read, texts};
use super::daemon::{Daemon, Session};
use super::open_files::Notifier;
use super::reviews::{Decision, Diff, Disk, Made, Reviews};
use super::{MESSAGE, server_config};

/// Time after which a client that sends nothing is taken to be gone, although it is connected. A review can take
/// long.
const REVIEW: Duration = Duration::from_secs(24 * 3600);

/// Time in which the daemon refuses a diff that it does not put under review.
const REFUSAL: Duration = Duration::from_secs(1);
/// Maximum number of open files in a notification: Gemini CLI uses no more.
const OPEN_FILES: usize = 10;

pub(super) use discovery::environment;
use presence::Presence;

/// Returns the route of the protocol.
pub(super) fn routes(daemon: &Arc<Daemon>, token: &Token, end: &CancellationToken) -> Router {
    let daemon = daemon.clone();
    let mut config = StreamableHttpServerConfig::default();
    config.cancellation_token = end.clone();
    config.max_request_body_bytes = MESSAGE;
    // Gemini CLI takes an event without data for the end of the connection.
    config.sse_retry = None;
    let new = move || Ok(Client::new(Session::new(&daemon, AgentProgram::Gemini)));
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    sessions.session_config.keep_alive = Some(REVIEW);
    let sessions = Arc::new(sessions);
    let service = StreamableHttpService::new(new, sessions.clone(), config);
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(Presence::of(sessions), presence::watch))
        .layer(middleware::from_fn_with_state(token.clone(), require_token))
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

    /// Answers when the diff is under review, or refused. A notification tells the decision.
    async fn open_diff(&self, given: GeminiDiff, peer: Peer<RoleServer>) -> CallToolResult {
        let (reviews, path) = (self.reviews.clone(), given.file_path.clone());
        let reviewing = async move { reviews.review(&key(&given.file_path), Diff::from(given)).await };
        let mut reviewing = tokio::spawn(reviewing);
        let early = timeout(REFUSAL, &mut reviewing).await.ok();
        if let Some(Ok(Err(failure))) = &early {
            return failed(failure);
        }
        tokio::spawn(async move {
            let decided = match early {
                Some(decided) => decided,
                None => reviewing.await,
            };
            // Without a decision, the person answers in the prompt of Gemini CLI.
            let Ok(Ok(decided)) = decided else { return };
            if let Some(notification) = notification(&path, decided) {
                notify(&peer, notification).await;
            }
        });
        CallToolResult::success(Vec::new())
    }

    async fn close_diff(&self, given: ClosedFile, peer: Peer<RoleServer>) -> CallToolResult {
        let closed = self.reviews.close(&key(&given.file_path)).await;
        if closed.is_some() && !given.suppress_notification {
            notify(&peer, rejected(&given.file_path)).await;
        }
        texts([json!({ "content": closed }).to_string()])
    }
}

/// Returns the notification of a decision. A diff that the client has closed or replaced needs none: it could be taken
/// for one of the next diff of the file.
fn notification(path: &Path, decision: Decision) -> Option<CustomNotification> {
    let text = match decision {
        Decision::Accepted(text) => text,
        Decision::Made(made) => match text_to_write(made) {
            Some(text) => text,
            None => return Some(rejected(path)),
        },
        Decision::Rejected => return Some(rejected(path)),
        Decision::Closed => return None,
    };
    let params = json!({ "filePath": path, "content": text });
    Some(CustomNotification::new("ide/diffAccepted", Some(params)))
}

fn rejected(path: &Path) -> CustomNotification {
    CustomNotification::new("ide/diffRejected", Some(json!({ "filePath": path })))
}

async fn notify(peer: &Peer<RoleServer>, notification: CustomNotification) {
    // The client may be gone.
    let _ = peer.send_notification(ServerNotification::CustomNotification(notification)).await;
}

/// Returns the text that Gemini CLI can write to a file that editd has changed, without a loss. Its `replace` writes no
/// text that the file has already; `write_file` writes UTF-8, and CRLF only if the file has one CRLF.
fn text_to_write(Made { text, disk, is_kept }: Made) -> Option<String> {
    let is_unchanged = |exact: &String| {
        let endings = exact.matches("\r\n").count();
        endings == 0 || endings == exact.matches('\n').count()
    };
    match disk {
        Disk::Utf8(exact) => Some(exact).filter(|exact| is_kept || is_unchanged(exact)),
        Disk::Other => is_kept.then_some(text),
        Disk::Unsaved => Some(text),
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.reviews.abandon();
    }
}

fn key(path: &Path) -> String {
    path.display().to_string()
}

impl ServerHandler for Client {
    fn get_info(&self) -> ServerConfig {
        server_config()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let notification = |files: &[OpenFileEntry]| Some(context_update(files));
        self.notifier.start(self.reviews.session().clone(), context.peer, notification);
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
        let result = match &*request.name {
            "openDiff" => self.open_diff(read(request.arguments)?, context.peer).await,
            "closeDiff" => self.close_diff(read(request.arguments)?, context.peer).await,
            name => return Err(ErrorData::invalid_params(format!("There is no tool `{name}`."), None)),
        };
        Ok(result.into())
    }
}

/// Returns the notification about the open files. The daemon knows their order and no times, and Gemini CLI only
/// sorts by the time stamps, so these are numbers in descending order.
fn context_update(files: &[OpenFileEntry]) -> CustomNotification {
    let files = files.iter().take(OPEN_FILES).zip((1..=OPEN_FILES).rev()).map(|(file, time)| {
        let mut entry = json!({ "path": file.path, "timestamp": time });
        if file.active {
            entry["isActive"] = true.into();
            entry["selectedText"] = file.selected_text.clone().unwrap_or_default().into();
            if let Some(Range { end, .. }) = file.selection {
                entry["cursor"] = json!({ "line": end.line + 1, "character": end.character + 1 });
            }
        }
        entry
    });
    let params = json!({ "workspaceState": { "openFiles": files.collect::<Vec<_>>() } });
    CustomNotification::new("ide/contextUpdate", Some(params))
}

fn tools() -> Vec<Tool> {
    let tool = |name: &'static str, description: &'static str, parameters: &[&str]| {
        let properties: serde_json::Map<_, _> =
            parameters.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": parameters });
        Tool::new(name, description, Arc::new(schema.as_object().cloned().unwrap_or_default()))
    };
    vec![
        tool("openDiff", "Put a change under review", &["filePath", "newContent"]),
        tool("closeDiff", "Close a diff and withdraw its change", &["filePath"]),
    ]
}
