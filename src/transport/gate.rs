use crate::protocol::{Code, RpcError, refusal_error};
use crate::workspace::{Refusal, RefusalKind, Role};

use super::lsp::METHODS;

/// What an agent may call besides [`METHODS`] and what starts with `$/`: the life of a session.
const LIFE: [&str; 4] = ["initialize", "initialized", "shutdown", "exit"];

/// What only an editor may ask for besides LSP's own methods.
const EDITOR_ONLY: [&str; 6] = [
    "editd/decide",
    "editd/shutdown",
    "editd/documentState",
    "editd/focus",
    "editd/diagnosticsChanged",
    "editd/applyEdits",
];

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
    if EDITOR_ONLY.contains(&method) || family.is_some_and(|family| LSP_FAMILIES.contains(&family)) {
        let what = format!("`{method}` is for editors, which connect to editor.sock");
        return refusal_error(&[Refusal::new(RefusalKind::NotPermitted { what })]);
    }
    RpcError::new(Code::MethodNotFound, format!("There is no method `{method}`."))
}
