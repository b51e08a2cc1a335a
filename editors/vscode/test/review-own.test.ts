// What a person has written is theirs: no key and no decision elsewhere throws it away.
import assert from 'node:assert/strict';
import type { Agent } from './support/agent';
import { Review } from './support/review';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({
  files: { 'readme.txt': 'a folder\n' },
  settings: { 'files.autoSave': 'off', 'files.trimTrailingWhitespace': true },
});

const POEM = 'one\ntwo  \nthree\n';

function two(window: Window, agent: Agent): Promise<Review> {
  return Review.edit(window, agent, { 'a.txt': [['three', 'THREE']], 'b.txt': [['three', 'DREI']] });
}

scene('to accept once more what was accepted as written changes nothing', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await review.open('THREE');
  await window.type({ after: 'THREE' }, ' mine');
  await window.command('editd.acceptFile');
  await until(
    'it is accepted',
    () => review.states(),
    (states) => states[0] === 'edited',
  );
  await window.command('editd.acceptFile');
  await window.point({ line: 2, character: 0 });
  await window.command('editd.acceptHunk');
  assert.deepEqual(await review.states(), ['edited', 'pending']);
  await review.press('b.txt', 'Accept');
  await review.over();
  // Saving does not put in order what nobody has touched.
  assert.equal(files.read('a.txt'), 'one\ntwo  \nTHREE mine\n');
  assert.equal(files.read('b.txt'), 'one\ntwo  \nDREI\n');
});

scene('what was written and not accepted is asked about at the last decision', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await review.press('a.txt', 'Accept');
  await until(
    'it is accepted',
    () => review.states(),
    (states) => states[0] === 'accepted',
  );
  await review.open('THREE');
  await window.type({ after: 'THREE' }, ' mine');
  await review.press('b.txt', 'Accept');
  await until(
    'it is asked',
    () => window.screen.dialog(),
    (text) => text?.includes('a.txt') === true,
  );
  await window.screen.button('Accept It as Well');
  await review.over();
  assert.equal(files.read('a.txt'), 'one\ntwo  \nTHREE mine\n');
  assert.equal(files.read('b.txt'), 'one\ntwo  \nDREI\n');
});

scene('a file in which nothing is proposed decides nothing', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await window.open('readme.txt');
  await window.command('editd.acceptFile');
  await window.command('editd.rejectFile');
  assert.deepEqual(await review.states(), ['pending', 'pending']);
  assert.equal(files.read('a.txt'), POEM);
});

scene('to discard what was written in one file leaves what was written in others', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await review.open('DREI');
  await window.type({ after: 'DREI' }, ' of b');
  await review.open('THREE', 'a.txt');
  await window.type({ after: 'THREE' }, ' of a');
  await window.command('editd.discardDraft');
  await review.proposes('a.txt', 'one\ntwo  \nTHREE\n');
  assert.deepEqual(await review.proposed('b.txt'), { text: 'one\ntwo  \nDREI of b\n', dirty: true });
});
