// Programs made with the Python SDK of the protocol. What they do is in python/client.py.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe } from 'node:test';
import { scene } from './support/place.ts';
import { run } from './support/processes.ts';
import { installed } from './support/tools.ts';

const python = installed('python');
const client = join(import.meta.dirname, 'python/client.py');

/** Without a session a client cannot name folders. */
const SCENARIOS = {
  legacy: ['schemas', 'stale', 'progress', 'cancel', 'roots'],
  auto: ['schemas', 'stale', 'progress', 'cancel'],
};

for (const [era, scenarios] of Object.entries(SCENARIOS)) {
  void describe(`the Python SDK, ${era}`, () => {
    for (const scenario of scenarios) {
      scene(scenario, { 'poem.txt': 'one\ntwo\n' }, async (place) => {
        if (scenario === 'progress' || scenario === 'cancel') {
          place.configure('.config/editd/config.toml', 'review = "always"\n');
        }
        const ended = await run([python, client, scenario, era], { env: place.env, cwd: place.work });
        assert.equal(ended.code, 0, ended.stderr);
      });
    }
  });
}
