// Texts of agents on the review page never become markup, and hide nothing.
import assert from 'node:assert/strict';
import { pageStage } from './stage';

const scene = pageStage();

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
const HIDDEN = 'a\u202eb\u200bc\u001b[31md\u00a0e\u0007';

scene('labels, authors, paths, lines and comments are text', async ({ page, files, meet, daemon }) => {
  const name = `x${MARKUP.replaceAll('/', '')}\u202e.md`;
  files.write(name, 'one\ntwo\nthree\n');
  const agent = await meet(`eve ${MARKUP}`);
  await agent.edit({ [name]: [['two', `${MARKUP}\n${HIDDEN}\tend`]] }, { label: `${MARKUP} ${HIDDEN}` });
  await page.page.locator('.proposal h2', { hasText: '<img src=x' }).waitFor();
  await page.page.locator('.code.new', { hasText: '<script>' }).waitFor();
  await page.button('Comment on hunk 1').click();
  await page.page.keyboard.insertText(`${MARKUP} ${HIDDEN}`);
  await page.press('Control+Enter');
  await page.hunk(1).locator('.comments', { hasText: '<script>' }).waitFor();
  const shown = await page.page.evaluate(() => ({
    markup: document.querySelectorAll('img, body script, svg, iframe, a, style').length,
    title: document.title,
    label: document.querySelector('.proposal h2')?.textContent ?? '',
    path: document.querySelector('.file h3')?.textContent ?? '',
    line: [...document.querySelectorAll('.code.new')].at(-1)?.textContent ?? '',
    listed: document.querySelector('.list')?.textContent ?? '',
    text: document.body.innerText,
  }));
  assert.equal(shown.markup, 0);
  assert.equal(shown.title, '(1) Review · editd');
  assert.ok(shown.label.includes('abc[31md⟨U+00A0⟩e'), shown.label);
  assert.ok(shown.path.endsWith('⟨U+202E⟩.md'), shown.path);
  assert.equal(shown.line, 'aU+202EbU+200BcU+001B[31mdU+00A0eU+0007\tend');
  assert.ok(shown.listed.includes('⟨U+202E⟩'));
  const hidden = (shown.text.match(/[\p{Cc}\p{Cf}]/gu) ?? []).filter((character) => !'\n\t'.includes(character));
  assert.deepEqual(hidden, [], 'no text of the page has such a character');
  await page.press('A');
  await page.isDecided('applied');
  await page.press('h');
  await page.page.locator('.history .entry').first().click();
  await page.page.locator('.history .code.new', { hasText: '<script>' }).waitFor();
  assert.equal(await page.page.title(), 'Review · editd');
  assert.equal(await page.page.locator('img, body script').count(), 0);
  assert.deepEqual(page.console, []);
  await daemon.run('status');
});

scene('a very long line and a refusal with markup are text', async ({ page, agent, files }) => {
  files.write('a.txt', 'one\n');
  await agent.edit({ 'a.txt': [['one', `${MARKUP}${'x'.repeat(50_000)}`]] }, { label: 'Long' });
  await page.shows('Long');
  await page.button(/more characters/).click();
  const length = await page.page.locator('.code.new').evaluate((cell) => cell.textContent.length);
  assert.equal(length, MARKUP.length + 50_000);
});
