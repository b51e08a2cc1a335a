/** Handles `editd/save`, `editd/reload` and `editd/resync`. */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { DocumentsResult, UrisParams } from '../daemon/wire';
import { withLf } from '../lineEndings';
import { find, isShared, nameOf, stateOf } from './document';

/** Milliseconds to wait until a document has the content of its file. */
const TIMEOUT = 2000;
/** Milliseconds after which a missing file counts as deleted: some programs remove a file before they write it. */
const DELETED_AFTER = 200;
/** Polling interval, in milliseconds. */
const POLL_INTERVAL = 50;

/** An operation on one document. Returns the reason if it failed. */
type Act = (document: vscode.TextDocument) => Promise<string | undefined>;

/** Saves documents. */
export function save(params: UrisParams): Promise<DocumentsResult> {
  return each(
    params,
    async (document) => {
      if (document.isDirty && !(await document.save())) {
        return 'could not be saved';
      }
      return undefined;
    },
    true,
  );
}

/**
 * Waits until VS Code has reloaded clean documents, which it does by itself when it notices that the file has changed.
 */
export function reload(params: UrisParams): Promise<DocumentsResult> {
  return each(params, async (document) => {
    const start = Date.now();
    while (!(await isAsOnDisk(document))) {
      const waited = Date.now() - start;
      if (document.isDirty) {
        return 'has unsaved text';
      }
      if (waited > DELETED_AFTER && !existsSync(document.uri.fsPath)) {
        return 'was deleted from disk';
      }
      if (waited > TIMEOUT) {
        return (await revertIfShown(document)) ? undefined : 'was not reloaded';
      }
      await pause(POLL_INTERVAL);
    }
    return undefined;
  });
}

/** Closes and reopens documents in the protocol, so that the daemon receives their whole text. */
export function resync(connection: Connection, params: UrisParams): Promise<DocumentsResult> {
  return each(params, (document) => {
    const converter = connection.client?.code2ProtocolConverter;
    if (converter) {
      connection.notify('textDocument/didClose', converter.asCloseTextDocumentParams(document));
      connection.notify('textDocument/didOpen', converter.asOpenTextDocumentParams(document));
      connection.notify('editd/documentState', {
        uri: converter.asUri(document.uri),
        dirty: document.isDirty,
        version: document.version,
      });
    }
    return Promise.resolve(undefined);
  });
}

async function each(params: UrisParams, act: Act, saves = false): Promise<DocumentsResult> {
  const problems: string[] = [];
  const documents = await Promise.all(
    params.uris.map(async (uri) => {
      const document = find(uri);
      const problem = document ? await act(document) : 'is not open';
      if (problem !== undefined) {
        problems.push(`${nameOf(uri)} ${problem}`);
      }
      return document && isShared(document) ? [stateOf(document, saves && problem === undefined)] : [];
    }),
  );
  const states = documents.flat();
  return problems.length === 0 ? { documents: states } : { reason: problems.join('; '), documents: states };
}

/** Returns `true` if the document has the content of its file, except for line endings. */
export async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    const text = await vscode.workspace.decode(bytes, { uri: document.uri });
    return withLf(text) === withLf(document.getText());
  } catch {
    return false;
  }
}

/** Reloads the document if it is in the active editor: VS Code has no command to reload another one. */
async function revertIfShown(document: vscode.TextDocument): Promise<boolean> {
  // In a diff, the command would also revert other documents.
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isShown = input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString();
  if (!isShown || document.isDirty) {
    return false;
  }
  await vscode.commands.executeCommand('workbench.action.files.revert');
  return isAsOnDisk(document);
}
