use crate::protocol::{
    APPLY_EDITS, Code, DIAGNOSTICS_CHANGED, DOCUMENT_STATE, EDITOR_METHODS, FOCUS, METHODS, RELOAD, RESYNC,
    RpcError, SAVE, refusal_error,
};
use crate::workspace::{Refusal, RefusalKind, Role};

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

/// Whether a method may be called on the socket that gives this role. What is not known is not permitted:
/// the framework knows methods that nobody here has thought of.
pub(crate) fn permits(role: Role, method: &str) -> bool {
    role == Role::Editor || method.starts_with("$/") || LIFE.contains(&method) || METHODS.contains(&method)
}

/// The answer to a method that may not be called.
pub(crate) fn refusal(method: &str) -> RpcError {
    let family = method.split_once('/').map(|(family, _)| family);
    let ours = EDITOR_METHODS.contains(&method) || AMONG_EDITORS.contains(&method);
    if ours || family.is_some_and(|family| LSP_FAMILIES.contains(&family)) {
        let what = format!("`{method}` is for editors, which connect to editor.sock");
        return refusal_error(&[Refusal::new(RefusalKind::NotPermitted { what })]);
    }
    RpcError::new(Code::MethodNotFound, format!("There is no method `{method}`."))
}
