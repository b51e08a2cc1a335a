// Lets the tools of pi pass through editd. `editd connect pi` wrote this file; `--undo` removes it.
const EDITD = 'editd';

import type { ExtensionAPI, ExtensionContext, ToolDefinition } from '@earendil-works/pi-coding-agent';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, constants, readFile, writeFile } from 'node:fs/promises';

const CHANGING = new Set(['edit', 'write', 'bash']);
const REPORTED = new Set(['read', ...CHANGING]);

type Arguments = Record<string, unknown>;

/** The answer of `editd hook pi`. */
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
  /** Text of a file that an editor has not saved. */
  text?: string;
}

type Package = Partial<typeof import('@earendil-works/pi-coding-agent')>;
type Unsaved = (path: string) => Promise<string | undefined>;

const ending = new AbortController();
let hasReported = false;

process.once('exit', () => {
  ending.abort();
});

/** Returns what editd prints. The signal ends it. */
function run(question: object, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(EDITD, ['hook', 'pi'], { stdio: ['pipe', 'pipe', 'ignore'], ...(signal && { signal }) });
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

/** Changes the object itself, because pi ignores a new one. */
function replace(args: Arguments, others: Arguments): void {
  for (const name of Object.keys(args)) {
    Reflect.deleteProperty(args, name);
  }
  Object.assign(args, others);
}

function tell(message: string, { hasUI, ui }: ExtensionContext): void {
  if (hasUI) {
    ui.notify(message, 'warning');
  } else {
    console.error(`editd: ${message}`);
  }
}

/** Operations that read a file as editors show it. */
const reading = (unsaved: Unsaved, { detectSupportedImageMimeTypeFromFile }: Package) => ({
  readFile: async (path: string): Promise<Buffer> => {
    const text = await unsaved(path);
    return text === undefined ? readFile(path) : Buffer.from(text);
  },
  access: async (path: string): Promise<void> => {
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      if ((await unsaved(path)) === undefined) {
        throw error;
      }
    }
  },
  detectImageMimeType: async (path: string): Promise<string | null | undefined> =>
    detectSupportedImageMimeTypeFromFile?.(path).catch(() => null),
});

const editing = (unsaved: Unsaved) => ({
  readFile: reading(unsaved, {}).readFile,
  writeFile: (path: string, text: string): Promise<void> => writeFile(path, text),
  access: async (path: string): Promise<void> => {
    await access(path, constants.R_OK | constants.W_OK);
  },
});

export default function editd(pi: ExtensionAPI): void {
  const notes = new Map<string, string>();
  const done = new Map<string, string>();
  const ours = new Set<string>();
  let turn = randomUUID();

  /** Returns an empty answer if editd cannot be asked. */
  const ask = async (hook: string, event: object, ctx: ExtensionContext, signal?: AbortSignal): Promise<Answer> => {
    try {
      const context = { session: ctx.sessionManager.getSessionId(), turn, model: ctx.model?.id, cwd: ctx.cwd };
      const answer = parse(await run({ hook, event, context }, signal));
      if (answer.warn !== undefined) {
        tell(answer.warn, ctx);
      }
      return answer;
    } catch (error) {
      if (signal?.aborted === true) {
        return { refuse: 'The user has stopped this call.' };
      }
      if (!hasReported) {
        hasReported = true;
        tell(`\`${EDITD}\` does not check changes now: ${String(error)}. Run \`editd doctor\` for details.`, ctx);
      }
      return {};
    }
  };
  const stopping = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);

  /** Registers a tool of pi again, which then reads unsaved text, and does not run if editd has made its change. */
  const register = <P extends ToolDefinition['parameters'], D, S>(
    make: (unsaved: Unsaved) => ToolDefinition<P, D | undefined, S>,
  ): void => {
    const tool = make(() => Promise.resolve(undefined));
    ours.add(tool.name);
    pi.registerTool<P, D | undefined, S>({
      ...tool,
      execute: (id, params, signal, onUpdate, ctx) => {
        const report = done.get(id);
        if (report !== undefined) {
          return Promise.resolve({ content: [{ type: 'text', text: report }], details: undefined });
        }
        const unsaved = async (path: string): Promise<string | undefined> =>
          (await ask('unsaved', { path }, ctx, stopping(signal))).text;
        return make(unsaved).execute(id, params, signal, onUpdate, ctx);
      },
    });
  };

  // At this time, it enables no tool that the user has disabled.
  pi.on('session_start', async (_event, ctx) => {
    const sdk: Package = await import('@earendil-works/pi-coding-agent').catch(() => ({}));
    const { createReadToolDefinition, createEditToolDefinition, createWriteToolDefinition, SettingsManager } = sdk;
    const builtIn = pi.getAllTools().filter(({ sourceInfo }) => sourceInfo.source === 'builtin');
    const names = new Set(builtIn.map(({ name }) => name));
    const settings = SettingsManager?.create(ctx.cwd, undefined, { projectTrusted: ctx.isProjectTrusted() });
    const autoResizeImages = settings?.getImageAutoResize() ?? true;
    if (createReadToolDefinition && names.has('read')) {
      register((unsaved) => createReadToolDefinition(ctx.cwd, { autoResizeImages, operations: reading(unsaved, sdk) }));
    }
    if (createEditToolDefinition && names.has('edit')) {
      register((unsaved) => createEditToolDefinition(ctx.cwd, { operations: editing(unsaved) }));
    }
    if (createWriteToolDefinition && names.has('write')) {
      register(() => createWriteToolDefinition(ctx.cwd));
    }
  });

  // Unlike `agent_start`, this is not repeated when a request is.
  pi.on('message_start', ({ message }) => {
    if (message.role === 'user') {
      turn = randomUUID();
    }
  });

  pi.on('tool_call', async (event, ctx) => {
    if (!CHANGING.has(event.toolName)) {
      return undefined;
    }
    const answer = await ask('tool_call', event, ctx, stopping(ctx.signal));
    if (answer.refuse !== undefined) {
      return { block: true, reason: answer.refuse };
    }
    if (answer.done !== undefined) {
      if (!ours.has(event.toolName)) {
        return { block: true, reason: answer.done };
      }
      done.set(event.toolCallId, answer.done);
    }
    if (answer.input !== undefined) {
      replace(event.input, answer.input);
    }
    if (answer.note !== undefined) {
      notes.set(event.toolCallId, answer.note);
    }
    return undefined;
  });

  pi.on('tool_result', async (event, ctx) => {
    const { toolName, toolCallId, content } = event;
    // This is not stopped with the session: the change has been made, and editd has to record it.
    const isReported = REPORTED.has(toolName) && !done.delete(toolCallId);
    const { note } = isReported ? await ask('tool_result', event, ctx) : {};
    const texts = [notes.get(toolCallId), note].filter((text) => text !== undefined);
    notes.delete(toolCallId);
    return texts.length === 0
      ? undefined
      : { content: [...content, ...texts.map((text) => ({ type: 'text' as const, text }))] };
  });
}
