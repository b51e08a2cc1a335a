// The plugins that `editd connect` writes for opencode and pi, with a program in the place of editd.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { opencode, opencodeWithPatches } from './native/opencode.ts';
import { pi } from './native/pi.ts';
import { type NativeProgram, work } from './native/program.ts';
import type { Script } from './model/conversation.ts';
import { type Place, scene } from './support/place.ts';
import { marked } from './support/processes.ts';
import {
  type Answering,
  type Plugged,
  type Question,
  StandIn,
  addPlugin,
  plug,
  running,
  messages,
  substitute,
} from './support/standin.ts';
import { until } from './support/until.ts';

const CART = 'def total(items):\n    return sum(items)\n';
const [OLD, NEW] = ['    return sum(items)', '    return max(items)'];
const CHANGED = CART.replace(OLD, NEW);

/** A program with the names of its hooks. */
interface Client {
  readonly name: Plugged;
  readonly program: NativeProgram;
  readonly before: string;
  readonly after: string;
}

const hooks = {
  opencode: { before: 'tool.execute.before', after: 'tool.execute.after' },
  pi: { before: 'tool_call', after: 'tool_result' },
};

const clients: Client[] = [
  { name: 'opencode', program: opencode, ...hooks.opencode },
  { name: 'opencode', program: opencodeWithPatches, ...hooks.opencode },
  { name: 'pi', program: pi, ...hooks.pi },
];

/** Runs a script with the plugin. Returns what the plugin has asked. */
async function play(client: Client, place: Place, answering: Answering, script: Script): Promise<StandIn> {
  plug(place, client.name);
  const standIn = await StandIn.listen(place, answering);
  try {
    await work(client.program, place, script);
  } finally {
    standIn.close();
  }
  return standIn;
}

/** The arguments of the call that a question is about. */
function argumentsOf({ output, event }: Question): unknown {
  return output?.args ?? event?.['input'];
}

function idOf({ input, event }: Question): unknown {
  return input?.callID ?? event?.['toolCallId'];
}

const NEVER = new Promise<undefined>(() => undefined);

/** Plugins that stop the session when a file of this test is there. */
const STOPPING: Record<Plugged, (folder: string) => string> = {
  opencode: (folder) => `
import { existsSync } from 'node:fs';
export const Stop = async ({ client }) => ({
  'chat.message': async ({ sessionID }) => {
    const timer = setInterval(() => {
      if (existsSync('${folder}/stop')) {
        clearInterval(timer);
        client.session.abort({ path: { id: sessionID } });
      }
    }, 25);
  },
});
`,
  pi: (folder) => `
import { existsSync } from 'node:fs';
export default (pi) => {
  pi.on('agent_start', (event, ctx) => {
    const timer = setInterval(() => {
      if (existsSync('${folder}/stop')) {
        clearInterval(timer);
        ctx.abort();
      }
    }, 25);
  });
};
`,
};

