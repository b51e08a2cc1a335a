/** Says once in a window what keeps it from working. */
import * as vscode from 'vscode';

import type { Connection, State } from '../daemon/connection';
import { message } from '../messages';

/** After so many attempts in a row it is not only a daemon that restarts. */
const ATTEMPTS = 3;

interface Trouble {
  /** What makes it the same trouble as another. */
  readonly reason: string;
  readonly text: string;
  readonly buttons: readonly Button[];
}

type Button = 'Get Started' | 'Set Its Path' | 'Doctor' | 'Try Again';

const COMMANDS: Readonly<Record<Button, readonly [string, ...unknown[]]>> = {
  'Get Started': ['editd.openWalkthrough'],
  'Set Its Path': ['editd.setPath'],
  Doctor: ['editd.doctor'],
  'Try Again': ['editd.restart'],
};

/** `guided` opens what explains how to get the program, if that was never done, and says whether it did. */
export function tellTrouble(connection: Connection, guided: () => boolean): vscode.Disposable {
  const told = new Set<string>();
  let lost = 0;
  return connection.onDidChangeState((state) => {
    lost = state.kind === 'waiting' ? lost + 1 : state.kind === 'connected' ? 0 : lost;
    const trouble = troubleOf(state, lost);
    if (trouble && !told.has(trouble.reason)) {
      told.add(trouble.reason);
      if (state.kind !== 'missing' || !guided()) {
        void tell(trouble);
      }
    }
  });
}

function troubleOf(state: State, lost: number): Trouble | undefined {
  switch (state.kind) {
    case 'missing':
      return {
        reason: `missing ${state.looked.join()} ${state.reason ?? ''}`,
        text:
          state.reason === undefined
            ? `The program editd was not found. Looked in ${state.looked.join(', ')}.`
            : `The program ${state.looked.join()} cannot be run: ${state.reason}.`,
        buttons: ['Get Started', 'Set Its Path', 'Try Again'],
      };
    case 'old':
      return {
        reason: `old ${state.version}`,
        text: `editd ${state.version} is too old for this extension, which needs ${state.wanted} or later.`,
        buttons: ['Get Started', 'Set Its Path', 'Doctor', 'Try Again'],
      };
    case 'waiting':
      return lost < ATTEMPTS || state.stopped
        ? undefined
        : {
            reason: `waiting ${state.reason}`,
            text: `No connection to editd: ${state.reason}. It is tried again and again.`,
            buttons: ['Doctor', 'Try Again'],
          };
    case 'off':
    case 'connecting':
    case 'connected':
      return undefined;
  }
}

async function tell({ text, buttons }: Trouble): Promise<void> {
  const pressed = await message('warning', text, ...buttons);
  if (pressed !== undefined) {
    await vscode.commands.executeCommand(...COMMANDS[pressed]);
  }
}
