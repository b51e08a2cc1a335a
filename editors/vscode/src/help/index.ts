/** What helps a person to get going, and to find out what is wrong. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Log } from '../log';
import { Doctor } from './doctor';
import { propose } from './sample';
import { tellTrouble } from './trouble';

const WALKTHROUGH = 'editd.editd#getStarted';

/** Where it is kept that the walkthrough has opened by itself once. */
const SHOWN = 'walkthroughShown';

export function help(context: vscode.ExtensionContext, connection: Connection, log: Log): vscode.Disposable[] {
  const doctor = new Doctor(context, connection);
  const openWalkthrough = () => vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
  const isFirstRun = () => {
    const isFirst = context.globalState.get(SHOWN) !== true;
    void context.globalState.update(SHOWN, true);
    return isFirst;
  };
  const command = (id: string, act: () => unknown) =>
    vscode.commands.registerCommand(id, async () => {
      try {
        await act();
      } catch (error) {
        void vscode.window.showErrorMessage(refusalOf(error).text);
      }
    });
  return [
    tellTrouble(connection, () => {
      if (isFirstRun()) {
        void openWalkthrough();
        return true;
      }
      return false;
    }),
    command('editd.start', () => connection.start()),
    command('editd.restart', () => connection.start()),
    command('editd.stop', () => connection.stop()),
    command('editd.showLog', () => {
      log.show();
    }),
    command('editd.doctor', () => doctor.run()),
    command('editd.openWalkthrough', openWalkthrough),
    command('editd.sampleProposal', async () => {
      const id = await propose(context, connection);
      await vscode.commands.executeCommand('editd.review', { kind: 'proposal', id });
    }),
  ];
}
