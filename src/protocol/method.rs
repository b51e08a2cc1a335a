use serde::{Serialize, de::DeserializeOwned};

use super::diagnostics::{DiagnosticsParams, DiagnosticsResult};
use super::history::{BlameParams, BlameResult, HistoryParams, HistoryResult, UndoParams};
use super::params::{
    ApplyParams, ChangesParams, DiscardParams, EditParams, ProposalParams, ProposalsParams, ProposeParams,
    ShutdownParams, StatusParams,
};
use super::read::{ForgetParams, ForgetResult, ReadParams, ReadResult};
use super::results::{
    ApplyResult, ChangesResult, ProposalsResult, ProposeResult, ShutdownResult, StatusResult,
};
use super::review::{DecideParams, ProposalResult, ReopenParams};
use super::search::{Entries, FindParams, ListParams, SearchParams, SearchResult};

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

/// Defines a type for each method, and a list of method names for each kind of caller.
macro_rules! methods {
    ($($(#[$list_doc:meta])* $list:ident {
        $($(#[$doc:meta])* $type:ident = $name:literal, $params:ty => $result:ty;)*
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

methods! {
    /// Methods that every session may call.
    METHODS {
        /// Returns the text of a file and its hash, which serves as a base.
        Read = "editd/read", ReadParams => ReadResult;
        /// Finds lines by a pattern, in files and in unsaved text.
        Search = "editd/search", SearchParams => SearchResult;
        /// Finds files and folders by their paths.
        Find = "editd/find", FindParams => Entries;
        /// Lists folders.
        List = "editd/list", ListParams => Entries;
        /// Forgets that the session has read a file.
        Forget = "editd/forget", ForgetParams => ForgetResult;
        /// Computes changes and returns them without applying them.
        Propose = "editd/propose", ProposeParams => ProposeResult;
        /// Applies a proposal.
        Apply = "editd/apply", ApplyParams => ApplyResult;
        /// Proposes and applies in one step.
        Edit = "editd/edit", EditParams => ApplyResult;
        /// Discards a proposal.
        Discard = "editd/discard", DiscardParams => ProposeResult;
        /// Returns the current state of a proposal.
        ProposalMethod = "editd/proposal", ProposalParams => ProposalResult;
        /// Lists proposals.
        Proposals = "editd/proposals", ProposalsParams => ProposalsResult;
        /// Undoes a transaction.
        Undo = "editd/undo", UndoParams => ApplyResult;
        /// Lists transactions.
        HistoryMethod = "editd/history", HistoryParams => HistoryResult;
        /// Returns the author of each line of a file.
        Blame = "editd/blame", BlameParams => BlameResult;
        /// Returns changes that others made to files that the session has read.
        Changes = "editd/changes", ChangesParams => ChangesResult;
        /// Returns the diagnostics of attached editors.
        Diagnostics = "editd/diagnostics", DiagnosticsParams => DiagnosticsResult;
        /// Returns the status of the daemon.
        Status = "editd/status", StatusParams => StatusResult;
    }
    /// Methods that only editors may call.
    EDITOR_METHODS {
        /// Decides about a proposal; only on `editor.sock`.
        Decide = "editd/decide", DecideParams => ProposalResult;
        /// Proposes rejected hunks again; only on `editor.sock`.
        Reopen = "editd/reopen", ReopenParams => ProposalResult;
        /// Stops the daemon; only on `editor.sock`.
        Shutdown = "editd/shutdown", ShutdownParams => ShutdownResult;
    }
}
