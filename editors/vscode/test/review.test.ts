// Proposals are decided by keys, buttons and lenses.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Inside } from './support/probe';
import { stage } from './support/stage';
import { Review } from './support/review';
import { editd } from './support/tools';
import { until } from './support/until';

const scene = stage({ files: { 'readme.txt': 'a folder\n' } });

const CART = 'def total(items):\n    sum = 0\n    for item in items:\n        sum += item.price\n    return sum\n';
const RENAMED: [string, string][] = [
  ['    sum = 0\n', '    amount = 0\n'],
  ['        sum += item.price\n', '        amount += item.price\n'],
  ['    return sum\n', '    return amount\n'],
];

scene('the hunks of a file are decided by keys in its diff, one after another', async ({ window, agent, files }) => {
  files.write('cart.py', `${CART}\n\ndef empty(items):\n    return len(items) == 0\n`);
  const review = await Review.edit(window, agent, {
    'cart.py': [RENAMED[0] ?? ['', ''], ['    return sum\n', '    return amount\n'], ['len(items) == 0', 'not items']],
  });
  await review.open('amount = 0');
  await window.screen.shot('review-diff-dark');
  await window.press('Control+Alt+Y');
  await review.shows('amount = 0', 'accepted');
  await window.press('Control+Alt+N');
  await review.shows('return amount', 'rejected');
  assert.equal(files.read('cart.py'), `${CART}\n\ndef empty(items):\n    return len(items) == 0\n`, 'not yet');
  await window.press('Control+Alt+Y');
  const result = await review.ended();
  assert.equal(result.state, 'partial');
  assert.deepEqual(await review.states(), ['accepted', 'rejected', 'accepted']);
  assert.equal(
    files.read('cart.py'),
    `${CART.replace('sum = 0', 'amount = 0')}\n\ndef empty(items):\n    return not items\n`,
  );
  await review.closed();
});

scene(
  'a click on a file opens its diff, and the selection in the view follows the cursor',
  async ({ window, agent, files }) => {
    files.write('a.txt', 'one\ntwo\nthree\n');
    files.write('b.txt', 'one\ntwo\nthree\n');
    const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']], 'b.txt': [['three', 'DREI']] });
    await review.open('a.txt', 'a.txt');
    await review.open('TWO', 'a.txt');
    await review.next('b.txt', 3);
    const selected = window.screen.view('Proposals').locator('.monaco-list-row.selected');
    await until(
      'the change is selected',
      () => selected.allTextContents(),
      (rows) => rows.length === 1 && rows[0]?.includes('DREI') === true,
    );
  },
);

scene('keys decide the selection in the view', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  files.write('b.txt', 'b\n');
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['one', 'ONE'],
      ['three', 'THREE'],
    ],
    'b.txt': [['b', 'B']],
  });
  const rows = window.screen.view('Proposals').locator('.monaco-list-row');
  const selected = window.screen.view('Proposals').locator('.monaco-list-row.selected');
  const select = async (row: string): Promise<void> => {
    // VS Code may restore the selection from before the rows were redrawn; a user would notice that and click again.
    const isOnly = (texts: string[]): boolean => texts.length === 1 && texts[0]?.includes(row) === true;
    await until(
      `only ${row} is selected, and stays selected`,
      async () => {
        if (!isOnly(await selected.allTextContents())) {
          await rows.filter({ hasText: row }).first().click();
        }
        await pause(400);
        return selected.allTextContents();
      },
      isOnly,
    );
    await window.command('editd.proposals.focus');
  };
  await select('THREE');
  await window.press('Control+Alt+N');
  await review.shows('THREE', 'rejected');
  await select('a.txt');
  await window.press('Control+Alt+Y');
  await review.shows('ONE', 'accepted');
  await select('Change it');
  await window.press('Control+Alt+Y');
  // The change of b.txt was not shown.
  await window.screen.button('Accept All');
  await review.ended();
  assert.equal(files.read('a.txt'), 'ONE\ntwo\nthree\n');
  assert.equal(files.read('b.txt'), 'B\n');
});

scene('several proposals are rejected together', async ({ window, agent, files }) => {
  for (const name of ['a.txt', 'b.txt', 'c.txt']) {
    files.write(name, 'one\n');
  }
  const review = await Review.edit(window, agent, { 'a.txt': [['one', 'ONE']] }, 'First');
  await agent.edit({ 'b.txt': [['one', 'TWO']] }, { label: 'Second', review: true });
  await agent.edit({ 'c.txt': [['one', 'THREE']] }, { label: 'Third', review: true });
  await review.shows('Third');
  await window.open('c.txt');
  await window.point({ line: 1, character: 0 });
  void window.command('editd.rejectAll');
  await window.page.locator('.quick-input-title', { hasText: 'Reject which proposals?' }).waitFor();
  const choices = window.page.locator('.quick-input-list .monaco-list-row');
  assert.match((await choices.first().textContent()) ?? '', /Third/, 'the proposal for the active file comes first');
  await choices.nth(0).click();
  await choices.nth(1).click();
  await window.press('Enter');
  await until(
    'only one is pending',
    () => review.rows(),
    (rows) => !rows.some((row) => row.includes('Third') || row.includes('First')),
  );
  await review.shows('Second');
});

