use serde_json::json;

use crate::protocol::{
    APPLY_EDITS, Code, DIAGNOSTICS_CHANGED, DOCUMENT_STATE, EDITOR_METHODS, FOCUS, METHODS, RELOAD, RESYNC,
    RpcError, SAVE, refusal_error,
};
use crate::workspace::{Refusal, RefusalKind, Role};

use super::backlog::Call;

/// What an agent may call besides [`METHODS`] and what starts with `$/`: the life of a session.
const LIFE: [&str; 4] = ["initialize", "initialized", "shutdown", "exit"];

/// What editors and the daemon tell each other besides LSP's own methods and [`EDITOR_METHODS`].
const AMONG_EDITORS: [&str; 7] =
    [DOCUMENT_STATE, FOCUS, DIAGNOSTICS_CHANGED, APPLY_EDITS, SAVE, RELOAD, RESYNC];

/// What stands before the slash in the names of LSP's methods.
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

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has not said who it is.
    Before,
    /// It has a session.
    Within,
    /// It has said `shutdown`.
    Over,
}

/// Why a call cannot be made at this stage, or on the socket that gives this role. What comes too early or too
/// late and asks for no answer is left to the framework.
pub(crate) fn refused(role: Role, stage: Stage, call: &Call) -> Option<RpcError> {
    let method = call.method.as_str();
    let untimely = call.id.as_ref().and_then(|_| untimely(stage, method));
    untimely.or_else(|| (!permits(role, method)).then(|| refusal(method)))
}

/// The answer to a request that comes too early or too late.
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
            "This connection has its session already; nothing of it was changed.",
            "Go on with the session as it is, or connect anew for another one.",
        ),
        Stage::Over => (
            Code::InvalidRequest,
            "invalid_request",
            "After `shutdown`, only `exit` is left.",
            "Connect anew to go on.",
        ),
        Stage::Before | Stage::Within => return None,
    };
    Some(RpcError { data: Some(json!({ "kind": kind, "hint": hint })), ..RpcError::new(code, message) })
}

/// Whether a method may be called on the socket that gives this role. What is not known is not permitted:
/// the framework knows methods that nobody here has thought of.
fn permits(role: Role, method: &str) -> bool {
    role == Role::Editor || method.starts_with("$/") || LIFE.contains(&method) || METHODS.contains(&method)
}

/// The answer to a method that may not be called.
fn refusal(method: &str) -> RpcError {
    let family = method.split_once('/').map(|(family, _)| family);
    let ours = EDITOR_METHODS.contains(&method) || AMONG_EDITORS.contains(&method);
    if ours || family.is_some_and(|family| LSP_FAMILIES.contains(&family)) {
        let what = format!("`{method}` is for editors, which connect to editor.sock");
        return refusal_error(&[Refusal::new(RefusalKind::NotPermitted { what })]);
    }
    RpcError::new(Code::MethodNotFound, format!("There is no method `{method}`."))
}
