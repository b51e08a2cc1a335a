// The view and the lenses always show the same state of a hunk, no matter how and by which client it is decided.
import { Agent } from './support/agent';
import type { Inside } from './support/probe';
import { Refused } from './support/rpc';
import { Review, type States } from './support/review';
import { stage } from './support/stage';
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
