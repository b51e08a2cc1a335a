// Changes that a command of an agent has already made are kept or reverted.
import assert from 'node:assert/strict';
import type { Agent } from './support/agent';
import type { Files } from './support/files';
import { Review } from './support/review';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({ files: { 'readme.txt': 'a folder\n' } });

const CART = 'def total(items):\n    sum = 0\n    for item in items:\n        sum += item.price\n    return sum\n';
const BETTER = CART.replace('sum = 0', 'amount = 0').replace('return sum', 'return amount');

interface Listed {
  proposals: { id: string; state: string }[];
}

/** Runs a command of the agent. Returns the review of its changes, once the window shows it. */
async function run(window: Window, agent: Agent, change: () => void): Promise<Review> {
  return Review.of(window, agent, async () => {
    const begun = await agent.call<{ run: string }>('editd/runBegin', { command: 'make fix' });
    change();
    await agent.call('editd/runEnd', { run: begun.run, exitCode: 0 });
    const listed = await until(
      'the review is open',
      () => agent.call<Listed>('editd/proposals', { state: 'landed' }),
      ({ proposals }) => proposals.length === 1,
    );
    return agent.call('editd/proposal', { id: listed.proposals[0]?.id });
  });
}

function better(window: Window, agent: Agent, files: Files): Promise<Review> {
  files.write('cart.py', CART);
  return run(window, agent, () => {
    files.write('cart.py', BETTER);
  });
}

scene('lenses in the file keep and revert', async ({ window, agent, files }) => {
  await window.page.setViewportSize({ width: 1400, height: 740 });
  const review = await better(window, agent, files);
  await window.screen.notified('has changed cart.py: make fix (2 changes).');
  await window.open('cart.py');
  await review.hasLens('Diff: amount = 0');
  await window.screen.shot('landed-file');
  await review.lens('Revert');
  await review.hasLens('To be reverted');
  await review.shows('amount = 0', 'to be reverted');
  assert.equal(files.read('cart.py'), BETTER, 'not yet');
  await review.lens('Keep', 1);
  assert.equal((await review.ended()).state, 'partial');
  await window.shows('cart.py', { text: BETTER.replace('amount = 0', 'sum = 0') });
  await until(
    'the file is written',
    () => Promise.resolve(files.read('cart.py')),
    (text) => text === BETTER.replace('amount = 0', 'sum = 0'),
  );
});

scene('the diff has the earlier text on the left, and keys decide', async ({ window, agent, files }) => {
  const review = await better(window, agent, files);
  await review.open('amount = 0');
  const earlier = await window.evaluate(({ vscode }, authority) => {
    return vscode.workspace.textDocuments.find(({ uri }) => uri.authority === authority)?.getText();
  }, `${review.id}.base`);
  assert.equal(earlier, CART);
  await review.proposes('cart.py', BETTER);
  await window.screen.shot('landed-diff');
  await window.press('Control+Alt+Y');
  await review.shows('amount = 0', 'kept');
  await window.press('Control+Alt+N');
  assert.equal((await review.ended()).state, 'partial');
  assert.equal(files.read('cart.py'), BETTER.replace('return amount', 'return sum'));
  await review.closed();
});

scene('buttons in the tree revert a file and keep the rest', async ({ window, agent, files }) => {
  files.write('cart.py', CART);
  files.write('old.txt', 'old\n');
  const review = await run(window, agent, () => {
    files.write('cart.py', BETTER);
    files.write('new.txt', 'new\n');
    files.remove('old.txt');
  });
  await review.shows('Created the file');
  await review.shows('Deleted the file');
  await review.press('Created the file', 'Keep Change', 'kept');
  await review.press('Deleted the file', 'Revert Change', 'to be reverted');
  await review.press('cart.py', 'Revert All Changes in This File');
  await window.screen.button('Revert All');
  assert.equal((await review.ended()).state, 'partial');
  assert.equal(files.read('cart.py'), CART);
  assert.equal(files.read('new.txt'), 'new\n');
  assert.equal(files.read('old.txt'), 'old\n');
});

scene('a conflict with typed text is overwritten only on request', async ({ window, agent, files }) => {
  const review = await better(window, agent, files);
  await window.open('cart.py');
  await window.type({ after: 'amount = 0' }, '0');
  await review.hasLens('In conflict');
  await review.lens('Restore the Earlier Text');
  await review.shows('amount = 0', 'to be reverted');
  await review.lens('Keep', 1);
  assert.equal((await review.ended()).state, 'partial');
  await window.shows('cart.py', { text: BETTER.replace('amount = 0', 'sum = 0') });
});

scene('the current text can be corrected in the diff', async ({ window, agent, files }) => {
  const review = await better(window, agent, files);
  await review.open('amount = 0');
  await window.type({ after: 'amount = 0' }, '.0');
  await window.press('Control+S');
  await window.press('Control+Alt+Shift+Y');
  const outcome = await review.ended();
  assert.equal(outcome.state, 'partial');
  assert.equal(files.read('cart.py'), BETTER.replace('amount = 0', 'amount = 0.0'));
  const { decisions } = await agent
    .call<{ run: string }>('editd/runBegin', { command: 'true' })
    .then((begun) => agent.call<{ decisions: { userEdits: { diff: string }[] }[] }>('editd/runEnd', begun));
  assert.match(decisions[0]?.userEdits[0]?.diff ?? '', /\+ {4}amount = 0\.0/);
});
