import { config } from '../config';
import type { Connection } from '../daemon/connection';
import { applyEdits } from './apply';
import { reportDiagnostics } from './diagnostics';
import { reload, resync, save } from './disk';
import { reportFocus } from './focus';
import { reportNotebooks } from './notebooks';
import { rename } from './rename';
import { States } from './states';

/** Shares the documents of this window with the daemon. Must be called before the connection starts. */
export function serveDocuments(connection: Connection): { dispose(): void }[] {
  connection.serve('editd/applyEdits', (params) => applyEdits(params, () => connection.request('editd/status', {})));
  connection.serve('editd/save', save);
  connection.serve('editd/reload', reload);
  connection.serve('editd/resync', (params) => resync(connection, params));
  connection.serve('editd/rename', rename);
  for (const ability of ['applyEdits', 'save', 'reload', 'documentState', 'rename']) {
    connection.announced.set(ability, () => true);
  }
  connection.announced.set('diagnostics', () => config.diagnostics);
  const states = new States(connection);
  connection.middleware = { ...connection.middleware, ...states.middleware };
  return [states, reportNotebooks(connection), reportFocus(connection), reportDiagnostics(connection)];
}
