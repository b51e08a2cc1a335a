//! Conversion of calls to requests of the framework.

use serde_json::{Map, Value};
use tower_lsp::jsonrpc::{Id, Request};

use super::{copy_newer_capabilities, routed};

/// Converts a call to a request of the framework. Adds members that clients commonly omit.
pub(in crate::transport) fn request(id: Option<Value>, method: String, params: Option<Value>) -> Request {
    let params = match (method.as_str(), params) {
        ("initialize", Some(Value::Object(mut params))) => {
            if params.get("capabilities").is_none_or(Value::is_null) {
                params.insert("capabilities".to_owned(), Map::new().into());
            }
            copy_newer_capabilities(&mut params);
            Some(params.into())
        }
        (method, None | Some(Value::Null)) if method.starts_with("editd/") => Some(Map::new().into()),
        (_, params) => params,
    };
    let mut request = Request::build(routed(method));
    if let Some(params) = params {
        request = request.params(params);
    }
    if let Some(id) = id {
        request = request.id(request_id(&id));
    }
    request.finish()
}

fn request_id(id: &Value) -> Id {
    match id {
        Value::String(text) => Id::String(text.clone()),
        other => other.as_i64().map_or(Id::Null, Id::Number),
    }
}
