//! Why nothing was done, as an answer: the daemon's words, in the names that the client knows.

use serde_json::{Map, Value, json};

use crate::protocol::RpcError;

use super::answer::Answer;
use super::output::shown;
use super::readable::readable;
use super::session::Failure;

/// What the daemon's advice calls a method or a part of `initialize`, and what a client of ours has instead.
const NAMES: [(&str, &str); 10] = [
    // Tools that change one file make a list of one change of it.
    ("changes[0].", ""),
    ("with `editd/proposal` and `waitMs`", "with `proposal_status`"),
    ("`editd/proposals`", "`proposal_status` without `id`"),
    ("`editd/proposal`", "`proposal_status`"),
    ("`editd/read`", "`read`"),
    ("`editd/history` lists what there is; an author", "An author"),
    ("`editd/undo`", "`undo`"),
    ("`editd/changes`", "`changes`"),
    (
        "roots are set by `workspaceFolders` in `initialize`",
        "roots come from the client, or from `editd mcp --root DIR`",
    ),
    (
        "Start the session with the folder of the project as its root.",
        "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.",
    ),
];

/// The answer for a request that has no result.
pub(super) fn refused(failure: &Failure, changes: bool) -> Answer {
    match failure {
        Failure::Refused(error) => of_error(error),
        Failure::Unreachable(error) => match error {
            crate::transport::ConnectError::Refused(error) => of_error(error),
            error => said(
                "unavailable",
                &format!("There is no connection to the daemon: {error}."),
                "Ask the user to run `editd doctor`, or to start the daemon with `editd serve`; then try again.",
            ),
        },
        Failure::Lost if changes => said(
            "outcome_unknown",
            "The daemon ended before it answered, so it is not known whether the change was made.",
            "Read the files again to see what is there, and send the change again only if it is missing.",
        ),
        Failure::Lost => said(
            "unavailable",
            "The daemon ended before it answered.",
            "Try again; if it goes on, ask the user to run `editd doctor`.",
        ),
    }
}

/// Too much at once.
pub(super) fn busy(limit: usize) -> Answer {
    let message = format!("{limit} calls are under way already.");
    said("busy", &message, "Wait for earlier calls to end, then try again.")
}

/// A bug in one call is that call's failure.
pub(super) fn broken(changes: bool) -> Answer {
    let hint = if changes { "Read the files again to see what is there." } else { "Try it another way." };
    said("internal", "This call failed because of a bug in editd.", hint)
}

fn said(kind: &str, message: &str, hint: &str) -> Answer {
    let data = json!({ "kind": kind, "hint": hint });
    of_error(&RpcError { code: 0, message: message.to_owned(), data: Some(data) })
}

fn of_error(error: &RpcError) -> Answer {
    let mut details = match &error.data {
        Some(Value::Object(data)) => data.clone(),
        _ => Map::new(),
    };
    // The first is the error itself.
    let mut others: Vec<Value> = match details.shift_remove("refusals") {
        Some(Value::Array(refusals)) => refusals.into_iter().skip(1).collect(),
        _ => Vec::new(),
    };
    others.iter_mut().for_each(cut);
    details.retain(|_, value| !value.is_null());
    details.values_mut().for_each(cut);
    if let Some(Value::String(field)) = details.get_mut("field") {
        *field = named(field);
    }
    let kind = details.shift_remove("kind").unwrap_or_else(|| kind_of(error.code).into());
    let hint = details.shift_remove("hint").map(|hint| named(hint.as_str().unwrap_or_default()));
    let mut head =
        Map::from_iter([("kind".to_owned(), kind), ("message".to_owned(), named(&error.message).into())]);
    if let Some(hint) = &hint {
        head.insert("hint".to_owned(), hint.as_str().into());
    }
    let mut data: Map<_, _> = head.clone().into_iter().chain(details.clone()).collect();
    let mut text = head_text(&head);
    text.push_str(&readable(&details));
    for other in &others {
        let Value::Object(other) = other else { continue };
        text.push_str("\nAlso refused:\n");
        text.push_str(&readable(other));
    }
    if !others.is_empty() {
        data.insert("others".to_owned(), others.into());
    }
    Answer { text, data: json!({ "error": data }), image: None, is_refusal: true }
}

fn head_text(head: &Map<String, Value>) -> String {
    let text = |name: &str| head.get(name).and_then(Value::as_str).unwrap_or_default();
    let hint = head.get("hint").map(|_| format!("{}\n", text("hint"))).unwrap_or_default();
    format!("Refused ({}): {}\n{hint}", text("kind"), text("message"))
}

fn kind_of(code: i64) -> &'static str {
    match code {
        -32800 => "cancelled",
        -32601 => "not_permitted",
        _ => "internal",
    }
}

/// Shortens texts that no model wants whole, such as the difference to a file that was rewritten.
fn cut(value: &mut Value) {
    match value {
        Value::String(text) => *text = shown(text),
        Value::Array(items) => items.iter_mut().for_each(cut),
        Value::Object(members) => members.values_mut().for_each(cut),
        _ => {}
    }
}

/// A sentence of the daemon's in the names of the tools.
fn named(sentence: &str) -> String {
    NAMES.iter().fold(sentence.to_owned(), |sentence, (theirs, ours)| sentence.replace(theirs, ours))
}
