//! Parameters and result of `editd/openFiles`.

use lsp_types::Range;
use serde::{Deserialize, Serialize};

/// Parameters of `editd/openFiles`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenFilesParams {
    /// `revision` of an earlier answer, to wait for another one.
    pub since: Option<u64>,
    /// Maximum time to wait, in milliseconds.
    pub wait_ms: Option<u64>,
}

/// Result of `editd/openFiles`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFilesResult {
    /// Grows whenever a document of any editor is opened, closed or focused.
    pub revision: u64,
    /// The files, beginning with the one that had the focus last.
    pub files: Vec<OpenFileEntry>,
}

/// A file that an attached editor has open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenFileEntry {
    /// Path of the file.
    pub path: String,
    /// URI of the file.
    pub uri: lsp_types::Uri,
    /// `true` if it has the focus, or is the last document that had it.
    pub active: bool,
    /// The selection when it last had the focus, in the encoding of the connection; empty at the cursor.
    pub selection: Option<Range>,
    /// The selected text, without what exceeds 16 KiB.
    pub selected_text: Option<String>,
}
