/** The transactions of this window that are loaded so far, newest first. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { TransactionEntry } from '../daemon/wire';
import { insideWindow, windowFolders } from '../paths';

/** Number of entries shown at first, and added by "Load More". */
const PAGE = 50;

/** Maximum number of transactions searched for one page: the history covers all folders of the user. */
const MAX_SEARCHED = 1000;

interface Pages {
  readonly entries: readonly TransactionEntry[];
  /** Newest and oldest transaction read so far, of any folder. */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  readonly hasMore: boolean;
}

const EMPTY: Pages = { entries: [], newest: undefined, oldest: undefined, hasMore: false };

export class Transactions implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private pages = EMPTY;
  /** Reads run one after another: each starts where the previous one has ended. */
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly connection: Connection) {}

  get entries(): readonly TransactionEntry[] {
    return this.pages.entries;
  }

  /** `true` if older entries can be loaded. */
  get hasMore(): boolean {
    return this.pages.hasMore;
  }

  find(transaction: string): TransactionEntry | undefined {
    return this.entries.find((each) => each.transaction === transaction);
  }

  /** Reloads at least as many entries as before if there is a new transaction. Rejects with a `Refusal`. */
  refresh(): Promise<void> {
    return this.enqueue(async () => {
      const { transactions } = await this.connection.request('editd/history', { limit: 1 });
      if (transactions[0]?.transaction !== this.pages.newest) {
        this.setPages(await this.read(EMPTY, this.entries.length));
      }
    });
  }

  /** Reloads from scratch, because the folders of the window may have changed. */
  reload(): Promise<void> {
    return this.enqueue(async () => {
      this.setPages(await this.read(EMPTY, PAGE));
    });
  }

  loadMore(): Promise<void> {
    return this.enqueue(async () => {
      this.setPages(await this.read(this.pages, PAGE));
    });
  }

  dispose(): void {
    this.changed.dispose();
  }

  private enqueue(act: () => Promise<void>): Promise<void> {
    const result = this.queue.then(act);
    this.queue = result.catch(() => undefined);
    return result;
  }

  private setPages(pages: Pages): void {
    this.pages = pages;
    this.changed.fire();
  }

  /** Reads further pages until there are enough more entries of this window, but at most `SEARCHED` transactions. */
  private async read(pages: Pages, wanted: number): Promise<Pages> {
    const isInFolders = inFolders();
    const entries = [...pages.entries];
    const enough = entries.length + Math.max(wanted, PAGE);
    let { newest, oldest } = pages;
    let hasMore: boolean;
    let searched = 0;
    do {
      const { transactions } = await this.connection.request('editd/history', {
        limit: PAGE,
        ...(oldest === undefined ? {} : { before: oldest }),
      });
      newest ??= transactions[0]?.transaction;
      oldest = transactions.at(-1)?.transaction ?? oldest;
      hasMore = transactions.length === PAGE;
      entries.push(...transactions.filter(isInFolders));
      searched += PAGE;
    } while (hasMore && entries.length < enough && searched < MAX_SEARCHED);
    return { entries, newest, oldest, hasMore };
  }
}

/**
 * Returns a predicate for transactions in the folders of this window. In a window without folders, it is always `true`.
 */
function inFolders(): (entry: TransactionEntry) => boolean {
  const isInside = insideWindow();
  const includesAll = windowFolders().length === 0;
  return (entry) =>
    includesAll || entry.files.some((file) => isInside(file.path) || isInside(file.newPath ?? file.path));
}
