import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Hunk } from '../../src/daemon/wire';
import { excerptOf } from '../../src/review/longLines';

const hunk = (oldText: string, newText: string): Hunk => ({
  id: 'h1',
  oldStart: 1,
  oldLines: 1,
  newStart: 1,
  newLines: 1,
  state: 'pending',
  oldText,
  newText,
});

void test('short lines have no excerpt', () => {
  assert.equal(excerptOf(hunk('one\n', 'two\n')), undefined);
});

void test('the change of a long line is shown wherever it is', () => {
  const line = (word: string): string => `${'word '.repeat(8000)}${word} ${'more '.repeat(8000)}\n`;
  assert.deepEqual(excerptOf(hunk(line('old'), line('n\u202ee\u200bw'))), {
    old: '…word word word word word old more more more more more…',
    new: '…word word word word word n⟨U+202E⟩e⟨U+200B⟩w more more more more more…',
    isCut: false,
  });
});

void test('an insertion is shown at its place on both sides', () => {
  const [head, tail] = ['word '.repeat(500), 'more '.repeat(500)];
  const shown = excerptOf(hunk(`${head}${tail}`, `${head}new ${tail}`));
  assert.match(shown?.old ?? '', /^….*word more .*…$/);
  assert.match(shown?.new ?? '', /^….*word new more .*…$/);
});

void test('changed text that is left out is reported', () => {
  const long = excerptOf(hunk('', 'new '.repeat(500)));
  assert.equal(long?.isCut, true);
  const many = excerptOf(hunk('a b c d '.repeat(200), 'a b c d '.repeat(200).replaceAll('c', 'x')));
  assert.equal(many?.isCut, true);
});
