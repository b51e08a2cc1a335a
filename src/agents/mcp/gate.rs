//! The tool `gate`: answers the events of the built-in tools of Claude Code, whose hooks call it.
//!
//! It is not listed, so that no model calls it, and is for Claude Code only: it can change files outside of the
//! roots and the selected tools of this server.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::gate::{AgentProgram, TOOL_NAME};
use crate::hook::{Abort, Hook};

/// Maximum number of concurrent events. Each has a thread and a connection; further ones wait.
const MAX_EVENTS: usize = 64;

/// The tool. Its calls have no timeout, because Claude Code limits them, and are not counted with those of other
/// tools.
pub(super) struct Gate {
    hook: Hook,
    events: Semaphore,
}

impl Gate {
    pub(super) fn new(hook: Hook) -> Self {
        Self { hook, events: Semaphore::new(MAX_EVENTS) }
    }

    /// Returns `true` if a call is one of a hook.
    pub(super) fn is_called(tool: &str, context: &RequestContext<RoleServer>) -> bool {
        let is_claude = |client: Implementation| client.name.trim() == AgentProgram::Claude.author();
        tool == TOOL_NAME && context.client_info().is_some_and(is_claude)
    }

    /// Answers an event. Ends when the call is cancelled, or the server is over.
    pub(super) async fn answer(
        &self,
        event: JsonObject,
        context: &RequestContext<RoleServer>,
        over: &CancellationToken,
    ) -> Result<CallToolResult, ErrorData> {
        let abort = Arc::new(Abort::default());
        let answer = tokio::select! {
            answer = self.ask(event, abort.clone()) => answer?,
            () = context.ct.cancelled() => json!({}),
            () = over.cancelled() => json!({}),
        };
        // Closes the connection, also after an answer.
        abort.abort();
        // Claude Code ignores an answer that is an error, even if it refuses the tool.
        Ok(CallToolResult::success(vec![ContentBlock::text(answer.to_string())]))
    }

    async fn ask(&self, event: JsonObject, abort: Arc<Abort>) -> Result<Value, ErrorData> {
        let broken = |_| ErrorData::internal_error("The event could not be answered.", None);
        // The semaphore is never closed.
        let _permit = self.events.acquire().await;
        let hook = self.hook.clone();
        spawn_blocking(move || hook.answer_arguments(&event, &abort)).await.map_err(broken)
    }
}
