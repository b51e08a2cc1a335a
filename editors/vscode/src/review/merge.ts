/**
 * Three-way merge of a draft and a changed file. A draft exists only in this window until it is sent, and the user may
 * type during a round trip to the daemon, so the merge runs here.
 */
import { type ArrayChange, diffArrays } from 'diff';

import { withLf } from '../lineEndings';

/** Maximum number of changed lines for a synchronous comparison, which then takes well below 100 milliseconds. */
const MAX_SYNC_EDITS = 500;
/**
 * Timeout for larger comparisons, in milliseconds. On timeout, the range of all differing lines counts as one change.
 */
const TIMEOUT = 10_000;

/** Replacement of the base lines from `start` up to, but not including, `end`. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Rebases `written`, a draft on top of `base`, onto `now`, the current text. Returns undefined if both changed the same
 * or adjacent lines. Ignores differences in line endings; the result of a merge has LF.
 */
export async function rebaseDraft(written: string, base: string, now: string): Promise<string | undefined> {
  if (base === now) {
    return written;
  }
  const old = linesOf(base);
  const [mine, theirs] = await Promise.all([changes(old, linesOf(written)), changes(old, linesOf(now))]);
  const combined = combine(mine, theirs);
  return combined && applyChanges(old, combined).join('\n');
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

/** Compares lines. Large comparisons yield between steps, because all extensions of a window share one thread. */
async function compare(left: string[], right: string[]): Promise<ArrayChange<string>[] | undefined> {
  const quick = diffArrays(left, right, { maxEditLength: MAX_SYNC_EDITS });
  return (
    quick ??
    (await new Promise((resolve) => {
      diffArrays(left, right, { callback: resolve, timeout: TIMEOUT });
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

/** Combines both lists of changes in line order. Equal changes count once. Returns undefined if there is a conflict. */
function combine(mine: readonly Change[], theirs: readonly Change[]): Change[] | undefined {
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

function applyChanges(old: readonly string[], found: readonly Change[]): string[] {
  const pieces: (readonly string[])[] = [];
  let from = 0;
  for (const { start, end, lines } of found) {
    pieces.push(old.slice(from, start), lines);
    from = end;
  }
  pieces.push(old.slice(from));
  return pieces.flat();
}
