// Scenarios of the diffs that a program shows in its editor, in whose place is `editd ide`.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Script } from './model/conversation.ts';
import type { Dialect } from './model/dialect.ts';
import { type Helpers, Model } from './model/model.ts';
import type { ToolCall, Tools } from './native/program.ts';
import { Editor } from './support/editor.ts';
import { Person, decidesNext } from './support/person.ts';
import { type Place, scene } from './support/place.ts';
import type { Environment } from './support/processes.ts';
import { Terminal } from './support/terminal.ts';
import { editd } from './support/tools.ts';
import { until } from './support/until.ts';

/** A program in its manual mode, on a terminal. */
export interface Interactive {
  readonly name: string;
  /** Name in the history. */
  readonly author: string;
  readonly tools: Tools;
  dialect(): Dialect;
  /** The folder with the file by which it finds the server, in the home folder. */
  readonly found: string;
  /** Writes its configuration. Returns the command that starts it with a task. */
  configure(place: Place, modelUrl: string): { command: string[]; env: Environment };
}

/** Files that editd writes itself, with the text before and after the change of the model. */
const MADE: Record<string, { before: string; after: string }> = {
  'a byte order mark': { before: '\ufeffa = 1\nb = 2\n', after: '\ufeffa = 9\nb = 2\n' },
  'mixed line endings': { before: 'a = 1\r\nb = 2\nc = 3\n', after: 'a = 9\r\nb = 2\nc = 3\n' },
};

const FILES = { 'a.py': 'a = 1\n', 'b.py': 'b = 1\n', 'c.py': 'c = 1\n' };

/** What a model is told about a change that was refused. */
const NOT_MADE = /reject|denied|refused|cancel|not allow/i;

/** Runs a program with `editd ide`. `meanwhile` is the part of the person. */
async function play(
  program: Interactive,
  place: Place,
  script: Script,
  meanwhile: (terminal: Terminal) => Promise<void>,
  helpers: Helpers = {},
): Promise<void> {
  const model = new Model(program.dialect(), '', script, helpers);
  const { command, env } = program.configure(place, await model.listen());
  await place.editd('proposals'); // starts the daemon
  const terminal = new Terminal([editd, 'ide', '--', ...command], { ...place.env, ...env }, place.work);
  try {
    await meanwhile(terminal);
  } catch (error) {
    throw new Error(`${String(error)}\n${terminal.text.slice(-3000)}`, { cause: error });
  } finally {
    terminal.kill();
    model.close();
  }
}

/** Waits until a program is connected to the server whose file is in the folder. Until then it asks at its prompt. */
async function connected(folder: string): Promise<void> {
  const [file = ''] = readdirSync(folder);
  const port = Number(/(\d+)\.\w+$/.exec(file)?.[1])
    .toString(16)
    .toUpperCase()
    .padStart(4, '0');
  const established = (): boolean => new RegExp(`:${port} 01 `).test(readFileSync('/proc/net/tcp', 'utf8'));
  await until('a connection', established);
  await pause(1_000); // it introduces itself then
}

/** Waits until the file has this text. */
function written(place: Place, name: string, text: string): Promise<string> {
  return until(
    `${name} is written`,
    () => place.read(name),
    (now) => now === text,
  );
}

async function recorded(place: Place, author: string, name: string): Promise<void> {
  const entry = new RegExp(`${author} .*${name}`);
  await until(
    `${name} is in the log`,
    async () => (await place.editd('log')).stdout,
    (log) => entry.test(log),
  );
}

