use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam, ErrorData,
    Implementation, InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::transport::Identity;

use super::answer::Answer;
use super::coerce::coerce;
use super::given::Made;
use super::guide::{Served, guide};
use super::output::in_one_line;
use super::refusal;
use super::roots::Roots;
use super::session::{Failure, Session};
use super::tools::{Selection, Tool};

/// Who the author is where the client does not say who it is.
const NAMELESS: &str = "mcp";

/// How many calls may be under way at once.
const CALLS: usize = 256;

/// What all calls have at hand.
pub(super) struct Server {
    pub(super) session: Arc<Session>,
    pub(super) roots: Roots,
    tools: Vec<&'static Tool>,
    /// How many more calls may begin.
    calls: Semaphore,
    /// Told when the client has closed its end, and what it asked for has had its time.
    pub(super) over: CancellationToken,
}

impl Server {
    pub(super) fn new(session: Session, roots: Roots, tools: &Selection, over: CancellationToken) -> Self {
        Self { session: Arc::new(session), roots, tools: tools.tools(), calls: Semaphore::new(CALLS), over }
    }

    /// Whom a call comes from, and where it works.
    pub(super) async fn identity(&self, context: &RequestContext<RoleServer>) -> Result<Identity, Failure> {
        let name = context.client_info().map(|client| client.name.trim().to_owned());
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| NAMELESS.to_owned());
        let session = Some(self.session.name().to_owned());
        Ok(Identity { name, roots: self.roots.now(context).await?, new_file: false, session })
    }

    /// Tells of files that others have changed, if the client can ask what is different.
    pub(super) fn add_news(&self, answer: &mut Answer) {
        let mut news = self.session.take_news();
        // An answer about a file is newer than the news of it.
        news.retain(|path, _| !answer.tells_of(path));
        if !news.is_empty() && self.served().has("changes") {
            answer.add_news(&news);
        }
    }

    /// Tells of changes that were made though they were cancelled: their own calls are not answered.
    pub(super) fn add_made(&self, answer: &mut Answer) {
        let made = self.session.take_made();
        if made.is_empty() {
            return;
        }
        answer.text.push_str("\nMade all the same, though the call was cancelled:\n");
        for Made { transaction, paths } in &made {
            let paths = paths.iter().map(|path| in_one_line(path)).collect::<Vec<_>>().join(", ");
            // A string takes all.
            let _ = writeln!(answer.text, "{paths} (transaction {transaction})");
        }
        let made = made.iter().map(|made| json!({ "transaction": made.transaction, "paths": made.paths }));
        answer.add_member("madeThoughCancelled", made.collect());
    }

    pub(super) fn served(&self) -> Served<'_> {
        Served(&self.tools)
    }

    fn find(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.name == name).copied()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
            .with_instructions(guide(&self.served()))
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
        let served = self.served();
        let tools = self.tools.iter().map(|tool| tool.described(&served)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.find(&request.name) else {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.name).collect();
            let text = format!("Unknown tool `{}`; there are: {}.", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let Ok(_permit) = self.calls.try_acquire() else {
            return Ok(CallToolResult::from(refusal::busy(CALLS)).into());
        };
        let mut arguments = request.arguments.unwrap_or_default();
        coerce(&mut arguments, &tool.input_schema().into());
        if let Some(name) = tool.foreign(&arguments) {
            return Ok(CallToolResult::from(refusal::foreign(tool, name)).into());
        }
        let call = self.perform(tool, arguments, &context);
        let answer = AssertUnwindSafe(call).catch_unwind().await;
        let answer = answer.unwrap_or_else(|_| refusal::broken(tool.changes()));
        Ok(CallToolResult::from(answer).into())
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        if let Some(id) = &notification.request_id {
            self.session.take_back_answer(id);
        }
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget();
    }
}
