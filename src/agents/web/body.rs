//! Bodies of requests, and answers that refuse a request.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Maximum time for the body of a request to arrive.
const ARRIVAL: Duration = Duration::from_secs(20);

/// Maximum length in bytes of a body that fits into one packet, and the maximum time for it to arrive. Bodies that
/// are read before a token was checked are not longer.
const SMALL: (usize, Duration) = (1024, Duration::from_secs(5));

/// Returns an answer with one sentence of plain text.
pub fn refusal(status: StatusCode, sentence: &str) -> Response {
    let mut response = (status, format!("{sentence}\n")).into_response();
    // A refused request may have a body that is not read, after which the connection cannot be used.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Reads the body of a request. Returns an answer if it is too large or does not arrive.
///
/// Handlers read the body themselves, after the token was checked, so that a stranger cannot fill memory.
pub async fn read_body(body: Body, limit: usize) -> Result<Bytes, Response> {
    let time = if limit <= SMALL.0 { SMALL.1 } else { ARRIVAL };
    match tokio::time::timeout(time, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // The other reason is a client that disconnected, which does not read the answer.
        Ok(Err(_)) => {
            let sentence = format!("Send a body of at most {limit} bytes.");
            Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, &sentence))
        }
        Err(_) => {
            Err(refusal(StatusCode::REQUEST_TIMEOUT, "Send the request again; its body did not arrive."))
        }
    }
}
