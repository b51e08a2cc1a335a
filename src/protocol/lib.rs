//! Types of the wire contract: the `editd/*` methods with their parameters and results, refusals as JSON-RPC
//! errors, and the conversions to and from LSP. `docs/protocol.md` documents the same contract.
//!
//! ```
//! use editd_protocol::{ReadParams, decode};
//! use serde_json::json;
//!
//! let params: ReadParams = decode(json!({ "path": "cart.py", "offset": 5 }))?;
//! let wrong = decode::<ReadParams>(json!({ "path": "cart.py", "start": 5 })).unwrap_err();
//! assert_eq!(wrong.field, "start");
//! # Ok::<(), editd_protocol::Invalid>(())
//! ```

mod change;
mod decode;
mod edit_entry;
mod editor;
mod error;
mod find;
mod history;
mod json;
pub mod lsp_review;
mod native;
mod native_call;
mod open_files;
mod path;
mod propose;
mod read;
mod results;
mod reviewers;
mod run;
mod symbols;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use change::*;
pub use decode::{Invalid, decode};
pub use edit_entry::*;
pub use editor::*;
pub use error::*;
pub use find::*;
pub use history::*;
pub use json::*;
pub use native::*;
pub use native_call::*;
pub use open_files::*;
pub use path::*;
pub use propose::*;
pub use read::*;
pub use results::*;
pub use reviewers::*;
pub use run::*;
pub use symbols::*;

/// Name of editd in `clientInfo` and `serverInfo`.
pub const NAME: &str = "editd";

/// Version of the wire contract.
pub const PROTOCOL: u32 = 1;

