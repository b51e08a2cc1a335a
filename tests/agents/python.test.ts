// Programs made with the Python SDK of the protocol. What they do is in python/client.py.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe } from 'node:test';
import { NOTEBOOK, RED } from './support/files.ts';
import { type Place, scene } from './support/place.ts';
import { run } from './support/processes.ts';
import { installed } from './support/tools.ts';

const python = installed('python');
const client = join(import.meta.dirname, 'python/client.py');
const files = { 'poem.txt': 'one\ntwo\n', 'tale.txt': 'one\ntwo\n', 'red.png': RED, 'notes.ipynb': NOTEBOOK };

async function play(place: Place, era: string, ...scenarios: string[]): Promise<void> {
  const ended = await run([python, client, era, ...scenarios], { env: place.env, cwd: place.work });
  assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
  assert.equal(ended.stdout, scenarios.map((each) => `${each}\n`).join(''));
}

for (const era of ['legacy', 'auto']) {
  void describe(`the Python SDK, ${era}`, () => {
    scene('gets results that the SDK takes, and edits again what was stale', files, async (place) => {
      await play(place, era, 'schemas', 'stale');
    });

    scene('hears that a person is waited for, and can stop waiting', files, async (place) => {
      place.configure('.config/editd/config.toml', 'review = "always"\n');
      await play(place, era, 'progress', 'cancel');
    });
  });
}

// Without a session a client cannot name folders.
scene('the Python SDK names the folders', files, async (place) => {
  await play(place, 'legacy', 'roots');
});
