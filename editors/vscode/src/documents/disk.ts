/** What the daemon asks of documents besides edits: to be saved, loaded again, told of again. */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { DocumentsResult, UrisParams } from '../daemon/wire';
import { withLf } from '../lineEnds';
import { find, isTold, nameOf, stateOf } from './document';

/** Milliseconds in which a document has to be what its file is. */
const PATIENCE = 2000;
/** Milliseconds after which a file that is not there counts as gone: some programs write by removing it first. */
const GONE = 200;
/** Milliseconds between two looks at it. */
const PAUSE = 50;

/** What was done with one document, or why it was not. */
type Act = (document: vscode.TextDocument) => Promise<string | undefined>;

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

/** VS Code loads clean documents again by itself once it sees that the file has changed; this waits for it. */
export function reload(params: UrisParams): Promise<DocumentsResult> {
  return each(params, async (document) => {
    const start = Date.now();
    while (!(await isAsOnDisk(document))) {
      const waited = Date.now() - start;
      if (document.isDirty) {
        return 'has unsaved text';
      }
      if (waited > GONE && !existsSync(document.uri.fsPath)) {
        return 'is gone from the disk';
      }
      if (waited > PATIENCE) {
        return (await revertIfShown(document)) ? undefined : 'was not loaded again';
      }
      await pause(PAUSE);
    }
    return undefined;
  });
}

/** The daemon's copy is out of step: it gets the whole text. */
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
      return document && isTold(document) ? [stateOf(document, saves && problem === undefined)] : [];
    }),
  );
  const told = documents.flat();
  return problems.length === 0 ? { documents: told } : { reason: problems.join('; '), documents: told };
}

export async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    const text = await vscode.workspace.decode(bytes, { uri: document.uri });
    return withLf(text) === withLf(document.getText());
  } catch {
    return false;
  }
}

/** There is a command to load the document again that a person looks at, and none for another. */
async function revertIfShown(document: vscode.TextDocument): Promise<boolean> {
  // In a diff, the command would be about other documents as well.
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isShown = input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString();
  if (!isShown || document.isDirty) {
    return false;
  }
  await vscode.commands.executeCommand('workbench.action.files.revert');
  return isAsOnDisk(document);
}
