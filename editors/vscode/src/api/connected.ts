/** Waiting for the connection, as long as it may come soon. */
import type * as vscode from 'vscode';

import type { Connection, State } from '../daemon/connection';
import { Refusal } from '../daemon/refusal';

/** Milliseconds in which a daemon starts, even on a machine that is busy. */
const PATIENCE = 15_000;

/** Resolves when there is a connection. Rejects at once where none will come by itself, else after a while. */
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
    const look = (state: State) => {
      if (state.kind === 'connected') {
        settle(resolve);
      } else if (state.kind === 'missing' || state.kind === 'old' || state.kind === 'off') {
        refuse(state);
      }
    };
    const timer = setTimeout(() => {
      refuse(connection.state);
    }, PATIENCE);
    subscriptions.push(connection.onDidChangeState(look));
    if (token) {
      subscriptions.push(
        token.onCancellationRequested(() => {
          refuse(connection.state);
        }),
      );
    }
    look(connection.state);
  });
}

function notConnected(state: State): Refusal {
  const refusal = (message: string, hint: string) => new Refusal(message, 'not_connected', hint, { state: state.kind });
  switch (state.kind) {
    case 'missing':
      return refusal('The program editd was not found.', 'Install it, or set its path in the setting "editd.path".');
    case 'old':
      return refusal(`The program editd is version ${state.version}.`, `Version ${state.wanted} or later is needed.`);
    case 'off':
      return refusal('This window is disconnected from editd.', 'The command "editd: Connect" connects it.');
    case 'connecting':
    case 'connected':
    case 'waiting':
      return refusal('Not connected to editd.', 'Run the command "editd: Doctor" to see why.');
  }
}
