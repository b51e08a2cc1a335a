// Text that the user writes during a review: in the proposed side, in the file itself, and in comments.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import { Agent } from './support/agent';
import { Review } from './support/review';
import { until } from './support/until';

const scene = stage({ files: { 'readme.txt': 'a folder\n' }, theme: 'light' });

const POEM = 'one\ntwo\nthree\nfour\nfive\nsix\n';

scene('edits of the proposed side are applied, and the agent receives them', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['two', 'TWO'],
      ['five', 'FIVE'],
    ],
  });
  await review.open('TWO');
  await window.type({ after: 'TWO' }, ' and a half');
  await review.shows('a.txt', 'changed by you');
  await window.screen.shot('review-draft-light');
  await window.press('Control+Alt+Shift+Y');
  const result = await review.ended();
  assert.equal(files.read('a.txt'), 'one\nTWO and a half\nthree\nfour\nFIVE\nsix\n');
  assert.match(result.userEdits?.[0]?.diff ?? '', /-TWO\n\+TWO and a half/);
  assert.deepEqual(await review.states(), ['edited', 'accepted']);
  await review.closed();
});

scene('saving the proposed side decides nothing, and the draft can be discarded', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await window.type({ after: 'TWO' }, ' mine');
  await window.press('Control+S');
  await until(
    'the document is saved',
    () => review.proposed('a.txt'),
    (seen) => seen?.dirty === false,
  );
  assert.deepEqual(await review.states(), ['pending']);
  assert.equal(files.read('a.txt'), POEM);
  await review.shows('a.txt', 'changed by you');
  await review.shows('TWO', 'decided with the file');
  assert.equal(await review.buttons('TWO'), 0);
  assert.ok((await review.buttons('a.txt')) > 0);
  await window.press('Control+Alt+Y');
  await window.screen.notified('the file is decided as a whole');
  await window.command('notifications.clearAll');
  await window.command('editd.discardDraft');
  await review.proposes('a.txt', 'one\nTWO\nthree\nfour\nfive\nsix\n');
  await review.shows('TWO', 'line 2');
});

scene('auto save decides nothing', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const autoSave = (value: string | undefined): Promise<void> =>
    window.evaluate(async ({ vscode }, value) => {
      await vscode.workspace.getConfiguration('files').update('autoSave', value, vscode.ConfigurationTarget.Global);
    }, value);
  await autoSave('afterDelay');
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await window.type({ after: 'TWO' }, '!');
  await until(
    'the document is saved',
    () => review.proposed('a.txt'),
    (seen) => seen?.dirty === false,
  );
  await autoSave('off');
  assert.deepEqual(await review.states(), ['pending']);
  await window.press('Control+Alt+Shift+Y');
  await review.ended();
  assert.equal(files.read('a.txt'), POEM.replace('two', 'TWO!'));
});

scene('text typed in the file is kept, and hunks move with it', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['two', 'TWO'],
      ['five', 'FIVE'],
    ],
  });
  await window.open('a.txt');
  await window.type({ before: 'one' }, 'zero\n');
  await review.shows('TWO', 'line 3');
  await review.shows('FIVE', 'line 6');
  await review.open('FIVE');
  await review.proposes('a.txt', 'zero\none\nTWO\nthree\nfour\nFIVE\nsix\n');
  await review.press('Change it', 'Accept the Whole Proposal');
  await review.ended();
  await window.shows('a.txt', { text: 'zero\none\nTWO\nthree\nfour\nFIVE\nsix\n', dirty: true });
  await window.screen.notified('Not saved: a.txt');
  await window.screen.button('Save');
  await window.shows('a.txt', { dirty: false });
});

