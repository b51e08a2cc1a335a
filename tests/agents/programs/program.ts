// An agent program that works on a task with a fake model that follows a script.
import type { Dialect } from '../model/dialect.ts';
import type { Script, Stage } from '../model/conversation.ts';
import { type Helpers, Model } from '../model/model.ts';
import type { Place } from '../support/place.ts';
import { type Ended, type Environment, run } from '../support/processes.ts';

export interface AgentProgram {
  readonly name: string;
  /** Prefix of the names of editd's tools. */
  readonly prefix: string;
  /** Asserts that its own editing tools are hidden or fail, as set up according to docs/agents.md. */
  triesItsOwnTools(model: Stage): Promise<void>;
  /** Parameters that it makes its model send with every call and passes on to servers. */
  readonly adds: Record<string, unknown>;
  dialect(): Dialect;
  /** Writes its configuration, which is that of docs/agents.md plus the model. Returns the command to start it. */
  configure(place: Place, modelUrl: string): { command: string[]; env: Environment };
}

/** Runs the program on a task, with a fake model that follows the script. */
export async function work(program: AgentProgram, place: Place, script: Script): Promise<void> {
  await workAs(program, place, script);
}

type Startable = Pick<AgentProgram, 'name' | 'prefix' | 'dialect' | 'configure'>;

/** The same, with scripts for sub-agents. Returns what the program has written. It is killed after `within` ms. */
export async function workAs(
  program: Startable,
  place: Place,
  script: Script,
  helpers: Helpers = {},
  within?: number,
): Promise<Ended> {
  const model = new Model(program.dialect(), program.prefix, script, helpers);
  try {
    const { command, env } = program.configure(place, await model.listen());
    const ended = await run(command, { env: { ...place.env, ...env }, cwd: place.work, within });
    try {
      model.check();
      if (ended.code !== 0) {
        throw new Error(`It ended with ${ended.code}`);
      }
      return ended;
    } catch (error) {
      throw new Error(`${program.name}: ${String(error)}\n${ended.stdout.slice(-3000)}\n${ended.stderr.slice(-3000)}`, {
        cause: error,
      });
    }
  } finally {
    model.close();
  }
}
