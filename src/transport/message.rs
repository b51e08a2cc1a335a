use serde_json::{Value, json};
use tower_lsp::jsonrpc::Response;

use crate::protocol::{Code, GOODBYE, RpcError, Strict, refusal_error};
use crate::workspace::{Refusal, RefusalKind};

/// One message of a client, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// A request (with an id) or notification (without).
    Call { id: Option<Value>, method: String, params: Option<Value> },
    /// The answer to a request of ours.
    Answer(Value),
}

/// A body that is no message, and the id to answer under.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Malformed {
    pub(crate) id: Value,
    pub(crate) error: RpcError,
}

impl Malformed {
    fn new(id: Value, code: Code, message: impl Into<String>) -> Self {
        Self { id, error: RpcError::new(code, message) }
    }
}

/// Takes a body apart. What is wrong with it costs one answer.
pub(crate) fn parse(body: &[u8]) -> Result<Message, Malformed> {
    let Strict(value) = serde_json::from_slice(body).map_err(|error| {
        Malformed::new(Value::Null, Code::Parse, format!("The body is not JSON: {error}."))
    })?;
    let invalid = |id: &Value, message: &str| Err(Malformed::new(id.clone(), Code::InvalidRequest, message));
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

/// The last that an editor is told where the daemon ends the connection as it should. A bridge knows by it that
/// nothing went wrong.
pub(crate) fn goodbye() -> Value {
    json!({ "jsonrpc": "2.0", "method": GOODBYE, "params": {} })
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_null()
}

/// The answer to a request that cannot even wait.
pub(super) fn too_many() -> RpcError {
    let what = "too many requests of this connection wait for others of it".to_owned();
    refusal_error(&[Refusal::new(RefusalKind::Busy { what })])
}

/// What the framework answers, as it is sent.
pub(super) fn answer(response: Response) -> Value {
    let (id, outcome) = response.into_parts();
    // Moved and not copied: a result may be as large as a file.
    let (name, said) = outcome.map_or_else(|error| ("error", json!(error)), |result| ("result", result));
    let members = [("jsonrpc", json!("2.0")), (name, said), ("id", json!(id))];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(super) fn error_message(id: &Value, error: &RpcError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

pub(super) fn panicked(id: Option<Value>) -> Value {
    let error = RpcError::new(
        Code::Internal,
        "The request failed for a reason that is a bug of editd; the log has more.",
    );
    error_message(&id.unwrap_or_default(), &error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_answers_are_told_apart() {
        let call = parse(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,2.5,"x",null,true]}}"#);
        assert!(matches!(call, Ok(Message::Call { id: Some(_), params: Some(_), .. })));
        let notification = parse(br#"{"jsonrpc":"2.0","method":"m"}"#);
        assert!(matches!(notification, Ok(Message::Call { id: None, params: None, .. })));
        assert!(matches!(parse(br#"{"jsonrpc":"2.0","id":1,"result":null}"#), Ok(Message::Answer(_))));
    }

    #[test]
    fn bodies_that_are_no_message_are_told_apart_too() {
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
