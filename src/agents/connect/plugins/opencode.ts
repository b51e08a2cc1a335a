// Lets the tools of opencode pass through editd. `editd connect opencode` wrote this file; `--undo` removes it.
const EDITD = 'editd';

import type { Event, OpencodeClient, UserMessage } from '@opencode-ai/sdk';
import { spawn } from 'node:child_process';

const CHANGING = new Set(['edit', 'write', 'apply_patch', 'bash']);
const REPORTED = new Set(['read', ...CHANGING]);

type Arguments = Record<string, unknown>;

/** The answer of `editd hook opencode`. */
interface Answer {
  /** Reason for which the tool must not run. */
  refuse?: string;
  /** Report of a change that editd has made in place of the tool. */
  done?: string;
  /** Other arguments for the tool. */
  input?: Arguments;
  /** Text to add to the result that the model sees. */
  note?: string;
  /** Text for the user. */
  warn?: string;
}

interface Prompt {
  sessionID: string;
  model?: { modelID: string };
}

interface Call {
  tool: string;
  sessionID: string;
  callID: string;
  args?: Arguments;
}

/** Each session with a call that may wait for the user. */
const stops = new Map<string, AbortController>();
let hasReported = false;

process.once('exit', () => {
  stop([...stops.keys()]);
});

function stop(sessions: string[]): void {
  for (const session of sessions) {
    stops.get(session)?.abort();
    stops.delete(session);
  }
}

/** Returns the signal by which calls of a session are stopped. */
function signalOf(session: string): AbortSignal {
  const stopping = stops.get(session) ?? new AbortController();
  stops.set(session, stopping);
  return stopping.signal;
}

/** Returns what editd prints. The signal ends it. */
function run(question: object, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(EDITD, ['hook', 'opencode'], { stdio: ['pipe', 'pipe', 'ignore'], ...(signal && { signal }) });
    const output: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => output.push(data));
    child.on('error', reject);
    child.on('close', (code, ended) => {
      if (code === 0) {
        resolve(Buffer.concat(output).toString());
      } else {
        reject(new Error(`it ended with ${String(code ?? ended)}`));
      }
    });
    child.stdin.on('error', () => undefined); // It may end before it has read everything.
    child.stdin.end(JSON.stringify(question));
  });
}

function parse(output: string): Answer {
  const answer: unknown = output.trim() === '' ? {} : JSON.parse(output);
  if (typeof answer !== 'object' || answer === null) {
    throw new Error('it printed no object');
  }
  return answer;
}

/** Changes the object itself, because opencode ignores a new one. */
function replace(args: Arguments, others: Arguments): void {
  for (const name of Object.keys(args)) {
    Reflect.deleteProperty(args, name);
  }
  Object.assign(args, others);
}

export const Editd = ({ client, directory }: { client: OpencodeClient; directory: string }) => {
  const prompts = new Map<string, { turn: string; model: string }>();
  const parents = new Map<string, string | undefined>();
  const notes = new Map<string, string>();
  /** Calls that may go on and have not ended. */
  const running = new Set<string>();

  const tell = async (message: string): Promise<void> => {
    try {
      await client.tui.showToast({ body: { title: 'editd', message, variant: 'warning' } });
    } catch {
      // Nothing can show it.
    }
  };

  /** Returns the session that the user talks to. */
  const rootOf = async (session: string): Promise<string> => {
    if (!parents.has(session)) {
      const { data } = await client.session.get({ path: { id: session } });
      parents.set(session, data?.parentID);
    }
    const parent = parents.get(session);
    return parent === undefined ? session : rootOf(parent);
  };

  const contextOf = async (session: string): Promise<object> => {
    const root = await rootOf(session).catch(() => session);
    const agent = root === session ? undefined : session;
    const [turn, model] = [prompts.get(root)?.turn, prompts.get(session)?.model];
    return { session: root, agent, turn, model, cwd: directory };
  };

  /** Returns an empty answer if editd cannot be asked. */
  const ask = async (hook: string, input: Call, output: object, signal?: AbortSignal): Promise<Answer> => {
    try {
      const context = await contextOf(input.sessionID);
      const answer = parse(await run({ hook, context, input, output }, signal));
      if (answer.warn !== undefined) {
        void tell(answer.warn);
      }
      return answer;
    } catch (error) {
      if (signal?.aborted === true) {
        return { refuse: 'The user has stopped this call.' };
      }
      if (!hasReported) {
        hasReported = true;
        void tell(`\`${EDITD}\` does not check changes now: ${String(error)}. Run \`editd doctor\` for details.`);
      }
      return {};
    }
  };

  return Promise.resolve({
    'chat.message': ({ sessionID, model }: Prompt, { message }: { message: UserMessage }) => {
      prompts.set(sessionID, { turn: message.id, model: (model ?? message.model).modelID });
      return Promise.resolve();
    },

    'tool.execute.before': async (input: Call, output: { args: Arguments }) => {
      if (!CHANGING.has(input.tool)) {
        return;
      }
      const answer = await ask('tool.execute.before', input, output, signalOf(input.sessionID));
      const reason = answer.refuse ?? answer.done;
      if (reason !== undefined) {
        throw new Error(reason); // The model sees exactly this text.
      }
      running.add(input.callID);
      if (answer.input !== undefined) {
        replace(output.args, answer.input);
      }
      if (answer.note !== undefined) {
        notes.set(input.callID, answer.note);
      }
    },

    'tool.execute.after': async (input: Call, output: { output: string }) => {
      if (!REPORTED.has(input.tool)) {
        return;
      }
      running.delete(input.callID);
      // This is not stopped with the session: the change has been made, and editd has to record it.
      const { note } = await ask('tool.execute.after', input, output);
      const texts = [output.output, notes.get(input.callID), note];
      notes.delete(input.callID);
      output.output = texts.filter((text) => text !== undefined).join('\n\n');
    },

    event: async ({ event }: { event: Event }) => {
      if (event.type === 'session.idle') {
        stop([event.properties.sessionID]);
      }
      if (event.type !== 'message.part.updated' || event.properties.part.type !== 'tool') {
        return;
      }
      const { tool, sessionID, callID, state } = event.properties.part;
      // opencode calls no hook after a tool that has failed.
      if (state.status === 'error' && running.delete(callID)) {
        notes.delete(callID);
        await ask('tool.execute.failed', { tool, sessionID, callID, args: state.input }, {});
      }
    },

    dispose: () => {
      stop([...prompts.keys()]);
      return Promise.resolve();
    },
  });
};
