// The plugin for opencode, where opencode differs from pi.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './model/conversation.ts';
import { opencode } from './native/opencode.ts';
import { work } from './native/program.ts';
import { scene } from './support/place.ts';
import { StandIn, addPlugin, plug, running } from './support/standin.ts';
import { until } from './support/until.ts';

const { tools } = opencode;
const task = { description: 'Change two', prompt: 'You are the helper: change two.py.', subagent_type: 'general' };

scene('a sub-agent has its own identity in the turn of the user', { 'two.py': 'a = 1\n' }, async (place) => {
  plug(place, 'opencode');
  const standIn = await StandIn.listen(place, () => undefined);
  await work(
    opencode,
    place,
    async (model) => {
      await model.callOwn(...tools.edit(place.path('two.py'), 'a = 1', 'a = 2'));
      await model.callOwn('task', task);
    },
    {
      'the helper': async (model) => {
        await model.callOwn(...tools.edit(place.path('two.py'), 'a = 2', 'a = 3'));
      },
    },
  );
  standIn.close();
  assert.equal(place.read('two.py'), 'a = 3\n');
  const [own, helper] = standIn.of('tool.execute.before');
  const { agent, ...shared } = helper?.context ?? {};
  assert.deepEqual(shared, own?.context);
  assert.equal(agent, helper?.input?.sessionID);
  assert.notEqual(agent, own?.context.session);
});

/** Stops the sub-agent as soon as a file is there. */
const stop = (file: string): string => `
import { existsSync } from 'node:fs';
export const Stop = async ({ client }) => ({
  event: async ({ event: { type, properties } }) => {
    if (type === 'session.created' && properties.info.parentID) {
      const timer = setInterval(() => {
        if (existsSync('${file}')) {
          clearInterval(timer);
          client.session.abort({ path: { id: properties.info.id } });
        }
      }, 25);
    }
  },
});
`;

scene('nothing waits for a sub-agent that is stopped', { 'two.py': 'a = 1\n' }, async (place) => {
  const file = join(place.folder, 'stop');
  plug(place, 'opencode');
  addPlugin(place, 'opencode', 'stop.js', stop(file));
  const standIn = await StandIn.listen(place, () => {
    writeFileSync(file, '');
    return new Promise(() => undefined);
  });
  let left: number[] | undefined;
  const helper = async (model: Stage): Promise<void> => {
    await model.callOwn(...tools.edit(place.path('two.py'), 'a = 1', 'a = 2'));
  };
  const working = work(
    opencode,
    place,
    async (model) => {
      assert.match(await model.callOwn('task', task), /cancelled/);
      left = await until(
        'the call is stopped',
        () => running(place),
        (pids) => pids.length === 0,
      );
    },
    { 'the helper': helper },
  );
  await assert.rejects(working, /The script was not completed/);
  standIn.close();
  assert.deepEqual(left, []);
  assert.equal(standIn.questions.length, 1);
  assert.equal(place.read('two.py'), 'a = 1\n');
});
