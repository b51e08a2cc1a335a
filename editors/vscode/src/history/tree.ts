/** The rows of the view "History". */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';

import type { TransactionEntry, TransactionFile } from '../daemon/wire';
import { ago, author, actionLabel, RESCUED, lineCounts, title } from './describe';
import type { Transactions } from './transactions';

export type Row =
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
      const entries: Row[] = this.transactions.entries.map((entry) => ({ kind: 'entry', entry }));
      return this.transactions.hasMore ? [...entries, { kind: 'more' }] : entries;
    }
    return row.kind === 'entry' ? row.entry.files.map((file) => ({ kind: 'file', entry: row.entry, file })) : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
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
