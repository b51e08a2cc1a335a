import type * as vscode from 'vscode';

import { config } from '../config';
import type { Connection } from '../daemon/connection';
import { applyEdits } from './apply';
import { reload, resync, save } from './disk';
import { tellDiagnostics, tellFocus, tellingStates } from './tell';

/** Lends the documents of this window to the daemon. To be called before the connection starts. */
export function serveDocuments(connection: Connection): vscode.Disposable[] {
  connection.serve('editd/applyEdits', applyEdits);
  connection.serve('editd/save', save);
  connection.serve('editd/reload', reload);
  connection.serve('editd/resync', (params) => resync(connection, params));
  connection.middleware = { ...connection.middleware, ...tellingStates(connection) };
  connection.announced = {
    ...connection.announced,
    applyEdits: true,
    save: true,
    reload: true,
    documentState: true,
    diagnostics: config.diagnostics,
  };
  return [tellFocus(connection), tellDiagnostics(connection)];
}
