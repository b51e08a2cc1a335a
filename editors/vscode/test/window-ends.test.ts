// A window ends: after a crash, changes wait until it is back, and after a goodbye for half a minute.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from './support/agent';
import type { Daemon } from './support/daemon';
import { Files } from './support/files';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Window } from './support/window';

const scene = stage({ files: { 'readme.txt': 'a folder\n' } });

interface Reviewers {
  connected: unknown[];
  expected: { paths: string[]; until?: string }[];
}

/** Changes a new file as an agent, and returns the state of the change. */
async function changeFile(agent: Agent, files: Files, name: string): Promise<string> {
  files.write(name, 'one\n');
  const { state } = await agent.edit({ [name]: [['one', 'two']] }, { label: `Change ${name}` });
  assert.equal(files.read(name), state === 'applied' ? 'two\n' : 'one\n');
  return state;
}

/** Waits until the window lists exactly the proposals for these files, the last of which may be out of sight. */
async function showsProposals(window: Window, names: readonly string[]): Promise<void> {
  await window.command('editd.proposals.focus');
  await until(
    `the window shows proposals for ${names.join(', ')}`,
    () => window.screen.rows('Proposals'),
    (rows) => names.slice(0, 4).every((name) => rows.some((row) => row.includes(`Change ${name}`))),
  );
  await until(
    `the status bar counts ${names.length} proposals`,
    () => window.screen.status(),
    (items) => items.some((item) => item.endsWith(`editd: ${names.length}`)),
  );
}

/** Withdraws the proposals of earlier scenes. */
async function discardAll(agent: Agent): Promise<void> {
  const { proposals } = await agent.call<{ proposals: { id: string }[] }>('editd/proposals', { state: 'pending' });
  for (const { id } of proposals) {
    await agent.call('editd/discard', { id });
  }
}

/** Waits until the daemon expects the reviewer of a folder, and returns what it knows of it. */
async function expected(daemon: Daemon, folder: string): Promise<{ until?: string } | undefined> {
  const person = await Agent.connect(daemon.editorSocket, 'person', folder);
  try {
    const find = async (): Promise<{ until?: string } | undefined> => {
      const { expected } = await person.call<Reviewers>('editd/reviewers');
      return expected.find(({ paths }) => paths.includes(folder));
    };
    return await until('the window is expected back', find);
  } finally {
    person.close();
  }
}

scene('changes wait while the extension host was killed and starts again', async (scene) => {
  const { window, files, agent, connected } = scene;
  await discardAll(agent);
  const back = window.killExtensionHost().then(() => 'back');
  const names: string[] = [];
  do {
    const name = `host-${names.length}.txt`;
    assert.equal(await changeFile(agent, files, name), 'pending');
    names.push(name);
  } while ((await Promise.race([back, sleep(1000, 'not yet')])) === 'not yet');
  await connected();
  await showsProposals(window, names);
});

scene('changes wait without a limit after VS Code was killed, and are shown when it is back', async (scene) => {
  const { window, server, daemon, files, agent } = scene;
  await discardAll(agent);
  await server.kill();
  assert.equal(await changeFile(agent, files, 'at-once.txt'), 'pending');
  const { until: limit } = (await expected(daemon, files.folder)) ?? {};
  assert.equal(limit, undefined);
  assert.equal(await changeFile(agent, files, 'later.txt'), 'pending');
  await server.start();
  await window.reload();
  await showsProposals(window, ['at-once.txt', 'later.txt']);
});

/** Opens a window on an empty folder, and closes it like a user. Returns the folder, and an agent that works there. */
async function closeWindow(
  name: string,
  work: Files,
  daemon: Daemon,
  another: (folder: string) => Promise<Window>,
): Promise<{ folder: Files; bob: Agent }> {
  const folder = new Files(`${work.folder}-${name}`);
  const window = await another(folder.folder);
  await window.closeTab();
  const { until: limit } = (await expected(daemon, folder.folder)) ?? {};
  assert.ok(limit, 'the window may only be reloading');
  return { folder, bob: await Agent.connect(daemon.agentSocket, 'bob', folder.folder) };
}

scene('a closed window is expected for half a minute, and told of later changes', async (scene) => {
  const { daemon, files, another } = scene;
  const { folder, bob } = await closeWindow('closed', files, daemon, another);
  const closed = Date.now();
  assert.equal(await changeFile(bob, folder, 'soon.txt'), 'pending');
  await sleep(25_000 - (Date.now() - closed));
  assert.equal(await changeFile(bob, folder, 'still.txt'), 'pending');
  await sleep(31_000 - (Date.now() - closed));
  assert.equal(await changeFile(bob, folder, 'late.txt'), 'applied');
  bob.close();
  const window = await another(folder.folder);
  await showsProposals(window, ['soon.txt', 'still.txt']);
  await window.screen.notified('1 change in 1 file was made without a review');
});

scene('a window is told of changes that were made after a person had ended the wait for it', async (scene) => {
  const { daemon, files, another } = scene;
  const { folder, bob } = await closeWindow('off', files, daemon, another);
  const person = await Agent.connect(daemon.editorSocket, 'person', folder.folder);
  await person.call('editd/dismissReviewers', { path: folder.folder });
  person.close();
  assert.equal(await changeFile(bob, folder, 'a.txt'), 'applied');
  bob.close();
  const window = await another(folder.folder);
  await window.screen.notified('1 change in 1 file was made without a review');
  await window.screen.button('Show History');
  await until(
    'the history shows the change',
    () => window.screen.rows('History'),
    (rows) => rows.some((row) => row.includes('Change a.txt')),
  );
});
