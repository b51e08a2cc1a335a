//! Messages of clients: parsing, permission, and responses.

use serde_json::{Value, json};
use tower_lsp::jsonrpc::Response;

use editd_protocol::{
    APPLY_EDITS, Code, DIAGNOSTICS_CHANGED, DOCUMENT_STATE, EDITOR_METHODS, FOCUS, GOODBYE, LEAVING, METHODS,
    RELOAD, RESYNC, RpcError, SAVE, Strict, refusal_error,
};
use editd_workspace::{Audience, Refusal, RefusalKind, Role};

/// A parsed message of a client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// A request (with an id) or a notification (without an id).
    Call { id: Option<Value>, method: String, params: Option<Value> },
    /// A response to a request of the daemon.
    Answer(Value),
}

/// An error for a body that is not a message, and the id for the response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Malformed {
    pub(crate) id: Value,
    pub(crate) error: RpcError,
}

/// Parses a body.
pub(crate) fn parse(body: &[u8]) -> Result<Message, Malformed> {
    let malformed =
        |id: &Value, code, message: &str| Malformed { id: id.clone(), error: RpcError::new(code, message) };
    let invalid = |id: &Value, message: &str| Err(malformed(id, Code::InvalidRequest, message));
    let Strict(value) = serde_json::from_slice(body)
        .map_err(|error| malformed(&Value::Null, Code::Parse, &format!("The body is not JSON: {error}.")))?;
    let Value::Object(mut fields) = value else {
        return invalid(&Value::Null, "A message is a JSON object; batches are not supported.");
    };
    let id = fields.get("id").filter(|id| is_id(id)).cloned().unwrap_or_default();
    if fields.get("jsonrpc") != Some(&Value::from("2.0")) {
        return invalid(&id, "A message needs `\"jsonrpc\": \"2.0\"`.");
    }
    if fields.get("id").is_some_and(|id| !is_id(id)) {
        return invalid(&id, "The id of a request is a string or an integer.");
    }
    if !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error")) {
        return Ok(Message::Answer(Value::Object(fields)));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return invalid(&id, "A request needs a `method`, which is a string.");
    };
    let params = fields.remove("params");
    if params.as_ref().is_some_and(|params| !params.is_object() && !params.is_array() && !params.is_null()) {
        return invalid(&id, "The `params` of a request are an object.");
    }
    Ok(Message::Call { id: fields.remove("id"), method, params })
}

/// Returns the last notification to an editor before the daemon closes the connection in an orderly way. A
/// bridge uses it to distinguish an orderly end from a failure.
pub(crate) fn goodbye() -> Value {
    json!({ "jsonrpc": "2.0", "method": GOODBYE, "params": {} })
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_null()
}

/// Returns the error for a request that cannot even be queued.
pub(super) fn too_many() -> RpcError {
    let what = "too many requests of this connection are queued".to_owned();
    refusal_error(&[Refusal::new(RefusalKind::Busy { what })], Audience::Wire)
}

