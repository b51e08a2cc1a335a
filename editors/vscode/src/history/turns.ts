/** Turns: all changes that an agent makes for one prompt of the user. */
import type { TransactionEntry } from '../daemon/wire';
import { names } from './describe';

/** Maximum length of the id of a turn in a row. */
const MAX_LENGTH = 8;

/** Consecutive changes of one turn by one author, newest first. */
export interface Turn {
  readonly turn: string;
  readonly author: string;
  readonly entries: readonly TransactionEntry[];
}

/** Groups changes by turn. A turn with a single change is not a group. */
export function grouped(entries: readonly TransactionEntry[]): readonly (Turn | TransactionEntry)[] {
  const groups: TransactionEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.[0] && belongTogether(last[0], entry)) {
      last.push(entry);
    } else {
      groups.push([entry]);
    }
  }
  return groups.flatMap((group): (Turn | TransactionEntry)[] => {
    const [newest] = group;
    const turn = newest?.origin?.turn;
    return group.length > 1 && turn !== undefined ? [{ turn, author: newest?.author ?? '', entries: group }] : group;
  });
}

function belongTogether(a: TransactionEntry, b: TransactionEntry): boolean {
  return a.origin?.turn !== undefined && a.origin.turn === b.origin?.turn && a.author === b.author;
}

/** Returns `true` if a change can be undone as a part of its turn. */
export function isUndoable(entry: TransactionEntry): boolean {
  return !entry.undone && entry.undoes === undefined && entry.rescued !== true;
}

/** Returns "3 changes in cart.py" or "3 changes in 2 files", which leaves space for the author in a narrow view. */
export function turnTitle(entries: readonly TransactionEntry[]): string {
  const files = filesOf(entries);
  return `${changes(entries.length)} in ${files.length === 1 ? names(files) : `${files.length} files`}`;
}

export function changes(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`;
}

/** The file of several changes, with the sums of their lines. */
export interface SummedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** Returns the files of several changes, in the order of their first change. */
export function filesOf(entries: readonly TransactionEntry[]): SummedFile[] {
  const files = new Map<string, SummedFile>();
  for (const file of [...entries].reverse().flatMap((entry) => entry.files)) {
    const { added, removed } = files.get(file.path) ?? { added: 0, removed: 0 };
    const path = file.newPath ?? file.path;
    if (path !== file.path) {
      files.delete(file.path);
    }
    files.set(path, { path, added: added + file.added, removed: removed + file.removed });
  }
  return [...files.values()];
}

/** Shortens the id of a turn to its end, which differs more between turns than its beginning. */
export function shortTurn(turn: string): string {
  return turn.length > MAX_LENGTH ? `…${turn.slice(1 - MAX_LENGTH)}` : turn;
}
