import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FileEntry, Hunk } from '../../src/daemon/wire';
import {
  fileTitle,
  hunkTitle,
  labelOf,
  moreLines,
  singleLine,
  lineCounts,
  syntaxCount,
  syntaxNote,
  titleOf,
} from '../../src/review/labels';

test('text from agents stays on one line and cannot change its direction', () => {
  assert.equal(singleLine('Fix\n\tthe\u0007 \u202esum'), 'Fix the sum');
  assert.equal(lineCounts(2, 1), '+2 -1');
  assert.equal(lineCounts(0, 3), '-3');
});

const renamed = (path: string, newPath: string): FileEntry => ({
  uri: `file://${path}`,
  path,
  newPath,
  action: 'rename',
  hashBefore: null,
  hashAfter: null,
  diff: '',
  added: 0,
  removed: 0,
  hunks: [RENAME],
  warnings: [],
  tags: [],
});

const RENAME: Hunk = {
  id: 'h1',
  kind: 'rename',
  state: 'pending',
  oldStart: 0,
  oldLines: 0,
  newStart: 0,
  newLines: 0,
};

test('a new name in another folder includes its folder', () => {
  const titles = (file: FileEntry) => [fileTitle(file), hunkTitle(file, RENAME)];
  assert.deepEqual(titles(renamed('/shop/a.txt', '/shop/b.txt')), ['a.txt → b.txt', 'Rename to b.txt']);
  assert.deepEqual(titles(renamed('/shop/a.txt', '/shop/docs/b.md')), ['a.txt → docs/b.md', 'Move to docs/b.md']);
  assert.deepEqual(titles(renamed('/shop/src/a.txt', '/shop/a.txt')), ['a.txt → ../a.txt', 'Move to ../a.txt']);
});

test('a deletion is labeled as one, and lines omitted by the title are counted', () => {
  const hunk = (oldText: string, newText: string): Hunk => ({
    id: 'h1',
    state: 'pending',
    oldStart: 1,
    oldLines: oldText.split('\n').length - 1,
    newStart: 1,
    newLines: newText.split('\n').length - 1,
    oldText,
    newText,
  });
  const file = renamed('/shop/a.txt', '/shop/b.txt');
  const titles = (each: Hunk) => [hunkTitle(file, each), moreLines(each)];
  assert.deepEqual(titles(hunk('    return sum\n', '')), ['Delete: return sum', undefined]);
  assert.deepEqual(titles(hunk('a\n', 'b\nc\nd\n')), ['b', '+2 more lines']);
  assert.deepEqual(titles(hunk('a\nb\n', '')), ['Delete: a', '+1 more line']);
});

test('a proposal without a label is named by its files', () => {
  const [one, two] = [{ path: '/shop/a.txt' }, { path: '/shop/b.txt' }];
  assert.equal(labelOf({ label: ' Fix\nit ', files: [one] }), 'Fix it');
  assert.equal(titleOf({ author: 'editd', label: null, files: [one] }), 'editd: a.txt');
  assert.equal(titleOf({ author: 'editd', label: '', files: [one, two] }), 'editd: a.txt and 1 more');
});

test('new syntax errors are counted, and described on one line', () => {
  assert.deepEqual([syntaxCount(undefined), syntaxCount([])], ['', '']);
  const errors = [
    { line: 4, excerpt: 'sum = =\n\u202e' },
    { line: 7, excerpt: '' },
  ];
  assert.equal(syntaxCount(errors), '2 syntax errors');
  assert.deepEqual(errors.map(syntaxNote), ['New syntax error in line 4: sum = =', 'New syntax error in line 7']);
});
