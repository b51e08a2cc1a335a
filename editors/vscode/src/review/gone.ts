/** Files under review that are not there any more: nothing can be changed in them, and the person is told why. */
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { FileEntry, TransactionEntry } from '../daemon/wire';
import { ask } from './notifications';
import { plain, titleOf } from './words';

/** How many changes of a file are looked through for the one that has moved it. */
const LOOKED_THROUGH = 20;

/** Whether the file that is to be changed has gone since. */
export function isGone({ action, path }: FileEntry): boolean {
  return action !== 'create' && !existsSync(path);
}

export class Gone {
  constructor(private readonly connection: Connection) {}

  /** Says that the file is gone, and where it is now if that is known. What waits for it can only be rejected. */
  async tell({ path }: FileEntry, reject: () => Promise<void>): Promise<void> {
    const name = shown(path);
    const move = await this.moveOf(path);
    if (!move) {
      await ask('warning', `${name} is not there any more, so nothing can be changed in it.`, { Reject: reject });
      return;
    }
    const text = `${name} is ${shown(move.newPath)} now ("${titleOf(move.entry)}"), so nothing can be changed under its old name.`;
    await ask('warning', text, {
      Reject: reject,
      'Open the File': () => vscode.commands.executeCommand('vscode.open', vscode.Uri.file(move.newPath)),
    });
  }

  private async moveOf(path: string): Promise<{ entry: TransactionEntry; newPath: string } | undefined> {
    const asked = this.connection.request('editd/history', { path, limit: LOOKED_THROUGH });
    const { transactions } = await asked.catch(() => ({ transactions: [] }));
    for (const entry of transactions.filter(({ undone }) => !undone)) {
      const newPath = entry.files.find((file) => file.path === path)?.newPath;
      if (newPath !== undefined && existsSync(newPath)) {
        return { entry, newPath };
      }
    }
    return undefined;
  }
}

function shown(path: string): string {
  return plain(vscode.workspace.asRelativePath(path));
}
