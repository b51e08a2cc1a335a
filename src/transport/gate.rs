use crate::protocol::RpcError;
use crate::protocol::refusal_error;
use crate::workspace::{Refusal, RefusalKind, Role};

/// What only an editor may ask for besides LSP's own methods.
const EDITOR_ONLY: [&str; 6] = [
    "editd/decide",
    "editd/shutdown",
    "editd/documentState",
    "editd/focus",
    "editd/diagnosticsChanged",
    "editd/applyEdits",
];

/// The beginnings of LSP's names for what editors do with documents.
const EDITOR_PREFIXES: [&str; 5] = ["textDocument/", "workspace/", "notebookDocument/", "window/", "client/"];

/// Whether a method may be called on the socket that gives this role.
pub(crate) fn permits(role: Role, method: &str) -> bool {
    let editors =
        EDITOR_ONLY.contains(&method) || EDITOR_PREFIXES.iter().any(|prefix| method.starts_with(prefix));
    role == Role::Editor || !editors
}

/// The answer to a method that may not be called.
pub(crate) fn not_permitted(method: &str) -> RpcError {
    let what = format!("`{method}` is for editors, which connect to editor.sock");
    refusal_error(&[Refusal::new(RefusalKind::NotPermitted { what })])
}
