// Changed words of a changed line.

export type Range = readonly [start: number, end: number];

export interface WordChanges {
  old: Range[];
  new: Range[];
  /** Share of the text that both lines have, from 0 to 1. */
  similarity: number;
}

/** Maximum size of the table of a comparison. Beyond it, only few differences are found. */
const LARGEST = 60_000;

/** Maximum number of differences in a comparison without a table. Beyond it, only the common start and end are found. */
const MOST_DIFFERENCES = 200;

/** Similarity from which on two lines are versions of one line. */
export const SIMILAR = 0.4;

function tokensOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Compares two lines word by word. */
export function compareWords(before: string, after: string): WordChanges {
  const [old, fresh] = [tokensOf(before), tokensOf(after)];
  const [oldKept, newKept] = commonTokens(old, fresh);
  let common = 0;
  old.forEach((token, at) => (common += oldKept[at] === true ? token.trim().length : 0));
  const longer = Math.max(solid(old), solid(fresh));
  return {
    old: rangesOf(old, oldKept).map((range) => withoutIndentation(range, before)),
    new: rangesOf(fresh, newKept).map((range) => withoutIndentation(range, after)),
    similarity: longer === 0 ? 1 : common / longer,
  };
}

function solid(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + token.trim().length, 0);
}

/** Marks the tokens of a longest common subsequence in both lists. */
function commonTokens(old: readonly string[], fresh: readonly string[]): [boolean[], boolean[]] {
  const kept: [boolean[], boolean[]] = [old.map(() => false), fresh.map(() => false)];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) {
    kept[0][start] = kept[1][start] = true;
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) {
    kept[0][old.length - 1 - end] = kept[1][fresh.length - 1 - end] = true;
    end += 1;
  }
  const [rows, columns] = [old.length - start - end, fresh.length - start - end];
  if (rows > 0 && columns > 0 && rows * columns <= LARGEST) {
    markSubsequence(old, fresh, { start, rows, columns }, kept);
  } else if (rows > 0 && columns > 0) {
    markFewDifferences(old, fresh, { start, rows, columns }, kept);
  }
  return kept;
}

/**
 * Marks the tokens that both lists have, if there are few differences between them. Searches for the shortest sequence of
 * removals and insertions: `reached` has, for each difference of row and column, the furthest row after so many of them.
 */
function markFewDifferences(
  old: readonly string[],
  fresh: readonly string[],
  { start, rows, columns }: { start: number; rows: number; columns: number },
  [oldKept, newKept]: [boolean[], boolean[]],
): void {
  const isSame = (row: number, column: number): boolean =>
    row < rows && column < columns && old[start + row] === fresh[start + column];
  const steps: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  const from = (all: ReadonlyMap<number, number>, k: number): number => all.get(k) ?? -1;
  const isInsertion = (all: ReadonlyMap<number, number>, k: number, d: number): boolean =>
    k === -d || (k !== d && from(all, k - 1) < from(all, k + 1));
  for (let d = 0; d <= MOST_DIFFERENCES; d += 1) {
    steps.push(new Map(reached));
    for (let k = -d; k <= d; k += 2) {
      let row = isInsertion(reached, k, d) ? from(reached, k + 1) : from(reached, k - 1) + 1;
      while (isSame(row, row - k)) {
        row += 1;
      }
      reached.set(k, row);
      if (row >= rows && row - k >= columns) {
        markPath({ steps, rows, columns, isInsertion, from }, (atRow, atColumn) => {
          oldKept[start + atRow] = newKept[start + atColumn] = true;
        });
        return;
      }
    }
    reached = new Map(reached);
  }
}

interface Path {
  steps: readonly ReadonlyMap<number, number>[];
  rows: number;
  columns: number;
  isInsertion: (all: ReadonlyMap<number, number>, k: number, d: number) => boolean;
  from: (all: ReadonlyMap<number, number>, k: number) => number;
}

/** Goes back along the shortest sequence, and marks the pairs of equal tokens on it. */
function markPath(
  { steps, rows, columns, isInsertion, from }: Path,
  mark: (row: number, column: number) => void,
): void {
  let [row, column] = [rows, columns];
  for (let d = steps.length - 1; d >= 0; d -= 1) {
    const reached = steps[d] ?? new Map<number, number>();
    const k = row - column;
    const before = isInsertion(reached, k, d) ? k + 1 : k - 1;
    const [toRow, toColumn] = d === 0 ? [0, 0] : [from(reached, before), from(reached, before) - before];
    while (row > toRow && column > toColumn) {
      row -= 1;
      column -= 1;
      mark(row, column);
    }
    [row, column] = [toRow, toColumn];
  }
}

function markSubsequence(
  old: readonly string[],
  fresh: readonly string[],
  { start, rows, columns }: { start: number; rows: number; columns: number },
  [oldKept, newKept]: [boolean[], boolean[]],
): void {
  const width = columns + 1;
  // Length of the longest common subsequence from each pair of tokens on.
  const table = new Uint16Array((rows + 1) * width);
  const length = (row: number, column: number): number => table[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const isSame = old[start + row] === fresh[start + column];
      table[row * width + column] = isSame
        ? length(row + 1, column + 1) + 1
        : Math.max(length(row + 1, column), length(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (old[start + row] === fresh[start + column]) {
      oldKept[start + row] = newKept[start + column] = true;
      row += 1;
      column += 1;
    } else if (length(row + 1, column) >= length(row, column + 1)) {
      row += 1;
    } else {
      column += 1;
    }
  }
}

/** Returns the ranges of tokens that are not kept. Spaces between two of them belong to the range. */
function rangesOf(tokens: readonly string[], kept: readonly boolean[]): Range[] {
  const ranges: [number, number][] = [];
  let offset = 0;
  tokens.forEach((token, at) => {
    const end = offset + token.length;
    const last = ranges.at(-1);
    if (kept[at] !== true) {
      if (last?.[1] === offset) {
        last[1] = end;
      } else {
        ranges.push([offset, end]);
      }
    } else if (token.trim() === '' && kept[at + 1] === false && last?.[1] === offset) {
      last[1] = end;
    }
    offset = end;
  });
  return ranges;
}

/** Leaves out the indentation at the start of a changed range, unless nothing else has changed in it. */
function withoutIndentation([start, end]: Range, text: string): Range {
  const indentation = start === 0 ? (/^\s+(?=\S)/.exec(text.slice(0, end))?.[0].length ?? 0) : 0;
  return [start + indentation, end];
}
