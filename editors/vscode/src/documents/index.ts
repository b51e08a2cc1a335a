import { config } from '../config';
import type { Connection } from '../daemon/connection';
import { applyEdits } from './apply';
import { tellDiagnostics } from './diagnostics';
import { reload, resync, save } from './disk';
import { tellFocus } from './focus';
import { tellNotebooks } from './notebooks';
import { States } from './states';

/** Lends the documents of this window to the daemon. To be called before the connection starts. */
export function serveDocuments(connection: Connection): { dispose(): void }[] {
  connection.serve('editd/applyEdits', (params) => applyEdits(params, () => connection.request('editd/status', {})));
  connection.serve('editd/save', save);
  connection.serve('editd/reload', reload);
  connection.serve('editd/resync', (params) => resync(connection, params));
  for (const ability of ['applyEdits', 'save', 'reload', 'documentState']) {
    connection.announced.set(ability, () => true);
  }
  connection.announced.set('diagnostics', () => config.diagnostics);
  const states = new States(connection);
  connection.middleware = { ...connection.middleware, ...states.middleware };
  return [states, tellNotebooks(connection), tellFocus(connection), tellDiagnostics(connection)];
}
