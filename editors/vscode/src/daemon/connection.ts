/** The connection to the daemon: one for the window, and back again when the daemon was away. */
import * as vscode from 'vscode';
import type { LanguageClient, LanguageClientOptions } from 'vscode-languageclient/node';

import { config } from '../config';
import type { Log } from '../log';
import { type Located, locate, OLDEST } from './binary';
import { environment, type Introduction, Link, WrongDaemon } from './link';
import { NotConnected, refusalOf } from './refusal';
import type { Notifications, Requests, ServedRequests } from './wire';

export type State =
  /** Not started, or stopped by the person. */
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | ({ readonly kind: 'connected'; readonly program: string } & Introduction)
  /** There is no program, or none that can be run. */
  | { readonly kind: 'missing'; readonly looked: readonly string[]; readonly reason?: string }
  /** The program or the daemon is too old. */
  | { readonly kind: 'old'; readonly version: string; readonly wanted: string; readonly program?: string }
  /** The daemon has gone. It is tried again, and if it was stopped, only another can start it. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly stopped: boolean };

/** Milliseconds before each attempt to connect again; the last one stays. */
const PAUSES = [100, 300, 1000, 2000, 5000];

type Handler = (params: never) => unknown;

export class Connection implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changed.event;
  private readonly notified = new Map<string, Set<Handler>>();
  private readonly served = new Map<string, Handler>();
  private now: State = { kind: 'off' };
  private link: Link | undefined;
  private attempts = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Counts starts and stops: what began before the last one is of no interest any more. */
  private turn = 0;
  middleware: NonNullable<LanguageClientOptions['middleware']> = {};
  /** What this window can do, as it is told at every connection. */
  readonly announced = new Map<string, () => boolean>();

  constructor(
    private readonly extensionPath: string,
    private readonly log: Log,
  ) {}

  get state(): State {
    return this.now;
  }

  /** The language client, while it is connected. */
  get client(): LanguageClient | undefined {
    return this.now.kind === 'connected' ? this.link?.client : undefined;
  }

  /** Rejects with a `Refusal`. */
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

  /** Tells the daemon something, if it is there. */
  notify(method: string, params: unknown): void {
    this.client?.sendNotification(method, params).catch((error: unknown) => {
      this.log.debug(`${method} was not sent: ${String(error)}`);
    });
  }

  /** Handlers stay over all connections. */
  onNotification<M extends keyof Notifications>(
    method: M,
    handler: (params: Notifications[M]) => void,
  ): vscode.Disposable {
    const handlers = this.notified.get(method) ?? new Set();
    this.notified.set(method, handlers.add(handler));
    return new vscode.Disposable(() => handlers.delete(handler));
  }

  /** Tells the parts of this window what one of them has learnt from an answer: the daemon does not tell it twice. */
  heard<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    this.notified.get(method)?.forEach((handler) => handler(params as never));
  }

  /** To be called before `start`. */
  serve<M extends keyof ServedRequests>(
    method: M,
    handler: (params: ServedRequests[M]['params']) => Promise<ServedRequests[M]['result']>,
  ): void {
    this.served.set(method, handler);
  }

  /** Looks for the program, and connects. Does not wait for the daemon. */
  async start(): Promise<void> {
    const turn = await this.end({ kind: 'connecting' });
    this.attempts = 0;
    if (turn === this.turn) {
      await this.attempt(config.autostart);
    }
  }

  /** Disconnects and stays so. */
  async stop(): Promise<void> {
    await this.end({ kind: 'off' });
  }

  dispose(): void {
    void this.stop();
  }

  private async end(state: State): Promise<number> {
    this.turn += 1;
    const turn = this.turn;
    clearTimeout(this.timer);
    const link = this.link;
    this.link = undefined;
    this.become(state);
    await link?.stop();
    return turn;
  }

  private become(state: State): void {
    this.now = state;
    this.log.info(describe(state));
    this.changed.fire(state);
  }

  private async attempt(spawnDaemon: boolean): Promise<void> {
    const turn = this.turn;
    const env = environment(config.env);
    const located = await locate(config.path, this.extensionPath, env);
    if (turn !== this.turn) {
      return;
    }
    if (located.kind !== 'found') {
      this.become(unusable(located));
      return;
    }
    const { program } = located;
    const announced = Object.fromEntries([...this.announced].map(([name, can]) => [name, can()]));
    const link = new Link({ program, env, spawnDaemon, announced, middleware: this.middleware }, this.log);
    this.link = link;
    this.register(link);
    let introduction;
    try {
      introduction = await link.start();
    } catch (error) {
      if (turn === this.turn) {
        await this.failed(link, error, spawnDaemon);
      }
      return;
    }
    if (turn !== this.turn) {
      await link.stop();
      return;
    }
    this.attempts = 0;
    void link.ended.then((code) => {
      if (turn === this.turn) {
        const why = link.lastWords || (code === 0 ? 'the daemon was stopped' : 'the daemon has gone');
        this.again(why, code === 0, link);
      }
    });
    this.become({ kind: 'connected', program, ...introduction });
  }

  private async failed(link: Link, error: unknown, spawnDaemon: boolean): Promise<void> {
    if (error instanceof WrongDaemon) {
      this.link = undefined;
      this.become({ kind: 'old', version: error.version, wanted: OLDEST });
      await link.stop();
      return;
    }
    const reason = link.lastWords || (error instanceof Error ? error.message : String(error));
    this.again(reason, !spawnDaemon, link);
  }

  /** A daemon that was stopped is not started again by this editor; one that was lost is. */
  private again(reason: string, stopped: boolean, link: Link): void {
    this.turn += 1;
    this.link = undefined;
    void link.stop();
    const pause = PAUSES[Math.min(this.attempts, PAUSES.length - 1)];
    this.attempts += 1;
    this.become({ kind: 'waiting', reason, stopped });
    this.timer = setTimeout(() => {
      void this.attempt(config.autostart && !stopped);
    }, pause);
  }

  private register(link: Link): void {
    for (const [method, handlers] of this.notified) {
      link.client.onNotification(method, (params: unknown) => {
        handlers.forEach((handler) => handler(params as never));
      });
    }
    for (const [method, handler] of this.served) {
      link.client.onRequest(method, (params: unknown) => handler(params as never));
    }
  }
}

function unusable(located: Exclude<Located, { kind: 'found' }>): State {
  switch (located.kind) {
    case 'missing':
      return { kind: 'missing', looked: located.looked };
    case 'broken':
      return { kind: 'missing', looked: [located.program], reason: located.reason };
    case 'old':
      return { kind: 'old', version: located.version, wanted: OLDEST, program: located.program };
  }
}

/** A line for the log. */
export function describe(state: State): string {
  switch (state.kind) {
    case 'off':
      return 'not connected: stopped here';
    case 'connecting':
      return 'connecting';
    case 'connected':
      return `connected to editd ${state.version} through ${state.program}`;
    case 'missing':
      return state.reason
        ? `${state.looked.join(', ')} cannot be run: ${state.reason}`
        : `the program editd is not there: looked for it in ${state.looked.join(', ')}`;
    case 'old':
      return `editd ${state.version}${state.program ? ` (${state.program})` : ''} is too old: ${state.wanted} or later is wanted`;
    case 'waiting':
      return `not connected: ${state.reason}`;
  }
}
