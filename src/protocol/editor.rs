//! Messages between editors and the daemon that extend LSP.

use lsp_types::TextEdit;
use serde::{Deserialize, Serialize};

/// Request to an editor: apply edits to several documents, either all or none.
pub const APPLY_EDITS: &str = "editd/applyEdits";
/// Request to an editor: save documents.
pub const SAVE: &str = "editd/save";
/// Request to an editor: reload documents without unsaved changes.
pub const RELOAD: &str = "editd/reload";
/// Request to an editor: close and reopen documents whose text the daemon has lost track of.
pub const RESYNC: &str = "editd/resync";
/// Notification from an editor: a document has gained or lost unsaved changes.
pub const DOCUMENT_STATE: &str = "editd/documentState";
/// Notification from an editor: the user has focused a document.
pub const FOCUS: &str = "editd/focus";

/// Parameters of [`APPLY_EDITS`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEditsParams {
    /// Id of the transaction. Empty if the edits roll back an earlier request.
    pub id: String,
    /// Purpose of the change, to label the undo step.
    pub label: String,
    /// Edits by document, each document once.
    pub documents: Vec<DocumentEdits>,
}

/// Edits of one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentEdits {
    /// URI, spelled as the editor spells it.
    pub uri: String,
    /// Version that the edits apply to.
    pub version: i32,
    /// Hash of the text that the edits apply to, as `didOpen` would carry it.
    pub base_hash: String,
    /// Sorted, disjoint and minimal edits.
    pub edits: Vec<TextEdit>,
    /// `true` if a request to save the document follows.
    pub save: bool,
}

/// Result of [`APPLY_EDITS`], [`SAVE`], [`RELOAD`] and [`RESYNC`]: the state of the documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentsResult {
    /// `true` if the editor applied all edits, `false` if it applied none.
    #[serde(default)]
    pub applied: bool,
    /// Reason for a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The documents.
    #[serde(default)]
    pub documents: Vec<DocumentNow>,
}

/// State of a document after a request of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentNow {
    /// URI, spelled as the editor spells it.
    pub uri: String,
    /// Version of the document.
    #[serde(default)]
    pub version: Option<i32>,
    /// Hash of the text. An editor may omit it if the text is long.
    #[serde(default)]
    pub hash: Option<String>,
    /// `true` if the document has unsaved changes.
    #[serde(default)]
    pub dirty: Option<bool>,
    /// `true` if the document was saved.
    #[serde(default)]
    pub saved: Option<bool>,
}

/// Parameters of [`SAVE`], [`RELOAD`] and [`RESYNC`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrisParams {
    /// URIs of the documents, spelled as the editor spells them.
    pub uris: Vec<String>,
}

/// Parameters of [`DOCUMENT_STATE`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentStateParams {
    /// The document.
    pub uri: String,
    /// `true` if the document has unsaved changes.
    pub dirty: bool,
    /// Version of the document that this state refers to.
    pub version: i32,
}

/// Parameters of [`FOCUS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FocusParams {
    /// The document.
    pub uri: String,
}
