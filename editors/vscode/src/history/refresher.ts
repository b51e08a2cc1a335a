/** Keeps the view "History" up to date while it is visible. Sends no requests while it is hidden. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { Transactions } from './transactions';
import type { HistoryTree } from './tree';

/** Debounce time for events, in milliseconds. */
const DEBOUNCE = 300;

/** Interval at which displayed times are updated, in milliseconds. */
const CLOCK_INTERVAL = 60_000;

export class HistoryRefresher implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private needsReload = true;
  private watcher: vscode.Disposable | undefined;
  private readonly clock: NodeJS.Timeout;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly connection: Connection,
    private readonly view: vscode.TreeView<unknown>,
    private readonly transactions: Transactions,
    tree: HistoryTree,
  ) {
    this.clock = setInterval(() => {
      if (view.visible) {
        tree.refresh();
      }
    }, CLOCK_INTERVAL);
    this.watch();
    this.subscriptions = vscode.Disposable.from(
      view.onDidChangeVisibility(() => {
        this.watch();
        this.refresh(0);
      }),
      connection.onDidChangeState(({ kind }) => {
        if (kind === 'connected') {
          this.reload();
        }
      }),
      connection.onNotification('editd/proposalChanged', () => {
        this.refresh();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.reload();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    clearInterval(this.clock);
    this.watcher?.dispose();
    this.subscriptions.dispose();
  }

  private watch(): void {
    this.watcher?.dispose();
    this.watcher = this.view.visible
      ? watchFiles(() => {
          this.refresh();
        })
      : undefined;
  }

  private reload(): void {
    this.needsReload = true;
    this.refresh(0);
  }

  private refresh(delay = DEBOUNCE): void {
    if (!this.view.visible || this.connection.state.kind !== 'connected') {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const read = this.needsReload ? this.transactions.reload() : this.transactions.refresh();
      this.needsReload = false;
      // The request failed: the next event or connection triggers another one.
      read.catch(() => undefined);
    }, delay);
  }
}

/** Calls `act` when an open document or a file on disk changes, because the history may have changed as well. */
function watchFiles(act: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*');
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(act),
    watcher.onDidCreate(act),
    watcher.onDidDelete(act),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme === 'file') {
        act();
      }
    }),
  );
}
