// The client of the probe extension: runs functions of a test in the extension host of one window.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { until } from './until';

/** The first argument of a function that runs in the extension host. */
export interface Inside {
  vscode: typeof vscode;
  /** The API that the extension under test exports. */
  api: unknown;
  require: NodeJS.Require;
}

/** Maximum time of a call, in milliseconds. A command waits for a dialog that it opens. */
const MAX_TIME = 60_000;

interface Answer {
  value?: unknown;
  error?: { message: string; stack: string };
}

export class Probe {
  private constructor(
    /** The process of the extension host. */
    readonly pid: number,
    private readonly port: number,
  ) {}

  /** Waits for the probe of a new window: the one that is not in `before`. */
  static async next(folder: string, before: ReadonlySet<string>): Promise<Probe> {
    const [name] = await until(
      'the extension host of the new window runs',
      () => Probe.names(folder).filter((each) => !before.has(each)),
      (fresh) => fresh.length > 0,
      { within: 60_000 },
    );
    const { pid, port } = JSON.parse(readFileSync(join(folder, name ?? ''), 'utf8')) as { pid: number; port: number };
    return new Probe(pid, port);
  }

  static names(folder: string): string[] {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  }

  /**
   * Runs a function in the extension host. The function is sent as source text, so it cannot use variables around it.
   * The arguments and the result are sent as JSON.
   */
  async evaluate<A extends unknown[], R>(run: (inside: Inside, ...args: A) => R | Promise<R>, ...args: A): Promise<R> {
    const source = run.toString();
    const response = await fetch(`http://127.0.0.1:${this.port}/`, {
      method: 'POST',
      body: JSON.stringify({ source, args }),
      signal: AbortSignal.timeout(MAX_TIME),
    }).catch((error: unknown) => {
      throw new Error(`In the extension host: ${String(error)} for ${source} with ${JSON.stringify(args)}`);
    });
    const { value, error } = (await response.json()) as Answer;
    if (error !== undefined) {
      throw new Error(`In the extension host: ${error.message}\n${error.stack}`);
    }
    return value as R;
  }
}
