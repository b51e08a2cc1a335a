// Rows of a diff: unchanged, old and new lines, with their numbers.
import { type Line, linesOf } from './lines';
import type { Hunk } from './wire';

export interface Row {
  kind: 'same' | 'old' | 'new';
  /** Number of the line in the old text, from 1. */
  old?: number;
  /** Number of the line in the new text, from 1. */
  new?: number;
  line: Line;
}

/** A hunk with the unchanged lines around it. */
export interface HunkRows {
  type: 'hunk';
  hunk: Hunk;
  before: Row[];
  old: Row[];
  new: Row[];
  after: Row[];
}

/** Unchanged lines that are not shown at first. */
export interface Gap {
  type: 'gap';
  rows: Row[];
}

/** Lines of a diff, without buttons. */
export interface PlainRows {
  type: 'plain';
  rows: Row[];
}

export type Part = HunkRows | Gap | PlainRows;

/** A text whose lines the rows show. */
export interface Side {
  text: string;
  lines: readonly Line[];
}

export interface FileRows {
  parts: Part[];
  /** The whole texts, if they are known. */
  old?: Side;
  new?: Side;
}

/** Number of unchanged lines before and after a hunk. */
const CONTEXT = 3;

/** The text that the hunks are about: the old one, or the current one if the change has already been made. */
export type Anchor = 'old' | 'new';

interface Region {
  hunk: Hunk;
  first: number;
  count: number;
  other: Line[];
}

/** Returns the rows of a file from one of its texts, or `undefined` if the hunks are not about that text. */
export function rowsOf(text: string, hunks: readonly Hunk[], anchor: Anchor): FileRows | undefined {
  const lines = linesOf(text);
  const regions = hunks.filter(({ kind }) => kind === undefined).map((hunk) => regionOf(hunk, anchor));
  regions.sort((one, other) => one.first - other.first);
  if (!regions.every((region, at) => fits(region, regions[at - 1], lines, anchor))) {
    return undefined;
  }
  return assemble({ text, lines }, regions, anchor);
}

function regionOf(hunk: Hunk, anchor: Anchor): Region {
  const [start, count] = anchor === 'old' ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines];
  const other = (anchor === 'old' ? hunk.newText : hunk.oldText) ?? '';
  // A hunk without lines names the line before it.
  return { hunk, first: count > 0 ? start - 1 : start, count, other: linesOf(other) };
}

function fits(region: Region, previous: Region | undefined, lines: readonly Line[], anchor: Anchor): boolean {
  const own = lines.slice(region.first, region.first + region.count);
  const expected = anchor === 'old' ? region.hunk.oldText : region.hunk.newText;
  const isFree = previous === undefined || previous.first + previous.count <= region.first;
  return isFree && (expected === undefined || own.map(({ text, ending }) => text + ending).join('') === expected);
}

function assemble(side: Side, regions: readonly Region[], anchor: Anchor): FileRows {
  const parts: Part[] = [];
  const other: string[] = [];
  let [at, otherAt] = [0, 0];
  const same = (end: number): Row[] => {
    const rows: Row[] = [];
    for (; at < end; at += 1) {
      const line = side.lines[at] ?? { start: 0, text: '', ending: '' };
      otherAt += 1;
      rows.push({ kind: 'same', ...numbers(anchor, at + 1, otherAt), line });
      other.push(line.text + line.ending);
    }
    return rows;
  };
  for (const region of regions) {
    const between = same(region.first);
    const own = side.lines.slice(at, at + region.count).map((line, index) => ({
      kind: anchor,
      ...one(anchor, at + index + 1),
      line,
    }));
    const opposite = anchor === 'old' ? 'new' : 'old';
    const others = region.other.map((line, index) => ({
      kind: opposite,
      ...one(opposite, otherAt + index + 1),
      line,
    })) satisfies Row[];
    at += region.count;
    otherAt += region.other.length;
    other.push(...region.other.map(({ text, ending }) => text + ending));
    const [old, fresh] = anchor === 'old' ? [own, others] : [others, own];
    addHunk(parts, between, { type: 'hunk', hunk: region.hunk, before: [], old, new: fresh, after: [] });
  }
  addHunk(parts, same(side.lines.length), undefined);
  const otherText = other.join('');
  const opposite = { text: otherText, lines: linesOf(otherText) };
  return anchor === 'old' ? { parts, old: side, new: opposite } : { parts, old: opposite, new: side };
}

function numbers(anchor: Anchor, own: number, other: number): { old: number; new: number } {
  return anchor === 'old' ? { old: own, new: other } : { old: other, new: own };
}

function one(anchor: Anchor, number: number): { old?: number; new?: number } {
  return anchor === 'old' ? { old: number } : { new: number };
}

/** Adds unchanged lines and the hunk after them. Lines that are far from both hunks around them become a gap. */
function addHunk(parts: Part[], between: Row[], next: HunkRows | undefined): void {
  const previous = parts.at(-1);
  const isAfterHunk = previous?.type === 'hunk';
  const tail = isAfterHunk ? CONTEXT : 0;
  const head = next === undefined ? 0 : CONTEXT;
  // A gap of one or two lines would take as much space as the lines.
  if (between.length <= tail + head + 2) {
    const after = next === undefined ? between.length : Math.min(tail, between.length);
    if (isAfterHunk) {
      previous.after = between.slice(0, after);
    } else if (next === undefined && between.length > 0) {
      parts.push({ type: 'gap', rows: between });
    }
    next?.before.push(...between.slice(isAfterHunk ? after : 0));
  } else {
    if (isAfterHunk) {
      previous.after = between.slice(0, tail);
    }
    parts.push({ type: 'gap', rows: between.slice(tail, between.length - head) });
    next?.before.push(...between.slice(between.length - head));
  }
  if (next !== undefined) {
    parts.push(next);
  }
}
