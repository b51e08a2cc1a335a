// A fake model that follows a script written by a test. The script calls tools and sees what a real model
// would see of their results. Between calls, the test can run arbitrary code.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Conversation, type Script } from './conversation.ts';
import type { Answer, Dialect, Offered, Request } from './dialect.ts';
import { problemsOf } from './schema.ts';

/** Scripts of the sub-agents that the program may start, by a word of their task. */
export type Helpers = Record<string, Script>;

export class Model {
  private readonly server: Server;
  private readonly problems: string[] = [];
  private readonly conversations: Conversation[] = [];
  private lastCall = 0;

  private readonly dialect: Dialect;
  private readonly prefix: string;
  private readonly script: Script;
  private readonly helpers: Helpers;

  /** `prefix` precedes the names of editd's tools. */
  constructor(dialect: Dialect, prefix: string, script: Script, helpers: Helpers = {}) {
    this.dialect = dialect;
    this.prefix = prefix;
    this.script = script;
    this.helpers = helpers;
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
    for (const each of this.conversations) {
      each.end();
    }
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Throws unless every script was completed and every request was valid. */
  check(): void {
    for (const { failure } of this.conversations) {
      if (failure !== undefined) {
        throw failure;
      }
    }
    if (this.problems.length > 0) {
      throw new Error(`A model API would reject this:\n${[...new Set(this.problems)].join('\n')}`);
    }
    if (this.conversations.length === 0) {
      throw new Error('The model was never asked.');
    }
    const wanted = 1 + Object.keys(this.helpers).length;
    if (this.conversations.length < wanted || this.conversations.some(({ done }) => !done)) {
      throw new Error('The script was not completed.');
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
    const known = this.conversations.find((each) => each.goesOn(request));
    if (known !== undefined) {
      return known.goOn(request);
    }
    if (request.tools.length === 0) {
      return Promise.resolve({ text: 'A title' }); // programs ask for titles of sessions, for example
    }
    const helper = Object.entries(this.helpers).find(([word]) => request.instructions.includes(word));
    const started = new Conversation(
      request,
      this.prefix,
      () => `${this.dialect.calls ?? 'call_'}${String(++this.lastCall).padStart(2, '0')}`,
    );
    if (this.conversations.length > 0 && helper === undefined) {
      return Promise.resolve({ text: 'Done.' }); // it was told something after the end
    }
    this.conversations.push(started);
    return started.start(helper !== undefined && this.conversations.length > 1 ? helper[1] : this.script);
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
