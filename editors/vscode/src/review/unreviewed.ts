import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { Log } from '../log';
import { message } from '../messages';

const SHOW = 'Show History';

/** Tells the user after each connection what was changed without a review while this window was closed. */
export function announceUnreviewed(connection: Connection, log: Log): vscode.Disposable {
  return connection.onDidChangeState((state) => {
    if (state.kind === 'connected') {
      void announce(connection).catch((error: unknown) => {
        log.debug(`the changes without a review are unknown: ${String(error)}`);
      });
    }
  });
}

async function announce(connection: Connection): Promise<void> {
  const { unreviewed } = await connection.request('editd/reviewers', {});
  if (unreviewed && (await message('info', `editd: ${unreviewed.message}`, SHOW)) === SHOW) {
    await vscode.commands.executeCommand('editd.history.focus');
  }
}
