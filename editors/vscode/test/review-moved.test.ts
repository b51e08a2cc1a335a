// Files that are renamed or deleted while proposals for them are pending.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { Agent, Outcome } from './support/agent';
import { Review } from './support/review';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({ files: { 'readme.txt': 'a folder\n' }, settings: { 'files.autoSave': 'off' } });

async function rename(window: Window, agent: Agent, from: string, to: string): Promise<Outcome> {
  await agent.read(from);
  const change = { kind: 'rename', path: window.path(from), newPath: window.path(to) };
  return agent.call('editd/edit', { label: `Move ${from}`, review: true, changes: [change] });
}

scene('an open tab follows a renamed file', async ({ window, agent, files }) => {
  files.write('notes.txt', 'one\ntwo\nthree\n');
  await window.open('notes.txt');
  await window.open('readme.txt');
  await window.open('notes.txt');
  await window.point({ before: 'two' });
  const review = await Review.of(window, agent, () => rename(window, agent, 'notes.txt', 'docs/notes.md'));
  await review.shows('notes.txt → docs/notes.md', 'renamed');
  await review.shows('Move to docs/notes.md');
  await review.press('Move notes.txt', 'Accept the Whole Proposal');
  await review.ended();
  await until(
    'the tab has the new name',
    () => window.tabs(),
    (tabs) => tabs.join() === 'readme.txt,notes.md' || tabs.join() === 'notes.md,readme.txt',
  );
  await until(
    'the cursor is where it was',
    () =>
      window.evaluate(({ vscode }) => {
        const editor = vscode.window.activeTextEditor;
        return editor && [editor.document.uri.path.split('/').at(-1), editor.selection.active.line];
      }),
    (seen) => seen?.[0] === 'notes.md' && seen[1] === 1,
  );
  assert.equal(files.read('docs/notes.md'), 'one\ntwo\nthree\n');
});

scene('a change of a moved file is shown as missing, and can be rejected', async ({ window, agent, files }) => {
  files.write('poem.txt', 'one\ntwo\nthree\n');
  await window.open('poem.txt');
  const review = await Review.edit(window, agent, { 'poem.txt': [['two', 'TWO']] }, 'First');
  await rename(window, agent, 'poem.txt', 'poems/first.md');
  await review.shows('Move poem.txt');
  await review.press('Move poem.txt', 'Accept the Whole Proposal');
  await review.shows('poem.txt', 'missing');
  await review.shows('TWO', 'in conflict');
  await review.press('TWO', "Take the Agent's Side");
  await window.screen.notified('poem.txt was moved to poems/first.md ("ada: Move poem.txt")');
  await window.screen.button('Reject');
  assert.equal((await review.ended()).state, 'rejected');
  assert.equal(files.read('poems/first.md'), 'one\ntwo\nthree\n');
});

scene('a change of a deleted file can be rejected', async ({ window, agent, files }) => {
  files.write('gone.txt', 'one\ntwo\nthree\n');
  await window.open('gone.txt');
  const review = await Review.edit(window, agent, { 'gone.txt': [['two', 'TWO']] }, 'First');
  rmSync(files.path('gone.txt'));
  await review.press('First', 'Accept the Whole Proposal');
  await window.screen.notified('gone.txt no longer exists, so it cannot be changed.');
  await review.press('First', 'Reject the Whole Proposal');
  assert.equal((await review.ended()).state, 'rejected');
});
