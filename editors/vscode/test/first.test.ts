// The extension is installed from its package, meets the daemon, and lets agents see what is typed.
import assert from 'node:assert/strict';
import { stage } from './support/stage';

const scene = stage({ files: { 'poem.txt': 'one\ntwo\n' } });

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

scene('an agent reads what was typed and not saved', async ({ window, agent, files }) => {
  await window.open('poem.txt');
  await window.type({ after: 'one' }, ' and a half');
  const read = await agent.read('poem.txt');
  assert.equal(read.text, 'one and a half\ntwo\n');
  assert.equal(read.source, 'editor');
  assert.equal(files.read('poem.txt'), 'one\ntwo\n');
});