scene('two changes next to each other are two hunks', async ({ window, agent, files }) => {
  files.write('near.txt', 'one\ntwo\nthree\n');
  const review = await Review.edit(window, agent, {
    'near.txt': [
      ['one', 'ONE'],
      ['three', 'THREE'],
    ],
  });
  await review.open('THREE');
  await window.press('Control+Alt+N');
  await review.shows('THREE', 'rejected');
  await review.proposes('near.txt', 'ONE\ntwo\nthree\n');
  await window.press('Control+Alt+Y');
  await review.ended();
  assert.equal(files.read('near.txt'), 'ONE\ntwo\nthree\n');
});

scene('buttons in the tree decide a hunk, a file and a proposal', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  files.write('b.txt', 'b\n');
  files.write('c.txt', 'c\n');
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['one', 'ONE'],
      ['three', 'THREE'],
    ],
    'b.txt': [['b', 'B']],
    'c.txt': [['c', 'C']],
  });
  await review.press('ONE', 'Reject Change');
  await review.shows('ONE', 'rejected');
  await review.press('ONE', 'Accept Change');
  await review.shows('ONE', 'accepted');
  await review.press('b.txt', 'Reject All Changes in This File');
  await review.shows('B', 'rejected');
  await review.press('Change it', 'Accept the Whole Proposal');
  await window.screen.button('Accept All');
  const result = await review.ended();
  assert.equal(result.state, 'partial');
  assert.equal(files.read('a.txt'), 'ONE\ntwo\nTHREE\n');
  assert.equal(files.read('b.txt'), 'b\n');
  assert.equal(files.read('c.txt'), 'C\n');
});

scene('a rejected proposal changes nothing', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\n');
  const review = await Review.edit(window, agent, { 'a.txt': [['one', 'ONE']] });
  await review.press('Change it', 'Reject the Whole Proposal');
  assert.equal((await review.ended()).state, 'rejected');
  assert.equal(files.read('a.txt'), 'one\n');
});

scene('rejected changes are reopened and shown', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\n');
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['one', 'ONE'],
      ['three', 'THREE'],
    ],
  });
  await review.press('THREE', 'Reject Change');
  await review.shows('THREE', 'rejected');
  await review.press('Change it', 'Accept the Whole Proposal');
  await window.screen.button('Accept All');
  assert.equal((await review.ended()).state, 'partial');
  await window.screen.shot('review-reopen');
  await window.page.locator('.welcome-view-content a', { hasText: 'reopen' }).click();
  await review.next('a.txt', 3);
  const announced = (await window.screen.notifications()).filter((text) => text.includes('(1 change)'));
  assert.deepEqual(announced, [], 'no notification about a reopened proposal');
  assert.equal(files.read('a.txt'), 'ONE\ntwo\nthree\n', 'not yet');
  await window.press('Control+Alt+Y');
  await until(
    'the change is applied',
    () => files.read('a.txt'),
    (text) => text === 'ONE\ntwo\nTHREE\n',
  );
});

scene('lenses in the file decide, and a decision can be changed', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\nfour\n');
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['two', 'TWO'],
      ['four\n', 'four\nfive\n'],
    ],
  });
  await window.open('a.txt');
  await review.lens('Reject');
  await review.shows('TWO', 'rejected');
  await review.lens('Accept Instead');
  await review.showsStates({ TWO: 'accepted', five: 'pending' });
  await window.screen.shot('review-file-dark');
  await review.lens('Accept');
  await review.ended();
  await window.shows('a.txt', { text: 'one\nTWO\nthree\nfour\nfive\n', dirty: false });
});

scene('lines to be deleted are announced and marked', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\nfour\n');
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['two\n', ''],
      ['four\n', 'FOUR\nfive\n'],
    ],
  });
  await review.shows('Delete: two', '-1');
  await window.open('a.txt');
  const lenses = window.page.locator('.codelens-decoration a');
  await until(
    'the lenses describe the changes',
    () => lenses.allTextContents(),
    (texts) => texts.includes('Diff: Delete: two') && texts.includes('Diff: FOUR +1 more line'),
  );
  // Lines are redrawn when lenses appear.
  const line = window.page.locator('.view-line span', { hasText: /^two$/ }).last();
  interface Page {
    getComputedStyle: (element: unknown) => { textDecorationLine: string };
  }
  await until(
    'the line is struck through',
    () => line.evaluate((line) => (globalThis as unknown as Page).getComputedStyle(line).textDecorationLine),
    (drawn) => drawn === 'line-through',
  );
});

