// The view and the lenses always show the same state of a hunk, no matter how and by which client it is decided.
import assert from 'node:assert/strict';
import { Agent } from './support/agent';
import type { Inside } from './support/probe';
import { Refused } from './support/rpc';
import { Review, type States } from './support/review';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({ files: { 'readme.txt': 'a folder\n' }, settings: { 'diffEditor.codeLens': true } });

const POEM = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

function three(window: Window, agent: Agent): Promise<Review> {
  return Review.edit(window, agent, {
    'a.txt': [
      ['one', 'UNO'],
      ['three', 'TROIS'],
      ['six', 'SEI'],
    ],
  });
}

/** Decides from another editor, and retries if this window was faster. */
async function decideFrom(elsewhere: Agent, review: Review, part: object): Promise<void> {
  try {
    const { revision } = await elsewhere.call<{ revision: number }>('editd/proposal', { id: review.id });
    await elsewhere.call('editd/decide', { id: review.id, revision, ...part });
  } catch (error) {
    if (!(error instanceof Refused && error.kind === 'superseded')) {
      throw error;
    }
    await decideFrom(elsewhere, review, part);
  }
}

/** Decides a hunk, and moves the focus elsewhere before the editor requests the lenses. */
async function decideAndLeave(window: Window, review: Review, verdict: string, hunk: string, to: string) {
  const subject = { kind: 'hunk', id: review.id, path: window.path('a.txt'), hunk };
  const decide = async ({ vscode }: Inside, verdict: string, subject: object, to: string): Promise<void> => {
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    await vscode.commands.executeCommand(verdict, subject);
    // The window receives the decision in the answer, then refreshes once more. An editor requests lenses after 250 ms.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await vscode.commands.executeCommand(to);
  };
  await window.evaluate(decide, verdict, subject, to);
}

scene('lenses are updated when the focus leaves the editor after a decision', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await three(window, agent);
  await window.open('a.txt');
  const says: States = { UNO: 'pending', TROIS: 'pending', SEI: 'pending' };
  await review.showsStates(says);
  for (const verdict of ['reject', 'accept', 'reject'] as const) {
    await decideAndLeave(window, review, `editd.${verdict}Hunk`, 'h1', 'editd.proposals.focus');
    await review.showsStates({ ...says, UNO: `${verdict}ed` });
  }
});

scene('lenses are updated on both sides of a split editor', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await three(window, agent);
  await window.open('a.txt');
  await window.command('workbench.action.splitEditor');
  const says: States = { UNO: 'pending', TROIS: 'pending', SEI: 'pending' };
  await review.showsStates(says, 2);
  for (const verdict of ['reject', 'accept', 'reject', 'accept'] as const) {
    await decideAndLeave(window, review, `editd.${verdict}Hunk`, 'h2', 'workbench.action.focusNextGroup');
    await review.showsStates({ ...says, TROIS: `${verdict}ed` }, 2);
  }
});

scene('a decision succeeds although another client decides another hunk at the same time', async (on) => {
  const { window, agent, files, daemon } = on;
  files.write('a.txt', POEM);
  const review = await three(window, agent);
  await window.open('a.txt');
  const elsewhere = await Agent.connect(daemon.editorSocket, 'vi', files.folder);
  try {
    for (const [verdict, other] of [
      ['accept', 'reject'],
      ['reject', 'accept'],
      ['accept', 'reject'],
    ] as const) {
      const hunk = { kind: 'hunk', id: review.id, path: window.path('a.txt'), hunk: 'h1' };
      // The window may receive the other decision only after it has sent its own.
      await Promise.all([
        decideFrom(elsewhere, review, { [other]: ['h2'] }),
        window.command(`editd.${verdict}Hunk`, hunk),
      ]);
      await review.showsStates({ UNO: `${verdict}ed`, TROIS: `${other}ed`, SEI: 'pending' });
    }
  } finally {
    elsewhere.close();
  }
});

