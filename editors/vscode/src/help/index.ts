/** Commands for setup and troubleshooting. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Log } from '../log';
import { message, messageOf } from '../messages';
import { Doctor } from './doctor';
import { Guide } from './guide';
import { propose } from './sample';
import { notifyProblems } from './problems';

export function help(context: vscode.ExtensionContext, connection: Connection, log: Log): { dispose(): unknown }[] {
  const doctor = new Doctor(context, connection);
  const guide = new Guide(context, connection);
  const command = (id: string, act: () => unknown) =>
    vscode.commands.registerCommand(id, async () => {
      try {
        await act();
      } catch (error) {
        void message('error', messageOf(refusalOf(error)));
      }
    });
  return [
    guide,
    notifyProblems(connection, () => guide.openOnce()),
    command('editd.start', () => connection.start()),
    command('editd.restart', () => connection.start()),
    command('editd.stop', () => connection.stop()),
    command('editd.showLog', () => {
      log.show();
    }),
    command('editd.setPath', () => setPath()),
    command('editd.doctor', () => doctor.run()),
    command('editd.openWalkthrough', () => guide.open()),
    command('editd.sampleProposal', async () => {
      const id = await propose(context, connection);
      await vscode.commands.executeCommand('editd.review', { kind: 'proposal', id });
    }),
  ];
}

/** Opens the setting for the path. In a remote window, machine settings are among the remote settings. */
function setPath(): Thenable<unknown> {
  const which = vscode.env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings';
  return vscode.commands.executeCommand(`workbench.action.${which}`, { query: '@id:editd.path' });
}
