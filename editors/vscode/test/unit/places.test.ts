import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Hunk, HunkState, ProposalResult, FileEntry } from '../../src/daemon/wire';
import { errorPlaces, errorsIn, nextStop, placesIn, stopsOf, touched } from '../../src/review/places';

const hunk = (
  id: string,
  [oldStart, oldLines]: [number, number],
  newLines: number,
  state: HunkState = 'pending',
): Hunk => ({
  id,
  state,
  oldStart,
  oldLines,
  newStart: 0,
  newLines,
});

const file = (path: string, hunks: Hunk[]): FileEntry => ({
  uri: `file://${path}`,
  path,
  action: 'edit',
  hashBefore: null,
  hashAfter: null,
  diff: '',
  added: 0,
  removed: 0,
  hunks,
  warnings: [],
  tags: [],
});

const proposal = (id: string, files: FileEntry[]): ProposalResult => ({
  id,
  revision: 1,
  state: 'pending',
  author: 'ada',
  label: null,
  at: '',
  files,
});

const lines = (each: FileEntry, side: 'base' | 'proposed') =>
  placesIn(each, side).map(({ start, lines: count }) => [start, count]);

test('a hunk is at its lines, and an insertion before the next line', () => {
  const edited = file('/a', [hunk('h1', [2, 1], 3), hunk('h2', [6, 0], 1), hunk('h3', [8, 2], 0)]);
  assert.deepEqual(lines(edited, 'base'), [
    [1, 1],
    [6, 0],
    [7, 2],
  ]);
  assert.deepEqual(lines(edited, 'proposed'), [
    [1, 3],
    [8, 1],
    [10, 0],
  ]);
});

test('rejected and conflicted hunks are not in the proposed text and shift nothing', () => {
  const edited = file('/a', [
    hunk('h1', [2, 1], 3, 'rejected'),
    hunk('h2', [4, 1], 2, 'conflicted'),
    hunk('h3', [6, 1], 1, 'accepted'),
  ]);
  assert.deepEqual(lines(edited, 'proposed'), [
    [1, 1],
    [3, 1],
    [5, 1],
  ]);
});

test('a new file has all its lines on one side only', () => {
  const created = { ...file('/a', [{ ...hunk('h1', [0, 0], 4), kind: 'create' as const }]), action: 'create' as const };
  assert.deepEqual(lines(created, 'base'), [[0, 0]]);
  assert.deepEqual(lines(created, 'proposed'), [[0, 4]]);
});

test('the cursor is in the hunk of its line, and at an insertion only if there is no other hunk', () => {
  const places = placesIn(file('/a', [hunk('h1', [2, 2], 2), hunk('h2', [3, 0], 1), hunk('h3', [9, 0], 1)]), 'base');
  const at = (first: number, last = first) => touched(places, first, last).map((place) => place.hunk.id);
  assert.deepEqual(at(0), []);
  assert.deepEqual(at(1), ['h1']);
  assert.deepEqual(at(2), ['h1']);
  assert.deepEqual(at(3), ['h2']);
  assert.deepEqual(at(8), ['h3']);
  assert.deepEqual(at(9), ['h3']);
  assert.deepEqual(at(10), []);
});

const proposals = [
  proposal('p1', [
    file('/a', [hunk('h1', [2, 1], 1), hunk('h2', [9, 1], 1, 'accepted'), hunk('h3', [20, 1], 1)]),
    file('/b', [hunk('h4', [5, 1], 1)]),
  ]),
  proposal('p2', [file('/a', [hunk('h1', [12, 1], 1)])]),
];
const stops = stopsOf(proposals);
const next = (from: Parameters<typeof nextStop>[1], step: 1 | -1) => {
  const stop = nextStop(stops, from, step);
  return stop && `${stop.id} ${stop.hunk}`;
};

test('the next hunk is the next open one in the file, and in the file itself, of any proposal', () => {
  assert.equal(next({ path: '/a', side: 'base', line: 1 }, 1), 'p2 h1');
  assert.equal(next({ path: '/a', side: 'base', line: 11 }, 1), 'p1 h3');
  assert.equal(next({ path: '/a', side: 'base', line: 11 }, -1), 'p1 h1');
  assert.equal(next({ id: 'p1', path: '/a', side: 'proposed', line: 1 }, 1), 'p1 h3');
});

test('the other files follow the last hunk of a file, and then the first file again', () => {
  assert.equal(next({ id: 'p1', path: '/a', side: 'proposed', line: 19 }, 1), 'p1 h4');
  assert.equal(next({ id: 'p1', path: '/b', side: 'proposed', line: 4 }, 1), 'p2 h1');
  assert.equal(next({ id: 'p2', path: '/a', side: 'proposed', line: 11 }, 1), 'p1 h1');
  assert.equal(next({ id: 'p1', path: '/a', side: 'proposed', line: 1 }, -1), 'p2 h1');
  assert.equal(next({ path: '/elsewhere', side: 'base', line: 3 }, 1), 'p1 h1');
  assert.equal(next(undefined, 1), 'p1 h1');
  assert.equal(next(undefined, -1), 'p2 h1');
});

test('the only open hunk is its own successor', () => {
  const only = stopsOf([proposal('p1', [file('/a', [hunk('h1', [2, 1], 1)])])]);
  assert.equal(nextStop(only, { path: '/a', side: 'base', line: 1 }, 1)?.hunk, 'h1');
  assert.equal(nextStop([], undefined, 1), undefined);
});

test('a syntax error is in the hunk with its line, and not shown with a hunk in conflict', () => {
  const numbered = (state: HunkState) => [
    { ...hunk('h1', [2, 1], 3, state), newStart: 2 },
    { ...hunk('h2', [6, 0], 1), newStart: 9 },
    { ...hunk('h3', [8, 2], 0), newStart: 10 },
  ];
  const syntax = [1, 3, 6, 9, 12].map((line) => ({ line, excerpt: `${line}` }));
  const seen = (state: HunkState) => {
    const each = { ...file('/a', numbered(state)), syntax };
    const inHunks = each.hunks.map((one) => errorsIn(each, one).map(({ line }) => line));
    return { inHunks, lines: errorPlaces(each).map(({ line }) => line) };
  };
  assert.deepEqual(seen('pending'), { inHunks: [[3], [9], []], lines: [0, 2, 5, 8, 11] });
  assert.deepEqual(seen('conflicted').lines, [0, 3, 6, 9]);
});

test('all syntax errors of a new file are in its only hunk', () => {
  const created = { ...hunk('h1', [0, 0], 0), kind: 'create' as const };
  const each = { ...file('/a', [created]), syntax: [{ line: 3, excerpt: ')' }] };
  assert.deepEqual(errorsIn(each, created), each.syntax);
  assert.deepEqual(errorPlaces(each), [{ error: { line: 3, excerpt: ')' }, line: 2 }]);
});