/// Names of the MCP tools, in the order in which `tools/list` returns them.
pub const TOOLS: [&str; 13] = [
    "read",
    "outline",
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
/// Notification to editors: a file that they have open was renamed.
pub const FILE_RENAMED: &str = "editd/fileRenamed";
/// Notification to agents: one of their proposals has changed.
pub const PROPOSAL_CHANGED: &str = "editd/proposalChanged";
/// Method of LSP 3.18 that returns the text of a virtual document.
pub const DOCUMENT_CONTENT: &str = "workspace/textDocumentContent";
/// Notification to editors: the daemon closes this connection in an orderly way. No message follows it.
pub const GOODBYE: &str = "$/editd/goodbye";

/// A method of the protocol with its name, parameters and result. The daemon and its clients share this
/// definition.
pub trait Method {
    /// Name on the wire.
    const NAME: &'static str;
    /// Parameters.
    type Params: DeserializeOwned + Send + 'static;
    /// Result of a request that is not refused.
    type Result: Serialize + DeserializeOwned + Send + 'static;
}

/// Passes the table of all methods to a macro. Each line has the type of a method, its name, its parameters and
/// result, and the function of the daemon that handles it, unless `transport` calls that in its own way.
#[macro_export]
macro_rules! with_methods {
    ($then:ident) => {
        $then! {
            /// Methods that every session may call.
            METHODS {
                /// Returns the text of a file and its hash, which serves as a base.
                Read = "editd/read", ReadParams => ReadResult, read;
                /// Returns several files, or parts of files.
                ReadSeveral = "editd/readSeveral", ReadSeveralParams => ReadSeveralResult, read_several;
                /// Returns the symbols of a file.
                OutlineMethod = "editd/outline", OutlineParams => OutlineResult, outline;
                /// Finds lines by a pattern, in files and in unsaved text.
                Search = "editd/search", SearchParams => SearchResult, search;
                /// Finds files and folders by their paths.
                Find = "editd/find", FindParams => Entries, find;
                /// Lists folders.
                List = "editd/list", ListParams => Entries, list;
                /// Forgets that the session has read a file.
                Forget = "editd/forget", FileParams => ForgetResult, forget;
                /// Computes changes and returns them without applying them.
                Propose = "editd/propose", ProposeParams => ProposeResult, propose;
                /// Applies a proposal.
                Apply = "editd/apply", ApplyParams => ApplyResult, apply;
                /// Proposes and applies in one step.
                Edit = "editd/edit", EditParams => ApplyResult;
                /// Discards a proposal.
                Discard = "editd/discard", DiscardParams => ProposeResult, discard;
                /// Returns the current state of a proposal.
                ProposalMethod = "editd/proposal", ProposalParams => ProposalResult, proposal;
                /// Lists proposals.
                Proposals = "editd/proposals", ProposalsParams => ProposalsResult, proposals;
                /// Undoes a transaction.
                Undo = "editd/undo", UndoParams => ApplyResult, undo;
                /// Lists transactions.
                HistoryMethod = "editd/history", HistoryParams => HistoryResult, history;
                /// Returns the author of each line of a file.
                Blame = "editd/blame", FileParams => BlameResult, blame;
                /// Returns changes that others made to files that the session has read.
                Changes = "editd/changes", ChangesParams => ChangesResult, changes;
                /// Returns the diagnostics of attached editors.
                Diagnostics = "editd/diagnostics", FileParams => DiagnosticsResult, diagnostics;
                /// Returns the files that attached editors have open.
                OpenFiles = "editd/openFiles", OpenFilesParams => OpenFilesResult, open_files;
                /// Begins a turn of the agent.
                NativeTurn = "editd/nativeTurn", NativeTurnParams => NativeTurnResult, native_turn;
                /// Counts lines as read that a tool of the client itself has shown.
                NativeRead = "editd/nativeRead", NativeReadParams => NativeReadResult, native_read;
                /// Checks a change that a tool of the client itself is about to make.
                NativeEdit = "editd/nativeEdit", NativeEditParams => NativeEditResult, native_edit;
                /// Records a change that a tool of the client itself has made.
                NativeDone = "editd/nativeDone", NativeDoneParams => NativeDoneResult, native_done;
                /// Announces a call of the session that arrives over another connection.
                NativeCall = "editd/nativeCall", NativeCallParams => NativeCallResult, native_call;
                /// Returns the session that announced a call.
                NativeSession = "editd/nativeSession", NativeSessionParams => NativeSessionResult, native_session;
                /// Begins the run of a command that changes files itself.
                RunBegin = "editd/runBegin", RunBeginParams => RunBeginResult, run_begin;
                /// Ends the run of a command, and records what it has changed.
                RunEnd = "editd/runEnd", RunEndParams => RunEndResult, run_end;
                /// Returns the status of the daemon.
                Status = "editd/status", NoParams => StatusResult;
            }
            /// Methods that only editors may call.
            EDITOR_METHODS {
                /// Decides about a proposal; only on `editor.sock`.
                Decide = "editd/decide", DecideParams => ProposalResult, decide;
                /// Proposes rejected hunks again; only on `editor.sock`.
                Reopen = "editd/reopen", ReopenParams => ProposalResult, reopen;
                /// Returns the reviewers, and the changes that none of them has seen; only on `editor.sock`.
                Reviewers = "editd/reviewers", NoParams => ReviewersResult, reviewers;
                /// Stops waiting for reviewers that have not come back; only on `editor.sock`.
                DismissReviewers = "editd/dismissReviewers", DismissReviewersParams => DismissReviewersResult,
                    dismiss_reviewers;
                /// Stops the daemon; only on `editor.sock`.
                Shutdown = "editd/shutdown", NoParams => ShutdownResult;
            }
        }
    };
}

/// Defines a type for each method, and a list of method names for each kind of caller.
macro_rules! define_methods {
    ($($(#[$list_doc:meta])* $list:ident {
        $($(#[$doc:meta])* $type:ident = $name:literal, $params:ty => $result:ty $(, $function:ident)?;)*
    })*) => {$(
        $(#[$list_doc])*
        pub const $list: &[&str] = &[$($name),*];

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $type;

            impl Method for $type {
                const NAME: &'static str = $name;
                type Params = $params;
                type Result = $result;
            }
        )*
    )*};
}

with_methods!(define_methods);

/// Parameters of `editd/status` and `editd/shutdown`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// Result of `editd/status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// Version of the program.
    pub version: String,
    /// Version of the wire contract.
    pub protocol: u32,
    /// Process ID.
    pub pid: u32,
    /// Time since the start, in seconds.
    pub uptime: u64,
    /// Number of connections that have sent `initialize`, including this one.
    pub sessions: usize,
    /// Number of files that any session has read.
    pub documents: usize,
    /// Number of known proposals.
    pub proposals: usize,
    /// Number of proposals that can still be applied.
    pub open_proposals: usize,
    /// Number of diagnostics received from editors.
    #[serde(default)]
    pub diagnostics: usize,
    /// Memory usage.
    pub memory: MemoryUse,
    /// `off`, `auto` or `always`.
    pub review: String,
    /// `process` or `full`.
    pub durability: String,
    /// State folder.
    pub state_dir: String,
    /// Folder of the sockets.
    pub runtime_dir: String,
    /// Error in the configuration, because of which writes are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration_error: Option<String>,
    /// Number of files of interrupted transactions that are neither completed nor rolled back yet.
    #[serde(default)]
    pub recovering: usize,
    /// The user's path rules, if a policy file exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyStatus>,
    /// Limits in force.
    pub limits: serde_json::Map<String, serde_json::Value>,
}

/// Status of the policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyStatus {
    /// Path of the policy file.
    pub file: String,
    /// Number of its rules in force.
    pub rules: usize,
    /// Error in the policy file, because of which writes are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Memory usage, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryUse {
    /// Cached text.
    pub text: u64,
    /// Resident memory of the process, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resident: Option<u64>,
}

/// Result of `editd/shutdown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownResult {
    /// Process ID of the daemon that is shutting down, so that the client can wait for it.
    pub pid: u32,
}
