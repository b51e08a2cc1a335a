// What people wrote and did not send: it is kept, and they are told.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import { Review } from './support/review';
import { until } from './support/until';

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
    'nothing is known of proposals',
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
    'the agent is told',
    () => review.told(),
    ({ comments }) => comments?.length === 1,
  );
  await comment.filter({ hasNotText: 'not sent' }).waitFor();
  assert.equal((await review.told()).comments?.[0]?.text, 'Why in capitals?');
});
