// The window is reloaded during a review.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stage } from './support/stage';
import { Review } from './support/review';
import { until } from './support/until';

const scene = stage({
  files: { 'readme.txt': 'a folder\n' },
  settings: { 'workbench.editor.restoreEditors': true, 'files.hotExit': 'onExitAndWindowClose' },
});

/** Returns `true` if the user data folder has a stored draft of the proposal with the text. */
async function isStored(folder: string, id: string, text: string): Promise<boolean> {
  const files = await readdir(join(folder, 'user'), { recursive: true, withFileTypes: true });
  const stored = files.filter((file) => file.isFile() && file.parentPath.endsWith('/drafts'));
  const texts = await Promise.all(stored.map((file) => readFile(join(file.parentPath, file.name), 'utf8')));
  return texts.some((each) => each.includes(id) && each.includes(text));
}

for (const saved of [true, false]) {
  const how = saved ? 'saved' : 'unsaved';
  scene(`${how} edits of the proposed side are restored and applied`, async ({ window, agent, files, daemon }) => {
    files.write('a.txt', 'one\ntwo\nthree\n');
    const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
    await review.open('TWO');
    await window.type({ after: 'TWO' }, ' mine');
    if (saved) {
      await window.press('Control+S');
      await until(
        'the document is saved',
        () => review.proposed('a.txt'),
        (seen) => seen?.dirty === false,
      );
    } else {
      await until('the draft is stored', () => isStored(daemon.folder, review.id, 'TWO mine'));
    }
    await window.reload();
    // The workbench may not have saved the open tabs in time.
    await review.open('TWO');
    await review.proposes('a.txt', 'one\nTWO mine\nthree\n');
    assert.deepEqual(await review.states(), ['pending']);
    await review.shows('a.txt', 'changed by you');
    await review.press('a.txt', 'Accept All Changes in This File');
    await review.ended();
    assert.equal(files.read('a.txt'), 'one\nTWO mine\nthree\n');
    await review.closed();
  });
}

scene('a proposal announced before a reload is not announced again', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  files.write('b.txt', 'b\n');
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await window.screen.notified('ada wants to change a.txt');
  await window.reload();
  await review.shows('TWO', 'line 2');
  await agent.edit({ 'b.txt': [['b', 'B']] }, { label: 'More', review: true });
  await window.screen.notified('ada wants to change b.txt');
  const said = await window.screen.notifications();
  assert.deepEqual(
    said.filter((each) => each.includes('a.txt') || each.includes('as well')),
    [],
  );
});

scene('a decision by key reports that the window is not connected', async ({ window, agent, files, daemon }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await daemon.stop();
  await until(
    'the status bar shows that the window is not connected',
    () => window.screen.status(),
    (items) => items.some((item) => item.includes('editd: not connected')),
  );
  await window.command('workbench.action.focusActiveEditorGroup');
  await window.press('Control+Alt+Y');
  await window.screen.notified('Not connected to editd, so nothing was decided.');
  await daemon.start();
  await review.shows('TWO', 'line 2');
});

scene('the diff of a discarded proposal is closed after a reload', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await window.reload();
  await review.shows('TWO', 'line 2');
  await agent.call('editd/discard', { id: review.id });
  await review.ended();
  await review.closed();
});
