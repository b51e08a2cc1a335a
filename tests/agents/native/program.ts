// An agent program that works with its own tools, and without editd's server.
import type { Script } from '../model/conversation.ts';
import type { Helpers } from '../model/model.ts';
import { type AgentProgram, workAs } from '../programs/program.ts';
import type { Place } from '../support/place.ts';
import type { Ended } from '../support/processes.ts';

/**
 * Nothing of its settings is in the home or in the working folder: the model is set by arguments, by the environment,
 * or in a file of its own. So a test may write all settings, as `editd connect` does.
 */
export type NativeProgram = Pick<AgentProgram, 'name' | 'dialect' | 'configure'> & {
  /** Its own tools. */
  readonly tools: Tools;
};

/** A call of a tool: its name and its arguments. */
export type ToolCall = [tool: string, args: Record<string, unknown>];

/** Calls of the tools that every program has in some form. */
export interface Tools {
  read(path: string): ToolCall;
  edit(path: string, oldText: string, newText: string): ToolCall;
  write(path: string, text: string): ToolCall;
  shell(command: string): ToolCall;
}

/**
 * Runs the program on a task, with a fake model that follows the script. `helpers` are for its sub-agents. It is killed
 * after `within` ms.
 */
export function work(
  program: NativeProgram,
  place: Place,
  script: Script,
  helpers: Helpers = {},
  within?: number,
): Promise<Ended> {
  return workAs({ ...program, prefix: 'mcp__editd__' }, place, script, helpers, within);
}
