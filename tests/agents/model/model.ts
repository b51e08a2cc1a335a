// A fake model that follows a script written by a test. The script calls tools and sees what a real model
// would see of their results. Between calls, the test can run arbitrary code.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Call, Dialect, Offered, Request, Shown } from './dialect.ts';
import { problemsOf } from './schema.ts';

/** The state that a script can use. */
export interface Stage {
  /** The instructions of the model. */
  readonly instructions: string;
  /** All offered tools, those of the program and those of servers. */
  readonly tools: readonly Offered[];
  /** Calls a tool of editd and returns what the model is shown. */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  /** Calls several tools of editd in one turn. */
  calls(calls: readonly Wanted[]): Promise<string[]>;
  /** Calls a tool of the program itself. */
  callOwn(tool: string, args: Record<string, unknown>): Promise<string>;
}

type Wanted = readonly [tool: string, args: Record<string, unknown>];

export type Script = (stage: Stage) => Promise<void>;

export class Model {
  private readonly server: Server;
  private readonly problems: string[] = [];
  private stage: Stage | undefined;
  private asked: (answer: Answer) => void = () => undefined;
  private told: (results: Shown[]) => void = () => undefined;
  private failure: Error | undefined;
  private lastCall = 0;
  private done = false;

  private readonly dialect: Dialect;
  private readonly prefix: string;
  private readonly script: Script;

  /** `prefix` precedes the names of editd's tools. */
  constructor(dialect: Dialect, prefix: string, script: Script) {
    this.dialect = dialect;
    this.prefix = prefix;
    this.script = script;
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        this.refuse(response, 500, String(error));
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Throws unless the script was completed and every request was valid. */
  check(): void {
    if (this.failure !== undefined) {
      throw this.failure;
    }
    if (this.problems.length > 0) {
      throw new Error(`A model API would reject this:\n${[...new Set(this.problems)].join('\n')}`);
    }
    if (!this.done) {
      throw new Error(this.stage === undefined ? 'The model was never asked.' : 'The script was not completed.');
    }
  }

  private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) {
      chunks.push(chunk as Buffer);
    }
    const body = Buffer.concat(chunks).toString();
    const aside = this.dialect.aside?.(message.url ?? '');
    if (aside !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(aside));
      return;
    }
    const request = message.method === 'POST' ? this.dialect.read(message.url ?? '', JSON.parse(body)) : undefined;
    if (request === undefined) {
      this.refuse(response, 404, `${message.method} ${message.url}`);
      return;
    }
    this.problems.push(...request.problems, ...this.problemsOfTools(request.tools));
    this.dialect.write(response, await this.answer(request));
  }

  private refuse(response: ServerResponse, status: number, why: string): void {
    this.problems.push(why);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }

  private answer(request: Request): Promise<Answer> {
    const answer = new Promise<Answer>((resolve) => {
      this.asked = resolve;
    });
    if (this.stage === undefined) {
      this.stage = {
        instructions: request.instructions,
        tools: request.tools,
        call: async (tool, args) => (await this.calls([[this.prefix + tool, args]]))[0] ?? '',
        calls: (calls) => this.calls(calls.map(([tool, args]) => [this.prefix + tool, args])),
        callOwn: async (tool, args) => (await this.calls([[tool, args]]))[0] ?? '',
      };
      void this.play(this.stage);
    } else {
      this.told(request.results);
    }
    return answer;
  }

  private async play(stage: Stage): Promise<void> {
    try {
      await this.script(stage);
      this.done = true;
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
    }
    this.asked({ text: 'Done.' });
  }

  private async calls(wanted: readonly Wanted[]): Promise<string[]> {
    const calls = wanted.map(([name, args]): Call => ({ id: `call_${++this.lastCall}`, name, arguments: args }));
    for (const { name } of calls) {
      if (!this.stage?.tools.some((tool) => tool.name === name)) {
        throw new Error(
          `The model is not offered ${name}, only ${this.stage?.tools.map((tool) => tool.name).join(', ')}`,
        );
      }
    }
    const results = new Promise<Shown[]>((resolve) => {
      this.told = resolve;
    });
    this.asked({ calls });
    const shown = await results;
    return calls.map(({ id, name }) => {
      const found = shown.find((each) => each.call === id);
      if (found === undefined) {
        throw new Error(`The model is shown no result of ${name}`);
      }
      return found.text;
    });
  }

  private problemsOfTools(tools: readonly Offered[]): string[] {
    const names = tools.map((tool) => tool.name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    const own = tools.filter((tool) => tool.name.startsWith(this.prefix));
    return [
      ...twice.map((name) => `two tools are called ${name}`),
      ...own.filter((tool) => tool.description === '').map((tool) => `${tool.name} has no description`),
      ...own.flatMap((tool) => problemsOf(tool.schema).map((problem) => `${tool.name}: ${problem}`)),
    ];
  }
}
