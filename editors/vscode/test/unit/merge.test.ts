import assert from 'node:assert/strict';
import { test } from 'node:test';

import { carry } from '../../src/review/merge';

test('what was written is carried to what the file is now', async () => {
  assert.equal(
    await carry('one\nTWO\nthree\n', 'one\ntwo\nthree\n', 'zero\none\ntwo\nthree\n'),
    'zero\none\nTWO\nthree\n',
  );
  assert.equal(await carry('a\r\nB\r\nc\r\n', 'a\r\nb\r\nc\r\n', 'a\r\nb\r\nc\r\nd\r\n'), 'a\nB\nc\nd\n');
  assert.equal(
    await carry('a\r\nB\r\n', 'a\r\nb\r\n', 'a\r\nb\r\n'),
    'a\r\nB\r\n',
    'and untouched if that is the same',
  );
});

test('where both have changed the same lines nothing is carried', async () => {
  assert.equal(await carry('one\nmine\n', 'one\ntwo\n', 'one\ntheirs\n'), undefined);
  assert.equal(await carry('one\nsame\n', 'one\ntwo\n', 'one\nsame\n'), 'one\nsame\n');
});

test('lines beside each other and texts at one place do not go together, but for equal ones', async () => {
  assert.equal(await carry('A\nb\nc\n', 'a\nb\nc\n', 'a\nB\nc\n'), undefined);
  assert.equal(await carry('A\nb\nc\n', 'a\nb\nc\n', 'a\nb\nC\n'), 'A\nb\nC\n');
  assert.equal(await carry('a\nmine\nb\n', 'a\nb\n', 'a\ntheirs\nb\n'), undefined);
  assert.equal(await carry('a\nsame\nb\n', 'a\nb\n', 'a\nsame\nb\n'), 'a\nsame\nb\n');
  assert.equal(await carry('a\nsame\nb\nc\nd\n', 'a\nb\nc\n', 'z\na\nsame\nb\nc\n'), 'z\na\nsame\nb\nc\nd\n');
  assert.equal(await carry('a\nc\n', 'a\nb\nc\n', 'a\nB\nc\n'), undefined, 'removed here, changed there');
  assert.equal(await carry('a\nc\n', 'a\nb\nc\n', 'a\nb\nc\nd\n'), 'a\nc\nd\n');
});

test('empty texts and other line ends are carried too', async () => {
  assert.equal(await carry('', 'a\n', 'a\n'), '');
  assert.equal(await carry('mine', '', 'theirs'), undefined);
  assert.equal(await carry('same', '', 'same'), 'same');
  assert.equal(await carry('a\n', 'a\n', ''), '', 'nothing was written');
  assert.equal(await carry('a\r\nb\r\nC\r\n', 'a\nb\nc\n', 'A\nb\nc\n'), 'A\nb\nC\n');
});

/** Lines as of a program: a third of them is blank, a third closes a block. */
function program(length: number): string[] {
  return Array.from({ length }, (_, line) => ['', '}', `line ${line}`][line % 3] ?? '');
}

test('long texts with many equal lines are merged', async () => {
  const lines = program(120_000);
  const theirs = lines.with(90_000, 'theirs').toSpliced(200, 0, 'new', '');
  const mine = lines.with(30_000, 'mine').concat('mine at the end');
  const wanted = theirs.with(30_002, 'mine').concat('mine at the end');
  assert.equal(await carry(mine.join('\n'), lines.join('\n'), theirs.join('\n')), wanted.join('\n'));
});

test('where much has changed, others get their turn meanwhile', async () => {
  const lines = program(6_000);
  const theirs = lines.map((line, index) => (index > 1_000 && index % 6 === 2 ? `their ${line}` : line));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const merged = await carry(lines.with(2, 'mine').join('\n'), lines.join('\n'), theirs.join('\n'));
  clearInterval(timer);
  assert.equal(merged, theirs.with(2, 'mine').join('\n'));
  assert.ok(turns > 0, 'nobody else could work');
});
