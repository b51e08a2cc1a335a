// An agent program that works on a task with a model which plays a part.
import type { Dialect } from '../model/dialect.ts';
import { Model, type Part, type Stage } from '../model/model.ts';
import type { Place } from '../support/place.ts';
import { type Environment, run } from '../support/processes.ts';

export interface AgentProgram {
  readonly name: string;
  /** What stands before the names of editd's tools. */
  readonly prefix: string;
  /** Its own tools for changing files are gone, or fail: docs/agents.md says how to come to that. */
  triesItsOwnTools(model: Stage): Promise<void>;
  /** Parameters that it lets its model send with every call, and passes on to servers. */
  readonly adds: Record<string, unknown>;
  dialect(): Dialect;
  /** Writes its configuration, which is that of docs/agents.md with the model besides; gives the command to start. */
  configure(place: Place, modelUrl: string): { command: string[]; env: Environment };
}

/** The program does a task, in which the model plays the part. */
export async function work(program: AgentProgram, place: Place, part: Part): Promise<void> {
  const model = new Model(program.dialect(), program.prefix, part);
  try {
    const { command, env } = program.configure(place, await model.listen());
    const ended = await run(command, { env: { ...place.env, ...env }, cwd: place.work });
    try {
      model.check();
      if (ended.code !== 0) {
        throw new Error(`It ended with ${ended.code}`);
      }
    } catch (error) {
      throw new Error(`${program.name}: ${String(error)}\n${ended.stdout.slice(-3000)}\n${ended.stderr.slice(-3000)}`, {
        cause: error,
      });
    }
  } finally {
    model.close();
  }
}
