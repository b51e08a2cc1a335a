// One conversation with the fake model, which follows a script.
import type { Answer, Call, Offered, Request, Shown } from './dialect.ts';

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
  /** Calls several tools of the program in one turn. */
  callsOwn(calls: readonly Wanted[]): Promise<string[]>;
}

type Wanted = readonly [tool: string, args: Record<string, unknown>];

export type Script = (stage: Stage) => Promise<void>;

/** One conversation: that of the program itself, or of one of its sub-agents. */
export class Conversation implements Stage {
  readonly instructions: string;
  tools: readonly Offered[];
  failure: Error | undefined;
  done = false;
  private readonly prefix: string;
  private readonly nextId: () => string;
  private asked: (answer: Answer) => void = () => undefined;
  private told: (results: Shown[]) => void = () => undefined;
  private ended: Error | undefined;
  private gone: (error: Error) => void = () => undefined;
  private open: readonly Call[] = [];

  constructor(request: Request, prefix: string, nextId: () => string) {
    this.instructions = request.instructions;
    this.tools = request.tools;
    this.prefix = prefix;
    this.nextId = nextId;
  }

  /** Returns the answer to the first request. */
  start(script: Script): Promise<Answer> {
    const answer = this.nextAnswer();
    void this.play(script);
    return answer;
  }

  /** Does the request go on with this conversation? */
  goesOn({ results }: Request): boolean {
    return this.open.some(({ id }) => results.some((result) => result.call === id));
  }

  /** Returns the answer to a later request. */
  goOn({ results, tools }: Request): Promise<Answer> {
    const answer = this.nextAnswer();
    this.open = [];
    this.tools = tools; // some programs offer more of them when asked
    this.told(results);
    return answer;
  }

  /** Ends the script, because there will be no further request. */
  end(): void {
    this.ended = new Error('The program has ended.');
    // A script that is done does not wait for its last call.
    if (!this.done) {
      this.gone(this.ended);
    }
  }

  async call(tool: string, args: Record<string, unknown>): Promise<string> {
    return (await this.calls([[tool, args]]))[0] ?? '';
  }

  calls(wanted: readonly Wanted[]): Promise<string[]> {
    return this.callsOwn(wanted.map(([tool, args]) => [this.prefix + tool, args]));
  }

  async callOwn(tool: string, args: Record<string, unknown>): Promise<string> {
    return (await this.callsOwn([[tool, args]]))[0] ?? '';
  }

  async callsOwn(wanted: readonly Wanted[]): Promise<string[]> {
    const calls = wanted.map(([name, args]): Call => ({ id: this.nextId(), name, arguments: args }));
    for (const { name } of calls) {
      if (!this.tools.some((tool) => tool.name === name)) {
        throw new Error(`The model is not offered ${name}, only ${this.tools.map((tool) => tool.name).join(', ')}`);
      }
    }
    if (this.ended) {
      throw this.ended;
    }
    const results = new Promise<Shown[]>((resolve, reject) => {
      [this.told, this.gone] = [resolve, reject];
    });
    this.open = calls;
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

  private nextAnswer(): Promise<Answer> {
    return new Promise<Answer>((resolve) => {
      this.asked = resolve;
    });
  }

  private async play(script: Script): Promise<void> {
    try {
      await script(this);
      this.done = true;
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
    }
    this.asked({ text: 'Done.' });
  }
}
