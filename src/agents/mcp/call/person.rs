//! Calls whose change only a person can allow: the client asks its user, and editd decides accordingly.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitResult, InputRequest, InputRequiredResult, InputResponses,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Call, Failure, Link, Ticket, refusal, requested_wait};
use crate::mcp::question::{Question, Reply, WaitingChange, shows_forms};
use crate::mcp::session::Session;
use editd_protocol::{Apply, Discard, Method as _, RpcError};

/// Name of the question in the answer to a stateless client.
const QUESTION: &str = "change";
/// Maximum time that a call waits while a form is open, in milliseconds. Clients that show forms wait as long, and are
/// told of the progress.
const FORM_WAIT_MS: u64 = 600_000;
/// Hint after a question that was not answered.
const UNANSWERED: &str = "The user was asked and closed the question without an answer. Do not change the file in another way: report it, and go on with the rest.";
/// State of a change that waits for a person.
const PENDING: &str = "pending";

/// The end of a call whose change only a person can allow.
pub(super) enum Asked {
    Ended(Result<(Value, Ticket), Failure>),
    /// A stateless client is to ask, and to send the call again with the answer.
    Question(InputRequiredResult),
}

/// The answer of a stateless client to a question.
pub(in crate::mcp) struct SentReply {
    /// Name of the change.
    state: String,
    replies: Option<InputResponses>,
}

impl SentReply {
    /// Takes the answer from the parameters of a call, if it has one.
    pub(in crate::mcp) fn take(request: &mut CallToolRequestParams) -> Option<Self> {
        let state = request.request_state.take()?;
        Some(Self { state, replies: request.input_responses.take() })
    }

    fn reply(&self) -> Reply {
        let reply = self.replies.as_ref().and_then(|replies| replies.get(QUESTION));
        let reply = reply.and_then(|reply| serde_json::from_value::<ElicitResult>(reply.clone()).ok());
        reply.map_or(Reply::None, |reply| Reply::of(&reply))
    }
}

