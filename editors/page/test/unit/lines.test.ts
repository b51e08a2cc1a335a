// Lines, rows and changed words of the review page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, unusualEndings } from '../../src/lines';
import { pairLines } from '../../src/pairs';
import { type Part, rowsOf } from '../../src/rows';
import { partsOfDiff } from '../../src/unified';
import { oneLine, pieces } from '../../src/visible';
import type { Hunk } from '../../src/wire';
import { compareWords } from '../../src/words';

const TEN = Array.from({ length: 20 }, (_, at) => `${at + 1}\n`).join('');

function hunk(id: string, oldStart: number, oldText: string, newStart: number, newText: string): Hunk {
  const [oldLines, newLines] = [linesOf(oldText).length, linesOf(newText).length];
  return { id, oldStart, oldLines, newStart, newLines, oldText, newText, state: 'pending' };
}

function shapeOf(parts: readonly Part[]): string[] {
  const numbers = (rows: readonly { old?: number; new?: number }[]): string =>
    rows.map((row) => `${row.old ?? ''}/${row.new ?? ''}`).join(' ');
  return parts.map((part) =>
    part.type === 'hunk'
      ? `${part.hunk.id}: ${[part.before, part.old, part.new, part.after].map(numbers).join(' | ')}`
      : `${part.type}: ${numbers(part.rows)}`,
  );
}

test('lines end with LF, CRLF or CR', () => {
  assert.deepEqual(
    linesOf('a\r\nb\rc\n\nd').map(({ start, text, ending }) => [start, text, ending]),
    [
      [0, 'a', '\r\n'],
      [3, 'b', '\r'],
      [5, 'c', '\n'],
      [7, '', '\n'],
      [8, 'd', ''],
    ],
  );
  assert.deepEqual(linesOf(''), []);
  assert.equal(unusualEndings(linesOf('a\nb')), undefined);
  assert.equal(unusualEndings(linesOf('a\r\nb')), 'CRLF');
  assert.equal(unusualEndings(linesOf('a\r\nb\n')), 'mixed line endings');
});

test('hunks have three lines around them, and the others are a gap', () => {
  const rows = rowsOf(TEN, [hunk('h1', 5, '5\n', 5, 'five\nfünf\n'), hunk('h2', 15, '', 17, 'new\n')], 'old');
  assert.deepEqual(shapeOf(rows?.parts ?? []), [
    'h1: 1/1 2/2 3/3 4/4 | 5/ | /5 /6 | 6/7 7/8 8/9',
    'gap: 9/10 10/11 11/12 12/13',
    'h2: 13/14 14/15 15/16 |  | /17 | 16/18 17/19 18/20 19/21 20/22',
  ]);
  assert.equal(
    rows?.new?.text,
    TEN.replace('5\n', 'five\nfünf\n').replace('\n16\n', '\nnew\n16\n').replace('15\nnew', '15\nnew'),
  );
});

test('the hunks of a change that was made are about its new text', () => {
  const rows = rowsOf('a\nB\nc\n', [hunk('h1', 2, 'b\n', 2, 'B\n')], 'new');
  assert.deepEqual(shapeOf(rows?.parts ?? []), ['h1: 1/1 | 2/ | /2 | 3/3']);
  assert.equal(rows?.old?.text, 'a\nb\nc\n');
});

test('hunks about another text have no rows', () => {
  assert.equal(rowsOf('a\nx\nc\n', [hunk('h1', 2, 'b\n', 2, 'B\n')], 'old'), undefined);
  assert.equal(rowsOf('a\n', [hunk('h1', 9, 'b\n', 9, 'B\n')], 'old'), undefined);
});

test('a unified diff has rows with numbers', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n\\ No newline at end of file\n@@ -9,0 +10 @@\n+new\n';
  const parts = partsOfDiff(diff);
  assert.deepEqual(shapeOf(parts), ['plain: 1/1 2/ /2', 'gap: ', 'plain: /10']);
  assert.equal(parts[0]?.type === 'plain' && parts[0].rows[2]?.line.ending, '');
});

test('changed words are found', () => {
  const changed = (before: string, after: string): string[][] => {
    const { old, new: fresh } = compareWords(before, after);
    return [old.map(([from, to]) => before.slice(from, to)), fresh.map(([from, to]) => after.slice(from, to))];
  };
  assert.deepEqual(changed('let sum = 0;', 'let amount = 0;'), [['sum'], ['amount']]);
  assert.deepEqual(changed('a(b, c)', 'a(c)'), [['b, '], []]);
  assert.deepEqual(changed('    x', '        y'), [['x'], ['y']]);
  assert.deepEqual(changed('    x', '        x'), [['    '], ['        ']]);
  assert.equal(compareWords('', '').similarity, 1);
  assert.ok(compareWords('one two', 'three four').similarity < 0.1);
});

test('versions of one line are beside each other', () => {
  const old = ['let a = 1;', 'let b = 2;'];
  const fresh = ['// New.', 'let a = 10;', 'let b = 20;'];
  assert.deepEqual(
    pairLines(old, fresh).map(({ old, new: fresh }) => [old, fresh]),
    [
      [undefined, 0],
      [0, 1],
      [1, 2],
    ],
  );
  assert.equal(pairLines(['x'], []).length, 1);
  assert.equal(pairLines(Array<string>(100).fill('x = 1'), Array<string>(120).fill('x = 2')).length, 120);
});

test('invisible characters have names', () => {
  assert.equal(oneLine('a\u202eb\u{1b}c\td\u00a0e'), 'a⟨U+202E⟩b⟨U+001B⟩c d⟨U+00A0⟩e');
  assert.equal(oneLine('x'.repeat(20), 5), 'xxxx…');
  assert.deepEqual(pieces('\u{10ff81}ok'), [{ text: '\u{10ff81}', hidden: '\\x81' }, { text: 'ok' }]);
  assert.deepEqual(pieces('ü 🚪'), [{ text: 'ü 🚪' }]);
});
