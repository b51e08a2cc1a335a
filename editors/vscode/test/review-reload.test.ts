// The window is loaded again in the middle of a review.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import { Review } from './support/review';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({
  files: { 'readme.txt': 'a folder\n' },
  settings: { 'workbench.editor.restoreEditors': true, 'files.hotExit': 'onExitAndWindowClose' },
});

/** Beside the explorer, which shows that the window is there again. */
async function reload(window: Window): Promise<void> {
  await window.command('workbench.view.explorer');
  await window.reload();
  await window.command('editd.proposals.focus');
}

for (const saved of [true, false]) {
  const how = saved ? 'saved' : 'unsaved';
  scene(`${how} text over the proposed side is there again, and is what happens`, async ({ window, agent, files }) => {
    files.write('a.txt', 'one\ntwo\nthree\n');
    const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
    await review.open('TWO');
    await window.type({ after: 'TWO' }, ' mine');
    if (saved) {
      await window.press('Control+S');
      await until(
        'it is saved',
        () => review.proposed('a.txt'),
        (seen) => seen?.dirty === false,
      );
    } else {
      await until(
        'a copy of it is kept',
        () => window.evaluate(({ vscode }) => vscode.workspace.textDocuments.length),
        Boolean,
      );
    }
    await reload(window);
    await review.proposes('a.txt', 'one\nTWO mine\nthree\n');
    assert.deepEqual(await review.states(), ['pending']);
    await review.shows('a.txt', 'changed by you');
    await review.press('a.txt', 'Accept All Changes in This File');
    await review.over();
    assert.equal(files.read('a.txt'), 'one\nTWO mine\nthree\n');
    await review.closed();
  });
}

scene('a diff of what is over by then is closed', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await reload(window);
  await review.shows('TWO', 'line 2');
  await agent.call('editd/discard', { id: review.id });
  await review.over();
  await review.closed();
});
