use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A JSON-RPC error as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// A [`Code`], or another JSON-RPC error code.
    pub code: i64,
    /// Message of one sentence.
    pub message: String,
    /// Machine-readable details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The error codes that editd sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Code {
    /// The body is not JSON.
    Parse = -32700,
    /// The body is JSON but not a request, or the request is not allowed at this point.
    InvalidRequest = -32600,
    /// The method does not exist.
    MethodNotFound = -32601,
    /// The parameters are invalid.
    InvalidParams = -32602,
    /// An internal error of the daemon.
    Internal = -32603,
    /// A request before `initialize`.
    NotInitialized = -32002,
    /// The client cancelled the request.
    Cancelled = -32800,
    /// A refusal: the current content differs from the base.
    ContentModified = -32801,
    /// Any other refusal.
    RequestFailed = -32803,
}

impl RpcError {
    /// Creates an error without data.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code: code as i64, message: message.into(), data: None }
    }

    /// Returns the stable name of the refusal, if the error is a refusal.
    pub fn kind(&self) -> Option<&str> {
        self.data.as_ref()?.get("kind")?.as_str()
    }

    /// Returns the hint of the refusal, if it has one.
    pub fn hint(&self) -> Option<&str> {
        self.data.as_ref()?.get("hint")?.as_str()
    }
}
