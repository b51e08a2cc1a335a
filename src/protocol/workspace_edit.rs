use std::path::Path;

use lsp_types::{
    CreateFile, CreateFileOptions, DeleteFile, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, RenameFile, RenameFileOptions, ResourceOp,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use crate::edit::{Plan, Splice};
use crate::text::{self, PositionEncoding, Text};
use crate::workspace::{Action, PlannedFile};

use super::uri_of;

/// Converts plans to an LSP edit in a client's position encoding.
pub fn workspace_edit<'f>(
    files: impl IntoIterator<Item = &'f PlannedFile>,
    encoding: PositionEncoding,
) -> WorkspaceEdit {
    let mut operations = Vec::new();
    for file in files {
        operations_of(file, encoding, &mut operations);
    }
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    }
}

fn operations_of(
    file: &PlannedFile,
    encoding: PositionEncoding,
    operations: &mut Vec<DocumentChangeOperation>,
) {
    let uri = uri_of(&file.path);
    if file.action.creates() {
        // An editor must never truncate an existing file.
        let options = CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(true) };
        let create = CreateFile { uri: uri.clone(), options: Some(options), annotation_id: None };
        operations.push(DocumentChangeOperation::Op(ResourceOp::Create(create)));
    }
    if !file.plan.is_empty() && file.action != Action::Delete {
        let nothing = Text::default();
        let before = file.before.as_ref().map_or(&nothing, |before| &before.text);
        let edits = text_edits(before, &file.plan, encoding);
        operations.push(DocumentChangeOperation::Edit(text_document_edit(&file.path, edits)));
    }
    match &file.action {
        Action::Delete => {
            let delete = DeleteFile { uri, options: None, annotation_id: None };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Delete(delete)));
        }
        Action::Rename { to, .. } => {
            let options = RenameFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
            let new_uri = uri_of(to);
            let rename = RenameFile { old_uri: uri, new_uri, options: Some(options), annotation_id: None };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(rename)));
        }
        Action::Edit | Action::Create { .. } => {}
    }
}

fn text_document_edit(path: &Path, edits: Vec<TextEdit>) -> TextDocumentEdit {
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri: uri_of(path), version: None },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    }
}

/// Converts a plan for a text to LSP edits, sorted and disjoint.
pub fn text_edits(before: &Text, plan: &Plan, encoding: PositionEncoding) -> Vec<TextEdit> {
    let position = |offset| lsp_position(before.position_of(offset, encoding));
    let edit = |splice: &Splice| TextEdit {
        range: Range::new(position(splice.range.start), position(splice.range.end)),
        new_text: splice.text.clone(),
    };
    plan.splices().iter().map(edit).collect()
}

fn lsp_position(position: text::Position) -> Position {
    // The maximum size of a file is far below `u32::MAX`.
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position { line: count(position.line), character: count(position.character) }
}