scene('edits of the proposed side are merged with text typed in the file', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await window.type({ after: 'six' }, ' mine');
  await window.open('a.txt');
  await window.type({ before: 'one' }, 'zero\n');
  await review.shows('TWO', 'line 3');
  await review.press('a.txt', 'Accept All Changes in This File');
  await review.ended();
  await window.shows('a.txt', { text: 'zero\none\nTWO\nthree\nfour\nfive\nsix mine\n' });
  await review.closed();
});

scene('a draft that conflicts with typed text is kept and not sent', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await review.open('TWO');
  await window.type({ after: 'six' }, ' mine');
  await window.open('a.txt');
  await window.type({ after: 'six' }, ' other');
  await review.press('a.txt', 'Accept All Changes in This File');
  await window.screen.notified('conflict with later changes of the same lines');
  assert.deepEqual(await review.states(), ['pending']);
  assert.equal((await review.proposed('a.txt'))?.text, 'one\nTWO\nthree\nfour\nfive\nsix mine\n');
});

scene(
  'a hunk whose lines have changed is in conflict, and the typed text can be kept',
  async ({ window, agent, files }) => {
    files.write('a.txt', POEM);
    const review = await Review.edit(window, agent, {
      'a.txt': [
        ['two', 'TWO'],
        ['five', 'FIVE'],
      ],
    });
    await window.open('a.txt');
    await window.type({ after: 'two' }, ' mine');
    await review.shows('TWO', 'in conflict');
    await window.page.locator('.codelens-decoration', { hasText: 'In conflict' }).waitFor();
    await window.screen.shot('review-conflict-light');
    await review.press('Change it', 'Accept the Whole Proposal');
    await window.screen.notified('in conflict');
    assert.deepEqual(await review.states(), ['conflicted', 'accepted']);
    await window.screen.button('Keep Mine');
    await review.ended();
    await window.shows('a.txt', { text: POEM.replace('two', 'two mine').replace('five', 'FIVE') });
  },
);

scene("the agent's lines can be taken for a hunk in conflict", async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
  await window.open('a.txt');
  await window.type({ after: 'two' }, ' mine');
  await review.shows('TWO', 'in conflict');
  await review.lens("Take the Agent's");
  await review.ended();
  await window.shows('a.txt', { text: POEM.replace('two', 'TWO') });
});

scene('a comment reaches the agent', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['two', 'TWO'],
      ['five', 'FIVE'],
    ],
  });
  await review.open('TWO');
  await window.command('workbench.action.addComment');
  await window.page.locator('.review-widget .monaco-editor.focused').waitFor();
  await window.page.keyboard.type('Why in capitals?');
  await window.screen.shot('review-comment-light');
  await window.page.locator('.review-widget').getByRole('button', { name: 'Send' }).click();
  await window.page.locator('.review-widget .comment-body', { hasText: 'Why in capitals?' }).waitFor();
  assert.deepEqual((await review.outcome()).comments, [
    { path: files.path('a.txt'), hunk: 'h1', text: 'Why in capitals?' },
  ]);
  await review.shows('TWO', 'commented');
  await review.press('Change it', 'Reject the Whole Proposal');
  assert.equal((await review.ended()).comments?.length, 1);
});

scene(
  'a decision by another client closes diffs here, except those with an unsent draft',
  async ({ window, agent, files, daemon }) => {
    const elsewhere = await Agent.connect(daemon.editorSocket, 'vi', files.folder);
    try {
      for (const draft of [false, true]) {
        files.write('a.txt', POEM);
        const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']] });
        await review.open('TWO');
        if (draft) {
          await window.type({ after: 'TWO' }, ' mine');
          await review.shows('a.txt', 'changed by you');
        }
        await elsewhere.call('editd/decide', { id: review.id, revision: 1, accept: 'all' });
        await review.ended();
        if (draft) {
          await window.screen.notified('were not sent; they are kept in the tab');
          assert.match((await review.proposed('a.txt'))?.text ?? '', /TWO mine/);
        } else {
          await review.closed();
        }
      }
    } finally {
      elsewhere.close();
    }
  },
);
