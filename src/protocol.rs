//! The wire contract as data: `editd/*` methods with their parameters and results, refusals as JSON-RPC
//! errors, and the crossings to and from LSP. `docs/protocol.md` tells the same in words.
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
mod door;
mod editor;
mod error;
mod json;
mod method;
mod params;
mod past;
mod patch;
mod path;
pub mod plain;
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
pub use door::Door;
pub use editor::{
    APPLY_EDITS, ApplyEditsParams, DOCUMENT_STATE, DocumentEdits, DocumentNow, DocumentStateParams,
    DocumentsResult, FOCUS, FocusParams, RELOAD, RESYNC, SAVE, UrisParams,
};
pub use error::{Code, RpcError};
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
pub use past::{
    BlameEntry, BlameParams, BlameResult, HistoryParams, HistoryResult, TransactionEntry, TransactionFile,
    UndoParams,
};
pub use patch::{PatchAndBases, PatchParams};
pub use path::{RequestPath, path_of_uri, uri_of};
pub use read::{
    CellContent, ForgetParams, ForgetResult, ImageContent, Indent, NotebookContent, OutputContent,
    ReadContent, ReadParams, ReadResult, TextContent,
};
pub use refusal::refusal_error;
pub use results::{
    AppliedFile, ApplyResult, ChangedFile, ChangesResult, FileEntry, Hunk, LandedFile, MatchEntry, MemoryUse,
    PolicyStatus, ProposalSummary, ProposalsResult, ProposeResult, ShutdownResult, StatusResult,
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

/// The tools of the server for the Model Context Protocol, in the order in which it lists them.
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

/// Notification to agents: a file that they have read is not what they were given.
pub const FILE_CHANGED: &str = "editd/fileChanged";
/// Notification to agents: a proposal of theirs changed.
pub const PROPOSAL_CHANGED: &str = "editd/proposalChanged";
/// Notification to editors: the daemon ends this connection as it should, and says nothing more.
pub const GOODBYE: &str = "$/editd/goodbye";
