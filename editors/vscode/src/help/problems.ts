/** Notifies the user of problems with the connection, once per window and problem. */
import * as vscode from 'vscode';

import type { Connection, State } from '../daemon/connection';
import { message } from '../messages';

/** Number of failed attempts in a row that rules out a mere restart of the daemon. */
const ATTEMPTS = 3;

interface Problem {
  /** Key of the problem: problems with the same key are reported once. */
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

/** `openGuide` opens the walkthrough if it has never opened before, and returns `true` if it does. */
export function notifyProblems(connection: Connection, openGuide: () => boolean): vscode.Disposable {
  const notified = new Set<string>();
  let failures = 0;
  return connection.onDidChangeState((state) => {
    failures = state.kind === 'waiting' ? failures + 1 : state.kind === 'connected' ? 0 : failures;
    const problem = problemOf(state, failures);
    if (problem && !notified.has(problem.reason)) {
      notified.add(problem.reason);
      if (state.kind !== 'missing' || !openGuide()) {
        void notify(problem);
      }
    }
  });
}

function problemOf(state: State, failures: number): Problem | undefined {
  switch (state.kind) {
    case 'missing':
      return {
        reason: `missing ${state.searched.join()} ${state.reason ?? ''}`,
        text:
          state.reason === undefined
            ? `The program editd was not found. Searched ${state.searched.join(', ')}.`
            : `The program ${state.searched.join()} cannot be run: ${state.reason}.`,
        buttons: ['Get Started', 'Set Its Path', 'Try Again'],
      };
    case 'old':
      return {
        reason: `old ${state.version}`,
        text: `editd ${state.version} is too old for this extension, which needs ${state.wanted} or later.`,
        buttons: ['Get Started', 'Set Its Path', 'Doctor', 'Try Again'],
      };
    case 'waiting':
      return failures < ATTEMPTS || state.stopped
        ? undefined
        : {
            reason: `waiting ${state.reason}`,
            text: `No connection to editd: ${state.reason}. Retrying in the background.`,
            buttons: ['Doctor', 'Try Again'],
          };
    case 'off':
    case 'connecting':
    case 'connected':
      return undefined;
  }
}

async function notify({ text, buttons }: Problem): Promise<void> {
  const pressed = await message('warning', text, ...buttons);
  if (pressed !== undefined) {
    await vscode.commands.executeCommand(...COMMANDS[pressed]);
  }
}
