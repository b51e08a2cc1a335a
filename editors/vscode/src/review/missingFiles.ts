/** Handles files under review that no longer exist: explains to the user why their changes cannot be applied. */
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { FileEntry, TransactionEntry } from '../daemon/wire';
import { ask } from './notifications';
import { singleLine, titleOf } from './labels';

/** Maximum number of transactions of a file searched for the one that moved it. */
const MAX_TRANSACTIONS = 20;

/** Returns `true` if the file to change no longer exists. */
export function isMissing({ action, path, isLanded }: FileEntry): boolean {
  return action !== (isLanded ? 'delete' : 'create') && !existsSync(path);
}

export class MissingFiles {
  constructor(private readonly connection: Connection) {}

  /** Reports that the file is missing, and its new path if known. Offers to leave it as it is. */
  async notify({ path, isLanded }: FileEntry, leave: () => Promise<void>): Promise<void> {
    const name = displayPath(path);
    const verb = isLanded ? 'Keep' : 'Reject';
    const move = await this.moveOf(path);
    if (!move) {
      await ask('warning', `${name} no longer exists, so it cannot be changed.`, { [verb]: leave });
      return;
    }
    const text = `${name} was moved to ${displayPath(move.newPath)} ("${titleOf(move.entry)}"), so it cannot be changed under its old name.`;
    await ask('warning', text, {
      [verb]: leave,
      'Open the File': () => vscode.commands.executeCommand('vscode.open', vscode.Uri.file(move.newPath)),
    });
  }

  private async moveOf(path: string): Promise<{ entry: TransactionEntry; newPath: string } | undefined> {
    const request = this.connection.request('editd/history', { path, limit: MAX_TRANSACTIONS });
    const { transactions } = await request.catch(() => ({ transactions: [] }));
    for (const entry of transactions.filter(({ undone }) => !undone)) {
      const newPath = entry.files.find((file) => file.path === path)?.newPath;
      if (newPath !== undefined && existsSync(newPath)) {
        return { entry, newPath };
      }
    }
    return undefined;
  }
}

function displayPath(path: string): string {
  return singleLine(vscode.workspace.asRelativePath(path));
}
