// The review page stays up to date, while others decide, agents work, and the daemon is restarted.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '../../vscode/test/support/agent';
import type { ReviewPage } from './reviewPage';
import { type PageScene, pageStage } from './stage';
import type { ReviewOutcome } from '../../vscode/test/support/review';
import { until, untilEqual } from '../../vscode/test/support/until';

const scene = pageStage();

const TEN = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
const BOTH: [string, string][] = [
  ['two', 'TWO'],
  ['nine', 'NINE'],
];

scene('a new change appears at once', async ({ page, agent, files, meet }) => {
  await page.page.getByText('No change waits for review', { exact: true }).waitFor();
  files.write('a.txt', TEN);
  files.write('b.txt', TEN);
  await agent.edit({ 'a.txt': BOTH }, { label: 'First' });
  await page.shows('First');
  const bob = await meet('bob');
  await bob.edit({ 'b.txt': BOTH }, { label: 'Second' });
  await page.says('A new change waits for review.');
  await untilEqual('the list', () => page.listed(), ['First', 'Second']);
  await page.shows('First');
  await page.press('J');
  await page.shows('Second');
  await page.page.locator('.author', { hasText: 'bob' }).waitFor();
});

scene('a decision that is made elsewhere is shown', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await daemon.run('review', id, '--accept', '--hunk', '1').catch(() => undefined);
  await page.states(['accepted', 'pending']);
  await page.says('This proposal was changed elsewhere.');
  await page.button('Accept, hunk 2').click();
  await page.isDecided('applied');
});

scene('a decision that is made elsewhere takes no focus', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('History').focus();
  await daemon.run('review', id, '--accept');
  await page.isDecided('applied');
  assert.equal(await page.page.evaluate(() => document.activeElement?.textContent.includes('History')), true);
});

scene('a decision about something that has changed is not recorded', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  // Another person decides while the decision of the page is on its way.
  await page.page.route('**/call', async (route) => {
    if (route.request().postData()?.includes('editd/decide') === true) {
      await daemon.run('review', id, '--reject');
    }
    await route.continue();
  });
  await page.button('Accept all').click();
  await page.says('decided or changed elsewhere');
  await page.isDecided('rejected');
  assert.equal(files.read('a.txt'), TEN);
});

/** Begins a comment on the second hunk and a text for the file, and sends neither. */
async function beginTexts(page: ReviewPage): Promise<void> {
  await page.button('Comment on hunk 2').click();
  await page.page.keyboard.type('Why?');
  await page.button('Edit the text: a.txt').click();
  await page.page.locator('textarea.text').fill('mine\n');
}

scene('texts that were not sent survive a change of the file', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await beginTexts(page);
  files.write('a.txt', `zero\n${TEN}`);
  // The lines of the hunks have other numbers now.
  await daemon.run('review', id, '--accept', '--hunk', '1').catch(() => undefined);
  await page.page.getByText('@@ −3 +3 @@').waitFor();
  assert.equal(await page.page.locator('textarea.text').inputValue(), 'mine\n');
  assert.equal(await page.page.getByRole('textbox', { name: 'Comment on hunk 2' }).inputValue(), 'Why?');
  await page.button('Use this text').click();
  await page.says('Not recorded');
  assert.equal(await page.page.locator('textarea.text').inputValue(), 'mine\n');
  assert.equal(files.read('a.txt'), `zero\n${TEN}`);
});

scene('a comment is written on while the lines are drawn again', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Comment on hunk 2').click();
  await page.page.keyboard.type('Why so ');
  files.write('a.txt', `zero\n${TEN}`);
  await daemon.run('review', id, '--accept', '--hunk', '1').catch(() => undefined);
  await page.page.getByText('@@ −3 +3 @@').waitFor();
  // Outside of a text box, these letters decide.
  await page.page.keyboard.type('loud, and dry?');
  const box = page.page.getByRole('textbox', { name: 'Comment on hunk 2' });
  assert.equal(await box.inputValue(), 'Why so loud, and dry?');
});

scene('two tabs show the same', async ({ page, agent, files, open, address }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  const session = await page.page.evaluate(() => sessionStorage.getItem('editd.session') ?? '');
  const other = await open('about:blank');
  await other.page.goto(new URL('/', address).href);
  await other.page.evaluate((session) => {
    sessionStorage.setItem('editd.session', session);
  }, session);
  await other.page.reload();
  await other.shows('Shout');
  await other.button('Reject, hunk 1').click();
  await page.states(['rejected', 'pending']);
});

