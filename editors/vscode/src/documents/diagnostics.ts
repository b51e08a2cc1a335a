/** Tells what language servers and linters say of open files. */
import * as vscode from 'vscode';

import { config } from '../config';
import type { Connection } from '../daemon/connection';
import { find } from './document';

/** Diagnostics that are sent for one document. */
const MOST_DIAGNOSTICS = 500;
/** Characters of one diagnostic's message. */
const LONGEST_MESSAGE = 2000;
/** Milliseconds without news before diagnostics are sent. */
const DIAGNOSTICS_PAUSE = 200;

export function tellDiagnostics(connection: Connection): vscode.Disposable {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    for (const uri of waiting) {
      tellOf(connection, uri);
    }
    waiting.clear();
  };
  const soon = (uris: readonly vscode.Uri[]) => {
    if (!config.diagnostics) {
      return;
    }
    uris.filter((uri) => uri.scheme === 'file').forEach((uri) => waiting.add(uri.toString()));
    clearTimeout(timer);
    timer = setTimeout(flush, DIAGNOSTICS_PAUSE);
  };
  return vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics((event) => {
      soon(event.uris);
    }),
    connection.onDidChangeState((state) => {
      if (state.kind === 'connected') {
        soon(vscode.workspace.textDocuments.map((document) => document.uri));
      }
    }),
    new vscode.Disposable(() => {
      clearTimeout(timer);
    }),
  );
}

function tellOf(connection: Connection, uri: string): void {
  const converter = connection.client?.code2ProtocolConverter;
  const document = find(uri);
  if (!converter || !document) {
    return;
  }
  const diagnostics = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source !== 'editd');
  const items = diagnostics.slice(0, MOST_DIAGNOSTICS).map((diagnostic) => ({
    range: converter.asRange(diagnostic.range),
    severity: diagnostic.severity + 1,
    message: diagnostic.message.slice(0, LONGEST_MESSAGE),
    source: diagnostic.source,
  }));
  connection.notify('editd/diagnosticsChanged', { uri, version: document.version, items });
}
