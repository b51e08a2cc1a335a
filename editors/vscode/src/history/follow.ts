/** Keeps the view "History" up to date while it is seen, and asks nothing while it is not. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { Past } from './past';
import type { HistoryTree } from './tree';

/** Milliseconds in which events are taken together. */
const PAUSE = 300;

/** Milliseconds after which times are said anew. */
const MINUTE = 60_000;

export class Follower implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private isOld = true;
  private watcher: vscode.Disposable | undefined;
  private readonly clock: NodeJS.Timeout;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly connection: Connection,
    private readonly view: vscode.TreeView<unknown>,
    private readonly past: Past,
    tree: HistoryTree,
  ) {
    this.clock = setInterval(() => {
      if (view.visible) {
        tree.refresh();
      }
    }, MINUTE);
    this.watch();
    this.subscriptions = vscode.Disposable.from(
      view.onDidChangeVisibility(() => {
        this.watch();
        this.look(0);
      }),
      connection.onDidChangeState(({ kind }) => {
        if (kind === 'connected') {
          this.lookAnew();
        }
      }),
      connection.onNotification('editd/proposalChanged', () => {
        this.look();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.lookAnew();
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
          this.look();
        })
      : undefined;
  }

  private lookAnew(): void {
    this.isOld = true;
    this.look(0);
  }

  private look(pause = PAUSE): void {
    if (!this.view.visible || this.connection.state.kind !== 'connected') {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const read = this.isOld ? this.past.reload() : this.past.refresh();
      this.isOld = false;
      // Refused or cut off: the next event or connection is the next chance.
      read.catch(() => undefined);
    }, pause);
  }
}

/** Whatever changes files may be in the history by now: edits of open documents, and of files on the disk. */
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
