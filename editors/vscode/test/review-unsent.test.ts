// Unsent comments and drafts are kept, and the user is notified.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import { Review } from './support/review';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({ files: { 'readme.txt': 'a folder\n' } });

const POEM = 'one\ntwo\nthree\nfour\nfive\nsix\n';

scene('a comment that cannot be sent stays in its thread, and can be sent again', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await window.command('workbench.action.addComment');
  await window.page.locator('.review-widget .monaco-editor.focused').waitFor();
  await window.page.keyboard.type('Why in capitals?');
  await window.command('editd.stop');
  await until(
    'the tree is empty',
    () => review.rows(),
    (rows) => rows.length === 0,
  );
  await window.page.locator('.review-widget').getByRole('button', { name: 'Send' }).click();
  await window.screen.notified('Your comment was not sent: editd is not connected.');
  const comment = window.page.locator('.review-widget .review-comment', { hasText: 'Why in capitals?' });
  await comment.filter({ hasText: 'not sent' }).waitFor();
  await window.command('editd.start');
  await review.shows('TWO', 'line 2');
  await window.screen.button('Send Again');
  await until(
    'the agent receives the comment',
    () => review.outcome(),
    ({ comments }) => comments?.length === 1,
  );
  await comment.filter({ hasNotText: 'not sent' }).waitFor();
  assert.equal((await review.outcome()).comments?.[0]?.text, 'Why in capitals?');
});

/** Edits the proposed side, saves it, and closes its tab. */
async function writeAndClose(window: Window, review: Review): Promise<void> {
  await review.open('TWO');
  await window.type({ after: 'TWO' }, ' mine');
  await window.press('Control+S');
  await until(
    'the document is saved',
    () => review.proposed('a.py'),
    (seen) => seen?.dirty === false,
  );
  await window.command('workbench.action.closeActiveEditor');
  await review.closed();
  await review.shows('a.py', 'changed by you');
}

/** Presses the button of the message, and waits for an untitled document with the text. */
async function showDraft(window: Window): Promise<void> {
  await window.screen.notified('Your changes to a.py were not sent.');
  await window.screen.button('Show Them');
  await until(
    'the text is shown',
    () =>
      window.evaluate(({ vscode }) => {
        const document = vscode.window.activeTextEditor?.document;
        return document && [document.uri.scheme, document.languageId, document.getText()];
      }),
    (seen) => seen?.[0] === 'untitled' && seen[1] === 'python' && seen[2] === POEM.replace('two', 'TWO mine'),
  );
  await window.command('workbench.action.revertAndCloseActiveEditor');
  await until(
    'the document is closed',
    () => window.evaluate(({ vscode }) => vscode.workspace.textDocuments.filter(({ isUntitled }) => isUntitled).length),
    (left) => left === 0,
  );
}

scene('the draft of a closed tab is shown when the proposal is discarded', async ({ window, agent, files }) => {
  files.write('a.py', POEM);
  const review = await Review.edit(window, agent, { 'a.py': [['two', 'TWO']] });
  await writeAndClose(window, review);
  await agent.call('editd/discard', { id: review.id });
  await showDraft(window);
});

scene('the draft of a closed tab is shown when the author replaces the proposal', async ({ window, agent, files }) => {
  files.write('a.py', POEM);
  const review = await Review.edit(window, agent, { 'a.py': [['two', 'TWO']] });
  await writeAndClose(window, review);
  await review.replace({ 'a.py': [['two', 'Two']] }, 'Change it less');
  await showDraft(window);
});

scene(
  'a draft is announced after a reload if its proposal ended in the meantime, until it was shown',
  async ({ window, agent, files, connected }) => {
    files.write('a.py', POEM);
    const review = await Review.edit(window, agent, { 'a.py': [['two', 'TWO']] });
    await writeAndClose(window, review);
    await window.command('editd.stop');
    await until(
      'the tree is empty',
      () => review.rows(),
      (rows) => rows.length === 0,
    );
    await agent.call('editd/discard', { id: review.id });
    await window.reload();
    await connected();
    await showDraft(window);
    await window.command('notifications.clearAll');
    await window.reload();
    await connected();
    // Only the later proposal is announced.
    await agent.edit({ 'a.py': [['five', 'FIVE']] }, { label: 'Later', review: true });
    await window.screen.notified('ada wants to change a.py');
    assert.deepEqual(
      (await window.screen.notifications()).filter((each) => each.includes('not sent')),
      [],
    );
  },
);
