// Claude Code with its own tools, connected by `editd connect`, and with the server of editd.
import assert from 'node:assert/strict';
import { CART, EDITED } from './gate/cart.ts';
import type { Entry } from './gate/desk.ts';
import type { Helpers } from './model/model.ts';
import { claude } from './native/claude.ts';
import { work } from './native/program.ts';
import { scene } from './support/place.ts';

const { tools } = claude;

const SERVER = { mcpServers: { editd: { type: 'stdio', command: 'editd', args: ['mcp'], alwaysLoad: true } } };
const TASK = { description: 'Edit', prompt: 'You are the second: edit the cart.', run_in_background: false };

scene('calls of the server belong to the sub-agent that makes them', { 'cart.py': CART }, async (place) => {
  place.configure('.claude.json', JSON.stringify(SERVER));
  place.configure('.claude/settings.json', '{ "permissions": { "allow": ["mcp__editd"] } }');
  const connected = await place.editd('connect', 'claude', '--yes');
  assert.equal(connected.code, 0, connected.stderr);
  const edit = { path: place.path('cart.py'), oldText: 'amount = 0', newText: 'amount = 1' };
  const helpers: Helpers = {
    'the second': async (model) => {
      assert.match(await model.call('edit', edit), /unread/);
      await model.call('read', { path: edit.path });
      assert.match(await model.call('edit', edit), /Changed|applied/);
      await model.callOwn(...tools.edit(edit.path, 'return amount', 'return -amount'));
    },
  };
  await work(
    claude,
    place,
    async (model) => {
      await model.callOwn(...tools.read(edit.path));
      await model.callOwn('Agent', { ...TASK, subagent_type: 'general-purpose' });
      assert.match(await model.call('edit', { ...edit, oldText: 'amount = 1', newText: 'amount = 2' }), /stale/);
      await model.call('write', { path: place.path('new.py'), content: 'pass\n' });
    },
    helpers,
  );
  assert.equal(place.read('cart.py'), EDITED.after.replace('return amount', 'return -amount'));
  const past = JSON.parse((await place.editd('log', '--output', 'json')).stdout) as { transactions: Entry[] };
  const agents = past.transactions.map(({ origin }) => origin?.agent);
  assert.equal(agents.length, 3);
  assert.ok(agents[0] === undefined && agents[1] !== undefined && agents[1] === agents[2], String(agents));
  assert.equal(new Set(past.transactions.map(({ origin }) => origin?.turn)).size, 1);
});
