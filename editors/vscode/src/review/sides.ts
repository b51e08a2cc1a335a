/** Asks the daemon for both sides of a file. */
import type { Connection } from '../daemon/connection';
import type { Hash, ProposedFile } from '../daemon/wire';
import { isRewritten } from './places';
import type { Store } from './store';
import { applyDiff } from './unified';
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
    const file = store.file(id, path);
    const isOne = base.hash === proposed.hash && (!file || !isWhole(file) || file.hashBefore === base.hash);
    if (isOne || tries === TRIES) {
      const text = file ? proposedText(file, base.text, proposed.text) : proposed.text;
      return { base: base.text, proposed: text, hash: base.hash };
    }
    await store.refresh(id);
  }
}

function content(connection: Connection, { id, side, path }: Address): Promise<{ text: string; hash: Hash }> {
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  return connection.request('workspace/textDocumentContent', { uri: `editd:///${id}/${side}${escaped}` });
}

/** Whether what becomes of the file is told by its diff alone. */
function isWhole(file: ProposedFile): boolean {
  return file.action === 'create' || file.action === 'delete' || isRewritten(file);
}

function proposedText(file: ProposedFile, base: string, told: string): string {
  const [whole] = file.hunks;
  if (!isWhole(file)) {
    return told;
  }
  if (whole?.state === 'rejected' || whole?.state === 'conflicted') {
    return base;
  }
  try {
    return applyDiff(base, file.diff);
  } catch {
    return told;
  }
}
