// The daemon is killed or stopped and starts again, while the window keeps its unsaved text.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import { until } from './support/until';
import type { Agent } from './support/agent';

const scene = stage({
  configuration: 'review = "off"',
  files: { 'poem.txt': 'one\ntwo\n' },
  settings: { 'files.autoSave': 'off' },
});

/** Returns the text that an agent reads once the window shares its documents again. */
async function readFromEditor(meet: (name: string) => Promise<Agent>): Promise<string> {
  const readUnsaved = async (): Promise<string | undefined> => {
    const agent = await meet('bob').catch(() => undefined);
    const read = await agent?.read('poem.txt');
    return read?.source === 'editor' ? read.text : undefined;
  };
  return (await until('an agent reads the unsaved text', readUnsaved, (text) => text !== undefined)) ?? '';
}

scene('a killed daemon is restarted and receives the unsaved text', async ({ window, daemon, meet }) => {
  await window.open('poem.txt');
  await window.type({ after: 'one' }, ' and a half');
  await daemon.kill();
  assert.equal(await readFromEditor(meet), 'one and a half\ntwo\n');
  const agent = await meet('carol');
  await agent.edit({ 'poem.txt': [['two', 'TWO']] });
  await window.shows('poem.txt', { text: 'one and a half\nTWO\n', dirty: true });
  await daemon.stop();
  await daemon.start();
});

scene(
  'a stopped daemon is not started by the window, which reconnects once it runs',
  async ({ window, daemon, meet }) => {
    await window.open('poem.txt');
    await window.type({ after: 'one' }, ' more');
    await daemon.stop();
    const item = async (): Promise<string | undefined> =>
      (await window.screen.status()).find((text) => text.includes('editd'));
    await until(
      'the status bar shows that the window is not connected',
      item,
      (text) => text?.includes('not connected') === true,
    );
    await assert.rejects(meet('bob'), 'no daemon listens');
    await daemon.start();
    assert.equal(await readFromEditor(meet), 'one more\ntwo\n');
  },
);
