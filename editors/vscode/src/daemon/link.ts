/** One run of the bridge `editd lsp`, with the language client that speaks through it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type StaticFeature,
} from 'vscode-languageclient/node';

import type { Log } from '../log';

/** The version of the protocol that this extension speaks. */
const PROTOCOL = 1;

/** Milliseconds in which a bridge ends by itself after it was asked to. */
const PATIENCE = 1000;

interface LinkOptions {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it may start a daemon. */
  readonly spawnDaemon: boolean;
  readonly announced: Readonly<Record<string, boolean>>;
  readonly middleware: NonNullable<LanguageClientOptions['middleware']>;
}

/** What the daemon says of itself. */
export interface Introduction {
  readonly version: string;
  readonly protocol: number;
}

/** It has messages of its own for what the connection tells once, in words that help. They go to the log. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Link {
  readonly client: LanguageClient;
  private process: ChildProcess | undefined;
  private said = '';
  private ending: (code: number) => void = () => undefined;
  /** When the process has ended, with its exit code: 0 if the daemon was stopped or the client wanted it. */
  readonly ended = new Promise<number>((resolve) => {
    this.ending = resolve;
  });

  constructor(
    private readonly options: LinkOptions,
    private readonly log: Log,
  ) {
    this.client = new QuietClient('editd', 'editd', () => this.spawn(), {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // Who reconnects is the connection, which knows why this one has ended.
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      initializationFailedHandler: () => false,
      // Documents that are not shown count as well.
      textSynchronization: { delayOpenNotifications: false },
      middleware: options.middleware,
    });
    this.client.registerFeature(announcing(options.announced));
  }

  /** What was last said on standard error: why it has ended. */
  get lastWords(): string {
    return this.said.trim().split('\n').at(-1) ?? '';
  }

  /** Connects. Rejects if that fails, or if what answers is not a daemon that can be worked with. */
  async start(): Promise<Introduction> {
    await this.client.start();
    const introduction = introductionOf(this.client.initializeResult?.capabilities.experimental);
    if (introduction?.protocol !== PROTOCOL) {
      throw new WrongDaemon(introduction?.version ?? 'unknown');
    }
    return introduction;
  }

  async stop(): Promise<void> {
    try {
      await this.client.dispose(PATIENCE);
    } catch {
      // It was not running any more, or it did not start.
    }
    this.process?.kill();
  }

  private spawn(): Promise<ChildProcess> {
    const args = this.options.spawnDaemon ? ['lsp'] : ['lsp', '--no-spawn'];
    this.log.info(`starting ${this.options.program} ${args.join(' ')}`);
    const child = spawn(this.options.program, args, { cwd: homedir(), env: this.options.env });
    this.process = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.said = (this.said + text).slice(-4096);
    });
    child.once('error', (error) => {
      this.said = error.message;
      this.ending(1);
    });
    child.once('exit', (code) => {
      this.ending(code ?? 1);
    });
    return Promise.resolve(child);
  }
}

/** The daemon speaks another version of the protocol, or is none. */
export class WrongDaemon extends Error {
  constructor(readonly version: string) {
    super(`the daemon that runs is version ${version}, which this extension cannot work with`);
  }
}

function announcing(announced: Readonly<Record<string, boolean>>): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { ...(capabilities.experimental as object | undefined), editd: announced };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
}

function introductionOf(experimental: unknown): Introduction | undefined {
  const said = (experimental as { editd?: Partial<Introduction> } | undefined)?.editd;
  return said && { version: said.version ?? '', protocol: said.protocol ?? 0 };
}

export function environment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...own };
}
