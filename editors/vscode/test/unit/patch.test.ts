import assert from 'node:assert/strict';
import { test } from 'node:test';

import { patched } from '../../src/history/patch';

const diff = (...lines: string[]) => ['--- a/x', '+++ b/x', ...lines, ''].join('\n');

test('replaces lines in the middle', () => {
  const change = diff('@@ -1,3 +1,3 @@', ' one', '-two', '+zwei', ' three');
  assert.equal(patched('one\ntwo\nthree\n', change), 'one\nzwei\nthree\n');
});

test('several hunks, the second behind added lines', () => {
  const change = diff('@@ -1 +1,2 @@', '-a', '+A', '+B', '@@ -9,2 +10 @@', ' i', '-j');
  assert.equal(patched('a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n', change), 'A\nB\nb\nc\nd\ne\nf\ng\nh\ni\n');
});

test('a file that comes and one that goes', () => {
  assert.equal(patched('', diff('@@ -0,0 +1,2 @@', '+hi', '+you')), 'hi\nyou\n');
  assert.equal(patched('hi\n', diff('@@ -1 +0,0 @@', '-hi')), '');
});

test('lines put in behind a line, without context', () => {
  assert.equal(patched('a\nb\n', diff('@@ -1,0 +2 @@', '+x')), 'a\nx\nb\n');
});

test('line ends are not compared', () => {
  const change = diff('@@ -1,2 +1,2 @@', ' one\r', '-two\r', '+zwei\r');
  assert.equal(patched('one\r\ntwo\r\n', change), 'one\nzwei\n');
});

test('a last line that loses its end, and one that gets it', () => {
  const none = '\\ No newline at end of file';
  assert.equal(patched('one\ntwo\n', diff('@@ -1,2 +1,2 @@', ' one', '-two', '+zwei', none)), 'one\nzwei');
  assert.equal(patched('one\ntwo', diff('@@ -1,2 +1,2 @@', ' one', '-two', none, '+zwei')), 'one\nzwei\n');
  assert.equal(patched('one\ntwo', diff('@@ -1,2 +1,2 @@', '-one', '+eins', ' two', none)), 'eins\ntwo');
});

test('removed lines that look like the head of a diff', () => {
  assert.equal(patched('-- a/x\nb\n', diff('@@ -1,2 +1 @@', '--- a/x', ' b')), 'b\n');
});

test('a diff that is about another text', () => {
  const change = diff('@@ -1,2 +1,2 @@', ' one', '-two', '+zwei');
  assert.equal(patched('one\nother\n', change), undefined);
  assert.equal(patched('one\n', change), undefined);
  assert.equal(patched('', diff('@@ -7,1 +7,1 @@', '-x', '+y')), undefined);
});

test('a diff without hunks changes nothing', () => {
  assert.equal(patched('one\n', ''), 'one\n');
});
