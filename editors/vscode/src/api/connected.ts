/** Waits for the connection to the daemon. */
import type * as vscode from 'vscode';

import type { Connection, State } from '../daemon/connection';
import { Refusal } from '../daemon/refusal';

/** Milliseconds to wait for the connection. Enough for a daemon to start, even on a busy machine. */
const TIMEOUT = 15_000;

/**
 * Resolves once the window is connected. Rejects immediately if the window will not connect by itself, or else after a
 * timeout.
 */
export function connected(connection: Connection, token?: vscode.CancellationToken): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriptions: vscode.Disposable[] = [];
    const settle = (act: () => void) => {
      clearTimeout(timer);
      subscriptions.forEach((each) => void each.dispose());
      act();
    };
    const refuse = (state: State) => {
      settle(() => {
        reject(notConnected(state));
      });
    };
    const check = (state: State) => {
      if (state.kind === 'connected') {
        settle(resolve);
      } else if (state.kind === 'missing' || state.kind === 'old' || state.kind === 'off') {
        refuse(state);
      }
    };
    const timer = setTimeout(() => {
      refuse(connection.state);
    }, TIMEOUT);
    subscriptions.push(connection.onDidChangeState(check));
    if (token) {
      subscriptions.push(
        token.onCancellationRequested(() => {
          refuse(connection.state);
        }),
      );
    }
    check(connection.state);
  });
}

function notConnected(state: State): Refusal {
  const refusal = (message: string, hint: string) => new Refusal(message, 'not_connected', hint, { state: state.kind });
  switch (state.kind) {
    case 'missing':
      return refusal('The program editd was not found.', 'Install it, or set its path in the setting "editd.path".');
    case 'old':
      return refusal(
        `The installed editd has version ${state.version}.`,
        `Version ${state.wanted} or later is needed.`,
      );
    case 'off':
      return refusal('This window is disconnected from editd.', 'Run the command "editd: Connect" to connect it.');
    case 'connecting':
    case 'connected':
    case 'waiting':
      return refusal('Not connected to editd.', 'Run the command "editd: Doctor" to see why.');
  }
}
