// The API that this extension exports to other extensions. The probe extension calls it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import type { EditdApi, Outcome, Proposed, ProposeRequest } from '../api/editd';
import { stage } from './support/stage';
import { root } from './support/tools';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({
  settings: { 'files.autoSave': 'off' },
  files: {
    'poem.txt': 'one\ntwo\nthree\nfour\nfive\n',
    'open.txt': 'one\ntwo\n',
    'src/cart.py': 'def total(items):\n    sum = 0\n',
  },
});

declare const proposed: Proposed;

/** Makes a proposal and keeps its handle in the extension host. */
function propose(window: Window, request: ProposeRequest): Promise<{ id: string; state: string }> {
  return window.evaluate(async ({ api }, request) => {
    const made = await (api as EditdApi).propose(request);
    Object.assign(globalThis, { proposed: made });
    return { id: made.id, state: made.state };
  }, request);
}

function outcome(window: Window): Promise<Outcome> {
  return window.evaluate(() => proposed.outcome);
}

/** Proposes and returns the refusal that the call rejects with. */
function refusal(window: Window, request: ProposeRequest): Promise<{ kind: string; hint: string; message: string }> {
  return window.evaluate(async ({ api }, request) => {
    const error = await (api as EditdApi).propose(request).catch((error: unknown) => error);
    const { kind, hint, message } = error as { kind: string; hint: string; message: string };
    return { kind, hint, message };
  }, request);
}

function set(window: Window, name: string, value: unknown): Promise<void> {
  return window.evaluate(
    async ({ vscode }, name, value) => {
      await vscode.workspace.getConfiguration('editd').update(name, value, vscode.ConfigurationTarget.Global);
    },
    name,
    value,
  );
}

scene(
  'the extension receives the outcome when the user accepts one hunk and rejects another',
  async ({ window, files }) => {
    const { id, state } = await propose(window, {
      path: 'poem.txt',
      edits: [
        { oldText: 'two', newText: 'zwei' },
        { oldText: 'four', newText: 'vier' },
      ],
      author: 'helper',
      label: 'To German',
    });
    assert.equal(state, 'pending');
    const path = files.path('poem.txt');
    const pending = await window.evaluate(async ({ api }) =>
      (await (api as EditdApi).pending()).map(({ label }) => label),
    );
    assert.deepEqual(pending, ['To German']);
    await window.command('editd.acceptHunk', { kind: 'hunk', id, path, hunk: 'h1' });
    await window.command('editd.rejectHunk', { kind: 'hunk', id, path, hunk: 'h2' });
    const result = await outcome(window);
    assert.equal(result.state, 'partial');
    assert.deepEqual(
      result.files[0]?.hunks.map(({ state }) => state),
      ['accepted', 'rejected'],
    );
    assert.match(result.transaction ?? '', /^t/);
    assert.match(String(result.files[0].hash), /^b3:/);
    assert.equal(files.read('poem.txt'), 'one\nzwei\nthree\nfour\nfive\n');
  },
);

scene('a proposal is based on the unsaved text of an open document', async ({ window }) => {
  await window.open('open.txt');
  await window.type({ after: 'two' }, ' unsaved');
  const request = { path: 'open.txt', edits: [{ oldText: 'two unsaved', newText: 'TWO' }], author: 'helper' };
  const { id } = await propose(window, request);
  await window.command('editd.acceptAll', { kind: 'proposal', id });
  assert.equal((await outcome(window)).state, 'applied');
  await window.shows('open.txt', { text: 'one\nTWO\n', dirty: true });
});

scene('an edit is applied immediately, under the author name of the extension', async ({ window, agent, files }) => {
  const done = await window.evaluate(
    ({ api, vscode }, path) =>
      (api as EditdApi).edit({
        changes: [{ kind: 'write', uri: vscode.Uri.file(path), content: 'new\n' }],
        author: 'helper',
        label: 'A new file',
      }),
    files.path('deep/new.txt'),
  );
  assert.equal(done.state, 'applied');
  assert.equal(files.read('deep/new.txt'), 'new\n');
  const { transactions } = await agent.call<{ transactions: { author: string; label: string }[] }>('editd/history');
  assert.deepEqual([transactions[0]?.author, transactions[0]?.label], ['helper', 'A new file']);
});

scene('a refused call rejects with a kind and a hint', async ({ window }) => {
  const nowhere = { path: 'poem.txt', edits: [{ oldText: 'seventeen', newText: 'x' }], author: 'helper' };
  const { kind, hint, message } = await refusal(window, nowhere);
  assert.equal(kind, 'not_found');
  assert.ok(hint.length > 0 && message.includes('poem.txt'));
});

scene('waiting for the outcome has an optional timeout, and a proposal can be discarded', async ({ window }) => {
  const edits = [{ oldText: 'five', newText: 'fünf' }];
  await propose(window, { path: 'poem.txt', edits, author: 'helper', waitMs: 50 });
  assert.equal((await outcome(window)).state, 'pending');
  await propose(window, { path: 'poem.txt', edits: [{ oldText: 'one', newText: 'eins' }], author: 'helper' });
  await window.evaluate(() => proposed.discard());
  assert.equal((await outcome(window)).state, 'discarded');
});

scene('a call waits while the window connects, and rejects if the program is missing', async ({ window }) => {
  const request = { path: 'poem.txt', edits: [{ oldText: 'three', newText: 'drei' }], author: 'helper', waitMs: 0 };
  const made = await window.evaluate(async ({ api, vscode }, request) => {
    void vscode.commands.executeCommand('editd.restart');
    const before = (api as EditdApi).state;
    return { before, state: (await (api as EditdApi).propose(request)).state };
  }, request);
  assert.deepEqual(made, { before: 'connecting', state: 'pending' });

  const program = await window.evaluate(({ vscode }) => vscode.workspace.getConfiguration('editd').get<string>('path'));
  await set(window, 'path', '/nowhere/editd');
  await until(
    'the program is missing',
    () => window.evaluate(({ api }) => (api as EditdApi).state),
    (state) => state === 'missing',
  );
  const { kind, hint } = await refusal(window, request);
  assert.equal(kind, 'not_connected');
  assert.match(hint, /editd\.path/);
  await set(window, 'path', program);
  await until(
    'the window is connected again',
    () => window.evaluate(({ api }) => (api as EditdApi).state),
    (state) => state === 'connected',
  );
});

scene('the example of the README works', async ({ window, files }) => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, example = ''] = /## For other extensions[^]*?```ts\n([^]*?)```/.exec(readme) ?? [];
  const { code } = await transform(`async function example() { ${example} return outcome; }`, { loader: 'ts' });
  const ran = window.evaluate(
    // The example is source text, like this function when it is sent to the extension host.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
    ({ vscode }, code) => new Function('vscode', `${code}; return example();`)(vscode) as Promise<Outcome>,
    code,
  );
  const id = await until(
    'the proposal is pending',
    () =>
      window.evaluate(
        async ({ api }) => (await (api as EditdApi).pending()).find(({ author }) => author === 'my-extension')?.id,
      ),
    (id) => id !== undefined,
  );
  void window.command('editd.acceptAll', { kind: 'proposal', id });
  await window.screen.button('Accept All');
  assert.equal((await ran).state, 'applied');
  assert.equal(files.read('src/cart.py'), 'def total(items):\n    amount = 0\n');
});
