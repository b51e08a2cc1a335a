/** The view "History", which lists the changes made through editd and can undo them. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import { message, messageOf } from '../messages';
import { asLabel } from '../escape';
import { ago, author, lineCounts, title } from './describe';
import { Diffs, SCHEME } from './diff';
import { HistoryRefresher } from './refresher';
import { Transactions } from './transactions';
import { HistoryTree, type Row } from './tree';
import { Undo } from './undo';
import { undoTurn } from './undoTurn';

export function showHistory(connection: Connection): { dispose(): unknown }[] {
  const transactions = new Transactions(connection);
  const tree = new HistoryTree(transactions);
  const diffs = new Diffs();
  const undo = new Undo(connection, transactions, diffs);
  const view = vscode.window.createTreeView('editd.history', { treeDataProvider: tree, showCollapseAll: true });
  const command = (id: string, act: (row?: Row) => Promise<void>) =>
    vscode.commands.registerCommand(id, (row?: Row) => act(row).catch(showRefusal));
  return [
    transactions,
    view,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, diffs),
    vscode.window.registerFileDecorationProvider(tree),
    new HistoryRefresher(connection, view, transactions, tree),
    command('editd.refreshHistory', () => transactions.reload()),
    command('editd.loadMoreHistory', () => transactions.loadMore()),
    command('editd.undo', () => pick(transactions, undo)),
    command('editd.undoTransaction', async (row) => {
      if (row?.kind === 'entry') {
        await undo.run(row.entry.transaction);
      }
    }),
    command('editd.undoTurn', async (row) => {
      if (row?.kind === 'turn') {
        await undoTurn(connection, transactions, undo, row.turn);
      }
    }),
    command('editd.openPastFile', async (row) => {
      if (row?.kind === 'file') {
        await openFile(row, undo, diffs);
      }
    }),
  ];
}

function showRefusal(error: unknown): void {
  void message('error', messageOf(refusalOf(error)));
}

/** Shows the change of the file, or the file itself if the change can no longer be computed. */
async function openFile({ entry, file }: Row & { kind: 'file' }, undo: Undo, diffs: Diffs): Promise<void> {
  const path = file.newPath ?? file.path;
  const sides = await undo.effectOf(entry).catch(() => []);
  const wanted = sides.filter(({ uri }) => uri.fsPath === path || uri.fsPath === file.path);
  if (wanted.length > 0) {
    await diffs.show(`${title(entry)} (${author(entry, vscode.env.appName)})`, wanted);
    return;
  }
  try {
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true, preserveFocus: true });
  } catch {
    void message('info', `${vscode.workspace.asRelativePath(path)} no longer exists.`);
  }
}

interface Choice extends vscode.QuickPickItem {
  readonly transaction?: string;
}

/** Lets the user choose a change to undo. Changes of the active file come first. */
async function pick(transactions: Transactions, undo: Undo): Promise<void> {
  await transactions.refresh();
  const active = vscode.window.activeTextEditor?.document.uri.fsPath;
  const undoable = transactions.entries.filter((entry) => !entry.undone);
  if (undoable.length === 0) {
    void message('info', 'There are no changes by editd in this window that can be undone.');
    return;
  }
  const isHere = ({ files }: (typeof undoable)[number]) =>
    files.some((file) => file.path === active || file.newPath === active);
  const choices = (entries: typeof undoable): Choice[] =>
    entries.map((entry) => ({
      label: asLabel(title(entry)),
      description: `${asLabel(author(entry, vscode.env.appName))} · ${ago(entry.at, new Date())} · ${lineCounts(entry.files)}`,
      detail: entry.files.map((file) => vscode.workspace.asRelativePath(file.newPath ?? file.path)).join(', '),
      transaction: entry.transaction,
    }));
  const separated = (label: string, items: Choice[]): Choice[] =>
    items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
  const items = [
    ...separated('This File', choices(undoable.filter(isHere))),
    ...separated('Others', choices(undoable.filter((entry) => !isHere(entry)))),
  ];
  const options = { placeHolder: 'Select a change to undo', matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen?.transaction !== undefined) {
    await undo.run(chosen.transaction);
  }
}
