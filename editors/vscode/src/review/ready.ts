import * as vscode from 'vscode';

import { type Connection, describe, type State } from '../daemon/connection';
import type { Store } from './store';

/** Milliseconds that a document waits for the daemon, as after a reload of the window. */
const PATIENCE = 30_000;

/** Waits until it is known what waits for the person. Rejects if that will not be. */
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
    const look = () => {
      if (store.isReady) {
        done(resolve);
      } else if (isHopeless(connection.state)) {
        fail(connection.state);
      }
    };
    const subscriptions = vscode.Disposable.from(connection.onDidChangeState(look), store.onDidList(look));
    const timer = setTimeout(() => {
      fail(connection.state);
    }, PATIENCE);
    look();
  });
}

function isHopeless({ kind }: State): boolean {
  return kind === 'missing' || kind === 'old';
}
