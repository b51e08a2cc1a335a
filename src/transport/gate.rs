use serde_json::json;

use crate::protocol::{
    APPLY_EDITS, Code, DIAGNOSTICS_CHANGED, DOCUMENT_STATE, EDITOR_METHODS, FOCUS, METHODS, RELOAD, RESYNC,
    RpcError, SAVE, refusal_error,
};
use crate::workspace::{Audience, Refusal, RefusalKind, Role};

use super::backlog::Call;

/// Lifecycle methods, which an agent may call in addition to [`METHODS`] and methods that start with `$/`.
const LIFECYCLE: [&str; 4] = ["initialize", "initialized", "shutdown", "exit"];

/// Extensions of LSP between editors and the daemon, in addition to [`EDITOR_METHODS`].
const EDITOR_EXTENSIONS: [&str; 7] =
    [DOCUMENT_STATE, FOCUS, DIAGNOSTICS_CHANGED, APPLY_EDITS, SAVE, RELOAD, RESYNC];

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
pub(crate) enum Stage {
    /// Before `initialize`.
    Before,
    /// The connection has a session.
    Within,
    /// After `shutdown`.
    Over,
}

/// Returns the error for a call that is not allowed at this stage or for this role, or `None` if it is
/// allowed. Notifications at the wrong stage are left to the framework.
pub(crate) fn refused(role: Role, stage: Stage, call: &Call) -> Option<RpcError> {
    let method = call.method.as_str();
    let untimely = call.id.as_ref().and_then(|_| untimely(stage, method));
    untimely.or_else(|| (!permits(role, method)).then(|| refusal(method)))
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
fn refusal(method: &str) -> RpcError {
    let family = method.split_once('/').map(|(family, _)| family);
    let ours = EDITOR_METHODS.contains(&method) || EDITOR_EXTENSIONS.contains(&method);
    if ours || family.is_some_and(|family| LSP_FAMILIES.contains(&family)) {
        let what = format!("`{method}` is for editors, which connect to editor.sock");
        return refusal_error(&[Refusal::new(RefusalKind::NotPermitted { what })], Audience::Wire);
    }
    RpcError::new(Code::MethodNotFound, format!("There is no method `{method}`."))
}
