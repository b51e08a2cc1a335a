// Claude Code with its own tools and the server of editd, whose tool its hooks call.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Helpers } from './model/model.ts';
import { claude } from './native/claude.ts';
import { work } from './native/program.ts';
import { decidesNext } from './support/person.ts';
import { type Place, scene } from './support/place.ts';

const CART = 'def total(items):\n        amount = 0\n        return amount\n';
const { tools } = claude;
const TASK = { description: 'Edit', prompt: 'You are the second: edit the cart.', run_in_background: false };

interface History {
  transactions: { author: string; origin: { agent?: string; turn?: string; toolCall?: string } }[];
}

/** Connects the program, and adds the server with the arguments that the user is told. */
async function connect(place: Place): Promise<void> {
  place.configure('.claude/settings.json', '{ "permissions": { "allow": ["mcp__editd"] } }');
  const ended = await place.editd('connect', 'claude', '--mcp', '--yes');
  assert.equal(ended.code, 0, ended.stderr);
  const server = /add-json --scope user editd '(\{.*\})'/.exec(ended.stdout.replace(/\s+/g, ' '))?.[1];
  assert.ok(server, `no server in: ${ended.stdout}`);
  place.configure('.claude.json', `{ "mcpServers": { "editd": ${server} } }`);
  assert.match((await place.editd('doctor')).stdout, /Claude Code +connected in/);
  const settings = readFileSync(join(place.home, '.claude/settings.json'), 'utf8');
  assert.doesNotMatch(settings, /"command"/, 'no hook starts a program');
}

async function past(place: Place): Promise<History['transactions']> {
  return (JSON.parse((await place.editd('log', '--output', 'json')).stdout) as History).transactions;
}

scene('edits are checked and recorded through the server', { 'cart.py': CART }, async (place) => {
  await connect(place);
  await work(claude, place, async (model) => {
    const path = place.path('cart.py');
    const unread = await model.callOwn(...tools.edit(path, 'amount = 0', 'amount = 1'));
    assert.match(unread, /has not been read in this session/);
    await model.callOwn(...tools.read(path));
    assert.match(await model.callOwn(...tools.edit(path, 'amount = 0', 'amount = 1')), /updated successfully/);
    const old = 'def total(items):\n    amount = 1';
    const absent = await model.callOwn(...tools.edit(path, old, old.replace('1', '2')));
    const advice = /with these arguments:\s*(\{.*\})/.exec(model.instructions + absent)?.[1];
    assert.ok(advice, `no advice in: ${absent}`);
    const { old_string, new_string } = JSON.parse(advice) as { old_string: string; new_string: string };
    await model.callOwn(...tools.edit(path, old_string, new_string));
    assert.match(await model.callOwn(...tools.write(place.path('.env'), 'KEY=1\n')), /protected by the rule `secrets`/);
  });
  assert.equal(place.read('cart.py'), CART.replace('= 0', '= 2'));
  const edits = await past(place);
  assert.deepEqual(
    edits.map(({ author }) => author),
    ['claude-code', 'claude-code'],
  );
  assert.ok(edits.every(({ origin }) => origin.turn !== undefined && origin.toolCall !== undefined));
});

scene('calls of the server belong to the sub-agent that makes them', { 'cart.py': CART }, async (place) => {
  await connect(place);
  // The model calls the tools without a search for them.
  const server = { type: 'stdio', command: 'editd', args: ['mcp'], alwaysLoad: true };
  place.configure('.claude.json', JSON.stringify({ mcpServers: { editd: server } }));
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
      assert.match(await model.callOwn(...tools.edit(edit.path, 'amount = 1', 'amount = 2')), /has changed since/);
    },
    helpers,
  );
  assert.equal(place.read('cart.py'), CART.replace('= 0', '= 1').replace('return amount', 'return -amount'));
  const agents = (await past(place)).map(({ origin }) => origin.agent);
  assert.equal(agents.length, 2);
  assert.ok(agents[0] !== undefined && agents[0] === agents[1], String(agents));
});

scene('an edit waits for a person', { 'cart.py': CART }, async (place) => {
  place.configure('.config/editd/config.toml', 'review = "always"\n');
  await connect(place);
  await work(claude, place, async (model) => {
    const path = place.path('cart.py');
    await model.callOwn(...tools.read(path));
    const rejecting = decidesNext(place, { reject: 'all' });
    const shown = await model.callOwn(...tools.edit(path, 'amount = 0', 'amount = 1'));
    await rejecting;
    assert.match(shown, /The user rejected this change/);
  });
  assert.equal(place.read('cart.py'), CART);
});
