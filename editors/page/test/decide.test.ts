// A person decides about changes on the review page.
import assert from 'node:assert/strict';
import type { Agent } from '../../vscode/test/support/agent';
import { pageStage } from './stage';
import type { ReviewOutcome } from '../../vscode/test/support/review';
import { until } from '../../vscode/test/support/until';

const scene = pageStage();

const TEN = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

/** Waits until the proposal is decided, and returns its outcome as the agent receives it. */
async function outcome(agent: Agent, id: string): Promise<ReviewOutcome> {
  return until(
    'the proposal is decided',
    () => agent.call<ReviewOutcome>('editd/proposal', { id }),
    ({ state }) => state !== 'pending',
  );
}

scene('all hunks are accepted at once', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  files.write('b.txt', 'one\n');
  const made = await agent.edit(
    {
      'a.txt': [
        ['two', 'TWO'],
        ['nine', 'NINE'],
      ],
      'b.txt': [['one', 'ONE']],
    },
    { label: 'Shout' },
  );
  assert.equal(made.state, 'pending', 'while the page is open, changes wait');
  await page.shows('Shout');
  await page.button('Accept all').click();
  await page.isDecided('applied');
  await page.says('The change is applied.');
  assert.equal(files.read('a.txt'), TEN.replace('two', 'TWO').replace('nine', 'NINE'));
  assert.equal(files.read('b.txt'), 'ONE\n');
  assert.equal((await outcome(agent, made.id)).state, 'applied');
});

scene('all hunks are rejected at once', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': [['two', 'TWO']] }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Reject all').click();
  await page.isDecided('rejected');
  assert.equal((await outcome(agent, id)).state, 'rejected');
  assert.equal(files.read('a.txt'), TEN);
});

scene(
  'one hunk of two is accepted, and a decision can be changed until all are made',
  async ({ page, agent, files }) => {
    files.write('a.txt', TEN);
    const { id } = await agent.edit({
      'a.txt': [
        ['two', 'TWO'],
        ['nine', 'NINE'],
      ],
    });
    await page.shows('Change without a label');
    await page.button('Accept, hunk 1').click();
    await page.states(['accepted', 'pending']);
    await page.button('Reject, hunk 1').click();
    await page.states(['rejected', 'pending']);
    await page.button('Accept, hunk 1').click();
    await page.states(['accepted', 'pending']);
    assert.equal(files.read('a.txt'), TEN, 'not yet');
    await page.button('Reject, hunk 2').click();
    await page.isDecided('partly accepted');
    assert.equal(files.read('a.txt'), TEN.replace('two', 'TWO'));
    assert.equal((await outcome(agent, id)).state, 'partial');
  },
);

scene('the hunks of one file are decided together', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  files.write('b.txt', TEN);
  const both: [string, string][] = [
    ['two', 'TWO'],
    ['nine', 'NINE'],
  ];
  await agent.edit({ 'a.txt': both, 'b.txt': both }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Accept file: a.txt').click();
  await page.states(['accepted', 'accepted', 'pending', 'pending']);
  await page.button('Reject file: b.txt').click();
  await page.isDecided('partly accepted');
  assert.equal(files.read('b.txt'), TEN);
});

scene('comments reach the agent', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': [['two', 'TWO']] }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Comment on the proposal').click();
  await page.page.keyboard.type('Not so loud.');
  await page.press('Control+Enter');
  await page.page.locator('.proposal-notes .comments', { hasText: 'Not so loud.' }).waitFor();
  await page.button('Comment on hunk 1').click();
  await page.page.keyboard.type('Why this line?');
  // A decision sends a comment that was not sent.
  await page.button('Reject, hunk 1').click();
  const { comments } = await outcome(agent, id);
  assert.deepEqual(
    comments?.map(({ text, hunk }) => [text, hunk]),
    [
      ['Not so loud.', undefined],
      ['Why this line?', 'h1'],
    ],
  );
});

scene('a decision that is recorded late leaves the focus in a comment', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  const edits: [string, string][] = [
    ['two', 'TWO'],
    ['nine', 'NINE'],
  ];
  await agent.edit({ 'a.txt': edits }, { label: 'Shout' });
  await page.shows('Shout');
  daemon.signal('SIGSTOP');
  await page.button('Accept, hunk 1').click();
  await page.button('Comment on hunk 1').click();
  await page.page.keyboard.type('Why so');
  daemon.signal('SIGCONT');
  await page.states(['accepted', 'pending']);
  // Outside of a text box, these letters decide.
  await page.page.keyboard.type(' loud, and dry?');
  await page.press('Control+Enter');
  await page.hunk(1).locator('.comments', { hasText: 'Why so loud, and dry?' }).waitFor();
  await page.states(['accepted', 'pending']);
});