impl Call<'_> {
    /// Asks the person at the client, if a path rule leaves a change to a person and the client can ask. Returns `None`
    /// if the refusal stands.
    pub(super) async fn ask_person(&self, refused: &RpcError, link: &mut Option<Arc<Link>>) -> Option<Asked> {
        let is_askable = self.request.waits && refused.kind() == Some("protected");
        if !is_askable || !shows_forms(self.context) || !self.server.session.can_decide().await {
            return None;
        }
        let mut params = self.request.params.clone();
        params.shift_remove("wait_ms");
        params.insert("waitMs".to_owned(), 0.into());
        params.insert("review".to_owned(), true.into());
        let mut pending = match self.send((self.request.method, params.into()), Instant::now(), link).await {
            // A rule forbids the change altogether.
            Err(Failure::Refused(error)) if error.kind() == Some("protected") => return None,
            Ok((result, _)) if result["state"] == PENDING => result,
            ended => return Some(Asked::Ended(ended)),
        };
        let mut refused = refused.clone();
        if let Some(link) = link {
            link.root.shorten(&mut pending);
            link.root.shorten_refusal(&mut refused);
        }
        let question = Question::about(&pending, &refused)?;
        if self.is_stateless() {
            return Some(Asked::Question(self.question_for_next_call(question)));
        }
        let ended = self.ask_now(question, link).await;
        Some(Asked::Ended(ended.unwrap_or_else(|| Err(unanswered(refused).into()))))
    }

    fn question_for_next_call(&self, question: Question) -> InputRequiredResult {
        let request = InputRequest::Elicitation(ElicitRequest::new(question.form()));
        let state = question.change.id.clone();
        self.server.questions.add(question);
        InputRequiredResult::new(Some([(QUESTION.to_owned(), request)].into()), Some(state))
    }

    /// Asks the person, and waits until the change is decided. If that takes too long, the change waits on, and the form
    /// stays open. Returns `None` if the person closes the form without an answer.
    async fn ask_now(
        &self,
        question: Question,
        link: &mut Option<Arc<Link>>,
    ) -> Option<Result<(Value, Ticket), Failure>> {
        let change = question.change.clone();
        let close = CancellationToken::new();
        let mut asking = tokio::spawn({
            let (peer, session, close) =
                (self.context.peer.clone(), self.server.session.clone(), close.clone());
            async move {
                let reply = question.ask(&peer, &close).await;
                settle(&session, &question.change, reply).await
            }
        });
        let wait = requested_wait(&self.request.params).unwrap_or(FORM_WAIT_MS).min(FORM_WAIT_MS);
        let ended = tokio::select! {
            ended = self.outcome_of(&change, wait, link) => Some(ended),
            // Any other end of the form leaves the change to this wait.
            Ok(Settled::Unanswered) = &mut asking => None,
        };
        match &ended {
            Some(Ok((result, _))) if result["state"] == PENDING => {}
            Some(Ok(_)) => close.cancel(),
            // The call is over, or the daemon: nobody is left to be told about the change.
            None | Some(Err(_)) => {
                close.cancel();
                self.discard(&change).await;
            }
        }
        ended
    }

    /// Ends a call that a stateless client has sent again with the answer of the person.
    pub(super) async fn end_with(
        &self,
        sent: &SentReply,
        link: &mut Option<Arc<Link>>,
    ) -> Result<(Value, Ticket), Failure> {
        let Some(question) = self.server.questions.take(&sent.state) else {
            return Err(refusal(
                "invalid_params",
                "`requestState` names no open question.",
                "Leave it out, to send the call anew.",
            )
            .into());
        };
        match settle(&self.server.session, &question.change, sent.reply()).await {
            Settled::Unanswered => {
                self.discard(&question.change).await;
                Err(unanswered(question.refusal).into())
            }
            Settled::Decided | Settled::Open => self.outcome_of(&question.change, 0, link).await,
        }
    }

    /// Waits for the outcome of a change for some milliseconds.
    async fn outcome_of(
        &self,
        change: &WaitingChange,
        wait: u64,
        link: &mut Option<Arc<Link>>,
    ) -> Result<(Value, Ticket), Failure> {
        let params = json!({ "id": change.id, "revision": change.revision, "waitMs": wait });
        self.send((Apply::NAME, params), Instant::now(), link).await
    }

    /// Withdraws a change that nobody waits for any more, also if the call is over.
    async fn discard(&self, change: &WaitingChange) {
        let params = json!({ "id": change.id, "reason": "Nobody has answered the question about it." });
        let identity = self.server.identity(self.context);
        let sent = self.server.session.send(identity, self.tool_call(), Discard::NAME, params).await;
        if let Ok(mut ticket) = sent {
            // A change that was decided at the same moment stays decided.
            ticket.answer().await;
        }
    }
}

/// The effect of an answer.
enum Settled {
    Decided,
    /// The person has not decided. The change waits.
    Unanswered,
    /// The change waits for another person, or for a decision about lines that have just changed.
    Open,
}

/// Decides about a change as the person has answered.
async fn settle(session: &Session, change: &WaitingChange, reply: Reply) -> Settled {
    let is_unanswered = reply == Reply::None;
    let Some(decision) = reply.decision(change) else {
        return if is_unanswered { Settled::Unanswered } else { Settled::Open };
    };
    match session.decide(decision).await {
        Some(state) if state != PENDING => Settled::Decided,
        _ => Settled::Open,
    }
}

/// Returns the refusal of a change that the person was asked about in vain.
fn unanswered(mut refused: RpcError) -> RpcError {
    if let Some(Value::Object(data)) = &mut refused.data {
        data.insert("hint".to_owned(), UNANSWERED.into());
        // Advice on how a person could be asked.
        data.shift_remove("policy");
        data.shift_remove("allow");
    }
    refused
}