scene('decisions by keys, lenses, buttons and another client', async ({ window, agent, files, daemon }) => {
  files.write('a.txt', POEM);
  const review = await three(window, agent);
  const elsewhere = await Agent.connect(daemon.editorSocket, 'vi', files.folder);
  const decide = (part: object): Promise<void> => decideFrom(elsewhere, review, part);
  try {
    await window.open('a.txt');
    await window.point({ line: 0, character: 0 });
    await window.press('Control+Alt+Y');
    await window.press('Control+Alt+N');
    await decide({ reject: ['h2'] });
    await review.showsStates({ UNO: 'rejected', TROIS: 'rejected', SEI: 'pending' });
    await review.lens('Accept Instead');
    await decide({ accept: ['h2'] });
    await review.showsStates({ UNO: 'accepted', TROIS: 'accepted', SEI: 'pending' });
    await review.press('UNO', 'Reject Change', 'rejected');
    await review.press('TROIS', 'Reject Change', 'rejected');
    await review.showsStates({ UNO: 'rejected', TROIS: 'rejected', SEI: 'pending' });
    for (const verdict of ['accept', 'reject', 'accept', 'reject', 'accept']) {
      await decide({ [verdict]: ['h1'] });
    }
    await review.press('TROIS', 'Accept Change', 'accepted');
    await review.showsStates({ UNO: 'accepted', TROIS: 'accepted', SEI: 'pending' });
  } finally {
    elsewhere.close();
  }
});

scene('the lenses of a diff are updated', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const review = await three(window, agent);
  await review.open('UNO');
  for (const [verdict, title] of [
    ['reject', 'Rejected'],
    ['accept', 'Accepted'],
    ['reject', 'Rejected'],
  ] as const) {
    await decideAndLeave(window, review, `editd.${verdict}Hunk`, 'h1', 'editd.proposals.focus');
    await review.shows('UNO', `${verdict}ed`);
    await review.hasLens(title);
  }
});

scene('decisions and comments stay when the author replaces the proposal', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  const old = await three(window, agent);
  await window.open('a.txt');
  await old.press('UNO', 'Accept Change', 'accepted');
  await old.press('SEI', 'Reject Change', 'rejected');
  await old.open('UNO');
  await window.command('workbench.action.addComment');
  await window.page.locator('.review-widget .monaco-editor.focused').waitFor();
  await window.page.keyboard.type('Why Spanish?');
  await window.page.locator('.review-widget').getByRole('button', { name: 'Send' }).click();
  await old.shows('UNO', 'commented');
  const fresh = await old.replace(
    {
      'a.txt': [
        ['one', 'UNO'],
        ['three', 'DREI'],
        ['six', 'SEI'],
      ],
    },
    'Count in another way',
  );
  await old.closed();
  await fresh.shows('UNO', 'accepted', 'commented');
  await window.open('a.txt');
  await fresh.showsStates({ UNO: 'accepted', DREI: 'pending', SEI: 'rejected' });
  assert.equal(files.read('a.txt'), POEM, 'not yet');
  await fresh.press('Count in another way', 'Accept the Whole Proposal');
  const { state, comments } = await fresh.ended();
  assert.equal(state, 'partial');
  assert.deepEqual(
    comments?.map(({ text, hunk }) => [text, hunk]),
    [['Why Spanish?', 'h1']],
  );
  assert.equal(files.read('a.txt'), POEM.replace('one', 'UNO').replace('three', 'DREI'));
});

scene('the accepted text of the user stays when the author replaces the proposal', async ({ window, agent, files }) => {
  files.write('a.txt', POEM);
  files.write('b.txt', POEM);
  const old = await Review.edit(window, agent, { 'a.txt': [['three', 'TROIS']], 'b.txt': [['three', 'DREI']] });
  await old.open('TROIS');
  await window.type({ after: 'TROIS' }, ' mine');
  await window.press('Control+Alt+Shift+Y');
  await until(
    'the file is accepted',
    () => old.states(),
    (states) => states[0] === 'edited',
  );
  const fresh = await old.replace({ 'a.txt': [['three', 'TROIS']], 'b.txt': [['three', 'DREI']] }, 'Once more');
  await fresh.shows('Once more', '1 of 2 changes decided');
  await fresh.open('a.txt', 'a.txt');
  await fresh.proposes('a.txt', POEM.replace('three', 'TROIS mine'));
  await fresh.hasLens('Accepted with your changes');
  await fresh.open('DREI', 'b.txt');
  await window.press('Control+Alt+Y');
  await fresh.ended();
  assert.equal(files.read('a.txt'), POEM.replace('three', 'TROIS mine'));
  assert.equal(files.read('b.txt'), POEM.replace('three', 'DREI'));
});
