// A program with settings of its user is connected and disconnected.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../support/place.ts';
import { CART, EDIT, EDITED } from './cart.ts';
import { OTHERS, TRACE } from './others.ts';
import type { Gated } from './programs.ts';
import type { Scene } from './scene.ts';
import type { Setting } from './setting.ts';

const connected: Setting = {
  name: 'with settings of the user',
  config: '',
  trustsAll: true,
  arrange: async (place, program) => {
    for (const [name, text] of Object.entries(OTHERS[program.client])) {
      place.configure(name, text);
    }
    const before = home(place);
    await reports(place, program, 'not connected');
    await succeeds(place, 'connect', program.client, '--yes');
    await reports(place, program, 'connected in');
    await succeeds(place, 'connect', program.client, '--undo', '--yes');
    await reports(place, program, 'not connected');
    assert.deepEqual(home(place), before);
  },
};

export const connects: Scene = {
  name: 'The program is connected and disconnected',
  setting: connected,
  files: { 'cart.py': CART },
  usually: 'restored',
  play: async (desk, model) => {
    await model.reads('cart.py');
    await desk.ends(await model.edits(...EDIT), EDITED);
    assert.ok(existsSync(join(desk.place.home, TRACE)), 'hooks of others still run');
  },
};

async function succeeds(place: Place, ...args: string[]): Promise<void> {
  const ended = await place.editd(...args);
  assert.equal(ended.code, 0, ended.stderr);
}

async function reports(place: Place, { title }: Gated, state: string): Promise<void> {
  assert.match((await place.editd('doctor')).stdout, new RegExp(`${title} +${state}`));
}

/** Files of editd, and temporary files that `gemini --version` leaves, which `editd doctor` runs. */
const IGNORED = /\/(state|\.config)\/editd\/|\/\.gemini\/projects\.json\.[^/]*\.tmp$/;

/** Returns the files in the home folder with their bytes. */
function home(place: Place): Record<string, string> {
  const files = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map((each) => join(each.parentPath, each.name));
  const others = paths.filter((path) => !IGNORED.test(path));
  return Object.fromEntries(others.map((path) => [path, readFileSync(path, 'latin1')]));
}
