/** Fetches both sides of a file from the daemon. */
import type { Connection } from '../daemon/connection';
import type { Hash } from '../daemon/wire';
import type { Store } from './store';
import type { Address } from './uris';

export interface Sides {
  readonly base: string;
  readonly proposed: string;
  readonly hash: Hash;
}

/** Maximum number of attempts if the file changes between both requests. */
const MAX_ATTEMPTS = 5;

/** Fetches both sides for the same text of the file. */
export async function fetchSides(connection: Connection, store: Store, id: string, path: string): Promise<Sides> {
  for (let attempt = 1; ; attempt += 1) {
    const [base, proposed] = await Promise.all([
      content(connection, { id, side: 'base', path }),
      content(connection, { id, side: 'proposed', path }),
    ]);
    if (base.hash === proposed.hash || attempt === MAX_ATTEMPTS) {
      return { base: base.text, proposed: proposed.text, hash: base.hash };
    }
    await store.refresh(id);
  }
}

function content(connection: Connection, { id, side, path }: Address): Promise<{ text: string; hash: Hash }> {
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  return connection.request('workspace/textDocumentContent', { uri: `editd:///${id}/${side}${escaped}` });
}
