// The plugin for pi, where pi differs from opencode.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from './model/conversation.ts';
import type { Helpers } from './model/model.ts';
import { pi } from './native/pi.ts';
import { work } from './native/program.ts';
import { type Place, scene } from './support/place.ts';
import { type Answering, type Question, StandIn, addPlugin, plug } from './support/standin.ts';

const { tools } = pi;
const SAVED = 'a = 1\n';
const TYPED = 'a = 1\nb = 1\n';

/** Runs pi with further arguments before its own. */
async function play(
  place: Place,
  args: string[],
  answering: Answering,
  script: Script,
  more: Helpers = {},
): Promise<Question[]> {
  plug(place, 'pi');
  const standIn = await StandIn.listen(place, answering);
  const configure: typeof pi.configure = (...given) => {
    const { command, env } = pi.configure(...given);
    const [program = '', ...own] = command;
    return { command: [program, ...args, ...own, ...Object.keys(more)], env };
  };
  try {
    await work({ ...pi, configure }, place, script, more);
  } finally {
    standIn.close();
  }
  return standIn.questions;
}

const typed: Answering = ({ hook, event }) =>
  hook === 'unsaved' && String(event?.['path']).endsWith('two.py') ? { text: TYPED } : undefined;

scene('unsaved text is read, and is the base of an edit', { 'two.py': SAVED, 'one.py': SAVED }, async (place) => {
  const questions = await play(place, [], typed, async (model) => {
    assert.equal(await model.callOwn(...tools.read('two.py')), TYPED);
    assert.equal(await model.callOwn(...tools.read('one.py')), SAVED);
    assert.match(await model.callOwn(...tools.edit('two.py', 'b = 1', 'b = 2')), /replaced 1 block/);
  });
  assert.equal(place.read('two.py'), 'a = 1\nb = 2\n');
  const [asked] = questions.filter(({ hook }) => hook === 'unsaved');
  assert.deepEqual(asked?.event, { path: place.path('two.py') });
  assert.deepEqual(asked.context, questions.find(({ hook }) => hook === 'tool_call')?.context);
});

scene('a file that was never saved is read', {}, async (place) => {
  await play(place, [], typed, async (model) => {
    assert.equal(await model.callOwn(...tools.read('two.py')), TYPED);
    assert.match(await model.callOwn(...tools.read('none.py')), /ENOENT/);
  });
});

scene('a change that editd has made is a success', { 'two.py': SAVED }, async (place) => {
  const file = join(place.folder, 'ends');
  addPlugin(
    place,
    'pi',
    'watch.js',
    `
import { appendFileSync } from 'node:fs';
export default (pi) => pi.on('tool_execution_end', ({ isError, result }) => {
  appendFileSync('${file}', JSON.stringify({ isError, content: result.content }) + '\\n');
});
`,
  );
  await play(
    place,
    [],
    ({ hook }) => (hook === 'tool_call' ? { done: 'Made.' } : undefined),
    async (model) => {
      await model.callOwn(...tools.edit('two.py', 'a = 1', 'a = 2'));
      await model.callOwn(...tools.write('two.py', 'a = 2\n'));
    },
  );
  const made = JSON.stringify({ isError: false, content: [{ type: 'text', text: 'Made.' }] });
  assert.equal(readFileSync(file, 'utf8'), `${made}\n${made}\n`);
});

/** An extension with a tool. */
const withTool = (name: string): string => `
export default (pi) => pi.registerTool({
  name: '${name}',
  label: '${name}',
  description: 'Edits elsewhere',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  execute: async () => ({ content: [{ type: 'text', text: 'Edited elsewhere.' }], details: undefined }),
});
`;

const restrictions: [string, string[], string | undefined, RegExp][] = [
  ['--tools read,bash', ['--tools', 'read,bash'], undefined, /^bash,read$/],
  ['--exclude-tools edit', ['--exclude-tools', 'edit'], undefined, /^bash,extra,read,write$/],
  ['--no-builtin-tools', ['--no-builtin-tools'], undefined, /^extra$/],
  ['the setting defaultTools', [], '{ "defaultTools": ["read", "bash"] }', /^bash,extra,read$/],
];
for (const [name, args, settings, enabled] of restrictions) {
  scene(`tools that ${name} disables stay disabled`, { 'two.py': SAVED }, async (place) => {
    if (settings !== undefined) {
      place.configure('.pi/agent/settings.json', settings);
    }
    addPlugin(place, 'pi', 'extra.js', withTool('extra'));
    await play(place, args, typed, (model) => {
      const names = model.tools.map((tool) => tool.name).sort();
      assert.match(names.join(), enabled);
      return Promise.resolve();
    });
  });
}

scene('the tool of another extension stays in place', { 'two.py': SAVED }, async (place) => {
  addPlugin(place, 'pi', 'other.js', withTool('edit'));
  const answers = [undefined, { done: 'Made.' }];
  await play(
    place,
    [],
    ({ hook }) => (hook === 'tool_call' ? answers.shift() : undefined),
    async (model) => {
      assert.equal(await model.callOwn('edit', { path: 'two.py' }), 'Edited elsewhere.');
      assert.equal(await model.callOwn('edit', { path: 'two.py' }), 'Made.');
    },
  );
});

scene('each message of the user is a turn', { 'two.py': SAVED }, async (place) => {
  const edits = async (from: number, model: Parameters<Script>[0]): Promise<void> => {
    await model.callOwn(...tools.edit('two.py', `a = ${from}`, `a = ${from + 1}`));
    await model.callOwn(...tools.edit('two.py', `a = ${from + 1}`, `a = ${from + 2}`));
  };
  const questions = await play(
    place,
    [],
    () => undefined,
    (model) => edits(1, model),
    {
      'Once more.': (model) => edits(3, model),
    },
  );
  const calls = questions.filter(({ hook }) => hook === 'tool_call');
  const [one, two, three, four] = calls.map(({ context }) => context.turn);
  assert.equal(one, two);
  assert.equal(three, four);
  assert.notEqual(one, three);
  assert.equal(new Set(calls.map(({ context }) => context.session)).size, 1);
});
