/** Descriptions of transactions for lists and messages. */
import { basename } from 'node:path';

import type { FileAction, TransactionEntry, TransactionFile } from '../daemon/wire';

/** Author name that the history uses for text written by other programs. */
const DISK = 'disk';

/** The label of an undo of a change without a label, which names that change by its id. */
const UNDO_OF_UNLABELED = /^(Undo|Redo): t[0-9a-f]+-\d+$/;

/** Returns the first line of the label, or the file names if there is no label. */
export function title(entry: Pick<TransactionEntry, 'label' | 'files' | 'undoes'>): string {
  const label = entry.label?.split('\n')[0]?.trim() ?? '';
  const undo = entry.undoes === undefined ? undefined : UNDO_OF_UNLABELED.exec(label)?.[1];
  if (undo !== undefined) {
    return `${undo}: ${names(entry.files)}`;
  }
  return label === '' ? names(entry.files) : label;
}

/** Returns "cart.py", "cart.py and test.py" or "cart.py and 3 more". */
export function names(files: readonly Pick<TransactionFile, 'path' | 'newPath'>[]): string {
  const [first, second] = files.map((file) => basename(file.newPath ?? file.path));
  if (first === undefined) {
    return 'nothing';
  }
  if (second === undefined) {
    return first;
  }
  return files.length === 2 ? `${first} and ${second}` : `${first} and ${files.length - 1} more`;
}

/** Returns the author to display. `editor` is the name of this editor: its changes were requested by the user. */
export function author(entry: TransactionEntry, editor: string): string {
  if (entry.author === editor) {
    return 'you';
  }
  return entry.rescued === true && entry.author === DISK ? 'another program' : entry.author;
}

export function lineCounts(files: readonly { readonly added: number; readonly removed: number }[]): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `+${added} -${removed}`;
}

/** Describes an action on a file. Returns undefined for an edit. */
export function actionLabel(action: FileAction): string | undefined {
  switch (action) {
    case 'create':
      return 'new';
    case 'delete':
      return 'deleted';
    case 'rename':
      return 'renamed';
    case 'edit':
      return undefined;
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns "now", "5 min ago", "2 h ago", "yesterday", "3 days ago", or the date if that is longer ago. */
export function ago(at: string, now: Date): string {
  const then = new Date(at);
  const passed = now.getTime() - then.getTime();
  if (passed < MINUTE) {
    return 'now';
  }
  if (passed < HOUR) {
    return `${Math.floor(passed / MINUTE)} min ago`;
  }
  if (passed < 12 * HOUR || midnight(now) === midnight(then)) {
    return `${Math.floor(passed / HOUR)} h ago`;
  }
  const days = Math.round((midnight(now) - midnight(then)) / DAY);
  if (days === 1) {
    return 'yesterday';
  }
  return days < 14 ? `${days} days ago` : then.toLocaleDateString();
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** Explains an entry that changed nothing. */
export const RESCUED =
  'Another program wrote this text while editd was changing the file. The text is stored here so that it is not lost. ' +
  'To restore it in the file, undo this entry.';
