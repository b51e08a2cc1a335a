// Plays scenes with a program: those with the same setting in one run of it.
import assert from 'node:assert/strict';
import { BYPASS } from '../native/codex.ts';
import { type NativeProgram, work } from '../native/program.ts';
import type { Script } from '../model/conversation.ts';
import { type Files, type Place, scene as inPlace } from '../support/place.ts';
import { run } from '../support/processes.ts';
import { installed } from '../support/tools.ts';
import { Desk } from './desk.ts';
import { Hands } from './hands.ts';
import { type Gated, type Key, PROGRAMS } from './programs.ts';
import { type Outcome, type Scene, outcome } from './scene.ts';
import { SCENES } from './scenes.ts';

/** Milliseconds for the start of a program, on a machine with other work. */
const START = 60_000;
/** Milliseconds for a scene. */
const SCENE = 20_000;

export function play(key: Key, all: readonly Scene[] = SCENES): void {
  const program = PROGRAMS[key];
  const possible = all.filter((each) => typeof outcome(each, key) === 'string');
  for (const setting of new Set(possible.map((each) => each.setting))) {
    const scenes = possible.filter((each) => each.setting === setting);
    const name = `${program.title}${program.kind === undefined ? '' : ` ${program.kind}`}, ${setting.name}`;
    inPlace(name, files(scenes), async (place, context) => {
      place.install(program.client, installed(program.client));
      await run(['git', 'init', '--quiet'], { env: place.env, cwd: place.work });
      place.configure('.config/editd/config.toml', setting.config);
      await setting.arrange?.(place, program);
      await connect(program, place);
      setting.prepare?.(place);
      const desks = new Map(scenes.map((each) => [each, desk(each, program, place)]));
      const script: Script = async (stage) => {
        for (const [each, desk] of desks) {
          await context.test(each.name, () => each.play(desk, new Hands(stage, program.native.tools, desk)));
        }
      };
      const native = setting.trustsAll === true ? program.native : trusting(program.native);
      const within = START + scenes.length * SCENE;
      const ended = await work(native, place, script, helpers(program, desks), within);
      for (const [each, desk] of desks) {
        each.written?.(ended.stdout + ended.stderr, desk);
      }
    });
  }
}

async function connect({ client }: Gated, place: Place): Promise<void> {
  const ended = await place.editd('connect', client, '--yes');
  assert.equal(ended.code, 0, ended.stderr);
}

/** The program if it runs only hooks that are trusted. */
function trusting(native: NativeProgram): NativeProgram {
  const configure: NativeProgram['configure'] = (...args) => {
    const { command, env } = native.configure(...args);
    return { command: command.filter((argument) => argument !== BYPASS), env };
  };
  return { ...native, configure };
}

/** The folder of a scene in the project. */
function folder(scene: Scene): string {
  return scene.name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

function files(scenes: readonly Scene[]): Files {
  return Object.fromEntries(
    scenes.flatMap((each) => Object.entries(each.files).map(([name, text]) => [`${folder(each)}/${name}`, text])),
  );
}

function desk(scene: Scene, program: Gated, place: Place): Desk {
  return new Desk(place, program, outcome(scene, program.key) as Outcome, folder(scene));
}

function helpers({ native, subAgents }: Gated, desks: ReadonlyMap<Scene, Desk>): Record<string, Script> {
  const scripts: Record<string, Script> = {};
  for (const [scene, desk] of desks) {
    for (const [word, act] of Object.entries(scene.helpers ?? {})) {
      scripts[word] = async (stage) => {
        await act(desk, new Hands(stage, native.tools, desk));
        subAgents?.ends?.(stage);
      };
    }
  }
  return scripts;
}