scene('the text is corrected, and its line endings are kept', async ({ page, agent, files }) => {
  const text = TEN.replaceAll('\n', '\r\n');
  files.write('a.txt', text);
  const { id } = await agent.edit({ 'a.txt': [['two', 'TWO']] }, { label: 'Shout' });
  await page.shows('Shout');
  await page.page.locator('.file .badge', { hasText: 'CRLF' }).waitFor();
  await page.button('Edit the text: a.txt').click();
  const box = page.page.locator('textarea.text');
  assert.equal(await box.inputValue(), TEN.replace('two', 'TWO'));
  await box.fill(TEN.replace('two', 'Two'));
  await page.button('Use this text').click();
  await page.isDecided('applied');
  assert.equal(files.read('a.txt'), text.replace('two', 'Two'));
  assert.match((await outcome(agent, id)).userEdits?.[0]?.diff ?? '', /-TWO[^]*\+Two/);
});

scene('a label of several lines takes one line', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': [['two', 'TWO']] }, { label: 'Count\n\nIn digits, as agreed.' });
  await page.shows('Count …');
  assert.doesNotMatch(await page.page.locator('body').innerText(), /agreed|U\+000A/);
});

scene('a conflict is accepted only by taking the side of the author', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': [['two', 'TWO']] }, { label: 'Shout' });
  await page.shows('Shout');
  files.write('a.txt', TEN.replace('two', 'zwei'));
  await page.button('Accept, hunk 1').click();
  await page.says('Review this hunk again');
  await page.states(['conflicted']);
  await page.page.locator('.code.old', { hasText: 'zwei' }).waitFor();
  await page.button("Take the author's side, hunk 1").click();
  await page.isDecided('applied');
  assert.equal(files.read('a.txt'), TEN.replace('two', 'TWO'));
});

scene('a change that a command has made is reverted in part', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  const { run } = await agent.call<{ run: string }>('editd/runBegin', { command: 'make loud' });
  files.write('a.txt', TEN.replace('two', 'TWO').replace('nine', 'NINE'));
  files.write('new.txt', 'new\n');
  await agent.call('editd/runEnd', { run, exitCode: 0 });
  await page.shows('make loud');
  await page.isDecided('already made');
  await page.file('a.txt').locator('.code.old', { hasText: 'two' }).waitFor();
  await page.file('a.txt').locator('.code.new', { hasText: 'TWO' }).waitFor();
  await page.file('a.txt').getByRole('button', { name: 'Revert, hunk 1' }).click();
  await page.button('Keep, hunk 2').click();
  await page.button('Revert file: new.txt').click();
  await page.isDecided('partly reverted');
  assert.equal(files.read('a.txt'), TEN.replace('nine', 'NINE'));
  assert.ok(!files.exists('new.txt'));
});

scene('all is done by keys', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  files.write('b.txt', TEN);
  const three: [string, string][] = [
    ['one', 'ONE'],
    ['five', 'FIVE'],
    ['ten', 'TEN'],
  ];
  const { id } = await agent.edit({ 'a.txt': three, 'b.txt': three }, { label: 'Shout' });
  await page.shows('Shout');
  await page.press('?');
  await page.page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.press('Escape', 'j', 'y');
  await page.states(['accepted', 'pending', 'pending', 'pending', 'pending', 'pending']);
  // The next open hunk has the focus.
  await page.press('n');
  await page.states(['accepted', 'rejected', 'pending', 'pending', 'pending', 'pending']);
  await page.press('c');
  await page.page.keyboard.type('A comment with y and n');
  await page.press('Control+Enter');
  await page.hunk(3).locator('.comments').waitFor();
  await page.states(['accepted', 'rejected', 'pending', 'pending', 'pending', 'pending']);
  await page.press('s', ']', 'k', 'j', 'd');
  await page.states(['accepted', 'rejected', 'pending', 'rejected', 'rejected', 'rejected']);
  await page.press('k', 'y');
  await page.isDecided('partly accepted');
  assert.equal(files.read('a.txt'), TEN.replace('one', 'ONE').replace('ten', 'TEN'));
  assert.equal((await outcome(agent, id)).comments?.[0]?.hunk, 'h3');
});

scene('files are created, renamed and deleted', async ({ page, agent, files }) => {
  files.write('old.txt', 'old\n');
  files.write('name.txt', 'name\n');
  await agent.read('old.txt');
  await agent.read('name.txt');
  await agent.call('editd/edit', {
    label: 'Move things',
    changes: [
      { kind: 'write', path: 'new.sh', content: '#!/bin/sh\n', mode: '100755' },
      { kind: 'delete', path: 'old.txt' },
      { kind: 'rename', path: 'name.txt', newPath: 'names.txt' },
    ],
  });
  await page.shows('Move things');
  await page.page.getByText('New executable file').waitFor();
  await page.page.getByText('Renamed to names.txt').waitFor();
  await page.file('old.txt').locator('.code.old', { hasText: 'old' }).waitFor();
  await page.press('A');
  await page.isDecided('applied');
  assert.deepEqual(
    ['new.sh', 'old.txt', 'name.txt', 'names.txt'].map((name) => files.exists(name)),
    [true, false, false, true],
  );
});
