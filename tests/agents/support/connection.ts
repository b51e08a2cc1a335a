// A connection to the daemon's socket for editors, with one JSON message per line.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Place } from './place.ts';
import { until } from './until.ts';

export type Fields = Record<string, unknown>;

interface Message {
  id?: number | string;
  method?: string;
  params?: Fields;
  result?: Fields | null;
  error?: unknown;
}

interface Waiting {
  resolve: (result: Fields) => void;
  reject: (error: Error) => void;
}

/** Returns the result of a request by the daemon. */
export type Serve = (method: string, params: Fields) => unknown;

export class Connection {
  private readonly socket: Socket;
  private readonly serve: Serve;
  private readonly waiting = new Map<number | string, Waiting>();
  private last = 0;

  private constructor(socket: Socket, serve: Serve) {
    this.socket = socket;
    this.serve = serve;
    createInterface({ input: socket }).on('line', (line) => {
      this.take(JSON.parse(line) as Message);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error('the daemon has closed the connection'));
      }
    });
  }

  /** Connects as soon as the daemon runs, and introduces the client. */
  static async open(place: Place, introduction: Fields, serve: Serve = () => null): Promise<Connection> {
    const path = join(place.sockets, 'editor.sock');
    await until('the daemon runs', () => existsSync(path));
    const socket = connect(path);
    await once(socket, 'connect');
    const connection = new Connection(socket, serve);
    await connection.call('initialize', introduction);
    connection.notify('initialized', {});
    return connection;
  }

  call(method: string, params: object): Promise<Fields> {
    const id = ++this.last;
    const result = new Promise<Fields>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
    this.send({ id, method, params });
    return result;
  }

  notify(method: string, params: object): void {
    this.send({ method, params });
  }

  close(): void {
    this.socket.destroy();
  }

  private send(message: object): void {
    this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private take({ id, method, params = {}, result, error }: Message): void {
    if (id === undefined) {
      return;
    }
    if (method !== undefined) {
      this.send({ id, result: this.serve(method, params) });
    } else if (error === undefined) {
      this.waiting.get(id)?.resolve(result ?? {});
    } else {
      this.waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    }
    this.waiting.delete(id);
  }
}
