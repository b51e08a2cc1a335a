import type * as vscode from 'vscode';

import { onDidChangeConfig } from './config';
import { Connection } from './daemon/connection';
import { serveDocuments } from './documents';
import { showHistory } from './history';
import { openLog } from './log';
import { review } from './review';

let connection: Connection | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = openLog();
  connection = new Connection(context.extensionPath, log);
  const current = connection;
  context.subscriptions.push(
    log,
    ...serveDocuments(current),
    ...showHistory(current),
    ...review(current, context, log),
    onDidChangeConfig(['path', 'env', 'autostart', 'diagnostics'], () => void current.start()),
  );
  void current.start();
}

export async function deactivate(): Promise<void> {
  await connection?.stop();
}
