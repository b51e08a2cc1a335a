// A client for the sockets of the daemon: JSON-RPC, one message per line.
import { type Socket, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { until } from './until';

/** A refusal by the daemon. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data: Record<string, unknown>,
  ) {
    super(message);
    this.name = 'Refused';
  }

  get kind(): string {
    return String(this.data['kind']);
  }
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

export class Rpc {
  private readonly waiting = new Map<number, Waiting>();
  private readonly notifications: { method: string; params: unknown }[] = [];
  private lastId = 0;

  private constructor(private readonly socket: Socket) {
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => {
      this.take(JSON.parse(line) as Message);
    });
    lines.on('error', () => undefined); // The reader passes on errors of the socket.
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error('the daemon has closed the connection'));
      }
      this.waiting.clear();
    });
  }

  static connect(path: string): Promise<Rpc> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once('error', reject);
      socket.once('connect', () => {
        resolve(new Rpc(socket));
      });
    });
  }

  call(method: string, params: unknown): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  /** Waits for a notification of the method that matches `fits`, and removes it from the queue. */
  async notified<T>(method: string, fits: (params: T) => boolean = () => true): Promise<T> {
    const found = await until(
      `the notification ${method}`,
      () => this.notifications.findIndex((each) => each.method === method && fits(each.params as T)),
      (index) => index >= 0,
    );
    return this.notifications.splice(found, 1)[0]?.params as T;
  }

  get open(): boolean {
    return !this.socket.closed && !this.socket.destroyed;
  }

  close(): void {
    this.socket.destroy();
  }

  private send(message: object): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }

  private take(message: Message): void {
    if (message.method !== undefined) {
      this.notifications.push({ method: message.method, params: message.params });
      return;
    }
    const waiting = this.waiting.get(message.id ?? 0);
    this.waiting.delete(message.id ?? 0);
    if (message.error === undefined) {
      waiting?.resolve(message.result);
    } else {
      waiting?.reject(new Refused(message.error.message, message.error.code, message.error.data ?? {}));
    }
  }
}