scene('decisions and comments stay when the author replaces the proposal', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  const old = await agent.edit({ 'a.txt': [...BOTH, ['five', 'FIVE']] }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Accept, hunk 1').click();
  await page.button('Comment on hunk 1').click();
  await page.page.keyboard.type('Why so loud?');
  await page.press('Control+Enter');
  await page.hunk(1).locator('.comments', { hasText: 'Why so loud?' }).waitFor();
  await page.button('Reject, hunk 3').click();
  await page.states(['accepted', 'pending', 'rejected']);
  const edits: [string, string][] = [...BOTH, ['five', 'Five']];
  const { id } = await agent.edit({ 'a.txt': edits }, { label: 'Shout less', replaces: old.id });
  await page.isDecided('superseded');
  await page.button('Show its replacement').click();
  await page.shows('Shout less');
  await page.states(['accepted', 'pending', 'rejected']);
  await page.hunk(1).locator('.comments', { hasText: 'Why so loud?' }).waitFor();
  await page.page.getByText('2 of 3 hunks are the same').waitFor();
  assert.equal(files.read('a.txt'), TEN, 'not yet');
  await page.press('A');
  await page.isDecided('partly accepted');
  assert.equal(files.read('a.txt'), TEN.replace('two', 'TWO').replace('five', 'Five'));
  const { comments } = await agent.call<ReviewOutcome>('editd/proposal', { id });
  assert.deepEqual(
    comments?.map(({ text, hunk }) => [text, hunk]),
    [['Why so loud?', 'h1']],
  );
});

scene('texts that were not sent survive when the author replaces the proposal', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  const { id } = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await beginTexts(page);
  await agent.edit({ 'a.txt': [['two', 'Two']] }, { label: 'Shout less', replaces: id });
  await page.isDecided('superseded');
  assert.equal(await page.page.locator('textarea.text').inputValue(), 'mine\n');
  const file = page.file('a.txt');
  await file.getByText('Not sent, because the proposal has ended:').waitFor();
  await file.locator('.comments', { hasText: 'Why?' }).waitFor();
  await page.button('Use this text').click();
  await page.says('Not recorded: this proposal has ended.');
  assert.equal(await page.page.locator('textarea.text').inputValue(), 'mine\n');
});

scene('rejected hunks are reopened', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await page.press('D');
  await page.isDecided('rejected');
  await page.button('Reopen rejected hunks').click();
  await page.isDecided('pending');
  await page.states(['pending', 'pending']);
  await page.press('A');
  await page.isDecided('applied');
  assert.equal(files.read('a.txt'), TEN.replace('two', 'TWO').replace('nine', 'NINE'));
});

scene('a change is undone, from the message and from the history', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await page.press('A');
  await page.says('The change is applied.');
  await page.page.locator('.messages').getByRole('button', { name: 'Undo' }).click();
  await page.says('The change is undone.');
  assert.equal(files.read('a.txt'), TEN);
  await page.press('h');
  const entries = page.page.locator('.history li');
  await untilEqual('the history', () => entries.locator('.entry-label').allTextContents(), ['Undo: Shout', 'Shout']);
  await entries.nth(0).locator('.entry').click();
  await entries.nth(0).locator('.code.old', { hasText: 'TWO' }).waitFor();
  await entries.nth(0).getByRole('button', { name: 'Undo: Undo: Shout' }).click();
  await page.page
    .getByRole('group', { name: 'Preview of the undo' })
    .locator('.code.new', { hasText: 'TWO' })
    .waitFor();
  assert.equal(files.read('a.txt'), TEN, 'a preview changes nothing');
  await page.button('Undo this change').click();
  // The message about the first undo may still be there.
  await untilEqual('the text', () => files.read('a.txt'), TEN.replace('two', 'TWO').replace('nine', 'NINE'));
  await page.says('The change is undone.');
});

scene('the history shows the diff of a change to a long text', async ({ page, agent, files, daemon }) => {
  const text = (word: string): string =>
    Array.from({ length: 2000 }, (_, at) => `line ${at} has ${at % 8 === 0 ? word : 'the same'} words\n`).join('');
  files.write('long.txt', text('old'));
  await agent.read('long.txt');
  await agent.write('long.txt', text('new'), { label: 'Rewrite' });
  await page.shows('Rewrite');
  const shows = async (): Promise<void> => {
    await page.press('h');
    const entry = page.page.locator('.history li').filter({ hasText: 'Rewrite' });
    await entry.locator('.entry').click();
    for (const [side, word] of [
      ['old', 'old'],
      ['new', 'new'],
    ] as const) {
      const lines = entry.locator(`.code.${side}`, { hasText: `has ${word} words` });
      await untilEqual(`the number of ${side} lines`, () => lines.count(), 250);
    }
    assert.equal(await entry.getByText('not stored').count(), 0);
  };
  await page.press('A');
  const question = page.page.locator('dialog.question');
  await question.waitFor();
  await page.press('y');
  await page.isDecided('applied');
  assert.equal(files.read('long.txt'), text('new'));
  await shows();
  // A diff of this length is not stored, so it is computed from the current text, which a later change has moved.
  await agent.edit({ 'long.txt': [['line 0 has', 'line zero\nline 0 has']] }, { label: 'Begin at zero' });
  await page.press('r');
  await page.shows('Begin at zero');
  await page.press('A');
  await page.isDecided('applied');
  await daemon.restart();
  await page.connected();
  await page.page.reload();
  await page.connected();
  await shows();
});

