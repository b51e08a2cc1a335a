//! What editors and the daemon tell each other besides LSP.

use lsp_types::TextEdit;
use serde::{Deserialize, Serialize};

/// Request to an editor: apply edits to several documents, all or none.
pub const APPLY_EDITS: &str = "editd/applyEdits";
/// Request to an editor: save documents.
pub const SAVE: &str = "editd/save";
/// Request to an editor: load documents anew that hold no unsaved text.
pub const RELOAD: &str = "editd/reload";
/// Request to an editor: close and open documents whose text the daemon lost track of.
pub const RESYNC: &str = "editd/resync";
/// Notification of an editor: whether a document holds unsaved text.
pub const DOCUMENT_STATE: &str = "editd/documentState";
/// Notification of an editor: a person looks at a document.
pub const FOCUS: &str = "editd/focus";

/// Parameters of [`APPLY_EDITS`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEditsParams {
    /// Names the change: the transaction. Empty where an edit is taken back.
    pub id: String,
    /// What it is for, to name the undo step by.
    pub label: String,
    /// What is to be done, each document once.
    pub documents: Vec<DocumentEdits>,
}

/// Edits of one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentEdits {
    /// As the editor spells it.
    pub uri: String,
    /// The version that the edits are for.
    pub version: i32,
    /// Hash of the text that the edits are for, as `didOpen` would carry it.
    pub base_hash: String,
    /// Sorted, disjoint, as small as they can be.
    pub edits: Vec<TextEdit>,
    /// Whether the document is to be saved right after.
    pub save: bool,
}

/// What documents are after a request of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentsResult {
    /// Whether it was done; all of it or nothing.
    #[serde(default)]
    pub applied: bool,
    /// Why not, or what went wrong besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The documents.
    #[serde(default)]
    pub documents: Vec<DocumentNow>,
}

/// A document after a request of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentNow {
    /// As the editor spells it.
    pub uri: String,
    /// Its version.
    #[serde(default)]
    pub version: Option<i32>,
    /// Hash of its text, unless it is too long to hash there.
    #[serde(default)]
    pub hash: Option<String>,
    /// Whether it holds unsaved text.
    #[serde(default)]
    pub dirty: Option<bool>,
    /// Whether it was saved.
    #[serde(default)]
    pub saved: Option<bool>,
}

/// Parameters of [`SAVE`], [`RELOAD`] and [`RESYNC`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrisParams {
    /// The documents, as the editor spells them.
    pub uris: Vec<String>,
}

/// Parameters of [`DOCUMENT_STATE`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentStateParams {
    /// The document.
    pub uri: String,
    /// Whether it holds unsaved text.
    pub dirty: bool,
    /// The version that this is said of.
    pub version: i32,
}

/// Parameters of [`FOCUS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FocusParams {
    /// The document.
    pub uri: String,
}
