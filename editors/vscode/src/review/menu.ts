/** The menu of the status bar item. */
import * as vscode from 'vscode';

import type { Connection, State } from '../daemon/connection';
import { asLabel } from '../escape';
import type { Store } from './store';
import { progress, titleOf } from './labels';

interface Choice extends vscode.QuickPickItem {
  readonly command?: string;
  readonly args?: readonly unknown[];
}

const CONNECT: Choice = { label: '$(plug) Connect', command: 'editd.start' };
const AGAIN: Choice = { label: '$(debug-restart) Connect Again', command: 'editd.restart' };
const DISCONNECT: Choice = { label: '$(debug-disconnect) Disconnect', command: 'editd.stop' };
const CONNECTION: Record<State['kind'], readonly Choice[]> = {
  off: [CONNECT],
  connecting: [AGAIN, DISCONNECT],
  connected: [AGAIN, DISCONNECT],
  missing: [AGAIN, { label: '$(settings-gear) Set the Path of the Program', command: 'editd.setPath' }],
  old: [AGAIN],
  waiting: [AGAIN, DISCONNECT],
};

export async function showMenu(connection: Connection, store: Store): Promise<void> {
  const choice = await vscode.window.showQuickPick(choices(connection.state, store), { title: 'editd' });
  if (choice?.command) {
    await vscode.commands.executeCommand(choice.command, ...(choice.args ?? []));
  }
}

function choices(state: State, store: Store): Choice[] {
  const waiting = store.pending.map((proposal): Choice => ({
    label: `$(git-pull-request) ${asLabel(titleOf(proposal))}`,
    description: progress(proposal),
    command: 'editd.openAllDiffs',
    args: [{ kind: 'proposal', id: proposal.id }],
  }));
  const review: Choice[] =
    waiting.length > 0 ? [{ label: '$(arrow-down) Review the Next Change', command: 'editd.review' }, ...waiting] : [];
  return [
    ...section('Review', review),
    ...section('Connection', CONNECTION[state.kind]),
    ...section('More', [
      { label: '$(history) History', command: 'editd.history.focus' },
      { label: '$(pulse) Doctor', command: 'editd.doctor' },
      { label: '$(output) Show the Log', command: 'editd.showLog' },
      { label: '$(copy) Copy the MCP Configuration for Agents', command: 'editd.copyMcpConfig' },
      { label: '$(rocket) Get Started', command: 'editd.openWalkthrough' },
    ]),
  ];
}

function section(title: string, items: readonly Choice[]): Choice[] {
  return items.length === 0 ? [] : [{ label: title, kind: vscode.QuickPickItemKind.Separator }, ...items];
}
