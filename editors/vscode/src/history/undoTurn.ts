/** Undoes all changes of a turn, the newest first. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { AppliedFile, TransactionEntry } from '../daemon/wire';
import { dialog, message } from '../messages';
import { lineCounts } from './describe';
import type { Transactions } from './transactions';
import { changes, filesOf, isUndoable, type Turn } from './turns';
import { notifyDone, type Undo } from './undo';

/** Maximum number of changes of a turn. The daemon returns no more in one answer. */
const MAX_CHANGES = 1000;

/** Maximum number of files listed by name in the question. */
const MAX_NAMED = 12;

/** Asks for confirmation and undoes the turn. Stops at the first change that cannot be undone. */
export async function undoTurn(
  connection: Connection,
  transactions: Transactions,
  undo: Undo,
  { turn, author }: Turn,
): Promise<void> {
  // The view may not have loaded all changes of the turn.
  const history = await connection.request('editd/history', { turn, limit: MAX_CHANGES });
  const entries = history.transactions.filter((entry) => entry.author === author && isUndoable(entry));
  const answer = await dialog(`Undo ${changes(entries.length)} of this turn?`, detail(entries), 'Undo');
  if (answer !== 'Undo') {
    return;
  }
  const files = new Map<string, AppliedFile>();
  for (const [index, { transaction }] of entries.entries()) {
    try {
      const done = await connection.request('editd/undo', { transaction });
      done.files.forEach((file) => files.set(file.newPath ?? file.path, file));
    } catch (error) {
      const refusal = refusalOf(error);
      // Another program may have reverted the change already.
      if (refusal.kind !== 'no_change') {
        void message('warning', `${index} of ${changes(entries.length)} of the turn undone.`);
        await transactions.refresh();
        await undo.explain(refusal);
        return;
      }
    }
  }
  notifyDone([...files.values()]);
  await transactions.refresh();
}

function detail(entries: readonly TransactionEntry[]): string {
  const files = filesOf(entries);
  // An undo removes the lines that the change has added.
  const lines = files.slice(0, MAX_NAMED).map(({ path, added, removed }) => {
    return `${vscode.workspace.asRelativePath(path)} (${lineCounts([{ added: removed, removed: added }])})`;
  });
  const more = files.length - MAX_NAMED;
  return (more > 0 ? [...lines, `and ${more} more`] : lines).join('\n');
}
