import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rebaseDraft } from '../../src/review/merge';

test('a draft is rebased onto the current text', async () => {
  assert.equal(
    await rebaseDraft('one\nTWO\nthree\n', 'one\ntwo\nthree\n', 'zero\none\ntwo\nthree\n'),
    'zero\none\nTWO\nthree\n',
  );
  assert.equal(await rebaseDraft('a\r\nB\r\nc\r\n', 'a\r\nb\r\nc\r\n', 'a\r\nb\r\nc\r\nd\r\n'), 'a\nB\nc\nd\n');
  assert.equal(
    await rebaseDraft('a\r\nB\r\n', 'a\r\nb\r\n', 'a\r\nb\r\n'),
    'a\r\nB\r\n',
    'unchanged if the base is the current text',
  );
});

test('changes of the same lines conflict', async () => {
  assert.equal(await rebaseDraft('one\nmine\n', 'one\ntwo\n', 'one\ntheirs\n'), undefined);
  assert.equal(await rebaseDraft('one\nsame\n', 'one\ntwo\n', 'one\nsame\n'), 'one\nsame\n');
});

test('changes of adjacent lines and insertions at one position conflict unless they are equal', async () => {
  assert.equal(await rebaseDraft('A\nb\nc\n', 'a\nb\nc\n', 'a\nB\nc\n'), undefined);
  assert.equal(await rebaseDraft('A\nb\nc\n', 'a\nb\nc\n', 'a\nb\nC\n'), 'A\nb\nC\n');
  assert.equal(await rebaseDraft('a\nmine\nb\n', 'a\nb\n', 'a\ntheirs\nb\n'), undefined);
  assert.equal(await rebaseDraft('a\nsame\nb\n', 'a\nb\n', 'a\nsame\nb\n'), 'a\nsame\nb\n');
  assert.equal(await rebaseDraft('a\nsame\nb\nc\nd\n', 'a\nb\nc\n', 'z\na\nsame\nb\nc\n'), 'z\na\nsame\nb\nc\nd\n');
  assert.equal(await rebaseDraft('a\nc\n', 'a\nb\nc\n', 'a\nB\nc\n'), undefined, 'removed here, changed there');
  assert.equal(await rebaseDraft('a\nc\n', 'a\nb\nc\n', 'a\nb\nc\nd\n'), 'a\nc\nd\n');
});

test('empty texts and different line endings are merged', async () => {
  assert.equal(await rebaseDraft('', 'a\n', 'a\n'), '');
  assert.equal(await rebaseDraft('mine', '', 'theirs'), undefined);
  assert.equal(await rebaseDraft('same', '', 'same'), 'same');
  assert.equal(await rebaseDraft('a\n', 'a\n', ''), '', 'the draft equals the base');
  assert.equal(await rebaseDraft('a\r\nb\r\nC\r\n', 'a\nb\nc\n', 'A\nb\nc\n'), 'A\nb\nC\n');
});

/** Lines like those of a program: one third is blank, one third closes a block. */
function program(length: number): string[] {
  return Array.from({ length }, (_, line) => ['', '}', `line ${line}`][line % 3] ?? '');
}

test('long texts with many equal lines are merged', async () => {
  const lines = program(120_000);
  const theirs = lines.with(90_000, 'theirs').toSpliced(200, 0, 'new', '');
  const mine = lines.with(30_000, 'mine').concat('mine at the end');
  const wanted = theirs.with(30_002, 'mine').concat('mine at the end');
  assert.equal(await rebaseDraft(mine.join('\n'), lines.join('\n'), theirs.join('\n')), wanted.join('\n'));
});

test('a large comparison yields to other tasks', async () => {
  const lines = program(6_000);
  const theirs = lines.map((line, index) => (index > 1_000 && index % 6 === 2 ? `their ${line}` : line));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const merged = await rebaseDraft(lines.with(2, 'mine').join('\n'), lines.join('\n'), theirs.join('\n'));
  clearInterval(timer);
  assert.equal(merged, theirs.with(2, 'mine').join('\n'));
  assert.ok(turns > 0, 'the comparison never yielded');
});
