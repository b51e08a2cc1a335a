// Decisions about several changes at once, and changes in lines that VS Code shows only in part.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Review } from './support/review';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage();

const TEN = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

/** Edits of two lines that are far apart. */
const TWO_LINES: [string, string][] = [
  ['two', 'TWO'],
  ['nine', 'NINE'],
];

/** Waits for a dialog with this text. */
function asked(window: Window, text: string): Promise<string | undefined> {
  return until(
    `a dialog says "${text}"`,
    () => window.screen.dialog(),
    (said) => said?.includes(text) === true,
  );
}

/** Waits until the status bar has an item with these texts. */
async function says(window: Window, ...texts: string[]): Promise<void> {
  await until(
    `the status bar says ${texts.join(', ')}`,
    () => window.screen.status(),
    (items) => items.some((item) => texts.every((text) => item.includes(text))),
    { within: 5_000 },
  );
}

/** Returns the texts that decorations put before lines. The page's own types are not known here. */
function excerpts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('.view-line span')]
      .map((span) => getComputedStyle(span, '::before').content)
      .filter((content) => content.includes('…'))`);
}

scene('changes that were not shown are counted before they are accepted', async ({ window, agent, files }) => {
  const names = Array.from({ length: 7 }, (_, at) => `file${String(at)}.txt`);
  for (const name of names) {
    files.write(name, TEN);
  }
  const both: [string, string][] = [
    ['two', 'TWO'],
    ['nine', 'NINE'],
  ];
  const review = await Review.edit(window, agent, Object.fromEntries(names.map((name) => [name, both])));
  await window.open('file0.txt');
  await review.press('Change it', 'Accept the Whole Proposal');
  const said = await asked(window, '12 changes were not shown yet. Accept them, too?');
  assert.match(said ?? '', /file1\.txt \(2\).*and 1 more file/);
  await window.screen.button('Cancel');
  assert.deepEqual(new Set(await review.states()), new Set(['pending']));
  await review.press('Change it', 'Accept the Whole Proposal');
  await asked(window, '12 changes were not shown yet');
  await window.screen.button('Accept All');
  assert.equal((await review.ended()).state, 'applied');
});

scene('rejecting a proposal names a change that was accepted', async ({ window, agent, files }) => {
  for (const [button, state, text] of [
    ['Apply This One', 'partial', TEN.replace('two', 'TWO')],
    ['Reject All of It', 'rejected', TEN],
  ] as const) {
    files.write('a.txt', TEN);
    const review = await Review.edit(window, agent, {
      'a.txt': TWO_LINES,
    });
    await window.open('a.txt');
    await review.press('TWO', 'Accept Change');
    await review.shows('TWO', 'accepted');
    await review.press('Change it', 'Reject the Whole Proposal');
    const said = await asked(window, 'Reject all of "ada: Change it"?');
    assert.match(said ?? '', /1 change was accepted before: a\.txt, line 2\./);
    await window.screen.button(button);
    assert.equal((await review.ended()).state, state);
    assert.equal(files.read('a.txt'), text);
  }
});

scene('accepting a proposal leaves rejected changes out and names files not shown', async (scene) => {
  const { window, agent, files } = scene;
  for (const name of ['a.txt', 'b.txt', 'c.txt']) {
    files.write(name, TEN);
  }
  const review = await Review.edit(window, agent, {
    'a.txt': TWO_LINES,
    'b.txt': [['two', 'ZWEI']],
    'c.txt': [['two', 'DEUX']],
  });
  await window.open('a.txt');
  await review.press('TWO', 'Reject Change', 'rejected');
  await review.press('DEUX', 'Reject Change', 'rejected');
  const decided = ['rejected', 'pending', 'pending', 'rejected'];
  for (const answer of ['Cancel', 'Accept All']) {
    assert.deepEqual(await review.states(), decided);
    await review.press('Change it', 'Accept the Whole Proposal');
    // What is rejected is not written, so it is not counted.
    const said = await asked(window, '1 change was not shown yet. Accept it, too?');
    assert.match(said ?? '', /b\.txt \(1\)/);
    assert.doesNotMatch(said ?? '', /a\.txt|c\.txt/);
    await window.screen.button(answer);
  }
  assert.equal((await review.ended()).state, 'partial');
  assert.deepEqual(await review.states(), ['rejected', 'accepted', 'accepted', 'rejected']);
  assert.equal(files.read('a.txt'), TEN.replace('nine', 'NINE'));
  assert.equal(files.read('b.txt'), TEN.replace('two', 'ZWEI'));
  assert.equal(files.read('c.txt'), TEN);
  await says(window, 'Changed 2 files', '2 changes stay rejected.');
});

scene('accepting a file leaves its rejected change out, and says so', async ({ window, agent, files }) => {
  files.write('a.txt', TEN);
  const review = await Review.edit(window, agent, {
    'a.txt': TWO_LINES,
  });
  await window.open('a.txt');
  await review.press('TWO', 'Reject Change', 'rejected');
  await review.press('a.txt', 'Accept All Changes in This File');
  assert.equal((await review.ended()).state, 'partial');
  assert.equal(files.read('a.txt'), TEN.replace('nine', 'NINE'));
  await says(window, 'Changed a.txt', '1 change stays rejected.');
});

scene('the changes of a file that are all rejected are accepted only after a question', async (scene) => {
  const { window, agent, files } = scene;
  files.write('a.txt', TEN);
  files.write('b.txt', TEN);
  const review = await Review.edit(window, agent, { 'a.txt': [['two', 'TWO']], 'b.txt': [['nine', 'NINE']] });
  await window.open('a.txt');
  await review.press('a.txt', 'Reject All Changes in This File');
  await review.shows('TWO', 'rejected');
  await review.press('a.txt', 'Accept All Changes in This File');
  await asked(window, '1 change here was rejected before.');
  await window.screen.button('Cancel');
  assert.deepEqual(await review.states(), ['rejected', 'pending']);
  await review.press('a.txt', 'Accept All Changes in This File');
  await asked(window, '1 change here was rejected before.');
  await window.screen.button('Accept It Now');
  await review.shows('TWO', 'accepted');
});

scene('the change of a very long line is shown above it', async ({ window, agent, files }) => {
  const line = (word: string): string => `${'word '.repeat(8000)}${word} ${'more '.repeat(7600)}`;
  files.write('long.txt', `${line('old')}\n`);
  const review = await Review.edit(window, agent, { 'long.txt': [[line('old'), line('n\u202ee\u200bw')]] });
  await window.open('long.txt');
  await review.hasLens('− …word word word word word old more more');
  await review.hasLens('+ …word word word word word n⟨U+202E⟩e⟨U+200B⟩w more more');
  await window.screen.shot('review-long-line');
  await review.open('long.txt');
  // The diff has the change of each side before its line.
  const shown = await until(
    'both sides of the diff show the change',
    () => excerpts(window.page),
    (texts) => texts.length >= 2,
  );
  assert.ok(
    shown.some((text) => text.includes('word old more')),
    shown.join(),
  );
  assert.ok(
    shown.some((text) => text.includes('word n⟨U+202E⟩e⟨U+200B⟩w more')),
    shown.join(),
  );
  await review.press('Change it', 'Accept the Whole Proposal');
  assert.equal((await review.ended()).state, 'applied');
});

scene('a long line that is all new is accepted only after a question', async ({ window, agent, files }) => {
  files.write('a.txt', TEN);
  const review = await Review.edit(window, agent, { 'a.txt': [['ten\n', `ten\n${'new '.repeat(4000)}\n`]] });
  await window.open('a.txt');
  await review.hasLens('+ new new new');
  await review.lens('Accept');
  await asked(window, 'Some changed text in a very long line is not shown.');
  await window.screen.button('Accept Anyway');
  assert.equal((await review.ended()).state, 'applied');
});

scene('a tab follows a rename that was not reviewed', async ({ window, agent, files }) => {
  files.write('from.txt', TEN);
  await window.open('from.txt');
  await agent.call('editd/read', { path: files.path('from.txt') });
  const change = { kind: 'rename', path: files.path('from.txt'), newPath: files.path('to.txt') };
  const done = await agent.call<{ state: string; id: string }>('editd/propose', { changes: [change] });
  const applied = await agent.call<{ state: string }>('editd/apply', { id: done.id });
  if (applied.state === 'pending') {
    await window.command('editd.acceptAll', { kind: 'proposal', id: done.id });
  }
  await until(
    'the tab has the new name',
    () => window.tabs(),
    (tabs) => tabs.includes('to.txt') && !tabs.includes('from.txt'),
  );
});
