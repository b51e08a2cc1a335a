// Programs that use the Python SDK of the protocol. The scenarios are in python/client.py.
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
    scene('gets results that the SDK accepts, and retries a stale edit', files, async (place) => {
      await play(place, era, 'schemas', 'stale');
    });

    scene('asks its user about a change that only a person can allow', files, async (place) => {
      await play(place, era, 'asks');
    });

    scene('receives progress while a person decides, and can cancel', files, async (place) => {
      place.configure('.config/editd/config.toml', 'review = "always"\n');
      await play(place, era, 'progress', 'cancel');
    });
  });
}

// A client without a session cannot send roots.
scene('the Python SDK sends its roots', files, async (place) => {
  await play(place, 'legacy', 'roots');
});
