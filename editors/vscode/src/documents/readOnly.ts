/**
 * Handles documents that the user has made read-only in the editor. VS Code does not expose which documents are
 * read-only. It applies edits to them, but does not mark them as dirty: they cannot be saved, and the edit would be
 * lost with the tab.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';

import { isAsOnDisk } from './disk';

/** Milliseconds that VS Code may take to mark a document as dirty. */
const TIMEOUT = 500;
const POLL_INTERVAL = 50;

/** Returns `true` if the document is read-only. Must be called right after an edit of the document. */
export async function isReadOnly(document: vscode.TextDocument): Promise<boolean> {
  const end = Date.now() + TIMEOUT;
  // A clean document with the content of its file was saved immediately.
  while (!document.isDirty && !(await isAsOnDisk(document))) {
    if (Date.now() > end) {
      return true;
    }
    await pause(POLL_INTERVAL);
  }
  return false;
}

export interface Original {
  readonly document: vscode.TextDocument;
  readonly text: string;
}

/** Restores the original texts of read-only documents. The user cannot have typed in them. */
export async function restoreTexts(all: readonly Original[]): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { document, text } of all) {
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  }
  await vscode.workspace.applyEdit(edit);
}
