//! Execution of a call, from its arguments to its answer.

mod person;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, InputRequiredResult, JsonObject, ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::time::{interval_at, timeout};

use editd_daemon::transport::CallError;

use super::answer::Answer;
use super::coerce::without_additions;
use super::link::{Link, Ticket};
use super::refusal as refusals;
use super::server::Server;
use super::session::{Failure, refusal};
use super::tools::{AnswerOptions, Request, Tool, asks_for_one, names_a_hash};
use person::Asked;
pub(super) use person::SentReply;

/// The member of `_meta` in which Claude Code sends the id of the call. Its hooks receive the same id.
const TOOL_CALL: &str = "claudecode/toolUseId";
/// Default time to wait for a person's decision, in milliseconds.
const WAIT_MS: u64 = 30_000;
/// Maximum time to wait, in milliseconds. Many clients time out after 60 seconds.
const MAX_WAIT_MS: u64 = 45_000;
/// Interval between progress notifications.
const REPORT_INTERVAL: Duration = Duration::from_secs(3);
/// Timeout for sending a request, which may include starting the daemon and asking the client for its roots.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout for a call that only reads, from its start.
const READ_TIMEOUT: Duration = Duration::from_secs(45);
/// Timeout for a call that waits for a person, from its start. A responsive daemon answers earlier.
const REVIEW_TIMEOUT: Duration = Duration::from_millis(MAX_WAIT_MS + 3_000);

/// The response to a call.
pub(super) enum Response {
    Answer(Answer),
    /// A stateless client is to ask its user first.
    Question(InputRequiredResult),
}

impl From<Response> for CallToolResponse {
    fn from(response: Response) -> Self {
        match response {
            Response::Answer(answer) => CallToolResult::from(answer).into(),
            Response::Question(question) => question.into(),
        }
    }
}

impl Server {
    /// Performs a call. `sent` is the answer to the question that the same call has led to.
    pub(super) async fn perform(
        &self,
        tool: &Tool,
        arguments: JsonObject,
        sent: Option<SentReply>,
        context: &RequestContext<RoleServer>,
    ) -> Response {
        let request = (tool.request)(without_additions(arguments));
        let call = Call { server: self, tool, request: &request, context, begun: Instant::now() };
        let mut link = None;
        let mut result = match &sent {
            Some(sent) => call.end_with(sent, &mut link).await,
            None => call.ask(&mut link).await,
        };
        if matches!(result, Err(Failure::Lost)) && !tool.changes {
            result = call.ask(&mut link).await;
        }
        if let (Err(Failure::Refused(error)), None) = (&result, &sent) {
            match call.ask_person(error, &mut link).await {
                Some(Asked::Question(question)) => return Response::Question(question),
                Some(Asked::Ended(ended)) => result = ended,
                None => {}
            }
        }
        let mut answer = match result {
            Ok((result, ticket)) => call.answer(result, &ticket),
            Err(mut failure) => {
                if let (Failure::Refused(error), Some(link)) = (&mut failure, &link) {
                    link.root.shorten_refusal(error);
                }
                refusals::refused(&failure, tool, asks_for_one(&request.params), &self.served)
            }
        };
        // The answer of a cancelled call is not shown.
        if !context.ct.is_cancelled() {
            self.add_cancelled_changes(&mut answer);
            self.add_changed_files(&mut answer, link.as_deref());
        }
        Response::Answer(answer)
    }
}

/// A call that is being executed.
struct Call<'a> {
    server: &'a Server,
    tool: &'a Tool,
    request: &'a Request,
    context: &'a RequestContext<RoleServer>,
    begun: Instant,
}

