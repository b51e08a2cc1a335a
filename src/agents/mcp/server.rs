use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam, ErrorData,
    Implementation, InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use editd_daemon::transport::Identity;
use editd_protocol::{NAME, path_of_uri};
use editd_workspace::{Audience, ChangeForm};

use super::answer::Answer;
use super::call::{Response, SentReply};
use super::coerce::coerce;
use super::gate::Gate;
use super::link::{AppliedChange, Link};
use super::question::OpenQuestions;
use super::readable::in_one_line;
use super::refusal;
use super::served::{Served, guide};
use super::session::{self, Failure, Session};
use super::tools::Selection;

/// Author, if the client does not name itself.
const DEFAULT_AUTHOR: &str = "mcp";

/// Clients that cancel every call after they have received its answer. Others cancel an answered call only if they
/// did not wait for it.
const CANCEL_ALL: [&str; 1] = ["opencode"];

/// Maximum number of concurrent calls.
const MAX_CALLS: usize = 256;

/// Time that a call waits for the client's roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(3);

const START_ELSEWHERE: &str =
    "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.";
const TRY_AGAIN: &str = "Try again; if that fails too, ask the user to start this server with the folder of the \
    project: `editd mcp --root DIR`.";

/// State that all calls share.
pub(super) struct Server {
    pub(super) session: Arc<Session>,
    gate: Gate,
    roots: Roots,
    /// The tools that are served, in the order in which clients see them.
    pub(super) served: Served,
    /// Open questions to stateless clients.
    pub(super) questions: OpenQuestions,
    /// Limits the number of concurrent calls.
    calls: Semaphore,
    /// Cancelled when the grace period after the end of the client's input is over.
    pub(super) over: CancellationToken,
}

impl Server {
    pub(super) fn new(
        session: Session,
        gate: Gate,
        roots: Roots,
        tools: &Selection,
        over: CancellationToken,
    ) -> Self {
        Self {
            session: Arc::new(session),
            gate,
            roots,
            served: Served(tools.tools()),
            questions: OpenQuestions::default(),
            calls: Semaphore::new(MAX_CALLS),
            over,
        }
    }

