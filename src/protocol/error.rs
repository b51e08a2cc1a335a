use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A JSON-RPC error, as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// One of [`Code`], or another of JSON-RPC.
    pub code: i64,
    /// One sentence.
    pub message: String,
    /// What a program needs to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The error codes that editd sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Code {
    /// The body is not JSON.
    Parse = -32700,
    /// The body is JSON but no request, or one out of turn.
    InvalidRequest = -32600,
    /// There is no such method.
    MethodNotFound = -32601,
    /// Parameters that do not fit.
    InvalidParams = -32602,
    /// A fault of the daemon.
    Internal = -32603,
    /// A request before `initialize`.
    NotInitialized = -32002,
    /// A request that its client takes back.
    Cancelled = -32800,
    /// A refusal: the truth differs from the base.
    ContentModified = -32801,
    /// Any other refusal.
    RequestFailed = -32803,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code: code as i64, message: message.into(), data: None }
    }

    /// The refusal's stable name, if this is a refusal.
    pub fn kind(&self) -> Option<&str> {
        self.data.as_ref()?.get("kind")?.as_str()
    }

    /// The refusal's advice, if it has one.
    pub fn hint(&self) -> Option<&str> {
        self.data.as_ref()?.get("hint")?.as_str()
    }
}
