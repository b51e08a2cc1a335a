import type * as vscode from 'vscode';

import { Api } from './api';
import { onDidChangeConfig } from './config';
import { Connection } from './daemon/connection';
import { serveDocuments } from './documents';
import { help } from './help';
import { showHistory } from './history';
import { openLog } from './log';
import { offerMcp } from './mcp';
import { review } from './review';

let connection: Connection | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = openLog();
  connection = new Connection(context.extensionPath, log);
  const current = connection;
  const api = new Api(current);
  context.subscriptions.push(
    log,
    ...serveDocuments(current),
    ...showHistory(current),
    ...review(current, context, log),
    api,
    ...help(context, current, log),
    offerMcp(context, current),
    onDidChangeConfig(['path', 'env', 'autostart', 'diagnostics'], () => void current.start()),
  );
  void current.start();
  return api;
}

export async function deactivate(): Promise<void> {
  await connection?.close();
}
