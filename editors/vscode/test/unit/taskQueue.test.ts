import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CoalescingQueue, TaskQueue } from '../../src/review/taskQueue';

test('tasks of one key run one after another, even after a failure', async () => {
  const turns = new TaskQueue();
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

test('a task requested while it runs is run once more, and only once', async () => {
  const latest = new CoalescingQueue<string>();
  let runs = 0;
  const act = async () => {
    runs += 1;
    await Promise.resolve();
  };
  await Promise.all([latest.run('p', act), latest.run('p', act), latest.run('p', act)]);
  assert.equal(runs, 2);
});
