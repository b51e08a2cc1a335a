//! Messages between editors and the daemon that extend LSP, diagnostics of editors, and changes in the form of
//! LSP.

use lsp_types::{
    CreateFile, CreateFileOptions, DeleteFile, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position as LspPosition, Range, RenameFile, RenameFileOptions,
    ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use editd_edit::{Plan, Splice};
use editd_text::{Position, PositionEncoding, Text};
use editd_workspace::diagnostics::{Diagnostic, Severity};
use editd_workspace::limits::DIAGNOSTICS_PER_FILE;
use editd_workspace::{Action, PlannedFile};

use super::uri_of;

/// Request to an editor: apply edits to several documents, either all or none.
pub const APPLY_EDITS: &str = "editd/applyEdits";
/// Request to an editor: save documents.
pub const SAVE: &str = "editd/save";
/// Request to an editor: reload documents without unsaved changes.
pub const RELOAD: &str = "editd/reload";
/// Request to an editor: close and reopen documents whose text the daemon has lost track of.
pub const RESYNC: &str = "editd/resync";
/// Request to an editor: the edits with which a language server renames what is at a position.
pub const RENAME: &str = "editd/rename";
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    pub version: Option<i32>,
    /// Hash of the text. An editor may omit it if the text is long.
    pub hash: Option<String>,
    /// `true` if the document has unsaved changes.
    pub dirty: Option<bool>,
    /// `true` if the document was saved.
    pub saved: Option<bool>,
}

/// Parameters of [`SAVE`], [`RELOAD`] and [`RESYNC`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrisParams {
    /// URIs of the documents, spelled as the editor spells them.
    pub uris: Vec<String>,
}

/// Parameters of [`RENAME`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameParams {
    /// URI of the file, spelled as the editor spells it if it has the file open.
    pub uri: String,
    /// A position in the name.
    pub position: LspPosition,
    /// Unit of the position: `utf-8`, `utf-16` or `utf-32`.
    pub position_encoding: String,
    /// New name.
    pub new_name: String,
}

/// Result of [`RENAME`]; null if no language server can rename there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RenameResult {
    /// The edits of each file, each file once.
    pub files: Vec<RenamedFile>,
    /// Unit of the positions; default: that of the request.
    pub position_encoding: Option<String>,
    /// Reason why the edits cannot be used, for example because files would be created, too.
    pub reason: Option<String>,
}

/// Edits of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenamedFile {
    /// URI of the file.
    pub uri: String,
    /// Disjoint edits.
    pub edits: Vec<TextEdit>,
}

/// Returns the name of a unit of positions.
pub fn encoding_name(encoding: PositionEncoding) -> &'static str {
    match encoding {
        PositionEncoding::Utf8 => "utf-8",
        PositionEncoding::Utf16 => "utf-16",
        PositionEncoding::Utf32 => "utf-32",
    }
}

/// Returns the unit of positions with a name.
pub fn encoding_named(name: &str) -> Option<PositionEncoding> {
    let all = [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];
    all.into_iter().find(|encoding| encoding_name(*encoding) == name)
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
    /// The selection; empty at the cursor. An editor that gives it sends the notification again when it changes.
    pub selection: Option<Range>,
}

/// Notification from an editor: all diagnostics of a document. They replace the previous ones.
pub const DIAGNOSTICS_CHANGED: &str = "editd/diagnosticsChanged";

/// Parameters of [`DIAGNOSTICS_CHANGED`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DiagnosticsChangedParams {
    /// The document.
    pub uri: String,
    /// Version of the document that the diagnostics refer to.
    pub version: Option<i32>,
    /// LSP diagnostics. Malformed items and items beyond the limit are ignored.
    #[serde(default, deserialize_with = "items")]
    pub items: Vec<Diagnostic>,
}

/// The part of an LSP diagnostic that editd uses.
#[derive(Deserialize)]
struct Item {
    range: Range,
    severity: Option<u8>,
    message: Message,
    source: Option<String>,
}

/// Message of a diagnostic. Since LSP 3.18 it may be markup content.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Plain(String),
    MarkedMerge { value: String },
}

fn items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Diagnostic>, D::Error> {
    let items = Vec::<Value>::deserialize(deserializer)?.into_iter().take(DIAGNOSTICS_PER_FILE);
    Ok(items.filter_map(|item| Some(serde_json::from_value::<Item>(item).ok()?.into())).collect())
}

