/** Reports the diagnostics of language servers and linters for open files. */
import * as vscode from 'vscode';

import { config } from '../config';
import type { Connection } from '../daemon/connection';
import { find } from './document';

/** Maximum number of diagnostics per document. */
const MAX_DIAGNOSTICS = 500;
/** Maximum length of a diagnostic message, in characters. */
const MAX_MESSAGE_LENGTH = 2000;
/** Debounce time before diagnostics are sent, in milliseconds. */
const DEBOUNCE = 200;

export function reportDiagnostics(connection: Connection): vscode.Disposable {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    for (const uri of changed) {
      report(connection, uri);
    }
    changed.clear();
  };
  const schedule = (uris: readonly vscode.Uri[]) => {
    if (!config.diagnostics) {
      return;
    }
    uris.filter((uri) => uri.scheme === 'file').forEach((uri) => changed.add(uri.toString()));
    clearTimeout(timer);
    timer = setTimeout(flush, DEBOUNCE);
  };
  return vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics((event) => {
      schedule(event.uris);
    }),
    connection.onDidChangeState((state) => {
      if (state.kind === 'connected') {
        schedule(vscode.workspace.textDocuments.map((document) => document.uri));
      }
    }),
    new vscode.Disposable(() => {
      clearTimeout(timer);
    }),
  );
}

function report(connection: Connection, uri: string): void {
  const converter = connection.client?.code2ProtocolConverter;
  const document = find(uri);
  if (!converter || !document) {
    return;
  }
  const diagnostics = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source !== 'editd');
  const items = diagnostics.slice(0, MAX_DIAGNOSTICS).map((diagnostic) => ({
    range: converter.asRange(diagnostic.range),
    severity: diagnostic.severity + 1,
    message: diagnostic.message.slice(0, MAX_MESSAGE_LENGTH),
    source: diagnostic.source,
  }));
  connection.notify('editd/diagnosticsChanged', { uri, version: document.version, items });
}
