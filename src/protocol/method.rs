use serde::{Serialize, de::DeserializeOwned};

use super::diagnostics::{DiagnosticsParams, DiagnosticsResult};
use super::params::{
    ApplyParams, ChangesParams, DiscardParams, EditParams, ProposalParams, ProposalsParams, ProposeParams,
    ShutdownParams, StatusParams,
};
use super::past::{BlameParams, BlameResult, HistoryParams, HistoryResult, UndoParams};
use super::read::{ForgetParams, ForgetResult, ReadParams, ReadResult};
use super::results::{
    ApplyResult, ChangesResult, ProposalsResult, ProposeResult, ShutdownResult, StatusResult,
};
use super::review::{DecideParams, ProposalResult, ReopenParams};
use super::search::{Entries, FindParams, ListParams, SearchParams, SearchResult};

/// One method of the product: its name, what goes in, what comes out. The daemon serves it and clients
/// call it through the same description.
pub trait Method {
    /// The name on the wire.
    const NAME: &'static str;
    /// What goes in.
    type Params: DeserializeOwned + Send + 'static;
    /// What comes out, unless it is refused.
    type Result: Serialize + DeserializeOwned + Send + 'static;
}

/// The methods by who may call them: each a type, and its name in a list.
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
    /// What every session may call.
    METHODS {
        /// Gives a file's text, and with it a base.
        Read = "editd/read", ReadParams => ReadResult;
        /// Finds lines by a pattern, in files and in unsaved text.
        Search = "editd/search", SearchParams => SearchResult;
        /// Finds files and folders by their paths.
        Find = "editd/find", FindParams => Entries;
        /// Lists folders.
        List = "editd/list", ListParams => Entries;
        /// Takes back that a file was given.
        Forget = "editd/forget", ForgetParams => ForgetResult;
        /// Works changes out and shows them; changes nothing.
        Propose = "editd/propose", ProposeParams => ProposeResult;
        /// Makes a proposal come true.
        Apply = "editd/apply", ApplyParams => ApplyResult;
        /// Proposes and applies in one step.
        Edit = "editd/edit", EditParams => ApplyResult;
        /// Takes a proposal back.
        Discard = "editd/discard", DiscardParams => ProposeResult;
        /// Shows a proposal as it stands.
        ProposalMethod = "editd/proposal", ProposalParams => ProposalResult;
        /// Lists proposals.
        Proposals = "editd/proposals", ProposalsParams => ProposalsResult;
        /// Takes back what a transaction did.
        Undo = "editd/undo", UndoParams => ApplyResult;
        /// Lists what was done.
        HistoryMethod = "editd/history", HistoryParams => HistoryResult;
        /// Tells who wrote the lines of a file.
        Blame = "editd/blame", BlameParams => BlameResult;
        /// Tells what others changed in files that were read.
        Changes = "editd/changes", ChangesParams => ChangesResult;
        /// Tells what editors say is wrong.
        Diagnostics = "editd/diagnostics", DiagnosticsParams => DiagnosticsResult;
        /// Tells how the daemon is.
        Status = "editd/status", StatusParams => StatusResult;
    }
    /// What editors may call besides.
    EDITOR_METHODS {
        /// Decides about a proposal; on `editor.sock` only.
        Decide = "editd/decide", DecideParams => ProposalResult;
        /// Proposes again what was rejected; on `editor.sock` only.
        Reopen = "editd/reopen", ReopenParams => ProposalResult;
        /// Stops the daemon; on `editor.sock` only.
        Shutdown = "editd/shutdown", ShutdownParams => ShutdownResult;
    }
}
