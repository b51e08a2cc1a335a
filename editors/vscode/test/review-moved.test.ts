// Files that get another name, or go, while proposals about them wait.
import assert from 'node:assert/strict';
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

scene('an open tab goes along with the file that gets a new name', async ({ window, agent, files }) => {
  files.write('notes.txt', 'one\ntwo\nthree\n');
  await window.open('notes.txt');
  await window.open('readme.txt');
  await window.open('notes.txt');
  await window.point({ before: 'two' });
  const review = await Review.of(window, agent, () => rename(window, agent, 'notes.txt', 'docs/notes.md'));
  await review.shows('notes.txt → docs/notes.md', 'renamed');
  await review.shows('Move to docs/notes.md');
  await review.press('Move notes.txt', 'Accept the Whole Proposal');
  await review.over();
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
