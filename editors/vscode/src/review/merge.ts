/** Merges what a person wrote with what a file has become meanwhile. */
import { type ArrayChange, diffArrays } from 'diff';

import { withLf } from '../lineEnds';

/** Lines that may be removed and added for a comparison to be done in one go: that takes well below a tenth of a second. */
const FEW = 500;
/** Milliseconds for one of more lines. What takes longer counts as one change from the first to the last that differ. */
const PATIENCE = 10_000;

/** Lines of the base from `start` until before `end`, and what is there instead. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * What a person wrote over `base`, carried to `now`, which came of `base` meanwhile. Nothing if both changed the same
 * lines or lines beside each other. Line ends are compared as one and are LF in what comes out of a merge.
 */
export async function carry(written: string, base: string, now: string): Promise<string | undefined> {
  if (base === now) {
    return written;
  }
  const old = linesOf(base);
  const [mine, theirs] = await Promise.all([changes(old, linesOf(written)), changes(old, linesOf(now))]);
  const both = together(mine, theirs);
  return both && applied(old, both).join('\n');
}

function linesOf(text: string): string[] {
  return withLf(text).split('\n');
}

async function changes(from: readonly string[], to: readonly string[]): Promise<Change[]> {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head] === to[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) {
    tail += 1;
  }
  const [left, right] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
  if (left.length === 0 || right.length === 0) {
    return left.length === right.length ? [] : [{ start: head, end: head + left.length, lines: right }];
  }
  const found = await compare(left, right);
  return found ? changesIn(found, head) : [{ start: head, end: head + left.length, lines: right }];
}

/** Where much has changed it lets others work between its steps: all extensions of a window share one thread. */
async function compare(left: string[], right: string[]): Promise<ArrayChange<string>[] | undefined> {
  const few = diffArrays(left, right, { maxEditLength: FEW });
  return (
    few ??
    (await new Promise((resolve) => {
      diffArrays(left, right, { callback: resolve, timeout: PATIENCE });
    }))
  );
}

function changesIn(parts: readonly ArrayChange<string>[], first: number): Change[] {
  const found: Change[] = [];
  let start = first;
  let end = first;
  let lines: string[] = [];
  const close = () => {
    if (end > start || lines.length > 0) {
      found.push({ start, end, lines });
    }
  };
  for (const { value, added, removed } of parts) {
    if (removed) {
      end += value.length;
    } else if (added) {
      lines = lines.concat(value);
    } else {
      close();
      start = end + value.length;
      end = start;
      lines = [];
    }
  }
  close();
  return found;
}

/** The changes of both in the order of their lines; what both have done counts once. Nothing if some are in each other's way. */
function together(mine: readonly Change[], theirs: readonly Change[]): Change[] | undefined {
  const all = mine.concat(theirs).sort((left, right) => left.start - right.start || left.end - right.end);
  const kept: Change[] = [];
  for (const change of all) {
    const last = kept.at(-1);
    if (!last || change.start > last.end) {
      kept.push(change);
    } else if (!isSame(last, change)) {
      return undefined;
    }
  }
  return kept;
}

function isSame(left: Change, right: Change): boolean {
  return (
    left.start === right.start &&
    left.end === right.end &&
    left.lines.length === right.lines.length &&
    left.lines.every((line, index) => line === right.lines[index])
  );
}

function applied(old: readonly string[], found: readonly Change[]): string[] {
  const pieces: (readonly string[])[] = [];
  let from = 0;
  for (const { start, end, lines } of found) {
    pieces.push(old.slice(from, start), lines);
    from = end;
  }
  pieces.push(old.slice(from));
  return pieces.flat();
}
