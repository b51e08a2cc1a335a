// The extension is installed from its package, connects to the daemon, and shares unsaved text with agents.
import assert from 'node:assert/strict';
import { stage } from './support/stage';

const scene = stage({ configuration: 'review = "off"', files: { 'poem.txt': 'one\ntwo\n' } });

scene('the extension is active and connected', async ({ window, agent, files }) => {
  const version = await window.evaluate(
    ({ vscode }) =>
      (vscode.extensions.getExtension('editd.editd')?.packageJSON as { version?: string } | undefined)?.version,
  );
  assert.match(version ?? '', /^\d+\.\d+\.\d+$/);
  await window.open('poem.txt');
  await agent.read('poem.txt');
  const { documents } = await agent.call<{ documents: number }>('editd/status');
  assert.equal(documents, 1);
  assert.equal(files.read('poem.txt'), 'one\ntwo\n');
});

scene('an agent reads unsaved text', async ({ window, agent, files }) => {
  await window.open('poem.txt');
  await window.type({ after: 'one' }, ' and a half');
  const read = await agent.read('poem.txt');
  assert.equal(read.text, 'one and a half\ntwo\n');
  assert.equal(read.source, 'editor');
  assert.equal(files.read('poem.txt'), 'one\ntwo\n');
});

scene('a file saved in one window is updated in the other', async ({ window, agent, another }) => {
  const other = await another();
  await window.open('poem.txt');
  await other.open('poem.txt');
  await window.type({ after: 'one' }, ' and a half');
  await agent.edit({ 'poem.txt': [['two', 'TWO']] });
  await window.shows('poem.txt', { text: 'one and a half\nTWO\n', dirty: true });
  await other.shows('poem.txt', { text: 'one\ntwo\n', dirty: false });
  await window.press('Control+S');
  await other.shows('poem.txt', { text: 'one and a half\nTWO\n', dirty: false });
});

scene('a reloaded window reconnects', async ({ window, agent, connected, files }) => {
  files.write('poem.txt', 'three\n');
  await window.reload();
  await connected();
  await window.open('poem.txt');
  await window.type({ after: 'three' }, ' and a half');
  assert.equal((await agent.read('poem.txt')).text, 'three and a half\n');
});
