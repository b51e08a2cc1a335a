/** A process of the bridge `editd lsp`, and the language client connected through it. */
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

/** The protocol version of this extension. */
const PROTOCOL = 1;

/** Milliseconds that a bridge has to exit by itself after a shutdown request. */
const SHUTDOWN_TIMEOUT = 1000;

interface LinkOptions {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  /** `true` if the bridge may start a daemon. */
  readonly spawnDaemon: boolean;
  readonly announced: Readonly<Record<string, boolean>>;
  readonly middleware: NonNullable<LanguageClientOptions['middleware']>;
}

/** Versions that the daemon reports on initialization. */
export interface DaemonInfo {
  readonly version: string;
  readonly protocol: number;
}

/** Writes errors of the client to the log only: the extension shows its own, more helpful messages. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Link {
  readonly client: LanguageClient;
  private process: ChildProcess | undefined;
  private stderr = '';
  private resolveEnded: (code: number) => void = () => undefined;
  /** Resolves with the exit code of the process: 0 if the daemon was stopped or the client requested the exit. */
  readonly ended = new Promise<number>((resolve) => {
    this.resolveEnded = resolve;
  });

  constructor(
    private readonly options: LinkOptions,
    private readonly log: Log,
  ) {
    this.client = new QuietClient('editd', 'editd', () => this.spawn(), {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // The connection reconnects, because it knows why this process has ended.
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      initializationFailedHandler: () => false,
      // Documents that are not visible are synchronized as well.
      textSynchronization: { delayOpenNotifications: false },
      middleware: options.middleware,
    });
    this.client.registerFeature(announceFeature(options.announced));
  }

  /** The last line on standard error, which is usually the reason why the process ended. */
  get lastError(): string {
    return this.stderr.trim().split('\n').at(-1) ?? '';
  }

  /** Connects. Rejects if that fails, or if the daemon is incompatible. */
  async start(): Promise<DaemonInfo> {
    await this.client.start();
    const info = daemonInfoOf(this.client.initializeResult?.capabilities.experimental);
    if (info?.protocol !== PROTOCOL) {
      throw new IncompatibleDaemon(info?.version ?? 'unknown');
    }
    return info;
  }

  /** Disconnects. If this window may come back, announces that to the daemon. */
  async stop(mayReturn = false): Promise<void> {
    try {
      if (mayReturn && this.client.isRunning()) {
        await this.client.sendNotification('editd/leaving', {});
      }
      await this.client.dispose(SHUTDOWN_TIMEOUT);
    } catch {
      // The client has already stopped, or it did not start.
    }
    this.process?.kill();
  }

  private spawn(): Promise<ChildProcess> {
    const args = this.options.spawnDaemon ? ['lsp'] : ['lsp', '--no-spawn'];
    this.log.info(`starting ${this.options.program} ${args.join(' ')}`);
    const child = spawn(this.options.program, args, { cwd: homedir(), env: this.options.env });
    this.process = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-4096);
    });
    child.once('error', (error) => {
      this.stderr = error.message;
      this.resolveEnded(1);
    });
    child.once('exit', (code) => {
      this.resolveEnded(code ?? 1);
    });
    return Promise.resolve(child);
  }
}

/** The daemon has a different protocol version, or the server is not editd. */
export class IncompatibleDaemon extends Error {
  constructor(readonly version: string) {
    super(`the running daemon has version ${version}, which is incompatible with this extension`);
  }
}

function announceFeature(announced: Readonly<Record<string, boolean>>): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { ...(capabilities.experimental as object | undefined), editd: announced };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
}

function daemonInfoOf(experimental: unknown): DaemonInfo | undefined {
  const info = (experimental as { editd?: Partial<DaemonInfo> } | undefined)?.editd;
  return info && { version: info.version ?? '', protocol: info.protocol ?? 0 };
}

/** Returns the environment for the program. */
export function environment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...own };
}