/** The scenarios with a program. */
export function diffs(program: Interactive): void {
  const { tools } = program;
  const edits = (place: Place, ...names: string[]): Script => {
    return async (model) => {
      await connected(join(place.home, program.found));
      for (const name of names) {
        await model.callOwn(...tools.read(place.path(name)));
      }
      const calls = names.map((name) => tools.edit(place.path(name), '= 1', '= 2'));
      await model.callsOwn(calls).catch(() => undefined); // a rejection ends the turn
    };
  };

  const changes = (place: Place, wanted: ToolCall, results: string[]): Script => {
    return async (model) => {
      await connected(join(place.home, program.found));
      await model.callOwn(...tools.read(place.path('a.py')));
      results.push(await model.callOwn(...wanted));
    };
  };

  describe(`${program.name} with its diffs`, () => {
    scene('an accepted diff is written and recorded', FILES, async (place) => {
      await play(program, place, edits(place, 'a.py'), async () => {
        await decidesNext(place, { accept: 'all' });
        await written(place, 'a.py', 'a = 2\n');
        await recorded(place, program.author, 'a.py');
      });
    });

    scene('a corrected diff is written as corrected', FILES, async (place) => {
      await play(program, place, edits(place, 'a.py'), async () => {
        await decidesNext(place, { replace: 'a = 3\n' });
        await written(place, 'a.py', 'a = 3\n');
        await recorded(place, program.author, 'a.py');
      });
    });

    scene('a rejected diff changes nothing', FILES, async (place) => {
      await play(program, place, edits(place, 'a.py'), async (terminal) => {
        await decidesNext(place, { reject: 'all' });
        await pause(2_000);
        assert.equal(place.read('a.py'), 'a = 1\n');
        terminal.kill();
      });
    });

    for (const [what, { before, after }] of Object.entries(MADE)) {
      for (const how of ['edit', 'write'] as const) {
        scene(`an accepted ${how} keeps ${what}`, { 'a.py': before }, async (place) => {
          const results: string[] = [];
          const plain = after.replace('\ufeff', '').replaceAll('\r\n', '\n');
          const wanted =
            how === 'edit' ? tools.edit(place.path('a.py'), 'a = 1', 'a = 9') : tools.write(place.path('a.py'), plain);
          await play(program, place, changes(place, wanted, results), async () => {
            await decidesNext(place, { accept: 'all' });
            await until('the model is told', () => results.length > 0);
            await pause(2_000); // the program has written the file
            assert.equal(place.read('a.py'), after);
            assert.doesNotMatch(results.join('\n'), NOT_MADE);
          });
        });
      }
    }

    scene('an accepted diff keeps unsaved text', { 'a.py': 'a = 1\nb = 2\n' }, async (place) => {
      const results: string[] = [];
      const editor = await Editor.start(place);
      await editor.open(place.path('a.py'));
      await editor.type(place.path('a.py'), '# unsaved\n');
      const wanted = tools.edit(place.path('a.py'), 'b = 2', 'b = 9');
      await play(program, place, changes(place, wanted, results), async () => {
        await decidesNext(place, { accept: 'all' });
        await until('the model is told', () => results.length > 0);
        await pause(2_000);
        assert.equal(editor.text(place.path('a.py')), '# unsaved\na = 1\nb = 9\n');
        // The program writes the text that it is told.
        assert.equal(place.read('a.py'), '# unsaved\na = 1\nb = 9\n');
        assert.doesNotMatch(results.join('\n'), NOT_MADE);
      });
      editor.close();
    });

    scene('three diffs of one step are decided one by one', FILES, async (place) => {
      await play(program, place, edits(place, 'a.py', 'b.py', 'c.py'), async () => {
        for (let count = 0; count < 3; count += 1) {
          await decidesNext(place, { accept: 'all' });
        }
        for (const name of ['a', 'b', 'c']) {
          await written(place, `${name}.py`, `${name} = 2\n`);
        }
      });
    });

    scene(
      'the model knows what the person has selected in the editor',
      { 'd.py': 'd = 1\nunread = 2\n' },
      async (place) => {
        let ready = false;
        let instructions = '';
        const script: Script = async () => {
          await connected(join(place.home, program.found));
          ready = true;
        };
        const editor = await Editor.start(place);
        await editor.open(place.path('d.py'));
        await editor.select(place.path('d.py'), 2);
        await play(
          program,
          place,
          script,
          async (terminal) => {
            await until('the end of the first answer', () => ready);
            await pause(1_000);
            terminal.type('umbrella');
            await pause(1_000); // what arrives at once is taken for pasted text
            terminal.type('\r');
            await until('the second question', () => instructions);
            assert.match(instructions, /unread = 2/);
            assert.match(instructions, /d\.py/);
          },
          {
            umbrella: (stage) => {
              instructions = stage.instructions;
              return Promise.resolve();
            },
          },
        );
        editor.close();
      },
    );

    scene('the change of a killed program can still be accepted', FILES, async (place) => {
      await play(program, place, edits(place, 'a.py'), async (terminal) => {
        const person = await Person.at(place);
        const id = await person.waits();
        terminal.kill();
        await pause(1_000);
        await person.decides(id, { accept: 'all' });
        person.leaves();
        assert.equal(place.read('a.py'), 'a = 2\n');
      });
    });
  });
}
