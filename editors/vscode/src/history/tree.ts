/** The rows of the view "History". */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';

import type { TransactionEntry, TransactionFile } from '../daemon/wire';
import { ago, author, actionLabel, RESCUED, lineCounts, names, title } from './describe';
import type { Transactions } from './transactions';
import { filesOf, grouped, isUndoable, shortTurn, type Turn, turnTitle } from './turns';

export type Row =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'entry'; readonly entry: TransactionEntry }
  | { readonly kind: 'file'; readonly entry: TransactionEntry; readonly file: TransactionFile }
  | { readonly kind: 'more' };

/** URI scheme of rows, by which their decoration is chosen. */
const SCHEME = 'editd-history';

export class HistoryTree implements vscode.TreeDataProvider<Row>, vscode.FileDecorationProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly transactions: Transactions) {
    transactions.onDidChange(() => {
      this.refresh();
    });
  }

  /** Redraws the rows because the entries or the displayed times have changed. */
  refresh(): void {
    this.changed.fire();
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) {
      const rows = grouped(this.transactions.entries).map(rowOf);
      return this.transactions.hasMore ? [...rows, { kind: 'more' }] : rows;
    }
    switch (row.kind) {
      case 'turn':
        return row.turn.entries.map(rowOf);
      case 'entry':
        return row.entry.files.map((file) => ({ kind: 'file', entry: row.entry, file }));
      case 'file':
      case 'more':
        return [];
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case 'turn':
        return turnItem(row.turn);
      case 'entry':
        return this.entryItem(row.entry);
      case 'file':
        return fileItem(row.entry, row.file);
      case 'more':
        return moreItem();
    }
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    return uri.scheme === SCHEME && uri.query === 'undone'
      ? new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'))
      : undefined;
  }

  private entryItem(entry: TransactionEntry): vscode.TreeItem {
    const item = new vscode.TreeItem(title(entry), vscode.TreeItemCollapsibleState.Collapsed);
    const by = entry.undone ? this.undoer(entry) : undefined;
    item.id = entry.transaction;
    item.description = [by, author(entry, vscode.env.appName), ago(entry.at, new Date()), lineCounts(entry.files)]
      .filter(Boolean)
      .join(' · ');
    item.iconPath = new vscode.ThemeIcon(
      icon(entry),
      entry.undone ? new vscode.ThemeColor('disabledForeground') : undefined,
    );
    item.contextValue = entry.undone ? 'undone' : 'transaction';
    item.resourceUri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${entry.transaction}`,
      query: entry.undone ? 'undone' : '',
    });
    item.tooltip = tooltip(entry, by);
    return item;
  }

  private undoer(entry: TransactionEntry): string {
    const undo = this.transactions.find(entry.undoneBy ?? '');
    return undo ? `undone by ${author(undo, vscode.env.appName)}` : 'undone';
  }
}

function rowOf(each: Turn | TransactionEntry): Row {
  return 'entries' in each ? { kind: 'turn', turn: each } : { kind: 'entry', entry: each };
}

function turnItem({ turn, entries }: Turn): vscode.TreeItem {
  const item = new vscode.TreeItem(turnTitle(entries), vscode.TreeItemCollapsibleState.Collapsed);
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const isUndone = !entries.some(isUndoable);
  const by = newest ? author(newest, vscode.env.appName) : '';
  // Newer changes of the turn may follow.
  item.id = `turn ${oldest?.transaction ?? turn}`;
  item.description = [isUndone ? 'undone' : '', by, ago(newest?.at ?? '', new Date()), lineCounts(filesOf(entries))]
    .filter(Boolean)
    .join(' · ');
  item.iconPath = new vscode.ThemeIcon('layers', isUndone ? new vscode.ThemeColor('disabledForeground') : undefined);
  item.contextValue = isUndone ? 'undoneTurn' : 'turn';
  item.resourceUri = vscode.Uri.from({ scheme: SCHEME, path: `/${turn}`, query: isUndone ? 'undone' : '' });
  item.tooltip = new vscode.MarkdownString().appendText(
    `All changes by ${by} for one prompt (turn ${shortTurn(turn)}): ${names(filesOf(entries))}`,
  );
  return item;
}

function icon(entry: TransactionEntry): string {
  if (entry.rescued === true) {
    return 'archive';
  }
  return entry.undoes === undefined ? 'edit' : 'discard';
}

function tooltip(entry: TransactionEntry, by: string | undefined): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  const append = (paragraph: string) => text.appendText(paragraph).appendMarkdown('\n\n');
  append(entry.label ?? title(entry));
  append(`${author(entry, vscode.env.appName)}, ${new Date(entry.at).toLocaleString()}`);
  if (by !== undefined) {
    append(`${by[0]?.toUpperCase() ?? ''}${by.slice(1)}.`);
  }
  if (entry.rescued === true) {
    append(RESCUED);
  }
  return text;
}

function fileItem(entry: TransactionEntry, file: TransactionFile): vscode.TreeItem {
  const path = file.newPath ?? file.path;
  const item = new vscode.TreeItem(basename(path), vscode.TreeItemCollapsibleState.None);
  const folder = vscode.workspace.asRelativePath(dirname(path));
  const place = folder === dirname(path) && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) ? '' : folder;
  item.id = `${entry.transaction} ${file.path}`;
  item.description = [actionLabel(file.action), place, lineCounts([file])].filter(Boolean).join(' · ');
  item.resourceUri = vscode.Uri.file(path);
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'pastFile';
  item.tooltip = file.newPath === undefined ? path : `${file.path}\nbecame ${file.newPath}`;
  item.command = { command: 'editd.openPastFile', title: 'Open', arguments: [{ kind: 'file', entry, file }] };
  return item;
}

function moreItem(): vscode.TreeItem {
  const item = new vscode.TreeItem('Load More');
  item.id = 'more';
  item.iconPath = new vscode.ThemeIcon('more');
  item.command = { command: 'editd.loadMoreHistory', title: 'Load More' };
  return item;
}