scene('the open history shows an undo that is made elsewhere', async ({ page, agent, files, daemon }) => {
  files.write('a.txt', TEN);
  for (const [old, label] of [
    ['two', 'First'],
    ['nine', 'Second'],
  ] as const) {
    await agent.edit({ 'a.txt': [[old, old.toUpperCase()]] }, { label });
    await untilEqual('the list', () => page.listed(), [label]);
    await page.press('J');
    await page.shows(label);
    await page.press('A');
    await page.says('The change is applied.');
  }
  await page.press('h');
  const entries = page.page.locator('.history li');
  const labels = (): Promise<string[]> => entries.locator('.entry-label').allTextContents();
  await untilEqual('the history', labels, ['Second', 'First']);
  await entries.nth(1).locator('.entry').click();
  const shown = page.page.locator('.history .code.new', { hasText: 'TWO' });
  await shown.waitFor();
  const { id } = await agent.call<{ id: string }>('editd/undo', {});
  await daemon.run('review', id, '--accept');
  await untilEqual('the history', labels, ['Undo: Second', 'Second', 'First']);
  await entries.nth(1).locator('.state', { hasText: 'undone' }).waitFor();
  assert.equal(await shown.count(), 1, 'an open entry stays open');
});

scene('the page continues when the daemon was restarted', async ({ page, agent, files, daemon, output }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Accept, hunk 1').click();
  await page.states(['accepted', 'pending']);
  await daemon.stop();
  await page.page.getByText('The daemon has ended. Waiting for it…').waitFor();
  await page.button('Accept, hunk 2').click();
  await page.says('The daemon has ended.');
  await daemon.start();
  await page.connected();
  await page.button('Accept, hunk 2').click();
  await page.isDecided('applied');
  assert.match(output(), /The daemon has ended[^]*The daemon runs again/);
});

scene('the page says that the command has ended', async ({ page, interrupt }) => {
  await interrupt();
  await page.page.getByText('The command `editd review --web` has ended.').waitFor();
});

const MOMENTS = [0, 100, 300, 500, 1000, 3000, 10_000];

/** Changes a file by a command some time after the daemon has ended. Asserts that the change waits and is shown. */
async function changeWaits({ page, files, daemon }: PageScene, end: 'kill' | 'stop', moment: number): Promise<void> {
  files.write('a.txt', TEN);
  const path = files.path('a.txt');
  const { hash } = JSON.parse(await daemon.run('read', path, '--output', 'json')) as { hash: string };
  await daemon[end]();
  await sleep(moment);
  const edit = daemon.run('edit', path, '--old', 'two', '--new', 'TWO', '--base', hash);
  await assert.rejects(edit, 'exit code 3: the change waits');
  assert.equal(files.read('a.txt'), TEN);
  await page.connected();
  await page.states(['pending']);
}

for (const moment of MOMENTS) {
  for (const end of ['kill', 'stop'] as const) {
    scene(`a change waits ${moment} ms after a ${end} of the daemon`, async (it) => {
      it.agent.close();
      await changeWaits(it, end, moment);
    });
  }
  scene(
    `a change waits ${moment} ms after an update of the program`,
    async (it) => {
      it.agent.close();
      it.daemon.install();
      assert.ok(!it.daemon.isOfInstalled(), 'the daemon goes on with the old program');
      await changeWaits(it, moment % 1000 === 0 ? 'stop' : 'kill', moment);
      // The command may have started it again before the change did, from the program that it runs itself.
      await untilEqual('daemons', () => it.daemon.running().length, 1);
    },
    { installed: true },
  );
}

scene('a change waits after the command was killed, and is shown when it runs again', async (old) => {
  const { files, agent, daemon, kill } = old;
  files.write('a.txt', TEN);
  await kill();
  const person = await Agent.connect(daemon.editorSocket, 'person', files.folder);
  const { expected } = await until(
    'the daemon expects the page back',
    () => person.call<{ expected: { until?: string }[] }>('editd/reviewers'),
    ({ expected }) => expected.length === 1,
  );
  person.close();
  assert.equal(expected[0]?.until, undefined, 'without a limit');
  const outcome = await agent.edit({ 'a.txt': BOTH }, { label: 'Shout' });
  assert.equal(outcome.state, 'pending');
  assert.equal(files.read('a.txt'), TEN);
  const { page } = await old.again();
  await page.shows('Shout');
  await page.states(['pending', 'pending']);
});

scene('a killed daemon is started again, and a stopped one is not', async ({ page, daemon, agent }) => {
  agent.close();
  await daemon.kill();
  await page.page.getByText('The daemon has ended. Waiting for it…').waitFor();
  await page.connected();
  await daemon.stop();
  await page.page.getByText('The daemon has ended. Waiting for it…').waitFor();
  await sleep(2000);
  await assert.rejects(daemon.run('status'), 'no daemon is running');
  await daemon.start();
  await page.connected();
});

scene('a page that was closed reports what was changed without a review', async (old) => {
  const { files, agent, interrupt } = old;
  files.write('a.txt', TEN);
  await interrupt();
  const outcome = await agent.edit({ 'a.txt': BOTH });
  assert.equal(outcome.state, 'applied');
  const { page } = await old.again();
  await page.says('1 change in 1 file was made without a review while no editor was connected here.');
  await page.button('Show the history').click();
  await page.page.locator('.history li').waitFor();
});
