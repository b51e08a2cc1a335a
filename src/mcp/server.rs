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
use crate::workspace::{Audience, ChangeForm};

use super::answer::Answer;
use super::coerce::coerce;
use super::delivery::AppliedChange;
use super::guide::{Served, guide};
use super::output::in_one_line;
use super::refusal;
use super::roots::Roots;
use super::session::{Failure, Session};
use super::tools::{Selection, Tool};

/// Author, if the client does not name itself.
const DEFAULT_AUTHOR: &str = "mcp";

/// Maximum number of concurrent calls.
const MAX_CALLS: usize = 256;

/// State that all calls share.
pub(super) struct Server {
    pub(super) session: Arc<Session>,
    pub(super) roots: Roots,
    tools: Vec<&'static Tool>,
    /// Limits the number of concurrent calls.
    calls: Semaphore,
    /// Cancelled when the grace period after the end of the client's input is over.
    pub(super) over: CancellationToken,
}

impl Server {
    pub(super) fn new(session: Session, roots: Roots, tools: &Selection, over: CancellationToken) -> Self {
        Self {
            session: Arc::new(session),
            roots,
            tools: tools.tools(),
            calls: Semaphore::new(MAX_CALLS),
            over,
        }
    }

    /// Returns the client and the roots of a call.
    pub(super) async fn identity(&self, context: &RequestContext<RoleServer>) -> Result<Identity, Failure> {
        let name = context.client_info().map(|client| client.name.trim().to_owned());
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| DEFAULT_AUTHOR.to_owned());
        let session = Some(self.session.name().to_owned());
        let audience = Audience::Tools(ChangeForm::default());
        let roots = self.roots.now(context).await?;
        Ok(Identity { name, roots, new_file: false, session, audience })
    }

    /// Lists files that others have changed, if the client can call `changes`.
    pub(super) fn add_changed_files(&self, answer: &mut Answer) {
        let mut changed = self.session.take_changed_files();
        // An answer that shows a file is newer than the notification about it.
        changed.retain(|path, _| !answer.shows(path));
        if !changed.is_empty() && self.served().has("changes") {
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
            let text = format!("Unknown tool `{}`; the tools are: {}.", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let Ok(_permit) = self.calls.try_acquire() else {
            return Ok(CallToolResult::from(refusal::busy(MAX_CALLS)).into());
        };
        let mut arguments = request.arguments.unwrap_or_default();
        coerce(&mut arguments, &tool.input_schema().into());
        if let Some(name) = tool.unaccepted(&arguments) {
            return Ok(CallToolResult::from(refusal::unaccepted(tool, name)).into());
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
            self.session.revoke_answer(id);
        }
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget();
    }
}
