/** Asks the daemon for both sides of a file. */
import type { Connection } from '../daemon/connection';
import type { Hash } from '../daemon/wire';
import type { Store } from './store';
import type { Address } from './uris';

export interface Sides {
  readonly base: string;
  readonly proposed: string;
  readonly hash: Hash;
}

/** Times that it is asked again where the file changes in between. */
const TRIES = 5;

/** Both sides over one and the same text of the file. */
export async function fetchSides(connection: Connection, store: Store, id: string, path: string): Promise<Sides> {
  for (let tries = 1; ; tries += 1) {
    const [base, proposed] = await Promise.all([
      content(connection, { id, side: 'base', path }),
      content(connection, { id, side: 'proposed', path }),
    ]);
    if (base.hash === proposed.hash || tries === TRIES) {
      return { base: base.text, proposed: proposed.text, hash: base.hash };
    }
    await store.refresh(id);
  }
}

function content(connection: Connection, { id, side, path }: Address): Promise<{ text: string; hash: Hash }> {
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  return connection.request('workspace/textDocumentContent', { uri: `editd:///${id}/${side}${escaped}` });
}
