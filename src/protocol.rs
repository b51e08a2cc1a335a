//! Types of the wire contract: the `editd/*` methods with their parameters and results, refusals as JSON-RPC
//! errors, and the conversions to and from LSP. `docs/protocol.md` documents the same contract.
//!
//! ```
//! use editd::protocol::{ReadParams, decode};
//! use serde_json::json;
//!
//! let params: ReadParams = decode(json!({ "path": "cart.py", "offset": 5 }))?;
//! let wrong = decode::<ReadParams>(json!({ "path": "cart.py", "start": 5 })).unwrap_err();
//! assert_eq!(wrong.field, "start");
//! # Ok::<(), editd::protocol::Invalid>(())
//! ```

mod cells;
mod change;
mod decode;
mod diagnostics;
mod editor;
mod error;
mod history;
mod json;
pub mod lsp_review;
mod method;
mod params;
mod patch;
mod path;
mod read;
mod refusal;
mod results;
mod review;
mod search;
mod strict;
mod workspace_edit;

pub use cells::{CellOpParam, CellParams, CellTypeParam, cell_ops};
pub use change::{ChangeParams, FileChange, WriteParams};
pub use decode::{Invalid, decode};
pub use diagnostics::{
    DIAGNOSTICS_CHANGED, DiagnosticEntry, DiagnosticsChangedParams, DiagnosticsParams, DiagnosticsResult,
};
pub use editor::{
    APPLY_EDITS, ApplyEditsParams, DOCUMENT_STATE, DocumentEdits, DocumentNow, DocumentStateParams,
    DocumentsResult, FOCUS, FocusParams, RELOAD, RESYNC, SAVE, UrisParams,
};
pub use error::{Code, RpcError};
pub use history::{
    BlameEntry, BlameParams, BlameResult, HistoryParams, HistoryResult, TransactionEntry, TransactionFile,
    UndoParams,
};
pub use json::{json_len, json_prefix};
pub use method::{
    Apply, Blame, Changes, Decide, Diagnostics, Discard, EDITOR_METHODS, Edit, Find, Forget, HistoryMethod,
    List, METHODS, Method, ProposalMethod, Proposals, Propose, Read, Reopen, Search, Shutdown, Status, Undo,
};
pub use params::{
    ApplyParams, ChangesParams, DiscardParams, DisplayParam, EditParams, Matching, OnConflictParam,
    OnStaleParam, ProposalParams, ProposalsParams, ProposeParams, ShutdownParams, StatusParams,
    TextEditParams,
};
pub use patch::{PatchAndBases, PatchParams};
pub use path::{RequestPath, path_of_uri, uri_of};
pub use read::{
    CellContent, ForgetParams, ForgetResult, ImageContent, Indent, NotebookContent, OutputContent,
    ReadContent, ReadParams, ReadResult, TextContent,
};
pub use refusal::refusal_error;
pub use results::{
    AppliedFile, ApplyResult, ChangedFile, ChangedState, ChangesResult, FileEntry, Hunk, MatchEntry,
    MemoryUse, PolicyStatus, ProposalSummary, ProposalsResult, ProposeResult, ShutdownResult, StatusResult,
};
pub use review::{
    CommentEntry, CommentParam, DecideParams, PickParam, ProposalResult, ReopenParams, ReplaceParam, UserEdit,
};
pub use search::{
    Entries, EntryKind, FindParams, FoundEntry, FoundLine, ListParams, SearchParams, SearchResult,
};
pub use strict::{JSON_VALUES, Strict};
pub use workspace_edit::{text_edits, workspace_edit};

/// Version of the wire contract.
pub const PROTOCOL: u32 = 1;

/// Names of the MCP tools, in the order in which `tools/list` returns them.
pub const TOOLS: [&str; 12] = [
    "read",
    "edit",
    "write",
    "apply_patch",
    "notebook_edit",
    "undo",
    "search",
    "find",
    "list",
    "changes",
    "diagnostics",
    "proposal_status",
];

/// Notification to agents: a file that they have read has changed.
pub const FILE_CHANGED: &str = "editd/fileChanged";
/// Notification to agents: one of their proposals has changed.
pub const PROPOSAL_CHANGED: &str = "editd/proposalChanged";
/// Notification to editors: the daemon closes this connection in an orderly way. No message follows it.
pub const GOODBYE: &str = "$/editd/goodbye";
