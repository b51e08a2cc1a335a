// Review in a window has no gap when the daemon ends or the window reloads.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from './support/agent';
import type { Daemon } from './support/daemon';
import type { Files } from './support/files';
import { stage } from './support/stage';
import { until, untilEqual } from './support/until';

const scene = stage({ files: { 'readme.txt': 'a folder\n' }, installed: true });

/** Milliseconds after the end of the daemon, at which a command makes a change. */
const MOMENTS = [0, 100, 500, 1000, 3000, 10_000];

/** Changes a file by a command, which starts the daemon if none is running. Asserts that the change waits. */
async function changeWaits(daemon: Daemon, files: Files, name: string, base: string): Promise<void> {
  const edit = daemon.run('edit', files.path(name), '--old', 'one', '--new', 'two', '--base', base);
  await assert.rejects(edit, 'exit code 3: the change waits');
  assert.equal(files.read(name), 'one\n');
}

/** Rejects all pending proposals, after waiting until there are `count`. */
async function rejectAll(daemon: Daemon, files: Files, count: number): Promise<void> {
  interface Listed {
    proposals: { id: string; revision: number }[];
  }
  const person = await Agent.connect(daemon.editorSocket, 'person', files.folder);
  const list = async (): Promise<Listed['proposals']> =>
    (await person.call<Listed>('editd/proposals', { state: 'pending' })).proposals;
  const waiting = await until('the changes wait', list, (proposals) => proposals.length === count);
  for (const { id, revision } of waiting) {
    await person.call('editd/decide', { id, revision, reject: 'all' });
  }
  person.close();
}

for (const end of ['kill', 'stop'] as const) {
  scene(`a change waits at any moment after a ${end} of the daemon`, async ({ window, daemon, files, agent, meet }) => {
    agent.close();
    for (const moment of MOMENTS) {
      const name = `${end}-${moment}.txt`;
      files.write(name, 'one\n');
      const { hash } = JSON.parse(await daemon.run('read', files.path(name), '--output', 'json')) as { hash: string };
      await daemon[end]();
      await sleep(moment);
      await changeWaits(daemon, files, name, hash);
      await window.screen.notified(`editd wants to change ${name}`);
      await rejectAll(daemon, files, 1);
    }
    assert.ok(await meet('bob'), 'a daemon runs');
  });
}

scene('a change waits at any moment after an update of the program', async ({ window, daemon, files, agent, meet }) => {
  agent.close();
  for (const [index, moment] of MOMENTS.entries()) {
    const name = `update-${moment}.txt`;
    files.write(name, 'one\n');
    const { hash } = JSON.parse(await daemon.run('read', files.path(name), '--output', 'json')) as { hash: string };
    daemon.install();
    assert.ok(!daemon.isOfInstalled(), 'the daemon goes on with the old program');
    await daemon[index % 2 === 0 ? 'stop' : 'kill']();
    await sleep(moment);
    await changeWaits(daemon, files, name, hash);
    await window.screen.notified(`editd wants to change ${name}`);
    await untilEqual('a single daemon, of the new program', () => daemon.isOfInstalled(), true);
    await rejectAll(daemon, files, 1);
  }
  assert.ok(await meet('bob'), 'a daemon runs');
});

scene('changes wait while the window reloads', async ({ window, daemon, files, agent, connected }) => {
  files.write('a.txt', 'one\n');
  const reloaded = window.reload().then(() => 'reloaded');
  let count = 0;
  while ((await Promise.race([reloaded, sleep(100, 'not yet')])) === 'not yet') {
    await agent.read('a.txt');
    const path = files.path('a.txt');
    const outcome = await agent.call<{ state: string }>('editd/edit', { path, oldText: 'one', newText: `${count}` });
    assert.equal(outcome.state, 'pending');
    count += 1;
  }
  await connected();
  assert.equal(files.read('a.txt'), 'one\n');
  await rejectAll(daemon, files, count);
  await untilEqual('the text of the file', () => files.read('a.txt'), 'one\n');
});
