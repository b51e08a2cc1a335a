// Calls by which the models of the programs delegate a task to a sub-agent.
import type { Stage } from '../model/conversation.ts';

export interface SubAgents {
  /** Starts a sub-agent on the task, and waits until it has ended. */
  delegate(model: Stage, task: string): Promise<unknown>;
  /** Ends the work of a sub-agent, if it does not end with its last answer. */
  ends?(model: Stage): void;
}

export const agents = {
  claude: {
    delegate: (model, task) =>
      model.callOwn('Agent', { description: 'Change the cart', prompt: task, run_in_background: false }),
  },
  codexInCode: {
    delegate: async (model, task) => {
      const name = /the (\w+) helper/.exec(task)?.[1]; // each agent needs another
      await model.callOwn('collaboration__spawn_agent', { task_name: name, message: task, fork_turns: 'none' });
      return model.callOwn('collaboration__wait_agent', { timeout_ms: 10_000 });
    },
  },
  gemini: {
    delegate: (model, task) => model.callOwn('invoke_agent', { agent_name: 'generalist', prompt: task }),
    ends: (model) => {
      // It does not expect an answer to this call.
      void model.callOwn('complete_task', { result: { response: 'Done.' } });
    },
  },
  opencode: {
    delegate: (model, task) =>
      model.callOwn('task', { description: 'Change the cart', prompt: task, subagent_type: 'general' }),
  },
} satisfies Record<string, SubAgents>;