impl From<Item> for Diagnostic {
    fn from(item: Item) -> Self {
        let (start, end) = ends_of(item.range);
        Self {
            start,
            end,
            severity: match item.severity {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                // LSP leaves a missing severity to the client; an error is least likely to be overlooked.
                _ => Severity::Error,
            },
            message: match item.message {
                Message::Plain(message) | Message::MarkedMerge { value: message } => message,
            },
            source: item.source,
        }
    }
}

/// A diagnostic as clients receive it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticEntry {
    /// Canonical path of the file.
    pub path: String,
    /// Range, in the position encoding of the connection if `hash` is set, else in that of the editor.
    pub range: Range,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// Message of the diagnostic.
    pub message: String,
    /// Program that reported it.
    pub source: Option<String>,
    /// Hash of the text that the diagnostic refers to; null if that is not the current text.
    pub hash: Option<String>,
}

/// Result of `editd/diagnostics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticsResult {
    /// Diagnostics, sorted by path and position.
    pub items: Vec<DiagnosticEntry>,
    /// `true` if there are more diagnostics than one response holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Converts plans to an LSP edit in a client's position encoding.
pub fn workspace_edit<'f>(
    files: impl IntoIterator<Item = &'f PlannedFile>,
    encoding: PositionEncoding,
) -> WorkspaceEdit {
    let operations = files.into_iter().flat_map(|file| operations_of(file, encoding)).collect();
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    }
}

fn operations_of(
    file: &PlannedFile,
    encoding: PositionEncoding,
) -> impl Iterator<Item = DocumentChangeOperation> {
    let uri = uri_of(&file.path);
    let create = file.action.creates().then(|| {
        // An editor must never truncate an existing file.
        let options = CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(true) };
        ResourceOp::Create(CreateFile { uri: uri.clone(), options: Some(options), annotation_id: None })
    });
    let edit = (!file.plan.is_empty() && file.action != Action::Delete).then(|| {
        let nothing = Text::default();
        let before = file.before.as_ref().map_or(&nothing, |before| &before.text);
        let edits = text_edits(before, &file.plan, encoding).into_iter().map(OneOf::Left).collect();
        let text_document = OptionalVersionedTextDocumentIdentifier { uri: uri.clone(), version: None };
        DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits })
    });
    let last = match &file.action {
        Action::Delete => Some(ResourceOp::Delete(DeleteFile { uri, options: None, annotation_id: None })),
        Action::Rename { to, .. } => {
            let options = RenameFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
            let (options, new_uri) = (Some(options), uri_of(to));
            Some(ResourceOp::Rename(RenameFile { old_uri: uri, new_uri, options, annotation_id: None }))
        }
        Action::Edit | Action::Create { .. } => None,
    };
    let (create, last) = (create.map(DocumentChangeOperation::Op), last.map(DocumentChangeOperation::Op));
    [create, edit, last].into_iter().flatten()
}

/// Returns the range of LSP between two positions.
pub fn range_of(start: Position, end: Position) -> Range {
    // The maximum size of a file is far below `u32::MAX`.
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let position = |at: Position| LspPosition { line: count(at.line), character: count(at.character) };
    Range::new(position(start), position(end))
}

/// Returns the positions at the ends of a range of LSP.
pub fn ends_of(range: Range) -> (Position, Position) {
    let position = |at: LspPosition| Position { line: at.line as usize, character: at.character as usize };
    (position(range.start), position(range.end))
}

/// Converts a plan for a text to LSP edits, sorted and disjoint.
pub fn text_edits(before: &Text, plan: &Plan, encoding: PositionEncoding) -> Vec<TextEdit> {
    let position = |offset| before.position_of(offset, encoding);
    let edit = |splice: &Splice| TextEdit {
        range: range_of(position(splice.range.start), position(splice.range.end)),
        new_text: splice.text.clone(),
    };
    plan.splices().iter().map(edit).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn malformed_diagnostics_are_ignored() {
        let range = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
        let params = json!({ "uri": "file:///a", "version": 3, "items": [
            { "range": range, "severity": 2, "message": "m", "source": "s", "code": 7, "data": {} },
            { "range": range, "message": { "kind": "markdown", "value": "*m*" } },
            { "range": range },
            { "message": "m" },
            { "range": { "start": { "line": -1, "character": 0 } }, "message": "m" },
            7,
        ] });
        let params: DiagnosticsChangedParams = serde_json::from_value(params).unwrap();
        let received: Vec<_> =
            params.items.iter().map(|item| (item.severity, item.message.as_str())).collect();
        assert_eq!(received, [(Severity::Warning, "m"), (Severity::Error, "*m*")]);
        assert_eq!(params.items[0].start, Position { line: 1, character: 2 });
    }
}
