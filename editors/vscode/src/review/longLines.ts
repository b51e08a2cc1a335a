/**
 * Excerpts of long lines. VS Code shows a line from its beginning and stops after some thousand characters, so a change
 * further on would be accepted unseen. Imports no VS Code.
 */
import type { Hunk } from '../daemon/wire';

/** Length of a line from which on its changes are shown in an excerpt. */
const LONG = 500;

/** Number of unchanged characters that are shown on each side of a change. */
const AROUND = 25;

/** Number of changed characters that are shown of each change, and number of changes. */
const CHANGED = 80;
const CHANGES = 3;

export interface Excerpt {
  /** The changed parts of the old and of the new lines, with their surroundings. */
  readonly old: string;
  readonly new: string;
  /** True if changed text is left out. */
  readonly isCut: boolean;
}

type Range = readonly [from: number, to: number];

/** Returns the excerpts of the long lines of a hunk, or undefined if it has none. */
export function excerptOf({ oldText = '', newText = '' }: Hunk): Excerpt | undefined {
  const [old, fresh] = [longLines(oldText), longLines(newText)];
  if (old.length === 0 && fresh.length === 0) {
    return undefined;
  }
  const pairs = Array.from({ length: Math.max(old.length, fresh.length) }, (_, at) => [old[at], fresh[at]] as const);
  const parts = pairs.map(([before, after]) => {
    const [inOld, inNew] = changes(before ?? '', after ?? '');
    return [cut(before ?? '', inOld), cut(after ?? '', inNew)] as const;
  });
  return {
    old: parts.map(([{ text }]) => text).join(' '),
    new: parts.map(([, { text }]) => text).join(' '),
    isCut: parts.some((both) => both.some(({ isCut }) => isCut)),
  };
}

function longLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.length > LONG);
}

function wordsIn(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Maximum number of words on each side whose order is compared. Of more, only the common ends are found. */
const COMPARED = 400;

/** Returns the ranges in which two versions of a line differ. */
function changes(before: string, after: string): [Range[], Range[]] {
  const [old, fresh] = [wordsIn(before), wordsIn(after)];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) {
    end += 1;
  }
  const [oldStarts, newStarts] = [startsOf(old), startsOf(fresh)];
  const range = (starts: readonly number[], from: number, to: number): Range => [starts[from] ?? 0, starts[to] ?? 0];
  const [oldEnd, newEnd] = [old.length - end, fresh.length - end];
  const isSmall = oldEnd - start <= COMPARED && newEnd - start <= COMPARED;
  const runs = isSmall ? differences(old, fresh, start, oldEnd, newEnd) : [[start, oldEnd, start, newEnd] as const];
  return [
    runs.map(([from, to]) => range(oldStarts, from, to)),
    runs.map(([, , from, to]) => range(newStarts, from, to)),
  ];
}

type Run = readonly [oldFrom: number, oldTo: number, newFrom: number, newTo: number];

/** Returns the runs of words that are not part of a longest common subsequence. */
function differences(
  old: readonly string[],
  fresh: readonly string[],
  start: number,
  oldEnd: number,
  newEnd: number,
): Run[] {
  const width = newEnd - start + 1;
  const table = new Uint16Array((oldEnd - start + 1) * width);
  const length = (row: number, column: number): number => table[(row - start) * width + column - start] ?? 0;
  for (let row = oldEnd - 1; row >= start; row -= 1) {
    for (let column = newEnd - 1; column >= start; column -= 1) {
      table[(row - start) * width + column - start] =
        old[row] === fresh[column]
          ? length(row + 1, column + 1) + 1
          : Math.max(length(row + 1, column), length(row, column + 1));
    }
  }
  const runs: Run[] = [];
  let [row, column, fromRow, fromColumn] = [start, start, start, start];
  const flush = (): void => {
    if (row > fromRow || column > fromColumn) {
      runs.push([fromRow, row, fromColumn, column]);
    }
  };
  while (row < oldEnd || column < newEnd) {
    if (row < oldEnd && column < newEnd && old[row] === fresh[column]) {
      flush();
      row += 1;
      column += 1;
      [fromRow, fromColumn] = [row, column];
    } else if (column >= newEnd || (row < oldEnd && length(row + 1, column) >= length(row, column + 1))) {
      row += 1;
    } else {
      column += 1;
    }
  }
  flush();
  return runs;
}

function startsOf(words: readonly string[]): number[] {
  const starts = [0];
  for (const word of words) {
    starts.push((starts.at(-1) ?? 0) + word.length);
  }
  return starts;
}

/** Returns the first changes of a line with their surroundings. */
function cut(line: string, ranges: readonly Range[]): { text: string; isCut: boolean } {
  let [text, at, isCut] = ['', 0, ranges.length > CHANGES];
  for (const [from, to] of ranges.slice(0, CHANGES)) {
    const start = Math.max(from - AROUND, at);
    const end = Math.min(to, from + CHANGED);
    isCut ||= end < to;
    const after = Math.min(end + AROUND, line.length);
    text += `${start > at ? '…' : ''}${visible(line.slice(start, after))}`;
    at = Math.max(after, at);
  }
  return { text: `${text}${at < line.length ? '…' : ''}`, isCut };
}

/** Shows characters by name that have no width, or that change the direction of text. */
function visible(text: string): string {
  const name = (character: string): string => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  };
  return text.replace(/\t/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, name);
}
