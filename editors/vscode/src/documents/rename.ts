/** Handles `editd/rename`: has the language server of a file rename a symbol. The daemon makes the edits. */
import * as vscode from 'vscode';

import type { RenameParams, RenameResult } from '../daemon/wire';

/** Returns the edits of the rename provider, or null if there is none for the file, or if it fails. */
export async function rename(params: RenameParams): Promise<RenameResult | null> {
  if (params.positionEncoding !== 'utf-16') {
    return null;
  }
  const uri = vscode.Uri.parse(params.uri, true);
  const position = new vscode.Position(params.position.line, params.position.character);
  let edit: vscode.WorkspaceEdit | undefined;
  try {
    // Providers know only open documents. This does not show it.
    await vscode.workspace.openTextDocument(uri);
    edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
      'vscode.executeDocumentRenameProvider',
      uri,
      position,
      params.newName,
    );
  } catch {
    return null;
  }
  if (!edit) {
    return null;
  }
  const entries = edit.entries();
  const files = entries.map(([file, edits]) => ({ uri: file.toString(), edits: edits.map(wireEdit) }));
  // Files that would be created, renamed or deleted are counted, but not among the entries.
  return edit.size === entries.length ? { files } : { files, reason: 'it would also create, rename or delete files' };
}

function wireEdit({ range, newText }: vscode.TextEdit): { range: WireRange; newText: string } {
  const at = ({ line, character }: vscode.Position): WireRange['start'] => ({ line, character });
  return { range: { start: at(range.start), end: at(range.end) }, newText };
}

interface WireRange {
  start: { line: number; character: number };
  end: { line: number; character: number };
}
