/** The connection of this window to the daemon. Reconnects when the connection is lost. */
import * as vscode from 'vscode';
import type { LanguageClient, LanguageClientOptions } from 'vscode-languageclient/node';

import { config } from '../config';
import type { Log } from '../log';
import { type Located, locate, MIN_VERSION } from './binary';
import { environment, type DaemonInfo, Link, IncompatibleDaemon } from './link';
import { NotConnected, refusalOf } from './refusal';
import type { Notifications, Requests, ServedRequests } from './wire';

export type State =
  /** Not started, or stopped by the user. */
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | ({ readonly kind: 'connected'; readonly program: string } & DaemonInfo)
  /** The program is missing or cannot be run. */
  | { readonly kind: 'missing'; readonly searched: readonly string[]; readonly reason?: string }
  /** The program or the daemon is too old. */
  | { readonly kind: 'old'; readonly version: string; readonly wanted: string; readonly program?: string }
  /** The connection was lost and is being retried. If the daemon was stopped, this window does not start it again. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly stopped: boolean };

/** Milliseconds before each attempt to reconnect. The last value is repeated. */
const RETRY_DELAYS = [100, 300, 1000, 2000, 5000];

type Handler = (params: never) => unknown;

export class Connection implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changed.event;
  private readonly notificationHandlers = new Map<string, Set<Handler>>();
  private readonly requestHandlers = new Map<string, Handler>();
  private current: State = { kind: 'off' };
  private link: Link | undefined;
  private attempts = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Counts starts and stops. Results from earlier generations are ignored. */
  private generation = 0;
  middleware: NonNullable<LanguageClientOptions['middleware']> = {};
  /** Capabilities of this window, announced on every connection. */
  readonly announced = new Map<string, () => boolean>();

  constructor(
    private readonly extensionPath: string,
    private readonly log: Log,
  ) {}

  get state(): State {
    return this.current;
  }

  /** The language client, while connected. */
  get client(): LanguageClient | undefined {
    return this.current.kind === 'connected' ? this.link?.client : undefined;
  }

  /** Sends a request. Rejects with a `Refusal`. */
  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]['result']> {
    const client = this.client;
    if (!client) {
      throw new NotConnected();
    }
    try {
      return await client.sendRequest<Requests[M]['result']>(method, params, ...(token ? [token] : []));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Sends a notification to the daemon, if connected. */
  notify(method: string, params: unknown): void {
    this.client?.sendNotification(method, params).catch((error: unknown) => {
      this.log.debug(`${method} was not sent: ${String(error)}`);
    });
  }

  /** Registers a handler for a notification. Handlers persist across connections. */
  onNotification<M extends keyof Notifications>(
    method: M,
    handler: (params: Notifications[M]) => void,
  ): vscode.Disposable {
    const handlers = this.notificationHandlers.get(method) ?? new Set();
    this.notificationHandlers.set(method, handlers.add(handler));
    return new vscode.Disposable(() => handlers.delete(handler));
  }

  /**
   * Dispatches news from an answer to the handlers of a notification, because the daemon does not send it a second
   * time.
   */
  dispatch<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    this.notificationHandlers.get(method)?.forEach((handler) => handler(params as never));
  }

  /** Registers the handler for a request of the daemon. Must be called before `start`. */
  serve<M extends keyof ServedRequests>(
    method: M,
    handler: (params: ServedRequests[M]['params']) => Promise<ServedRequests[M]['result']>,
  ): void {
    this.requestHandlers.set(method, handler);
  }

  /** Finds the program and connects. If the connection fails, retries in the background. */
  async start(): Promise<void> {
    const generation = await this.disconnect({ kind: 'connecting' }, true);
    this.attempts = 0;
    if (generation === this.generation) {
      await this.attempt(config.autostart);
    }
  }

  /** Disconnects and stays disconnected. */
  async stop(): Promise<void> {
    await this.disconnect({ kind: 'off' }, false);
  }

  /** Disconnects because the window closes or reloads, which look the same from here. */
  async close(): Promise<void> {
    await this.disconnect({ kind: 'off' }, true);
  }

  dispose(): void {
    void this.close();
  }

  /** If this window may come back, changes wait for its review for a while. */
  private async disconnect(state: State, mayReturn: boolean): Promise<number> {
    this.generation += 1;
    const generation = this.generation;
    clearTimeout(this.timer);
    const link = this.link;
    this.link = undefined;
    this.setState(state);
    await link?.stop(mayReturn);
    return generation;
  }

  private setState(state: State): void {
    this.current = state;
    this.log.info(describe(state));
    this.changed.fire(state);
  }

  private async attempt(spawnDaemon: boolean): Promise<void> {
    const generation = this.generation;
    const env = environment(config.env);
    const located = await locate(config.path, this.extensionPath, env);
    if (generation !== this.generation) {
      return;
    }
    if (located.kind !== 'found') {
      this.setState(unusable(located));
      return;
    }
    const { program } = located;
    const announced = Object.fromEntries([...this.announced].map(([name, isSupported]) => [name, isSupported()]));
    const link = new Link({ program, env, spawnDaemon, announced, middleware: this.middleware }, this.log);
    this.link = link;
    this.register(link);
    let daemonInfo;
    try {
      daemonInfo = await link.start();
    } catch (error) {
      if (generation === this.generation) {
        await this.handleFailure(link, error, spawnDaemon);
      }
      return;
    }
    if (generation !== this.generation) {
      await link.stop();
      return;
    }
    this.attempts = 0;
    void link.ended.then((code) => {
      if (generation === this.generation) {
        const reason = link.lastError || (code === 0 ? 'the daemon was stopped' : 'the daemon has exited');
        this.scheduleRetry(reason, code === 0, link);
      }
    });
    this.setState({ kind: 'connected', program, ...daemonInfo });
  }

  private async handleFailure(link: Link, error: unknown, spawnDaemon: boolean): Promise<void> {
    if (error instanceof IncompatibleDaemon) {
      this.link = undefined;
      this.setState({ kind: 'old', version: error.version, wanted: MIN_VERSION });
      await link.stop();
      return;
    }
    const reason = link.lastError || (error instanceof Error ? error.message : String(error));
    this.scheduleRetry(reason, !spawnDaemon, link);
  }

  /** Schedules a new attempt. It may start the daemon only if the daemon was not stopped deliberately. */
  private scheduleRetry(reason: string, stopped: boolean, link: Link): void {
    this.generation += 1;
    this.link = undefined;
    void link.stop();
    const delay = RETRY_DELAYS[Math.min(this.attempts, RETRY_DELAYS.length - 1)];
    this.attempts += 1;
    this.setState({ kind: 'waiting', reason, stopped });
    this.timer = setTimeout(() => {
      void this.attempt(config.autostart && !stopped);
    }, delay);
  }

  private register(link: Link): void {
    for (const [method, handlers] of this.notificationHandlers) {
      link.client.onNotification(method, (params: unknown) => {
        handlers.forEach((handler) => handler(params as never));
      });
    }
    for (const [method, handler] of this.requestHandlers) {
      link.client.onRequest(method, (params: unknown) => handler(params as never));
    }
  }
}

function unusable(located: Exclude<Located, { kind: 'found' }>): State {
  switch (located.kind) {
    case 'missing':
      return { kind: 'missing', searched: located.searched };
    case 'broken':
      return { kind: 'missing', searched: [located.program], reason: located.reason };
    case 'old':
      return { kind: 'old', version: located.version, wanted: MIN_VERSION, program: located.program };
  }
}

/** Returns a description of the state for the log. */
export function describe(state: State): string {
  switch (state.kind) {
    case 'off':
      return 'disconnected';
    case 'connecting':
      return 'connecting';
    case 'connected':
      return `connected to editd ${state.version} through ${state.program}`;
    case 'missing':
      return state.reason
        ? `${state.searched.join(', ')} cannot be run: ${state.reason}`
        : `the program editd was not found in ${state.searched.join(', ')}`;
    case 'old':
      return `editd ${state.version}${state.program ? ` (${state.program})` : ''} is too old: ${state.wanted} or later is required`;
    case 'waiting':
      return `not connected: ${state.reason}`;
  }
}
