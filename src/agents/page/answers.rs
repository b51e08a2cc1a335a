//! JSON in requests and answers.

use axum::Json;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::web::{read_body, refusal};
use editd_protocol::RpcError;

/// Reads JSON. Returns an answer if there is none.
pub(super) async fn read_json<T: DeserializeOwned>(body: Body, limit: usize) -> Result<T, Response> {
    let bytes = read_body(body, limit).await?;
    serde_json::from_slice(&bytes)
        .map_err(|_| refusal(StatusCode::BAD_REQUEST, "Send a JSON object with the members of this request."))
}

/// Returns the answer with the result of a method.
pub(super) fn result(result: &Value) -> Response {
    Json(json!({ "result": result })).into_response()
}

/// Returns the answer with a refusal of the daemon.
pub(super) fn refused(error: &RpcError) -> Response {
    Json(json!({ "error": error })).into_response()
}

/// Returns the answer to a request that cannot reach the daemon.
pub(super) fn no_daemon() -> Response {
    let error = json!({
        "code": 0,
        "message": "The daemon has ended.",
        "data": { "kind": "unavailable", "hint": "The page continues when it runs again." },
    });
    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "error": error }))).into_response()
}
