// Old and new lines of a hunk, side by side.
import { type Range, SIMILAR, compareWords } from './words';

export interface Pair {
  old?: number;
  new?: number;
  /** Changed words, if both are versions of one line. */
  oldWords?: readonly Range[];
  newWords?: readonly Range[];
}

/** Maximum number of comparisons of lines. Beyond it, lines are paired by their order. */
const MOST = 900;

/** Length of a line from which on lines are paired by their order, because comparisons take long. */
const LONGEST = 1000;

/** Pairs the old and the new lines of a hunk, so that versions of one line are beside each other. */
export function pairLines(old: readonly string[], fresh: readonly string[]): Pair[] {
  const isLong = [...old, ...fresh].some((line) => line.length > LONGEST);
  const compares = old.length * fresh.length <= MOST && !isLong;
  const matches = compares ? bestMatches(old, fresh) : byOrder(old, fresh);
  const pairs: Pair[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const [oldIndex, newIndex] of [...matches, [old.length, fresh.length] as const]) {
    // Lines between two matches have no version on the other side.
    while (oldAt < oldIndex || newAt < newIndex) {
      pairs.push({ ...(oldAt < oldIndex ? { old: oldAt++ } : {}), ...(newAt < newIndex ? { new: newAt++ } : {}) });
    }
    if (oldIndex < old.length && newIndex < fresh.length) {
      pairs.push(matched(old, fresh, oldAt++, newAt++));
    }
  }
  return pairs;
}

function matched(old: readonly string[], fresh: readonly string[], oldAt: number, newAt: number): Pair {
  const [before, after] = [old[oldAt] ?? '', fresh[newAt] ?? ''];
  const words = compareWords(before, after);
  const isLong = Math.max(before.length, after.length) > LONGEST;
  // In a long line, the words that stay are left out even if they are few.
  if (words.similarity < SIMILAR && !isLong) {
    return { old: oldAt, new: newAt };
  }
  const { old: oldWords, new: newWords } = words;
  return {
    old: oldAt,
    new: newAt,
    oldWords: isLong ? orPlace(oldWords, newWords) : oldWords,
    newWords: isLong ? orPlace(newWords, oldWords) : newWords,
  };
}

/** Returns the changed ranges of a side, or the place of the first change of the other side if there are none. */
function orPlace(own: readonly Range[], other: readonly Range[]): readonly Range[] {
  const [first] = other;
  return own.length > 0 || first === undefined ? own : [[first[0], first[0]]];
}

function byOrder(old: readonly string[], fresh: readonly string[]): [number, number][] {
  return Array.from({ length: Math.min(old.length, fresh.length) }, (_, at) => [at, at]);
}

/** Returns the matches, in order on both sides, with the greatest similarity in sum. */
function bestMatches(old: readonly string[], fresh: readonly string[]): [number, number][] {
  const similarity = old.map((before) =>
    fresh.map((after) => {
      const value = compareWords(before, after).similarity;
      return value < SIMILAR || before.trim() === '' ? 0 : value;
    }),
  );
  const width = fresh.length + 1;
  const best = new Float64Array((old.length + 1) * width);
  const from = (row: number, column: number): number => best[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const here = similarity[row]?.[column] ?? 0;
      const together = here > 0 ? from(row + 1, column + 1) + here : 0;
      best[row * width + column] = Math.max(together, from(row + 1, column), from(row, column + 1));
    }
  }
  const matches: [number, number][] = [];
  for (let row = 0, column = 0; row < old.length && column < fresh.length;) {
    const here = similarity[row]?.[column] ?? 0;
    if (here > 0 && from(row, column) === from(row + 1, column + 1) + here) {
      matches.push([row++, column++]);
    } else if (from(row, column) === from(row + 1, column)) {
      row += 1;
    } else {
      column += 1;
    }
  }
  return matches;
}
