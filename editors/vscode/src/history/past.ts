/** The transactions that concern this window, newest first, as far as they were asked for. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { TransactionEntry } from '../daemon/wire';
import { insideWindow, windowFolders } from '../paths';

/** How many are shown at first, and added by "Load More". */
const PAGE = 50;

/** How many are looked through for one page: the history has those of all folders of the person. */
const SEARCHED = 1000;

interface Pages {
  readonly entries: readonly TransactionEntry[];
  /** The newest and the oldest that was looked at, of whatever folder. */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  readonly hasMore: boolean;
}

const NOTHING: Pages = { entries: [], newest: undefined, oldest: undefined, hasMore: false };

export class Past implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private pages = NOTHING;
  /** Reads go one after another: each begins where the one before has ended. */
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly connection: Connection) {}

  get entries(): readonly TransactionEntry[] {
    return this.pages.entries;
  }

  /** Whether older ones can be had. */
  get hasMore(): boolean {
    return this.pages.hasMore;
  }

  find(transaction: string): TransactionEntry | undefined {
    return this.entries.find((each) => each.transaction === transaction);
  }

  /** Reads as many as there were, if there is something new. Rejects with a `Refusal`. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      const { transactions } = await this.connection.request('editd/history', { limit: 1 });
      if (transactions[0]?.transaction !== this.pages.newest) {
        this.become(await this.read(NOTHING, this.entries.length));
      }
    });
  }

  /** Reads all anew: other folders may count. */
  reload(): Promise<void> {
    return this.inTurn(async () => {
      this.become(await this.read(NOTHING, PAGE));
    });
  }

  loadMore(): Promise<void> {
    return this.inTurn(async () => {
      this.become(await this.read(this.pages, PAGE));
    });
  }

  dispose(): void {
    this.changed.dispose();
  }

  private inTurn(act: () => Promise<void>): Promise<void> {
    const mine = this.turn.then(act);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private become(pages: Pages): void {
    this.pages = pages;
    this.changed.fire();
  }

  /** More pages behind these, until there are so many more entries of this window. */
  private async read(pages: Pages, wanted: number): Promise<Pages> {
    const isOurs = ofFolders();
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
      entries.push(...transactions.filter(isOurs));
      searched += PAGE;
    } while (hasMore && entries.length < enough && searched < SEARCHED);
    return { entries, newest, oldest, hasMore };
  }
}

/** Whether a transaction is about the folders of this window; without any, all are. */
function ofFolders(): (entry: TransactionEntry) => boolean {
  const isInside = insideWindow();
  const countsAll = windowFolders().length === 0;
  return (entry) => countsAll || entry.files.some((file) => isInside(file.path) || isInside(file.newPath ?? file.path));
}
