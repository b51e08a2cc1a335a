// No key and no decision of another client discards a draft.
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

scene('accepting an accepted draft again changes nothing', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await review.open('THREE');
  await window.type({ after: 'THREE' }, ' mine');
  await window.command('editd.acceptFile');
  await until(
    'the file is accepted',
    () => review.states(),
    (states) => states[0] === 'edited',
  );
  await window.command('editd.acceptFile');
  await window.point({ line: 2, character: 0 });
  await window.command('editd.acceptHunk');
  assert.deepEqual(await review.states(), ['edited', 'pending']);
  await review.press('b.txt', 'Accept');
  await review.ended();
  // Saving does not trim whitespace in lines that were not changed.
  assert.equal(files.read('a.txt'), 'one\ntwo  \nTHREE mine\n');
  assert.equal(files.read('b.txt'), 'one\ntwo  \nDREI\n');
});

scene('the last decision asks about drafts that are not accepted', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await review.press('a.txt', 'Accept');
  await window.screen.button('Accept All');
  await until(
    'the file is accepted',
    () => review.states(),
    (states) => states[0] === 'accepted',
  );
  await review.open('THREE');
  await window.type({ after: 'THREE' }, ' mine');
  await review.press('b.txt', 'Accept');
  await window.screen.button('Accept All');
  await until(
    'the dialog asks about a.txt',
    () => window.screen.dialog(),
    (text) => text?.includes('a.txt') === true,
  );
  await window.screen.button('Accept Them as Well');
  await review.ended();
  assert.equal(files.read('a.txt'), 'one\ntwo  \nTHREE mine\n');
  assert.equal(files.read('b.txt'), 'one\ntwo  \nDREI\n');
});

scene('file commands decide nothing in a file without proposals', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const review = await two(window, agent);
  await window.open('readme.txt');
  await window.command('editd.acceptFile');
  await window.command('editd.rejectFile');
  assert.deepEqual(await review.states(), ['pending', 'pending']);
  assert.equal(files.read('a.txt'), POEM);
});

scene('discarding the draft of one file keeps the drafts of others', async ({ window, agent, files }) => {
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
