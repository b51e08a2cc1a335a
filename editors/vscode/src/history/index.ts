/** The view "History": what was changed through editd, by whom, and the way back. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import { message, wordsOf } from '../messages';
import { asLabel } from '../escape';
import { ago, author, sums, title } from './describe';
import { Diffs, SCHEME } from './diff';
import { Follower } from './follow';
import { Past } from './past';
import { HistoryTree, type Row } from './tree';
import { Undo } from './undo';

export function showHistory(connection: Connection): { dispose(): unknown }[] {
  const past = new Past(connection);
  const tree = new HistoryTree(past);
  const diffs = new Diffs();
  const undo = new Undo(connection, past, diffs);
  const view = vscode.window.createTreeView('editd.history', { treeDataProvider: tree, showCollapseAll: true });
  const command = (id: string, act: (row?: Row) => Promise<void>) =>
    vscode.commands.registerCommand(id, (row?: Row) => act(row).catch(refuse));
  return [
    past,
    view,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, diffs),
    vscode.window.registerFileDecorationProvider(tree),
    new Follower(connection, view, past, tree),
    command('editd.refreshHistory', () => past.reload()),
    command('editd.loadMoreHistory', () => past.loadMore()),
    command('editd.undo', () => pick(past, undo)),
    command('editd.undoTransaction', async (row) => {
      if (row?.kind === 'entry') {
        await undo.run(row.entry.transaction);
      }
    }),
    command('editd.openPastFile', async (row) => {
      if (row?.kind === 'file') {
        await open(row, undo, diffs);
      }
    }),
  ];
}

function refuse(error: unknown): void {
  void message('error', wordsOf(refusalOf(error)));
}

/** Shows what was done to the file, or where that cannot be worked out any more, the file. */
async function open({ entry, file }: Row & { kind: 'file' }, undo: Undo, diffs: Diffs): Promise<void> {
  const path = file.newPath ?? file.path;
  const sides = await undo.didTo(entry).catch(() => []);
  const wanted = sides.filter(({ uri }) => uri.fsPath === path || uri.fsPath === file.path);
  if (wanted.length > 0) {
    await diffs.show(`${title(entry)} (${author(entry, vscode.env.appName)})`, wanted);
    return;
  }
  try {
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true, preserveFocus: true });
  } catch {
    void message('info', `${vscode.workspace.asRelativePath(path)} is not there any more.`);
  }
}

interface Choice extends vscode.QuickPickItem {
  readonly transaction?: string;
}

/** Lets a person choose among what can be undone, what concerns the active file first. */
async function pick(past: Past, undo: Undo): Promise<void> {
  await past.refresh();
  const active = vscode.window.activeTextEditor?.document.uri.fsPath;
  const undoable = past.entries.filter((entry) => !entry.undone);
  if (undoable.length === 0) {
    void message('info', 'Nothing was changed through editd here that could be undone.');
    return;
  }
  const isHere = ({ files }: (typeof undoable)[number]) =>
    files.some((file) => file.path === active || file.newPath === active);
  const choices = (entries: typeof undoable): Choice[] =>
    entries.map((entry) => ({
      label: asLabel(title(entry)),
      description: `${asLabel(author(entry, vscode.env.appName))} · ${ago(entry.at, new Date())} · ${sums(entry.files)}`,
      detail: entry.files.map((file) => vscode.workspace.asRelativePath(file.newPath ?? file.path)).join(', '),
      transaction: entry.transaction,
    }));
  const separated = (label: string, items: Choice[]): Choice[] =>
    items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
  const items = [
    ...separated('This File', choices(undoable.filter(isHere))),
    ...separated('Others', choices(undoable.filter((entry) => !isHere(entry)))),
  ];
  const options = { placeHolder: 'Which change is to be undone?', matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen?.transaction !== undefined) {
    await undo.run(chosen.transaction);
  }
}
