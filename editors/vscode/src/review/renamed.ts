/** Moves tabs to the new names of files that a proposal renames, as VS Code does when the user renames a file. */
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { ProposalResult } from '../daemon/wire';
import { canonical } from '../paths';
import type { Store } from './store';

export function followRenames(connection: Connection, store: Store): vscode.Disposable {
  const ended = store.onDidEnd(({ proposal, state, outcome }) => {
    if (state === 'applied' || state === 'partial') {
      void followAll(outcome ?? proposal).then(() => store.refreshAll());
    }
  });
  // Not every rename is reviewed, and an undo renames files, too.
  const renamed = connection.onNotification('editd/fileRenamed', ({ uri, newPath }) => {
    void follow(canonical(vscode.Uri.parse(uri).fsPath), vscode.Uri.file(newPath));
  });
  return vscode.Disposable.from(ended, renamed);
}

/**
 * Moves the tabs of renamed files. Checks the disk, because a decision by another client does not list the accepted
 * hunks.
 */
async function followAll({ files }: ProposalResult): Promise<void> {
  for (const { path, newPath } of files) {
    if (newPath !== undefined && !existsSync(path) && existsSync(newPath)) {
      await follow(path, vscode.Uri.file(newPath));
    }
  }
}

async function follow(path: string, newUri: vscode.Uri): Promise<void> {
  const left = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shows(tab, path));
  for (const tab of left) {
    await replace(tab, newUri);
  }
}

async function replace(tab: vscode.Tab, newUri: vscode.Uri): Promise<void> {
  const { viewColumn } = tab.group;
  const selection = selectionIn(tab);
  await vscode.commands.executeCommand('vscode.open', newUri, {
    viewColumn,
    preview: tab.isPreview,
    preserveFocus: !(tab.isActive && tab.group.isActive),
    background: !tab.isActive,
    ...(selection && { selection }),
  } satisfies vscode.TextDocumentShowOptions & { background: boolean });
  // A dirty tab holds text that exists nowhere else.
  if (!tab.isDirty) {
    await vscode.window.tabGroups.close(tab, true);
  }
}

function shows({ input }: vscode.Tab, path: string): boolean {
  const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook;
  return isFile && input.uri.scheme === 'file' && canonical(input.uri.fsPath) === path;
}

/** Returns the selection in a tab, if the tab is visible. */
function selectionIn({ input, group, isActive }: vscode.Tab): vscode.Range | undefined {
  const editor = vscode.window.visibleTextEditors.find(
    ({ document, viewColumn }) =>
      viewColumn === group.viewColumn &&
      input instanceof vscode.TabInputText &&
      document.uri.toString() === input.uri.toString(),
  );
  return isActive ? editor?.selection : undefined;
}
