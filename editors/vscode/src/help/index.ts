/** What helps a person to get going, and to find out what is wrong. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Log } from '../log';
import { message, wordsOf } from '../messages';
import { Doctor } from './doctor';
import { Guide } from './guide';
import { propose } from './sample';
import { tellTrouble } from './trouble';

export function help(context: vscode.ExtensionContext, connection: Connection, log: Log): { dispose(): unknown }[] {
  const doctor = new Doctor(context, connection);
  const guide = new Guide(context, connection);
  const command = (id: string, act: () => unknown) =>
    vscode.commands.registerCommand(id, async () => {
      try {
        await act();
      } catch (error) {
        void message('error', wordsOf(refusalOf(error)));
      }
    });
  return [
    guide,
    tellTrouble(connection, () => guide.openOnce()),
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

/** The setting belongs to the machine that the program runs on: in a window on another one it is among the remote ones. */
function setPath(): Thenable<unknown> {
  const which = vscode.env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings';
  return vscode.commands.executeCommand(`workbench.action.${which}`, { query: '@id:editd.path' });
}
