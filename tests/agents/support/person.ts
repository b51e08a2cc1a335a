// A reviewer, who decides over the socket for editors, as a plugin does.
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Place } from './place.ts';
import { until } from './until.ts';

/** Accepts all of a proposal. */
export async function accepts(place: Place, id: string): Promise<void> {
  const socket = connect(join(place.sockets, 'editor.sock'));
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let last = 0;
  const call = async (method: string, params: object): Promise<Record<string, unknown>> => {
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params })}\n`);
    for (;;) {
      const line = await lines.next();
      if (line.done === true) {
        throw new Error('the daemon has closed the connection');
      }
      const answer = JSON.parse(line.value) as { id?: number; result?: Record<string, unknown>; error?: unknown };
      if (answer.id === last) {
        if (answer.result === undefined) {
          throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
        }
        return answer.result;
      }
    }
  };
  try {
    await call('initialize', { clientInfo: { name: 'person' }, capabilities: {}, rootUri: null });
    const { revision } = await call('editd/proposal', { id });
    await call('editd/decide', { id, revision, accept: 'all' });
  } finally {
    socket.destroy();
  }
}

/** Rejects the next proposal as soon as it is there, at a terminal. */
export async function rejectsNext(place: Place): Promise<void> {
  const pending = async (): Promise<string | undefined> =>
    /"id": *"([^"]+)"/.exec((await place.editd('review', '--output', 'json')).stdout)?.[1];
  const id = await until('a proposal', pending, (found) => found !== undefined, 20_000);
  await place.editd('review', String(id), '--reject');
}
