// A whole agent that cannot write to the project: Claude Code under `editd run --enforce`, connected by hooks.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claude } from './native/claude.ts';
import { type NativeProgram, work } from './native/program.ts';
import { scene } from './support/place.ts';

const CART = 'def total(items):\n        amount = 0\n        return amount\n';
const { tools } = claude;

const enforced: NativeProgram = {
  ...claude,
  configure: (place, modelUrl) => {
    const configured = claude.configure(place, modelUrl);
    // Nothing can be created directly in the home folder, because editd's own folders are below it.
    const temporary = join(place.home, 'tmp');
    mkdirSync(temporary);
    return {
      command: ['editd', 'run', '--enforce', '--', ...configured.command],
      env: { ...configured.env, CLAUDE_CODE_TMPDIR: temporary },
    };
  },
};

scene('editd makes the edits of an agent that cannot write', { 'cart.py': CART }, async (place) => {
  const connected = await place.editd('connect', 'claude', '--yes');
  assert.equal(connected.code, 0, connected.stderr);
  await work(enforced, place, async (model) => {
    const path = place.path('cart.py');
    const failed = await model.callOwn(...tools.shell(`sed -i s/amount/sum/ ${path}`));
    assert.match(failed, /couldn't open temporary file|Permission denied/);
    assert.match(failed, /Change files with your edit tools; editd then writes them/);
    assert.equal(place.read('cart.py'), CART);
    await model.callOwn(...tools.read(path));
    const made = await model.callOwn(...tools.edit(path, 'amount = 0', 'amount = 1'));
    assert.match(made, /editd has made the change itself/);
    assert.equal(place.read('cart.py'), CART.replace('= 0', '= 1'));
    assert.match(await model.callOwn(...tools.write(place.path('new.py'), 'x = 1\n')), /editd has made the change/);
    assert.equal(place.read('new.py'), 'x = 1\n');
  });
  const { stdout } = await place.editd('log', '--output', 'json');
  const { transactions } = JSON.parse(stdout) as { transactions: { author: string }[] };
  assert.deepEqual(
    transactions.map(({ author }) => author),
    ['claude-code', 'claude-code'],
  );
});
