/**
 * Documents that a person has made read-only in the editor. VS Code does not tell which they are. It changes their text
 * when it is asked to, but does not take it for unsaved: nobody could save it, and it would be gone with the tab.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';

import { isAsOnDisk } from './disk';

/** Milliseconds in which VS Code says that a text is unsaved. */
const PATIENCE = 500;
const PAUSE = 50;

/** Whether the document, right after its text was changed, turns out to be read-only. */
export async function isLocked(document: vscode.TextDocument): Promise<boolean> {
  const end = Date.now() + PATIENCE;
  // Not unsaved and as on the disk is what was saved at once.
  while (!document.isDirty && !(await isAsOnDisk(document))) {
    if (Date.now() > end) {
      return true;
    }
    await pause(PAUSE);
  }
  return false;
}

export interface Before {
  readonly document: vscode.TextDocument;
  readonly text: string;
}

/** Gives read-only documents the texts back that they had. Nobody can have typed in them. */
export async function takeBack(all: readonly Before[]): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { document, text } of all) {
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  }
  await vscode.workspace.applyEdit(edit);
}
