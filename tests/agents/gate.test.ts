// Claude Code with its own tools, connected by `editd connect`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Helpers } from './model/model.ts';
import { claude } from './native/claude.ts';
import { work } from './native/program.ts';
import { rejectsNext } from './support/person.ts';
import { type Place, scene } from './support/place.ts';

const CART = 'def total(items):\n        amount = 0\n        return amount\n';
const { tools } = claude;

interface History {
  transactions: { origin: { agent?: string; turn?: string } }[];
}

/** Connects the program, as a user does once. */
async function connect(place: Place): Promise<void> {
  const ended = await place.editd('connect', 'claude', '--yes');
  assert.equal(ended.code, 0, ended.stderr);
}

async function log(place: Place): Promise<string> {
  return (await place.editd('log', '--patch')).stdout;
}

scene('the edits of its own tools are recorded and can be undone', { 'cart.py': CART }, async (place) => {
  await connect(place);
  await work(claude, place, async (model) => {
    const path = place.path('cart.py');
    await model.callOwn(...tools.read(path));
    const shown = await model.callOwn(...tools.edit(path, 'amount = 0', 'amount = 1'));
    assert.match(shown, /updated successfully/);
    await model.callOwn(...tools.edit(path, 'return amount', 'return -amount'));
  });
  assert.equal(place.read('cart.py'), CART.replace('= 0', '= 1').replace('return amount', 'return -amount'));
  const past = await log(place);
  assert.match(past, /claude-code/);
  assert.match(past, /\+ {8}amount = 1/);
  const undone = await place.editd('undo', '--yes', '--author', 'claude-code', '--path', 'cart.py');
  assert.equal(undone.code, 0, undone.stderr);
  assert.equal(place.read('cart.py'), CART.replace('= 0', '= 1'));
});

scene('a file that it has not read is not changed', { 'cart.py': CART }, async (place) => {
  await connect(place);
  await work(claude, place, async (model) => {
    const shown = await model.callOwn(...tools.edit(place.path('cart.py'), 'amount = 0', 'amount = 1'));
    assert.match(shown, /has not been read in this session/);
  });
  assert.equal(place.read('cart.py'), CART);
});

scene('an edit with a wrong indentation gets arguments that fit', { 'cart.py': CART }, async (place) => {
  await connect(place);
  await work(claude, place, async (model) => {
    const path = place.path('cart.py');
    await model.callOwn(...tools.read(path));
    const old = 'def total(items):\n    amount = 0';
    const shown = await model.callOwn(...tools.edit(path, old, old.replace('0', '1')));
    assert.match(shown, /String to replace not found/);
    const advice = /with these arguments:\s*(\{.*\})/.exec(model.instructions + shown)?.[1];
    assert.ok(advice, `no advice in: ${shown}`);
    const { old_string, new_string } = JSON.parse(advice) as { old_string: string; new_string: string };
    await model.callOwn(...tools.edit(path, old_string, new_string));
  });
  assert.equal(place.read('cart.py'), CART.replace('= 0', '= 1'));
});

scene('a protected file is not written', { 'cart.py': CART }, async (place) => {
  await connect(place);
  await work(claude, place, async (model) => {
    const shown = await model.callOwn(...tools.write(place.path('.env'), 'KEY=1\n'));
    assert.match(shown, /protected by the rule `secrets`/);
  });
});

const SERVER = { mcpServers: { editd: { type: 'stdio', command: 'editd', args: ['mcp'], alwaysLoad: true } } };
const TASK = { description: 'Edit', prompt: 'You are the second: edit the cart.', run_in_background: false };

scene("calls of editd's server belong to the sub-agent that makes them", { 'cart.py': CART }, async (place) => {
  place.configure('.claude.json', JSON.stringify(SERVER));
  place.configure('.claude/settings.json', '{ "permissions": { "allow": ["mcp__editd"] } }');
  await connect(place);
  const edit = { path: place.path('cart.py'), oldText: 'amount = 0', newText: 'amount = 1' };
  const helpers: Helpers = {
    'the second': async (model) => {
      assert.match(await model.call('edit', edit), /unread/);
      await model.call('read', { path: edit.path });
      assert.match(await model.call('edit', edit), /applied/);
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
  assert.equal(place.read('cart.py'), CART.replace('= 0', '= 1').replace('return amount', 'return -amount'));
  const past = JSON.parse((await place.editd('log', '--output', 'json')).stdout) as History;
  const agents = past.transactions.map(({ origin }) => origin.agent);
  assert.equal(agents.length, 3);
  assert.ok(agents[0] === undefined && agents[1] !== undefined && agents[1] === agents[2], String(agents));
  assert.equal(new Set(past.transactions.map(({ origin }) => origin.turn)).size, 1);
});

scene('a rejected edit is refused', { 'cart.py': CART }, async (place) => {
  place.configure('.config/editd/config.toml', 'review = "always"\n');
  await connect(place);
  await work(claude, place, async (model) => {
    const path = place.path('cart.py');
    await model.callOwn(...tools.read(path));
    const rejecting = rejectsNext(place);
    const shown = await model.callOwn(...tools.edit(path, 'amount = 0', 'amount = 1'));
    await rejecting;
    assert.match(shown, /The user rejected this change/);
  });
  assert.equal(place.read('cart.py'), CART);
});

scene('disconnecting restores the settings', { 'cart.py': CART }, async (place) => {
  const settings = '{\n  "permissions": { "allow": ["Bash(ls)"] },\n  "hooks": {\n    "Stop": []\n  }\n}\n';
  place.configure('.claude/settings.json', settings);
  await connect(place);
  const file = join(place.home, '.claude/settings.json');
  assert.match(readFileSync(file, 'utf8'), /"hook",\s*"claude"/);
  assert.match((await place.editd('doctor')).stdout, /Claude Code +connected in/);
  const ended = await place.editd('connect', 'claude', '--undo', '--yes');
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(readFileSync(file, 'utf8'), settings);
});
