//! Questions to the person at the client, by elicitation: whether to make a change that only a person can allow.

use std::collections::VecDeque;
use std::fmt::Write as _;

use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema, ServerRequest, StringSchema,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, ServiceError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use editd_protocol::RpcError;
use editd_text::with_codes;

/// Maximum size of the text of a question, in bytes. Clients show it in a small form.
const TEXT: usize = 4_000;
/// Maximum length of a comment, in characters.
const COMMENT: u32 = 2_000;
/// Maximum number of questions to stateless clients that are open. The oldest ones are forgotten.
const MAX_OPEN: usize = 64;

/// Names of the fields of the form.
const DECISION: &str = "decision";
const COMMENT_FIELD: &str = "comment";
/// The answers of the form.
const MAKE: &str = "Make this change";
const MAKE_ALL: &str = "Make the whole change, also what is not shown here";
const REJECT: &str = "Do not make this change";

/// A change that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WaitingChange {
    pub(super) id: String,
    pub(super) revision: u64,
}

/// A question about a change that waits for a person.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The change.
    pub(super) change: WaitingChange,
    /// The refusal that the change gets without the approval of a person.
    pub(super) refusal: RpcError,
    /// Text of the form: the reason and the diffs.
    text: String,
    /// `true` if the text shows the whole change.
    is_whole: bool,
}

impl Question {
    /// Creates the question about a pending change. `refusal` tells why a person has to approve it. Returns `None` if
    /// the result of the daemon names no change.
    pub(super) fn about(pending: &Value, refusal: &RpcError) -> Option<Self> {
        let change =
            WaitingChange { id: pending["id"].as_str()?.to_owned(), revision: pending["revision"].as_u64()? };
        let files = pending["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        let lines: Vec<_> = files.iter().flat_map(|file| lines_of(file, files.len() > 1)).collect();
        // Clients show only the first lines of a text, so the change follows the question directly.
        let mut text = format!("Allow this change? {}", with_codes(&refusal.message));
        let mut count = 0;
        for line in &lines {
            if text.len() + line.len() >= TEXT {
                break;
            }
            text.push('\n');
            text.push_str(line);
            count += 1;
        }
        let left = lines.len() - count;
        if left > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n… {left} more lines");
        }
        Some(Self { change, refusal: refusal.clone(), text, is_whole: left == 0 })
    }

    /// Returns the form to show.
    pub(super) fn form(&self) -> ElicitRequestParams {
        let make = if self.is_whole { MAKE } else { MAKE_ALL };
        let review = format!("`editd review {}` shows all of it in a terminal.", self.change.id);
        let decision = EnumSchema::builder(vec![make.to_owned(), REJECT.to_owned()]);
        let decision = decision.title("Decision").description(review).build();
        let comment = StringSchema::new().title("Comment for the agent").max_length(COMMENT);
        let mut requested_schema = ElicitationSchema::builder()
            .required_enum_schema(DECISION, decision)
            .string_property(COMMENT_FIELD, |_| comment)
            .build_unchecked();
        requested_schema.property_order = Some(vec![DECISION.to_owned(), COMMENT_FIELD.to_owned()]);
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.text.clone(),
            requested_schema,
        }
    }

    /// Asks the person and waits for the answer. The form is closed if the token is cancelled.
    pub(super) async fn ask(&self, peer: &Peer<RoleServer>, close: &CancellationToken) -> Reply {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(self.form()));
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let Ok(mut handle) = sent else { return Reply::Lost };
        tokio::select! {
            answer = &mut handle.rx => match answer {
                Ok(Ok(ClientResult::ElicitResult(result))) => Reply::of(&result),
                Ok(Ok(_) | Err(ServiceError::McpError(_))) => Reply::None,
                _ => Reply::Lost,
            },
            () = close.cancelled() => {
                // A disconnected client is noticed elsewhere.
                let _ = handle.cancel(Some("The change is decided.".to_owned())).await;
                Reply::Lost
            }
        }
    }
}

/// Returns the lines that show the change of a file. `is_named` adds its path, unless the diff does not tell the change.
fn lines_of(file: &Value, is_named: bool) -> Vec<String> {
    let path = |name: &str| format!("`{}`", with_codes(file[name].as_str().unwrap_or_default()));
    let head = match file["action"].as_str() {
        Some("create") => Some(format!("New file {}:", path("path"))),
        Some("delete") => Some(format!("Delete {}:", path("path"))),
        Some("rename") => Some(format!("Rename {} to {}:", path("path"), path("newPath"))),
        _ => is_named.then(|| format!("{}:", path("path"))),
    };
    let diff = file["diff"].as_str().unwrap_or_default().split_terminator('\n');
    // The paths have been named, and a single place needs no numbers.
    let body = diff.skip_while(|line| !line.starts_with("@@"));
    let is_one = body.clone().filter(|line| line.starts_with("@@")).count() == 1;
    let body = body.filter(|line| !(is_one && line.starts_with("@@")));
    head.into_iter().chain(body.map(with_codes)).collect()
}

/// The answer of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// Make the change.
    Accept { comment: Option<String> },
    /// Do not make it.
    Reject { comment: Option<String> },
    /// The person closed the form, or did not choose.
    None,
    /// The client is gone or has closed the form itself.
    Lost,
}

impl Reply {
    /// Returns the answer of a form.
    pub(super) fn of(result: &ElicitResult) -> Self {
        let content = result.content.as_ref();
        let text = |name: &str| content.and_then(|content| content[name].as_str()).unwrap_or_default().trim();
        let comment = Some(text(COMMENT_FIELD)).filter(|text| !text.is_empty()).map(str::to_owned);
        match (&result.action, text(DECISION)) {
            (ElicitationAction::Accept, MAKE | MAKE_ALL) => Self::Accept { comment },
            (ElicitationAction::Accept, REJECT) | (ElicitationAction::Decline, _) => Self::Reject { comment },
            _ => Self::None,
        }
    }

    /// Returns the parameters of `editd/decide`, or `None` if the person has not decided.
    pub(super) fn decision(self, change: &WaitingChange) -> Option<Value> {
        let (name, comment) = match self {
            Self::Accept { comment } => ("accept", comment),
            Self::Reject { comment } => ("reject", comment),
            Self::None | Self::Lost => return None,
        };
        let mut decision = json!({ "id": change.id, "revision": change.revision });
        decision[name] = "all".into();
        if let Some(comment) = comment {
            decision["comment"] = comment.into();
        }
        Some(decision)
    }
}

/// Returns `true` if the client can show a form to a person.
pub(super) fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    let can = context.client_capabilities().and_then(|can| can.elicitation);
    // Without a mode, a client of an older revision means forms.
    can.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// The open questions to clients of the stateless revision, which send the answer with the next call.
#[derive(Default)]
pub(super) struct OpenQuestions(Mutex<VecDeque<Question>>);

impl OpenQuestions {
    pub(super) fn add(&self, question: Question) {
        let mut open = self.0.lock();
        open.push_back(question);
        if open.len() > MAX_OPEN {
            open.pop_front();
        }
    }

    /// Takes the question about a change.
    pub(super) fn take(&self, id: &str) -> Option<Question> {
        let mut open = self.0.lock();
        let at = open.iter().position(|question| question.change.id == id)?;
        open.remove(at)
    }
}
