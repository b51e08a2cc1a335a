// The view "History": its entries, their diffs, and undo.
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Agent, Replacement } from './support/agent';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({
  configuration: 'review = "off"',
  settings: { 'files.autoSave': 'off' },
  files: {
    'poem.txt': 'one\ntwo\nthree\n',
    'later.txt': 'one\ntwo\nthree\n',
    'both.txt': 'one\ntwo\nthree\n',
    'open.txt': 'one\ntwo\nthree\n',
    'typed.txt': 'one\ntwo\nthree\n',
    'raced.txt': 'one\ntwo\nthree\n',
    'cart.txt': 'one\ntwo\nthree\n',
    'shop.txt': 'one\ntwo\nthree\n',
    'kept.txt': 'one\ntwo\nthree\n',
  },
});

function row(window: Window, title: string): Locator {
  return window.screen.view('History').locator(`.monaco-list-row[aria-label^="${title}"]`);
}

async function shown(window: Window, ...titles: string[]): Promise<void> {
  await window.command('editd.history.focus');
  await until(
    `the history begins with ${titles.join(', ')}`,
    () => window.screen.rows('History'),
    (rows) => titles.every((title, index) => rows[index]?.startsWith(title)),
  );
}

/** Presses the undo button of a row, which is shown while the pointer hovers over the row. */
async function undo(window: Window, title: string, button = 'Undo This Change'): Promise<void> {
  // A redrawn row has no buttons until the pointer hovers over it again.
  await until('the button takes the click', async () => {
    await row(window, title).first().hover({ timeout: 2_000 });
    await row(window, title).first().getByRole('button', { name: button }).click({ timeout: 2_000 });
    return true;
  });
}

function dialogShows(window: Window, text: string): Promise<string | undefined> {
  return until(
    `a dialog says "${text}"`,
    () => window.screen.dialog(),
    (said) => said?.includes(text) === true,
  );
}

/** The texts of both sides of the active diff. */
function sides(window: Window): Promise<string[]> {
  return window.evaluate(({ vscode }) => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof vscode.TabInputTextDiff)) {
      return [];
    }
    const text = (uri: { toString: () => string }): string =>
      vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString())?.getText() ?? '';
    return [text(input.original), text(input.modified)];
  });
}

scene('a change is undone by the button of its row, and redone by the button of the undo', async (scene) => {
  const { window, agent, files } = scene;
  await agent.edit({ 'poem.txt': [['two', 'zwei']] }, { label: 'To German' });
  await shown(window, 'To German ada');
  await undo(window, 'To German');
  const said = await dialogShows(window, 'Undo "To German"?');
  assert.match(said ?? '', /poem\.txt \(\+1 -1\)/);
  await window.screen.button('Undo');
  await shown(window, 'Undo: To German you', 'To German undone by you');
  assert.equal(files.read('poem.txt'), 'one\ntwo\nthree\n');

  await undo(window, 'Undo: To German');
  await dialogShows(window, 'Undo "Undo: To German"?');
  await window.screen.button('Undo');
  await shown(window, 'Redo: To German you', 'Undo: To German undone by you');
  assert.equal(files.read('poem.txt'), 'one\nzwei\nthree\n');
});

scene('a change that a later one has overwritten is not undone, and the later change is shown', async (scene) => {
  const { window, agent, files } = scene;
  await agent.edit({ 'later.txt': [['two', 'zwei']] }, { label: 'First' });
  await agent.edit({ 'later.txt': [['zwei', 'deux']] }, { label: 'Second' });
  await shown(window, 'Second ada', 'First ada');
  await undo(window, 'First');
  await window.screen.notified('The change cannot be undone: the same lines of later.txt have changed since');
  const text = await until(
    'the difference is shown',
    () => window.evaluate(({ vscode }) => vscode.window.activeTextEditor?.document.getText()),
    (text) => text?.includes('+deux') === true,
  );
  assert.match(text ?? '', /-zwei\n\+deux/);
  assert.equal(files.read('later.txt'), 'one\ndeux\nthree\n');
});

