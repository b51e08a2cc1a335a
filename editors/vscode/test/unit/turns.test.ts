import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Latest, Turns } from '../../src/review/turns';

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
