// A program in the place of `editd` for tests of plugins. A function of the test answers each call.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { type Ended, marked } from './processes.ts';
import { repository } from './tools.ts';

/** A question of a plugin. */
export interface Question {
  hook: string;
  context: { session: string; agent?: string; turn?: string; model?: string; cwd: string };
  /** Of opencode. */
  input?: { tool: string; sessionID: string; callID: string; args?: Record<string, unknown> };
  output?: { args?: Record<string, unknown>; output?: string; metadata?: Record<string, unknown> };
  /** Of pi. */
  event?: Record<string, unknown>;
}

type Reply = object | string | undefined;
export type Answering = (question: Question) => Reply | Promise<Reply>;

/** Sends its arguments and its input to the test, and prints the answer. */
const program = (socket: string, watches: boolean): string => `#!/usr/bin/python3
import select, socket, sys
test = socket.socket(socket.AF_UNIX)
test.connect("${socket}")
test.sendall(" ".join(sys.argv[1:]).encode() + b"\\n" + sys.stdin.buffer.read())
test.shutdown(socket.SHUT_WR)
waiting = select.poll()
waiting.register(test, select.POLLIN)
${watches ? 'waiting.register(sys.stdout, 0)' : ''}
if test.fileno() in dict(waiting.poll()):
    sys.stdout.buffer.write(test.makefile("rb").read())
`;

export class StandIn {
  readonly questions: Question[] = [];
  readonly commands = new Set<string>();
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(answering: Answering) {
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      const chunks: Buffer[] = [];
      this.sockets.add(socket.unref());
      socket.on('data', (data: Buffer) => chunks.push(data));
      socket.on('error', () => undefined); // the program has been stopped
      socket.on('end', () => {
        const [command = '', question = ''] = Buffer.concat(chunks).toString().split('\n', 2);
        this.commands.add(command);
        this.questions.push(JSON.parse(question) as Question);
        void this.answer(socket, JSON.parse(question) as Question, answering);
      });
    });
  }

  /** Puts the program in the place of `editd`. If it watches, it ends when nothing reads what it prints. */
  static async listen(place: Place, answering: Answering, watches = false): Promise<StandIn> {
    const standIn = new StandIn(answering);
    standIn.server.unref(); // A scene that fails does not close it.
    const socket = join(place.folder, 'answers.sock');
    await new Promise<void>((resolve) => standIn.server.listen(socket, resolve));
    substitute(place, program(socket, watches));
    return standIn;
  }

  /** Returns the questions of a hook about a tool. */
  of(hook: string, tool?: string): Question[] {
    return this.questions.filter(
      (each) => each.hook === hook && [undefined, each.input?.tool, each.event?.['toolName']].includes(tool),
    );
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) {
      socket.destroy();
    }
  }

  private async answer(socket: Socket, question: Question, answering: Answering): Promise<void> {
    const reply = await answering(question);
    socket.end(typeof reply === 'string' ? reply : reply === undefined ? '' : JSON.stringify(reply));
  }
}

/** Puts another program in the place of `editd`, or none. */
export function substitute(place: Place, text?: string): void {
  const editd = join(place.folder, 'bin/editd');
  rmSync(editd);
  if (text !== undefined) {
    writeFileSync(editd, text);
    chmodSync(editd, 0o755);
  }
}

/** Returns the processes that take the place of `editd` now. */
export function running(place: Place): number[] {
  return marked(place.folder)
    .filter(({ line }) => line.includes('/bin/editd hook'))
    .map(({ pid }) => pid);
}

export type Plugged = 'opencode' | 'pi';

const PLUGINS = { opencode: '.config/opencode/plugins', pi: '.pi/agent/extensions' };

/** Copies the plugin for a program into the home, as `editd connect` does. */
export function plug(place: Place, name: Plugged): void {
  addPlugin(place, name, 'editd.ts', readFileSync(join(repository, `src/agents/connect/plugins/${name}.ts`), 'utf8'));
}

/** Adds a plugin of a test. */
export function addPlugin(place: Place, name: Plugged, file: string, text: string): void {
  place.configure(join(PLUGINS[name], file), text);
}

/** Returns the messages to the user while a program works: toasts of opencode, or the standard error of pi. */
export async function messages(name: Plugged, place: Place, working: () => Promise<Ended>): Promise<string> {
  const toasts = join(place.folder, 'toasts');
  writeFileSync(toasts, '');
  if (name === 'opencode') {
    addPlugin(place, name, 'toasts.js', TOASTS(toasts));
  }
  const { stderr } = await working();
  return name === 'opencode' ? readFileSync(toasts, 'utf8') : stderr;
}

const TOASTS = (file: string): string => `
import { appendFileSync } from 'node:fs';
export const Toasts = async () => ({
  event: async ({ event }) => {
    if (event.type === 'tui.toast.show') appendFileSync('${file}', event.properties.message + '\\n');
  },
});
`;
