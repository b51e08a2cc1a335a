import assert from 'node:assert/strict';
import { test } from 'node:test';

import { carry } from '../../src/review/merge';
import { Latest, Turns } from '../../src/review/turns';
import { plain, size } from '../../src/review/words';

test('what was written is carried to what the file is now', () => {
  assert.equal(carry('one\nTWO\nthree\n', 'one\ntwo\nthree\n', 'zero\none\ntwo\nthree\n'), 'zero\none\nTWO\nthree\n');
  assert.equal(carry('a\r\nB\r\nc\r\n', 'a\r\nb\r\nc\r\n', 'a\r\nb\r\nc\r\nd\r\n'), 'a\nB\nc\nd\n');
  assert.equal(carry('a\r\nB\r\n', 'a\r\nb\r\n', 'a\r\nb\r\n'), 'a\r\nB\r\n', 'and untouched if that is the same');
});

test('where both have changed the same lines nothing is carried', () => {
  assert.equal(carry('one\nmine\n', 'one\ntwo\n', 'one\ntheirs\n'), undefined);
  assert.equal(carry('one\nsame\n', 'one\ntwo\n', 'one\nsame\n'), 'one\nsame\n');
});

test('turns of one key come one after the other, also after one that failed', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const act = (name: string, fails = false) =>
    turns.run('p', async () => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      if (fails) {
        throw new Error(name);
      }
    });
  const results = await Promise.allSettled([act('one', true), act('two')]);
  assert.deepEqual(seen, ['one begins', 'one ends', 'two begins', 'two ends']);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
});

test('what is asked for while it is done is done once more, and only once', async () => {
  const latest = new Latest<string>();
  let runs = 0;
  const act = async () => {
    runs += 1;
    await Promise.resolve();
  };
  await Promise.all([latest.run('p', act), latest.run('p', act), latest.run('p', act)]);
  assert.equal(runs, 2);
});

test('words of agents stay on one line and cannot turn it around', () => {
  assert.equal(plain('Fix\n\tthe\u0007 \u202esum'), 'Fix the sum');
  assert.equal(size(2, 1), '+2 -1');
  assert.equal(size(0, 3), '-3');
});
