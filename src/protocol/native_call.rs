//! Parameters and results of `editd/nativeCall` and `editd/nativeSession`: the session to which a call belongs
//! that reaches editd over another connection.

use serde::{Deserialize, Serialize};

use super::propose::OriginParams;

/// Parameters of `editd/nativeCall`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NativeCallParams {
    /// The call, in `toolCall`, and its place in the work of the client.
    pub origin: OriginParams,
}

/// Result of `editd/nativeCall`: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeCallResult {}

/// Parameters of `editd/nativeSession`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NativeSessionParams {
    /// `origin.toolCall` of the `editd/nativeCall`.
    #[serde(alias = "tool_call")]
    pub tool_call: String,
}

/// Result of `editd/nativeSession`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeSessionResult {
    /// Name of the session that announced the call; null if none did.
    pub session: Option<String>,
    /// The place of the call in the work of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginParams>,
}