    /// Returns the client and the roots of a call.
    pub(super) async fn identity(&self, context: &RequestContext<RoleServer>) -> Result<Identity, Failure> {
        let name = context.client_info().map(|client| client.name.trim().to_owned());
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| DEFAULT_AUTHOR.to_owned());
        let session = Some(self.session.name.clone());
        let audience = Audience::Tools(ChangeForm::default());
        let roots = self.roots.now(context).await?;
        Ok(Identity { name, roots, new_file: false, session, audience, ..Identity::own(None) })
    }

    /// Lists files that others have changed since the session of a connection read them, if the client can call
    /// `changes`.
    pub(super) fn add_changed_files(&self, answer: &mut Answer, link: Option<&Link>) {
        let mut changed = link.map(Link::take_changed_files).unwrap_or_default();
        // An answer that shows a file is newer than the notification about it.
        changed.retain(|path, _| !answer.shows(path));
        if !changed.is_empty() && self.served.has("changes") {
            answer.add_changed_files(&changed);
        }
    }

    /// Lists changes that were applied although they were cancelled, because their own calls get no answer.
    pub(super) fn add_cancelled_changes(&self, answer: &mut Answer) {
        let changes = self.session.take_cancelled_changes();
        if changes.is_empty() {
            return;
        }
        answer.text.push_str("\nMade although the call was cancelled:\n");
        for AppliedChange { transaction, paths } in &changes {
            let paths = paths.iter().map(|path| in_one_line(path)).collect::<Vec<_>>().join(", ");
            // Writing to a string cannot fail.
            let _ = writeln!(answer.text, "{paths} (transaction {transaction})");
        }
        let changes = changes.iter().map(|it| json!({ "transaction": it.transaction, "paths": it.paths }));
        answer.add_member("madeThoughCancelled", changes.collect());
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(NAME, env!("CARGO_PKG_VERSION")))
            .with_instructions(guide(&self.served))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.roots.forget();
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.served.0.iter().map(|tool| tool.described(&self.served)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if Gate::is_called(&request.name, &context) {
            let event = request.arguments.unwrap_or_default();
            return Ok(self.gate.answer(event, &context, &self.over).await?.into());
        }
        let Some(tool) = self.served.0.iter().find(|tool| tool.name == request.name) else {
            let known: Vec<_> = self.served.0.iter().map(|tool| tool.name).collect();
            let text = format!("Unknown tool `{}`; the tools are: {}.", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let Ok(_permit) = self.calls.try_acquire() else {
            return Ok(CallToolResult::from(refusal::busy(MAX_CALLS)).into());
        };
        let sent = SentReply::take(&mut request);
        let mut arguments = request.arguments.unwrap_or_default();
        coerce(&mut arguments, &tool.accepted_schema().into());
        if let Some(name) = tool.unaccepted(&arguments) {
            return Ok(CallToolResult::from(refusal::unaccepted(tool, name)).into());
        }
        let call = self.perform(tool, arguments, sent, &context);
        let response = AssertUnwindSafe(call).catch_unwind().await;
        Ok(response.unwrap_or_else(|_| Response::Answer(refusal::broken(tool.changes))).into())
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        let client = context.peer.peer_info();
        let cancels_all = client.is_some_and(|it| CANCEL_ALL.contains(&it.client_info.name.as_str()));
        if let (Some(id), false) = (&notification.request_id, cancels_all) {
            self.session.revoke_answer(id);
        }
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget();
    }
}

/// The client's response to a request for its roots, or the problem with it.
type ListedRoots = Shared<BoxFuture<'static, Result<Vec<PathBuf>, &'static str>>>;

/// The roots of the session.
pub(super) struct Roots {
    /// Roots from the command line, which take precedence.
    given: Vec<PathBuf>,
    /// Working folder of the server, if it exists.
    here: Option<PathBuf>,
    /// Latest request to the client. It is retained if the response is late.
    response: Mutex<Option<ListedRoots>>,
}

impl Roots {
    pub(super) fn new(given: Vec<PathBuf>, here: Option<PathBuf>) -> Self {
        Self { given, here, response: Mutex::default() }
    }

    /// Discards the roots of the client, which have changed.
    pub(super) fn forget(&self) {
        *self.response.lock() = None;
    }

    /// Returns the given roots, else those of the client, else the working folder.
    pub(super) async fn now(&self, context: &RequestContext<RoleServer>) -> Result<Vec<PathBuf>, Failure> {
        if !self.given.is_empty() {
            return Ok(self.given.clone());
        }
        if !lists_roots(context) {
            return self.here.clone().map(|here| vec![here]).ok_or_else(|| {
                let message = "The folder that this server was started in no longer exists.";
                session::refusal("unavailable", message, START_ELSEWHERE).into()
            });
        }
        let listed = timeout(ROOTS_TIMEOUT, self.listed(&context.peer)).await;
        listed.unwrap_or(Err("it has not answered yet")).map_err(|problem| {
            let message = format!("The client did not send its roots: {problem}.");
            session::refusal("unavailable", message, TRY_AGAIN).into()
        })
    }

    /// Waits for the response to the latest request.
    async fn listed(&self, peer: &Peer<RoleServer>) -> Result<Vec<PathBuf>, &'static str> {
        loop {
            let response = self.response.lock().get_or_insert_with(|| ask(peer.clone())).clone();
            let listed = response.clone().await;
            let mut newest = self.response.lock();
            if newest.as_ref().is_some_and(|newest| newest.ptr_eq(&response)) {
                if listed.is_err() {
                    *newest = None;
                }
                return listed;
            }
        }
    }
}

/// Returns `true` if the client has roots and can be asked for them. Clients of the stateless revision
/// cannot.
fn lists_roots(context: &RequestContext<RoleServer>) -> bool {
    let has_sessions = context.meta.protocol_version().is_none();
    has_sessions && context.client_capabilities().is_some_and(|can| can.roots.is_some())
}

#[expect(
    deprecated,
    reason = "clients of the revisions with `initialize` have no other way to send their roots"
)]
fn ask(peer: Peer<RoleServer>) -> ListedRoots {
    let listed = async move {
        let listed = peer.list_roots().await.map_err(|_| "it answered with an error")?;
        let roots: Vec<_> = listed.roots.iter().filter_map(|root| path_of_uri(&root.uri).ok()).collect();
        if roots.is_empty() { Err("it names no folder of this computer") } else { Ok(roots) }
    };
    listed.boxed().shared()
}