scene('typed text that prevents an undo is shown', async ({ window, agent, files }) => {
  await agent.edit({ 'typed.txt': [['two', 'zwei']] }, { label: 'In a typed line' });
  await window.open('typed.txt');
  await window.type({ after: 'zwei' }, ' # later');
  await window.press('Control+S');
  await window.shows('typed.txt', { dirty: false });
  await shown(window, 'In a typed line ada');
  await undo(window, 'In a typed line');
  const [said] = await window.screen.notified('The change cannot be undone');
  assert.doesNotMatch(said ?? '', /editd\/|`|\/work\//);
  await until(
    'the line is shown',
    () => window.evaluate(({ vscode }) => vscode.window.activeTextEditor?.document.getText()),
    (text) => text?.includes('-zwei\n+zwei # later') === true,
  );
  assert.equal(files.read('typed.txt'), 'one\nzwei # later\nthree\n');
});

scene('an undo can be previewed as a diff, and a file shows its change as a diff', async ({ window, agent, files }) => {
  await agent.edit({ 'both.txt': [['three', 'drei']] }, { label: 'Count on' });
  await shown(window, 'Count on ada');
  await row(window, 'Count on').locator('.monaco-tl-twistie').click();
  await window.screen.view('History').getByText('both.txt').click();
  await until(
    'the diff of the change is shown',
    () => sides(window),
    ([before, after]) => before === 'one\ntwo\nthree\n' && after === 'one\ntwo\ndrei\n',
  );
  await undo(window, 'Count on');
  await dialogShows(window, 'Undo "Count on"?');
  await window.screen.button('Show the Diff');
  await until(
    'the diff of the undo is shown',
    () => sides(window),
    ([before, after]) => before === 'one\ntwo\ndrei\n' && after === 'one\ntwo\nthree\n',
  );
  await window.screen.notified('Undo "Count on"?');
  await window.screen.button('Leave It');
  assert.equal(files.read('both.txt'), 'one\ntwo\ndrei\n');
});

scene('an undo keeps unsaved text, and the change can be chosen from a list', async ({ window, agent, files }) => {
  await agent.edit({ 'open.txt': [['three', 'drei']] }, { label: 'In the open file' });
  await window.open('open.txt');
  await window.type({ after: 'one' }, ' more');
  void window.command('editd.undo');
  const choices = window.page.locator('.quick-input-list .monaco-list-row');
  await until(
    'the change of the active file comes first',
    () => choices.allTextContents(),
    ([first]) => first?.includes('In the open file') === true && first.includes('This File'),
  );
  await window.press('Enter');
  await dialogShows(window, 'Undo "In the open file"?');
  await window.screen.button('Undo');
  await window.shows('open.txt', { text: 'one more\ntwo\nthree\n', dirty: true });
  await window.screen.notified('had unsaved text and was not saved');
  assert.equal(files.read('open.txt'), 'one\ntwo\ndrei\n');
});

scene('a change between the preview and the confirmation leads to a new preview', async ({ window, agent, files }) => {
  await agent.edit({ 'raced.txt': [['three', 'drei']] }, { label: 'Overtaken' });
  await shown(window, 'Overtaken ada');
  await undo(window, 'Overtaken');
  await dialogShows(window, 'Undo "Overtaken"?');
  await agent.edit({ 'raced.txt': [['one', 'eins']] }, { label: 'Overtaking' });
  await window.screen.button('Undo');
  await dialogShows(window, 'changed in the meantime');
  assert.equal(files.read('raced.txt'), 'eins\ntwo\ndrei\n');
  await window.screen.button('Undo');
  await shown(window, 'Undo: Overtaken you');
  assert.equal(files.read('raced.txt'), 'eins\ntwo\nthree\n');
});

/** Makes a change of one turn. */
async function changeIn(agent: Agent, turn: string, path: string, [oldText, newText]: Replacement): Promise<void> {
  await agent.read(path);
  await agent.call('editd/edit', { path, oldText, newText, origin: { turn } });
}

scene('the changes of one turn are one row, and are undone together', async ({ window, agent, files }) => {
  await changeIn(agent, '5d0e2c1a-0001', 'cart.txt', ['one', 'eins']);
  await changeIn(agent, '5d0e2c1a-0002', 'cart.txt', ['two', 'zwei']);
  await changeIn(agent, '5d0e2c1a-0002', 'shop.txt', ['one', 'eins']);
  await changeIn(agent, '5d0e2c1a-0002', 'cart.txt', ['zwei', 'deux']);
  await shown(window, '3 changes in 2 files ada', 'cart.txt ada');
  await row(window, '3 changes').locator('.monaco-tl-twistie').click();
  await shown(window, '3 changes in 2 files ada', 'cart.txt ada', 'shop.txt ada', 'cart.txt ada');
  await row(window, 'shop.txt').first().hover();
  await window.screen.shot('history-turn');
  await undo(window, '3 changes', 'Undo This Turn');
  const said = await dialogShows(window, 'Undo 3 changes of this turn?');
  assert.match(said ?? '', /cart\.txt \(\+2 -2\)/);
  await window.screen.button('Undo');
  await until(
    'the turn is undone',
    () => [files.read('cart.txt'), files.read('shop.txt')],
    ([cart, shop]) => cart === 'eins\ntwo\nthree\n' && shop === 'one\ntwo\nthree\n',
  );
  await shown(window, 'Undo: cart.txt you', 'Undo: shop.txt you', 'Undo: cart.txt you', '3 changes in 2 files undone');
  await until(
    'the row of the turn is gray',
    () => row(window, '3 changes').locator('.monaco-icon-label').first().getAttribute('class'),
    (names) => names?.includes('monaco-decoration') === true,
  );
  await window.screen.shot('history-turn-undone');
});

scene('the undo of a turn stops at a change that a later one overlaps', async ({ window, agent, files }) => {
  await changeIn(agent, 'turn-3', 'kept.txt', ['one', 'eins']);
  await changeIn(agent, 'turn-3', 'kept.txt', ['two', 'zwei']);
  await changeIn(agent, 'turn-4', 'kept.txt', ['eins', 'un']);
  await shown(window, 'kept.txt ada', '2 changes in kept.txt ada');
  await undo(window, '2 changes in kept.txt', 'Undo This Turn');
  await dialogShows(window, 'Undo 2 changes of this turn?');
  await window.screen.button('Undo');
  await window.screen.notified('1 of 2 changes of the turn undone');
  await window.screen.notified('The change cannot be undone: the same lines of kept.txt have changed since');
  assert.equal(files.read('kept.txt'), 'un\ntwo\nthree\n');
});