for (const client of clients) {
  const { program, before, after } = client;
  const { tools } = program;
  const named = (text: string): string => `${program.name}: ${text}`;
  const at =
    (hook: string, answer: object): Answering =>
    (question) =>
      question.hook === hook ? answer : undefined;

  scene(named('editd is asked about changes, commands and reads'), { 'cart.py': CART }, async (place) => {
    const [read, edit] = [tools.read(place.path('cart.py')), tools.edit(place.path('cart.py'), OLD, NEW)];
    const standIn = await play(
      client,
      place,
      () => undefined,
      async (model) => {
        await model.callOwn(...read);
        await model.callOwn(...edit);
        await model.callOwn(...tools.shell('true'));
      },
    );
    assert.equal(place.read('cart.py'), CHANGED);
    const asked = standIn.questions.filter(({ hook }) => hook !== 'unsaved');
    assert.deepEqual(
      asked.map(({ hook }) => hook),
      [after, before, after, before, after],
    );
    assert.deepEqual([...standIn.commands], [`hook ${client.name}`]);
    const [, changing, changed] = asked;
    assert.ok(changing !== undefined && changed !== undefined);
    assert.deepEqual(argumentsOf(changing), edit[1]);
    assert.equal(idOf(changing), idOf(changed));
    const { session, turn, agent, model, cwd } = changing.context;
    assert.match(session, /^(ses_|[0-9a-f]{8}-)/);
    assert.match(turn ?? '', /^(msg_|[0-9a-f]{8}-)/);
    assert.deepEqual([agent, cwd], [undefined, place.work]);
    assert.match(model ?? '', /^(claude-sonnet-5|gpt-5.5)$/);
    assert.deepEqual(
      standIn.questions.map(({ context }) => context),
      standIn.questions.map(() => changing.context),
    );
  });

  scene(named('a refused change is not made'), { 'cart.py': CART }, async (place) => {
    const answer = at(before, { refuse: 'Read it first.\n\n  - "cart.py"' });
    const standIn = await play(client, place, answer, async (model) => {
      const shown = await model.callOwn(...tools.edit(place.path('cart.py'), OLD, NEW));
      assert.equal(shown, 'Read it first.\n\n  - "cart.py"');
    });
    assert.equal(place.read('cart.py'), CART);
    assert.deepEqual(standIn.of(after), []);
  });

  scene(named('a change that editd has made is reported'), { 'cart.py': CART }, async (place) => {
    const standIn = await play(client, place, at(before, { done: 'editd has made it.' }), async (model) => {
      assert.equal(await model.callOwn(...tools.edit(place.path('cart.py'), OLD, NEW)), 'editd has made it.');
      assert.equal(await model.callOwn(...tools.write(place.path('new.py'), CART)), 'editd has made it.');
    });
    assert.equal(place.read('cart.py'), CART);
    assert.throws(() => place.read('new.py'));
    assert.deepEqual(standIn.of(after), []);
  });

  scene(named('other arguments and notes'), { 'cart.py': CART }, async (place) => {
    const [, input] = tools.edit(place.path('cart.py'), OLD, NEW);
    const answer: Answering = ({ hook }) =>
      hook === before ? { input, note: 'Fitted.' } : hook === after ? { note: 'Formatted.' } : undefined;
    const standIn = await play(client, place, answer, async (model) => {
      const [tool, sent] = tools.edit(place.path('cart.py'), 'return sum(items)', 'return max(items)');
      const extra = tool === 'edit' && client.name === 'opencode' ? { replaceAll: true } : {};
      const shown = await model.callOwn(tool, { ...sent, ...extra });
      assert.match(shown, /(applied|replaced|Success)[\s\S]*Fitted\.\s+Formatted\.$/);
      assert.match(await model.callOwn(...tools.read(place.path('cart.py'))), /max[\s\S]*Formatted\.$/);
    });
    assert.equal(place.read('cart.py'), CHANGED);
    const [changed] = standIn.of(after);
    assert.deepEqual(changed?.input?.args ?? changed?.event?.['input'], input);
  });

  scene(named('two calls in one turn keep their answers'), { 'cart.py': CART, 'two.py': CART }, async (place) => {
    const answer: Answering = (question) =>
      question.hook === before ? { note: `Note of ${JSON.stringify(argumentsOf(question))}` } : undefined;
    const standIn = await play(client, place, answer, async (model) => {
      const shown = await model.callsOwn(['cart.py', 'two.py'].map((name) => tools.edit(place.path(name), OLD, NEW)));
      assert.match(shown[0] ?? '', /Note of .*cart\.py/);
      assert.match(shown[1] ?? '', /Note of .*two\.py/);
    });
    assert.equal(standIn.of(after).length, 2);
    assert.deepEqual([place.read('cart.py'), place.read('two.py')], [CHANGED, CHANGED]);
  });

  if (program === opencodeWithPatches) {
    continue; // The rest does not depend on the tools.
  }

  const withoutEditd = {
    missing: undefined,
    'that fails': '#!/bin/sh\nexit 3\n',
    'of garbage': '#!/bin/sh\necho what\n',
  };
  for (const [kind, text] of Object.entries(withoutEditd)) {
    scene(named(`a program ${kind} changes nothing, and is reported once`), { 'cart.py': CART }, async (place) => {
      plug(place, client.name);
      substitute(place, text);
      const heard = await messages(client.name, place, () =>
        work(program, place, async (model) => {
          await model.callOwn(...tools.read(place.path('cart.py')));
          await model.callOwn(...tools.edit(place.path('cart.py'), OLD, NEW));
          await model.callOwn(...tools.write(place.path('new.py'), CART));
        }),
      );
      assert.deepEqual([place.read('cart.py'), place.read('new.py')], [CHANGED, CART]);
      assert.equal(heard.split('does not check changes now').length, 2, heard);
    });
  }

  scene(named('a warning is shown to the user'), { 'cart.py': CART }, async (place) => {
    const heard = await messages(client.name, place, async () => {
      plug(place, client.name);
      const standIn = await StandIn.listen(place, at(before, { warn: 'The daemon is away.' }));
      const ended = await work(program, place, async (model) => {
        await model.callOwn(...tools.edit(place.path('cart.py'), OLD, NEW));
      });
      standIn.close();
      return ended;
    });
    assert.match(heard, /The daemon is away\./);
    assert.equal(place.read('cart.py'), CHANGED);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    scene(named(`no process is left after ${signal}`), { 'cart.py': CART }, async (place) => {
      plug(place, client.name);
      // Only a program that ends in order can end what it has started.
      const watches = client.name === 'opencode' || signal !== 'SIGTERM';
      const standIn = await StandIn.listen(place, () => NEVER, watches);
      const working = work(program, place, async (model) => {
        await model.callOwn(...tools.edit(place.path('cart.py'), OLD, NEW));
      });
      const ended = assert.rejects(working);
      await until('a question', () => standIn.questions.length > 0);
      for (const { pid } of marked(place.folder).filter(({ line }) => !line.includes('hook'))) {
        process.kill(pid, signal);
      }
      await ended;
      await until('no process is left', () => marked(place.folder).length === 0);
      standIn.close();
      assert.equal(place.read('cart.py'), CART);
    });
  }

  scene(named('a call that the user stops is not made'), { 'cart.py': CART }, async (place) => {
    plug(place, client.name);
    addPlugin(place, client.name, 'stop.js', STOPPING[client.name](place.folder));
    const standIn = await StandIn.listen(place, (question) => {
      if (question.hook === before) {
        writeFileSync(join(place.folder, 'stop'), '');
      }
      return question.hook === before ? NEVER : undefined;
    });
    const working = work(program, place, async (model) => {
      await model.callOwn(...tools.edit(place.path('cart.py'), OLD, NEW));
    });
    const ended = assert.rejects(working, /The script was not completed/);
    await until('the call is stopped', () => standIn.questions.length > 0 && running(place).length === 0);
    await ended;
    standIn.close();
    assert.equal(place.read('cart.py'), CART);
  });
}
