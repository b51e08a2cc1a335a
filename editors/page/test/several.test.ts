// Decisions about several hunks at once, and lines that are too long to be shown whole.
import assert from 'node:assert/strict';
import { pageStage } from './stage';
import { until } from '../../vscode/test/support/until';

const scene = pageStage();

const TEN = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
const THREE: [string, string][] = [
  ['two', 'TWO'],
  ['five', 'FIVE'],
  ['nine', 'NINE'],
];

scene('hunks that were not on the screen are counted before they are accepted', async ({ page, agent, files }) => {
  const names = Array.from({ length: 12 }, (_, at) => `file${String(at + 10)}.txt`);
  for (const name of names) {
    files.write(name, TEN);
  }
  await agent.edit(Object.fromEntries(names.map((name) => [name, THREE])), {
    label: 'Shout',
  });
  await page.shows('Shout');
  await page.press('A');
  const dialog = page.page.locator('dialog.question');
  await dialog.waitFor();
  const text = (await dialog.textContent()) ?? '';
  const [, unseen] = /(\d+) hunks were not shown yet: /.exec(text) ?? [];
  assert.ok(Number(unseen) > 10 && Number(unseen) < 36, text);
  assert.match(text, /and \d+ more files/);
  // A key that was pressed by habit decides nothing, and so does Escape.
  await page.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.press('A');
  await dialog.waitFor();
  await page.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(files.read(names[0] ?? ''), TEN);
  // Hunks that were on the screen need no question.
  for (let at = 0; at < 36; at += 1) {
    await page.press('j');
    await page.drawn();
  }
  await page.press('A');
  await page.isDecided('applied');
  assert.equal(files.read('file21.txt'), TEN.replace('two', 'TWO').replace('five', 'FIVE').replace('nine', 'NINE'));
});

scene('unseen hunks are accepted if the person says so', async ({ page, agent, files }) => {
  const names = Array.from({ length: 12 }, (_, at) => `file${String(at + 10)}.txt`);
  for (const name of names) {
    files.write(name, TEN);
  }
  await agent.edit(Object.fromEntries(names.map((name) => [name, THREE])), {
    label: 'Shout',
  });
  await page.shows('Shout');
  await page.button('Accept all').click();
  await page.page.locator('dialog.question').getByRole('button', { name: 'Accept all' }).click();
  await page.isDecided('applied');
});

scene('rejecting all names a hunk that was accepted', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': THREE }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Accept, hunk 2').click();
  await page.states(['pending', 'accepted', 'pending']);
  const dialog = page.page.locator('dialog.question');
  await page.press('D');
  await dialog.filter({ hasText: '1 hunk was accepted before: a.txt:5.' }).waitFor();
  await page.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.states(['pending', 'accepted', 'pending']);
  await page.press('D');
  await dialog.waitFor();
  await page.press('n');
  await page.isDecided('partly accepted');
  assert.equal(files.read('a.txt'), TEN.replace('five', 'FIVE'));
});

scene('rejecting all also rejects an accepted hunk if the person says so', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  await agent.edit({ 'a.txt': THREE }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Accept, hunk 2').click();
  await page.states(['pending', 'accepted', 'pending']);
  await page.press('D');
  await page.page.locator('dialog.question').waitFor();
  await page.press('y');
  await page.isDecided('rejected');
  assert.equal(files.read('a.txt'), TEN);
});

scene('accepting all leaves a rejected hunk rejected, and says so', async ({ page, agent, files }) => {
  files.write('a.txt', TEN);
  files.write('b.txt', TEN);
  await agent.edit({ 'a.txt': THREE, 'b.txt': [['two', 'TWO']] }, { label: 'Shout' });
  await page.shows('Shout');
  await page.button('Reject, hunk 1').click();
  await page.states(['rejected', 'pending', 'pending', 'pending']);
  await page.button('Accept file: a.txt').click();
  await page.states(['rejected', 'accepted', 'accepted', 'pending']);
  await page.says('1 hunk stays rejected.');
  await page.press('A');
  await page.isDecided('partly accepted');
  await page.says('1 hunk stays rejected.');
  assert.equal(files.read('a.txt'), TEN.replace('five', 'FIVE').replace('nine', 'NINE'));
});

scene(
  'a very long line that a person wants to see whole stays whole in another layout',
  async ({ page, agent, files }) => {
    files.write('a.txt', 'one');
    await agent.edit({ 'a.txt': [['one', 'x'.repeat(50_000)]] }, { label: 'Long' });
    await page.shows('Long');
    const length = (): Promise<number> => page.page.locator('.code.new').evaluate((cell) => cell.textContent.length);
    const whole = 50_000 + 'no line ending'.length;
    assert.ok((await length()) < whole);
    await page.button(/more characters/).click();
    assert.equal(await length(), whole);
    await page.press('u');
    await page.page.locator('.lines.unified').waitFor();
    assert.equal(await length(), whole);
  },
);

scene('a very long line shows its changes, wherever they are', async ({ page, agent, files }) => {
  const line = (first: string, second: string): string =>
    `${'word '.repeat(8000)}${first} ${'more '.repeat(7000)}${second} ${'last '.repeat(600)}\n`;
  files.write('a.txt', line('old', 'two'));
  await agent.edit({ 'a.txt': [[line('old', 'two'), line('n\u202ee\u200bw', '2')]] }, { label: 'Long' });
  await page.shows('Long');
  // The lines are drawn again with their colours. Until then, the browser may skip their text.
  const lineWith = (side: string, word: string): Promise<string> =>
    until(
      'the changes of the line are shown',
      () => page.page.locator(`.code.${side}`).first().innerText(),
      (text) => text.includes(word),
    );
  const shown = await lineWith('new', 'nU+202EeU+200Bw');
  assert.match(shown, /^… [\d,]+ more characters …/);
  assert.match(shown, /word nU\+202EeU\+200Bw more /);
  assert.ok(shown.includes('more 2 last '), shown.slice(0, 500));
  assert.match(shown, /more characters …$/);
  assert.ok(shown.length < 2000, String(shown.length));
  const old = await lineWith('old', 'old');
  assert.match(old, /word old more (?:.|\n)*more two last /);
  // The whole line is a click away, and what was left out was unchanged, so nothing is asked.
  await page.press('A');
  await page.isDecided('applied');
  assert.equal(files.read('a.txt'), line('n\u202ee\u200bw', '2'));
});

scene('a long line that is all new counts as seen only when all of it is shown', async ({ page, agent, files }) => {
  files.write('a.txt', 'one\n');
  await agent.edit({ 'a.txt': [['one', `one\n${'new '.repeat(20_000)}`]] }, { label: 'Long' });
  await page.shows('Long');
  await page.press('A');
  await page.page
    .locator('dialog.question', {
      hasText: '1 hunk was not shown yet: a.txt (1).',
    })
    .waitFor();
  await page.press('Escape');
  await page.page.locator('dialog.question').waitFor({ state: 'detached' });
  await page.button(/more characters/).click();
  await page.press('A');
  await page.isDecided('applied');
});