/// Converts a response of the framework to the message to send.
pub(super) fn answer(response: Response) -> Value {
    let (id, outcome) = response.into_parts();
    // Moved, not copied: a result may be as large as a file.
    let (name, content) = outcome.map_or_else(|error| ("error", json!(error)), |result| ("result", result));
    let members = [("jsonrpc", json!("2.0")), (name, content), ("id", json!(id))];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the response to a request that failed.
pub(super) fn error_message(id: &Value, error: &RpcError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Returns the response to a request whose handler panicked.
pub(super) fn panicked(id: &Value) -> Value {
    let message = "The request failed because of a bug in editd; the log has the details.";
    error_message(id, &RpcError::new(Code::Internal, message))
}

/// Lifecycle methods, which an agent may call in addition to [`METHODS`] and methods that start with `$/`.
const LIFECYCLE: [&str; 4] = ["initialize", "initialized", "shutdown", "exit"];

/// Extensions of LSP between editors and the daemon, in addition to [`EDITOR_METHODS`].
const EDITOR_EXTENSIONS: [&str; 8] =
    [DOCUMENT_STATE, FOCUS, LEAVING, DIAGNOSTICS_CHANGED, APPLY_EDITS, SAVE, RELOAD, RESYNC];

/// Prefixes of LSP method names, before the slash.
const LSP_FAMILIES: [&str; 14] = [
    "callHierarchy",
    "client",
    "codeAction",
    "codeLens",
    "completionItem",
    "documentLink",
    "inlayHint",
    "notebookDocument",
    "telemetry",
    "textDocument",
    "typeHierarchy",
    "window",
    "workspace",
    "workspaceSymbol",
];

/// Lifecycle stage of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Before `initialize`.
    Before,
    /// The connection has a session.
    Within,
    /// After `shutdown`.
    Over,
}

/// Returns the error for a call that is not allowed at this stage or for this role, or `None` if it is
/// allowed. Notifications at the wrong stage are left to the framework.
pub(super) fn refused(role: Role, stage: Stage, method: &str, is_request: bool) -> Option<RpcError> {
    let untimely = if is_request { untimely(stage, method) } else { None };
    untimely.or_else(|| (!permits(role, method)).then(|| not_permitted(method)))
}

/// Returns the error for a request that is not allowed at this stage.
fn untimely(stage: Stage, method: &str) -> Option<RpcError> {
    let (code, kind, message, hint) = match stage {
        Stage::Before if method != "initialize" => (
            Code::NotInitialized,
            "not_initialized",
            "A session starts with `initialize`.",
            "Send `initialize` first, then this request again.",
        ),
        Stage::Within if method == "initialize" => (
            Code::InvalidRequest,
            "invalid_request",
            "This connection already has a session, which was not changed.",
            "Continue with this session, or open a new connection for another one.",
        ),
        Stage::Over => (
            Code::InvalidRequest,
            "invalid_request",
            "After `shutdown`, only `exit` is left.",
            "Open a new connection to continue.",
        ),
        Stage::Before | Stage::Within => return None,
    };
    Some(RpcError { data: Some(json!({ "kind": kind, "hint": hint })), ..RpcError::new(code, message) })
}

/// Returns `true` if a role may call a method. For agents, unknown methods are not permitted, because the
/// framework handles methods that this program does not intend to serve.
fn permits(role: Role, method: &str) -> bool {
    role == Role::Editor
        || method.starts_with("$/")
        || LIFECYCLE.contains(&method)
        || METHODS.contains(&method)
}

/// Returns the error for a method that is not permitted.
fn not_permitted(method: &str) -> RpcError {
    let family = method.split_once('/').map(|(family, _)| family);
    let ours = EDITOR_METHODS.contains(&method) || EDITOR_EXTENSIONS.contains(&method);
    if ours || family.is_some_and(|family| LSP_FAMILIES.contains(&family)) {
        let what = format!("`{method}` is for editors, which connect to editor.sock");
        return refusal_error(&[Refusal::new(RefusalKind::NotPermitted { what })], Audience::Wire);
    }
    RpcError::new(Code::MethodNotFound, format!("There is no method `{method}`."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_responses_are_distinguished() {
        let call = parse(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,2.5,"x",null,true]}}"#);
        assert!(matches!(call, Ok(Message::Call { id: Some(_), params: Some(_), .. })));
        let notification = parse(br#"{"jsonrpc":"2.0","method":"m"}"#);
        assert!(matches!(notification, Ok(Message::Call { id: None, params: None, .. })));
        assert!(matches!(parse(br#"{"jsonrpc":"2.0","id":1,"result":null}"#), Ok(Message::Answer(_))));
    }

    #[test]
    fn malformed_bodies_have_distinct_error_codes() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for (body, code) in [
            (&b"nonsense"[..], -32700),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"method\":\"n\"}", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":{\"b\":1,\"b\":2}}}", -32700),
            (b"{} {}", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", -32700),
            (b"{\"a\":\"\\ud800\"}", -32700),
            (deep.as_bytes(), -32700),
            (b"[]", -32600),
            (b"1", -32600),
            (b"{\"method\":\"m\"}", -32600),
            (b"{\"jsonrpc\":\"1.0\",\"method\":\"m\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":7}", -32600),
        ] {
            let malformed = parse(body).unwrap_err();
            assert_eq!(malformed.error.code, code, "{}", String::from_utf8_lossy(body));
        }
    }
}