scene('keys decide in the file itself, and go to the next hunk', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
  files.write('b.txt', 'b\n');
  const review = await Review.edit(window, agent, {
    'a.txt': [
      ['two', 'TWO'],
      ['five', 'FIVE'],
    ],
    'b.txt': [['b', 'B']],
  });
  await window.open('a.txt');
  await review.next('a.txt', 2);
  await window.press('Control+Alt+Y');
  await review.shows('TWO', 'accepted');
  await review.next('a.txt', 5);
  await window.press('Control+Alt+N');
  await review.shows('FIVE', 'rejected');
  await review.next('b.txt', 1);
  assert.deepEqual(await window.tabs(), ['a.txt', 'b.txt (ada: Change it)']);
  await window.press('Control+Alt+Y');
  await review.ended();
  assert.equal(files.read('a.txt'), 'one\nTWO\nthree\nfour\nfive\n');
  assert.equal(files.read('b.txt'), 'B\n');
});

scene('closing a diff decides nothing', async ({ window, agent, files }) => {
  files.write('a.txt', 'one\n');
  const review = await Review.edit(window, agent, { 'a.txt': [['one', 'ONE']] });
  await review.open('ONE');
  await window.command('workbench.action.closeActiveEditor');
  await review.closed();
  assert.deepEqual(await review.states(), ['pending']);
  await review.shows('ONE', 'line 1');
});

scene('created, deleted and renamed files are shown, and decided together', async ({ window, agent, files }) => {
  files.write('gone.txt', 'bye\n');
  files.write('old.txt', 'same\n');
  files.write('text.txt', 'one\n');
  const review = await Review.of(window, agent, async () => {
    for (const name of ['gone.txt', 'old.txt', 'text.txt']) {
      await agent.read(name);
    }
    const path = (name: string): string => window.path(name);
    return agent.call('editd/edit', {
      label: 'Sort it out',
      review: true,
      changes: [
        { kind: 'write', path: path('new.txt'), content: 'hello\n' },
        { kind: 'delete', path: path('gone.txt') },
        { kind: 'rename', path: path('old.txt'), newPath: path('name.txt') },
        { kind: 'edit', path: path('text.txt'), edits: [{ oldText: 'one', newText: 'ONE' }] },
      ],
    });
  });
  await review.open('Create the file');
  await review.proposes('new.txt', 'hello\n');
  await review.open('Delete the file');
  await review.proposes('gone.txt', '');
  await review.press('Sort it out', 'Open All Diffs');
  await until(
    'all diffs are in one tab',
    () => window.tabs(),
    (tabs) => tabs.includes('ada: Sort it out (4 files)'),
  );
  await window.page.locator('.multiDiffEntry').first().waitFor();
  await window.screen.shot('review-all-dark');
  await review.press('Sort it out', 'Accept the Whole Proposal');
  assert.equal((await review.ended()).state, 'applied');
  assert.equal(files.read('new.txt'), 'hello\n');
  assert.equal(files.exists('gone.txt'), false);
  assert.equal(files.read('name.txt'), 'same\n');
  assert.equal(files.read('text.txt'), 'ONE\n');
  await review.closed();
});

scene('line endings and characters of two UTF-16 units are preserved', async ({ window, agent, files }) => {
  files.write('crlf.txt', 'one 😀\r\ntwo 😀\r\nthree\r\n');
  const review = await Review.edit(window, agent, {
    'crlf.txt': [
      ['one 😀', 'ONE 😀👍'],
      ['three', 'THREE'],
    ],
  });
  await review.open('THREE');
  await review.proposes('crlf.txt', 'ONE 😀👍\r\ntwo 😀\r\nTHREE\r\n');
  await window.press('Control+Alt+N');
  await review.shows('THREE', 'rejected');
  await window.press('Control+Alt+Y');
  await review.ended();
  assert.equal(files.read('crlf.txt'), 'ONE 😀👍\r\ntwo 😀\r\nthree\r\n');
});

scene('a command finds a proposal before the daemon has announced it', async ({ window, daemon, files }) => {
  files.write('early.txt', 'one\n');
  const change = { path: files.path('early.txt'), edits: [{ oldText: 'one', newText: 'two' }], review: true };
  // While the program runs, the extension host is blocked, and the command follows immediately.
  const propose = async (
    { vscode, require }: Inside,
    program: string,
    env: Record<string, string>,
    input: string,
  ): Promise<void> => {
    const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
    const args = ['edit', '--json', '-', '--output', 'json', '--yes'];
    const { stdout } = spawnSync(program, args, { input, env: { ...process.env, ...env }, encoding: 'utf8' });
    const { id } = JSON.parse(stdout) as { id: string };
    await vscode.commands.executeCommand('editd.review', { kind: 'proposal', id });
  };
  await window.evaluate(propose, editd, daemon.env, JSON.stringify(change));
  await until(
    'its diff is open',
    () => window.tabs(),
    (tabs) => tabs.some((tab) => tab.includes('early.txt')),
  );
  await window.command('editd.rejectAll');
  await until(
    'its diff is closed',
    () => window.tabs(),
    (tabs) => !tabs.some((tab) => tab.includes('early.txt')),
  );
});
