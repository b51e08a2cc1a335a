import * as vscode from 'vscode';

import { type Connection, describe, type State } from '../daemon/connection';
import type { Store } from './store';

/** Milliseconds that a document waits for the daemon, for example after a reload of the window. */
const TIMEOUT = 30_000;

/** Waits until the pending proposals are known. Rejects if the window cannot connect. */
export function ready(connection: Connection, store: Store): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => {
      clearTimeout(timer);
      subscriptions.dispose();
      act();
    };
    const fail = (state: State) => {
      done(() => {
        reject(vscode.FileSystemError.Unavailable(`editd: ${describe(state)}`));
      });
    };
    const check = () => {
      if (store.isReady) {
        done(resolve);
      } else if (isHopeless(connection.state)) {
        fail(connection.state);
      }
    };
    const subscriptions = vscode.Disposable.from(connection.onDidChangeState(check), store.onDidList(check));
    const timer = setTimeout(() => {
      fail(connection.state);
    }, TIMEOUT);
    check();
  });
}

function isHopeless({ kind }: State): boolean {
  return kind === 'missing' || kind === 'old';
}
