/** Keeps the view "History" up to date while it is seen, and asks nothing while it is not. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { Past } from './past';
import type { HistoryTree } from './tree';

/** Milliseconds in which events are taken together. */
const PAUSE = 300;

/** Milliseconds after which times are said anew. */
const MINUTE = 60_000;

export function followPresent(
  connection: Connection,
  view: vscode.TreeView<unknown>,
  past: Past,
  tree: HistoryTree,
): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  let isOld = true;
  const look = (pause = PAUSE) => {
    if (!view.visible || connection.state.kind !== 'connected') {
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(() => {
      const read = isOld ? past.reload() : past.refresh();
      isOld = false;
      // Refused or cut off: the next event or connection is the next chance.
      read.catch(() => undefined);
    }, pause);
  };
  const lookAnew = () => {
    isOld = true;
    look(0);
  };
  const changed = () => {
    look();
  };
  const clock = setInterval(() => {
    if (view.visible) {
      tree.refresh();
    }
  }, MINUTE);
  let watcher: vscode.Disposable | undefined;
  const watch = () => {
    watcher?.dispose();
    watcher = view.visible ? watchFiles(changed) : undefined;
  };
  watch();
  const disposables = [
    view.onDidChangeVisibility(() => {
      watch();
      look(0);
    }),
    connection.onDidChangeState(({ kind }) => {
      if (kind === 'connected') {
        lookAnew();
      }
    }),
    connection.onNotification('editd/proposalChanged', changed),
    vscode.workspace.onDidChangeWorkspaceFolders(lookAnew),
  ];
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    clearInterval(clock);
    watcher?.dispose();
    disposables.forEach((each) => void each.dispose());
  });
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
