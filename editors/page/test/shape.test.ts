// The review page on narrow windows, for screen readers, and with very many hunks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { pageStage } from './stage';
import type { ReviewPage } from './reviewPage';
import { root } from '../../vscode/test/support/tools';

const scene = pageStage();

const AXE = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Asserts that there are no serious findings about accessibility, in both schemes. */
async function isAccessible(page: ReviewPage, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.page.evaluate(AXE);
    const { violations } = await page.page.evaluate(() =>
      (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
    );
    const found = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .map(({ html }) => html)
            .slice(0, 3)
            .join(' ')}`,
      );
    assert.deepEqual(found, [], `${what}, ${colorScheme}`);
  }
}

async function isAsWideAsTheWindow({ page }: ReviewPage): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(content, window);
}

scene('every state of the page is accessible', async ({ page, agent, files }) => {
  await page.page.locator('.nothing').waitFor();
  await isAccessible(page, 'the empty page');
  files.write('a.py', 'def one():\n    return 1  # first\n\n\ndef two():\n    return "two"\n');
  files.write('Makefile', 'all:\n\techo all\n');
  await agent.edit(
    {
      'a.py': [
        ['return 1', 'return 10'],
        ['def two()', 'def two(x)'],
      ],
      Makefile: [['echo all', 'echo none']],
    },
    { label: 'Change it' },
  );
  await page.shows('Change it');
  await page.page.locator('.c-keyword').first().waitFor();
  await isAccessible(page, 'a proposal');
  await page.button('Accept, hunk 1').click();
  await page.button('Comment on hunk 2').click();
  await page.button('Edit the text: a.py').click();
  await page.page.locator('textarea.text').waitFor();
  await isAccessible(page, 'decisions, a comment and a correction');
  await page.button('Discard').click();
  await page.button('Keys').click();
  await isAccessible(page, 'help');
  await page.press('Escape');
  await page.button('Reject all').click();
  await isAccessible(page, 'a question');
  await page.press('n');
  await page.isDecided('partly accepted');
  await page.button(/^Decided/).click();
  await isAccessible(page, 'a decided proposal');
  await page.button('History').click();
  await page.page.locator('.history .entry').first().click();
  await page.page.locator('.history .lines').first().waitFor();
  await isAccessible(page, 'the history');
});

scene('a narrow window needs no sideways scrolling', async ({ page, agent, files }) => {
  await page.page.setViewportSize({ width: 375, height: 700 });
  await page.page.locator('.nothing').waitFor();
  await isAsWideAsTheWindow(page);
  const name = `${'folder/'.repeat(9)}${'name'.repeat(20)}.txt`;
  files.write(name, `${'one two three '.repeat(40)}\n${'x'.repeat(500)}\n\tthree\n`);
  await agent.edit(
    {
      [name]: [
        ['three\n', 'THREE\n'],
        ['x'.repeat(500), 'y'.repeat(500)],
      ].slice(1) as [string, string][],
    },
    { label: 'label'.repeat(60) },
  );
  await page.page.locator('.entry').click();
  await page.page.locator('.lines').first().waitFor();
  await isAsWideAsTheWindow(page);
  await page.button(/^Comment on hunk/).click();
  await page.button(/^Edit the text/).click();
  await page.page.locator('textarea.text').waitFor();
  await isAsWideAsTheWindow(page);
  await page.button('Discard').click();
  await page.button('Accept all').click();
  await page.isDecided('applied');
  await isAsWideAsTheWindow(page);
  await page.button('History').click();
  await page.page.locator('.history .entry').click();
  await page.page.locator('.history .lines').waitFor();
  await isAsWideAsTheWindow(page);
});

scene('a thousand hunks scroll without a stall', async ({ page, agent, files }) => {
  const line = (number: number): string => `    value = compute(${number}, "some text")  # a comment\n`;
  files.write('many.py', Array.from({ length: 10_000 }, (_, at) => line(at)).join(''));
  for (let offset = 1; offset < 10_000; offset += 2000) {
    await agent.call('editd/read', { path: files.path('many.py'), offset });
  }
  const edits = Array.from({ length: 1000 }, (_, at) => ({
    oldText: line(at * 10),
    newText: line(at * 10).replace('compute', 'calculate'),
  }));
  const began = performance.now();
  await agent.call('editd/edit', {
    label: 'Many',
    changes: [{ kind: 'edit', path: files.path('many.py'), edits }],
  });
  await page.shows('Many');
  const shown = performance.now() - began;
  assert.equal(await page.hunks.count(), 1000);
  const times = await page.page.evaluate(async () => {
    const frames: number[] = [];
    let last = performance.now();
    // 9,000 pixels in a second, which is a page of lines every tenth of a second.
    while (frames.length < 300) {
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      frames.push(now - last);
      last = now;
      scrollBy(0, 150);
    }
    return frames.slice(1).sort((one, other) => one - other);
  });
  const at = (share: number): number => Math.round(times[Math.floor(times.length * share)] ?? 0);
  console.log(
    `1,000 hunks: shown in ${Math.round(shown)} ms; frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${Math.round(times.at(-1) ?? 0)} ms`,
  );
  assert.ok(at(0.5) < 50, `the median of the frame times is ${at(0.5)} ms`);
  await page.press('j', 'j', 'y');
  await page.page.locator('.hunk[data-state="accepted"]').waitFor();
});
