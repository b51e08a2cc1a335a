import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FileEntry, Hunk } from '../../src/daemon/wire';
import { fileTitle, hunkTitle, plain, size } from '../../src/review/words';

test('words of agents stay on one line and cannot turn it around', () => {
  assert.equal(plain('Fix\n\tthe\u0007 \u202esum'), 'Fix the sum');
  assert.equal(size(2, 1), '+2 -1');
  assert.equal(size(0, 3), '-3');
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

test('a new name in another folder is said with its folder', () => {
  const titles = (file: FileEntry) => [fileTitle(file), hunkTitle(file, RENAME)];
  assert.deepEqual(titles(renamed('/work/a.txt', '/work/b.txt')), ['a.txt → b.txt', 'Rename to b.txt']);
  assert.deepEqual(titles(renamed('/work/a.txt', '/work/docs/b.md')), ['a.txt → docs/b.md', 'Move to docs/b.md']);
  assert.deepEqual(titles(renamed('/work/src/a.txt', '/work/a.txt')), ['a.txt → ../a.txt', 'Move to ../a.txt']);
});
