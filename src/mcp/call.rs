//! One call, from its arguments to its answer.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use tokio::time::{Interval, interval_at, timeout};

use crate::transport::CallError;

use super::additions::without_additions;
use super::answer::Answer;
use super::link::Ticket;
use super::refusal as refusals;
use super::server::Server;
use super::session::{Failure, refusal};
use super::tools::{Asked, Request, Tool, asks_for_one, names_a_hash};

/// How long a person's decision is waited for if nothing else was asked for, in milliseconds.
const WAIT_MS: u64 = 30_000;
/// The longest that a call may wait: many clients give up after 60 seconds.
const LONGEST_MS: u64 = 45_000;
/// How often progress is told.
const REPORT: Duration = Duration::from_secs(3);
/// How long a request may take to be sent: the daemon is started, and the client tells its roots.
const UNSENT: Duration = Duration::from_secs(30);
/// How long after its beginning a call that only reads is answered at the latest.
const ANSWERED: Duration = Duration::from_secs(45);
/// The same for one that waits for a person, which the daemon answers in time if it answers at all.
const WAITED: Duration = Duration::from_millis(LONGEST_MS + 3_000);

impl Server {
    pub(super) async fn perform(
        &self,
        tool: &Tool,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let begun = Instant::now();
        let request = (tool.request)(without_additions(arguments));
        let mut result = self.ask(tool, &request, begun, context).await;
        if matches!(result, Err(Failure::Lost)) && !tool.changes() {
            result = self.ask(tool, &request, begun, context).await;
        }
        let mut answer = match result {
            Ok((result, ticket)) => self.shown(&request, result, &ticket, tool, context),
            Err(failure) => refusals::refused(&failure, tool, asks_for_one(&request.params), &self.served()),
        };
        // Nobody is shown the answer of a cancelled call.
        if !context.ct.is_cancelled() {
            self.add_made(&mut answer);
            self.add_news(&mut answer);
        }
        answer
    }

    /// What the client is shown of a result. What it is not shown of it, it does not know.
    fn shown(
        &self,
        request: &Request,
        result: Value,
        ticket: &Ticket,
        tool: &Tool,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let given = ticket.given(&result);
        let hashes = names_a_hash(&request.params) || keeps_no_session(context);
        let asked = Asked { hashes, served: self.served() };
        if let Ok(answer) = (request.answer)(result, asked) {
            ticket.forget(&answer.unseen);
            self.session.note(&context.id, given);
            answer
        } else {
            self.session.take_back(given);
            refusals::broken(tool.changes())
        }
    }

    async fn ask(
        &self,
        tool: &Tool,
        request: &Request,
        begun: Instant,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Value, Ticket), Failure> {
        let mut params = request.params.clone();
        if request.waits {
            limit_wait(&mut params, begun.elapsed());
        }
        let params = params.into();
        let sending = self.session.send(self.identity(context), request.method, &params);
        let sent = tokio::select! {
            biased;
            () = self.unwanted(context) => return Err(withdrawn()),
            sent = timeout(UNSENT.saturating_sub(begun.elapsed()), sending) => sent,
        };
        let mut ticket = sent.unwrap_or_else(|_| Err(silent()))?;
        // What became of a change, its caller has to hear, however late.
        let limit = if tool.changes() {
            Duration::MAX
        } else if request.waits {
            WAITED
        } else {
            ANSWERED
        };
        let outcome = self.outcome(&mut ticket, request, context);
        let answer = tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(withdrawn()),
            answer = timeout(limit.saturating_sub(begun.elapsed()), outcome) => answer.map_err(|_| silent()),
        };
        match answer {
            Ok(Some(answer)) => Ok((answer?, ticket)),
            Ok(None) => Err(Failure::Lost),
            Err(failure) => {
                self.session.give_up(ticket, request.method);
                Err(failure)
            }
        }
    }

    /// Waits for the daemon, tells of it, and takes the request back when its time is over.
    async fn outcome(
        &self,
        ticket: &mut Ticket,
        request: &Request,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<Value, CallError>> {
        let mut wanted = true;
        let mut progress = Progress::of(context, request);
        loop {
            tokio::select! {
                answer = ticket.answer() => return answer,
                () = self.over.cancelled(), if wanted => {
                    ticket.cancel();
                    wanted = false;
                }
                () = progress.report() => {}
            }
        }
    }

    /// Ends when nobody waits for the call any more.
    async fn unwanted(&self, context: &RequestContext<RoleServer>) {
        tokio::select! {
            () = context.ct.cancelled() => {}
            () = self.over.cancelled() => {}
        }
    }
}

/// Returns whether a client tells with each call all that it knows, hashes included.
fn keeps_no_session(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// A call that nobody waits for any more.
fn withdrawn() -> Failure {
    refusal("cancelled", "The call was cancelled.".to_owned(), "Send it again if it is wanted after all.")
}

/// A daemon that does not answer, such as one whose disk does not.
fn silent() -> Failure {
    let hint = "Nothing was done. Try again; if it goes on, ask the user to run `editd doctor`.";
    refusal("unavailable", "The daemon does not answer.".to_owned(), hint)
}

/// Sees to it that a call waits for a person, and is answered before its client gives up.
fn limit_wait(params: &mut JsonObject, passed: Duration) {
    let name = if params.contains_key("wait_ms") { "wait_ms" } else { "waitMs" };
    let left = LONGEST_MS.saturating_sub(passed.as_millis() as u64);
    match params.get(name).map(Value::as_u64) {
        // What is no number is for the daemon to refuse.
        Some(None) => {}
        asked => {
            let asked = asked.flatten().unwrap_or(WAIT_MS);
            params.insert(name.to_owned(), asked.min(left).into());
        }
    }
}

/// Tells a client that wants to know that a call is still under way.
struct Progress {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    waits: bool,
    every: Interval,
    seconds: f64,
}

impl Progress {
    fn of(context: &RequestContext<RoleServer>, request: &Request) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            to: token.map(|token| (context.peer.clone(), token)),
            waits: request.waits,
            every: interval_at(tokio::time::Instant::now() + REPORT, REPORT),
            seconds: 0.0,
        }
    }

    async fn report(&mut self) {
        self.every.tick().await;
        self.seconds += REPORT.as_secs_f64();
        let Some((peer, token)) = &self.to else { return };
        let words =
            if self.waits { "Waiting for the change, or for a person to decide." } else { "Working." };
        let progress = ProgressNotificationParam::new(token.clone(), self.seconds).with_message(words);
        // A client that is gone is noticed elsewhere.
        let _ = peer.notify_progress(progress).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wait_ends_before_its_client_gives_up() {
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