impl Call<'_> {
    /// Converts a result to an answer. The session forgets files that the answer does not show completely.
    fn answer(&self, mut result: Value, ticket: &Ticket) -> Answer {
        let delivery = ticket.delivery(&result);
        ticket.link().root.shorten(&mut result);
        // Each call of a stateless client carries all context, including hashes.
        let hashes = names_a_hash(&self.request.params) || self.is_stateless();
        let options = AnswerOptions { hashes, served: &self.server.served };
        if let Ok(answer) = (self.request.answer)(result, options) {
            ticket.forget(&answer.unseen);
            self.server.session.record_delivery(&self.context.id, delivery);
            answer
        } else {
            self.server.session.revoke(delivery);
            refusals::broken(self.tool.changes)
        }
    }

    /// Returns `true` if the client has no session, so that it cannot be asked during a call.
    fn is_stateless(&self) -> bool {
        self.context.protocol_version().is_some_and(|version| !version.has_initialize())
    }

    /// Returns the id of the call in the program that has sent it.
    fn tool_call(&self) -> Option<&str> {
        self.context.meta.get(TOOL_CALL).and_then(Value::as_str)
    }

    /// Sends the request and waits for the result. Sets `link` to the connection that the request was sent over.
    async fn ask(&self, link: &mut Option<Arc<Link>>) -> Result<(Value, Ticket), Failure> {
        let mut params = self.request.params.clone();
        if self.request.waits {
            limit_wait(&mut params, self.begun.elapsed());
        }
        self.send((self.request.method, params.into()), self.begun, link).await
    }

    /// Sends a request for this call, which has begun at that time, and waits for the result. Sets `link` to the
    /// connection that the request was sent over.
    async fn send(
        &self,
        (method, params): (&str, Value),
        begun: Instant,
        link: &mut Option<Arc<Link>>,
    ) -> Result<(Value, Ticket), Failure> {
        let Self { server, tool, request, context, .. } = self;
        let sending = server.session.send(server.identity(context), self.tool_call(), method, params);
        let sent = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(cancelled_call()),
            () = server.over.cancelled() => return Err(cancelled_call()),
            sent = timeout(SEND_TIMEOUT.saturating_sub(begun.elapsed()), sending) => sent,
        };
        let mut ticket = sent.unwrap_or_else(|_| Err(no_answer()))?;
        *link = Some(ticket.link());
        // A change has no timeout, because the caller must learn its outcome.
        let limit = match (tool.changes, request.waits) {
            (true, _) => Duration::MAX,
            (false, true) => REVIEW_TIMEOUT,
            (false, false) => READ_TIMEOUT,
        };
        let outcome = self.outcome(&mut ticket);
        let answer = tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(cancelled_call()),
            answer = timeout(limit.saturating_sub(begun.elapsed()), outcome) => answer.map_err(|_| no_answer()),
        };
        match answer {
            Ok(Some(answer)) => Ok((answer?, ticket)),
            Ok(None) => Err(Failure::Lost),
            Err(failure) => {
                server.session.abandon(ticket, method);
                Err(failure)
            }
        }
    }

    /// Waits for the daemon, reports progress, and cancels the request when the server shuts down.
    async fn outcome(&self, ticket: &mut Ticket) -> Option<Result<Value, CallError>> {
        let mut wanted = true;
        let mut reports = interval_at(tokio::time::Instant::now() + REPORT_INTERVAL, REPORT_INTERVAL);
        let mut seconds = 0.0;
        loop {
            tokio::select! {
                answer = ticket.answer() => return answer,
                () = self.server.over.cancelled(), if wanted => {
                    ticket.cancel();
                    wanted = false;
                }
                _ = reports.tick() => {
                    seconds += REPORT_INTERVAL.as_secs_f64();
                    self.report_progress(seconds).await;
                }
            }
        }
    }

    /// Notifies a client that requested progress notifications.
    async fn report_progress(&self, seconds: f64) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let words = if self.request.waits {
            "Waiting for the change, or for a person to decide."
        } else {
            "Working."
        };
        let progress = ProgressNotificationParam::new(token, seconds).with_message(words);
        // A disconnected client is noticed elsewhere.
        let _ = self.context.peer.notify_progress(progress).await;
    }
}

/// Returns the time that the caller wants to wait for a person, in milliseconds.
fn requested_wait(params: &JsonObject) -> Option<u64> {
    params.get("waitMs").or_else(|| params.get("wait_ms"))?.as_u64()
}

/// Returns the failure of a cancelled call.
fn cancelled_call() -> Failure {
    refusal("cancelled", "The call was cancelled.", "Send it again if you still need it.").into()
}

/// Returns the failure of a call to a daemon that does not answer, for instance because its disk is blocked.
fn no_answer() -> Failure {
    let hint = "Nothing was done. Try again; if that fails too, ask the user to run `editd doctor`.";
    refusal("unavailable", "The daemon does not answer.", hint).into()
}

/// Sets the time that a call waits for a person, so that it is answered before its client times out.
fn limit_wait(params: &mut JsonObject, passed: Duration) {
    let name = if params.contains_key("wait_ms") { "wait_ms" } else { "waitMs" };
    let left = MAX_WAIT_MS.saturating_sub(passed.as_millis() as u64);
    let requested = params.entry(name).or_insert_with(|| WAIT_MS.into());
    // The daemon refuses a value that is not a number.
    if let Some(wait) = requested.as_u64() {
        *requested = wait.min(left).into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wait_ends_before_the_client_times_out() {
        let waits = |params: Value, passed: u64| {
            let Value::Object(mut params) = params else { panic!("an object") };
            limit_wait(&mut params, Duration::from_secs(passed));
            Value::Object(params)
        };
        assert_eq!(waits(json!({}), 0), json!({ "waitMs": 30_000 }));
        assert_eq!(waits(json!({}), 20), json!({ "waitMs": 25_000 }));
        assert_eq!(waits(json!({ "waitMs": 5 }), 20), json!({ "waitMs": 5 }));
        assert_eq!(waits(json!({ "wait_ms": 9_000_000 }), 0), json!({ "wait_ms": 45_000 }));
        assert_eq!(waits(json!({ "waitMs": 30_000 }), 50), json!({ "waitMs": 0 }));
        assert_eq!(waits(json!({ "waitMs": "long" }), 0), json!({ "waitMs": "long" }));
    }
}
