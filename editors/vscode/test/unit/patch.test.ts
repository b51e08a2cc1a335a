import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applyDiff } from '../../src/history/patch';

const diff = (...lines: string[]) => ['--- a/x', '+++ b/x', ...lines, ''].join('\n');

test('replaces lines in the middle', () => {
  const change = diff('@@ -1,3 +1,3 @@', ' one', '-two', '+zwei', ' three');
  assert.equal(applyDiff('one\ntwo\nthree\n', change), 'one\nzwei\nthree\n');
});

test('several hunks, the second after added lines', () => {
  const change = diff('@@ -1 +1,2 @@', '-a', '+A', '+B', '@@ -9,2 +10 @@', ' i', '-j');
  assert.equal(applyDiff('a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n', change), 'A\nB\nb\nc\nd\ne\nf\ng\nh\ni\n');
});

test('a created file and a deleted file', () => {
  assert.equal(applyDiff('', diff('@@ -0,0 +1,2 @@', '+hi', '+you')), 'hi\nyou\n');
  assert.equal(applyDiff('hi\n', diff('@@ -1 +0,0 @@', '-hi')), '');
});

test('lines inserted after a line, without context', () => {
  assert.equal(applyDiff('a\nb\n', diff('@@ -1,0 +2 @@', '+x')), 'a\nx\nb\n');
});

test('differences in line endings are ignored', () => {
  const change = diff('@@ -1,2 +1,2 @@', ' one\r', '-two\r', '+zwei\r');
  assert.equal(applyDiff('one\r\ntwo\r\n', change), 'one\nzwei\n');
});

test('a last line that loses its newline, and one that gains it', () => {
  const none = '\\ No newline at end of file';
  assert.equal(applyDiff('one\ntwo\n', diff('@@ -1,2 +1,2 @@', ' one', '-two', '+zwei', none)), 'one\nzwei');
  assert.equal(applyDiff('one\ntwo', diff('@@ -1,2 +1,2 @@', ' one', '-two', none, '+zwei')), 'one\nzwei\n');
  assert.equal(applyDiff('one\ntwo', diff('@@ -1,2 +1,2 @@', '-one', '+eins', ' two', none)), 'eins\ntwo');
});

test('removed lines that look like a diff header', () => {
  assert.equal(applyDiff('-- a/x\nb\n', diff('@@ -1,2 +1 @@', '--- a/x', ' b')), 'b\n');
});

test('a diff for another text does not apply', () => {
  const change = diff('@@ -1,2 +1,2 @@', ' one', '-two', '+zwei');
  assert.equal(applyDiff('one\nother\n', change), undefined);
  assert.equal(applyDiff('one\n', change), undefined);
  assert.equal(applyDiff('', diff('@@ -7,1 +7,1 @@', '-x', '+y')), undefined);
});

test('a diff without hunks changes nothing', () => {
  assert.equal(applyDiff('one\n', ''), 'one\n');
});
