// The history: changes that were made, newest first, with their diffs and an undo.
import type { Desk } from './desk';
import { button, el, fill } from './dom';
import { ago, count, shortPath } from './names';
import { tableOf } from './table';
import { partsOfDiff } from './unified';
import { firstLine, oneLine } from './visible';
import type { Transaction, Undone } from './wire';

const PAGE = 50;
/** Pause in milliseconds before changes are loaded again. The daemon does not report them. */
const EVERY = 3_000;

export class HistoryView {
  readonly element = el('article', { class: 'history' });
  private readonly list = el('ol', { 'aria-label': 'Changes, newest first' });
  private readonly more = el('div', { class: 'buttons' });
  private entries: Entry[] = [];
  private timer = 0;

  constructor(private readonly desk: Desk) {
    this.element.append(
      el('header', { class: 'proposal-bar' }, el('h2', { tabindex: -1 }, 'History')),
      this.list,
      this.more,
    );
  }

  /** Loads the newest changes, now and every few seconds for as long as they are shown. */
  async show(): Promise<void> {
    clearInterval(this.timer);
    this.timer = window.setInterval(() => {
      if (!this.element.isConnected) {
        clearInterval(this.timer);
      } else if (document.visibilityState === 'visible') {
        void this.load().catch(() => undefined);
      }
    }, EVERY);
    await this.load();
  }

  /** Loads as many changes as are shown. Entries that are unchanged stay as they are, open or not. */
  private async load(): Promise<void> {
    this.draw(await this.fetch(Math.max(PAGE, this.entries.length)), []);
  }

  private async loadOlder(): Promise<void> {
    const before = this.entries.at(-1)?.transaction.transaction;
    this.draw(await this.fetch(PAGE, before), this.entries);
  }

  private async fetch(limit: number, before?: string): Promise<{ transactions: Transaction[]; isMore: boolean }> {
    const params = { limit, ...(before === undefined ? {} : { before }) };
    const { transactions } = await this.desk.session.call<{ transactions: Transaction[] }>('editd/history', params);
    return { transactions, isMore: transactions.length === limit };
  }

  private draw({ transactions, isMore }: { transactions: Transaction[]; isMore: boolean }, before: Entry[]): void {
    const known = new Map(this.entries.map((entry) => [keyOf(entry.transaction), entry]));
    const added = transactions.map(
      (each) => known.get(keyOf(each)) ?? new Entry(this.desk, each, () => void this.load()),
    );
    this.entries = [...before, ...added];
    const focused = document.activeElement;
    const isSame = this.entries.every(({ element }, at) => this.list.children[at] === element);
    if (!isSame || this.list.childElementCount !== this.entries.length) {
      const none = el('li', { class: 'faint empty' }, 'No change was recorded here.');
      fill(this.list, ...(this.entries.length === 0 ? [none] : this.entries.map(({ element }) => element)));
    }
    if (focused instanceof HTMLElement && focused !== document.activeElement) {
      const target = this.list.contains(focused) ? focused : this.element.querySelector('h2');
      target?.focus({ preventScroll: true });
    }
    if (isMore !== this.more.hasChildNodes()) {
      fill(this.more, isMore && button('Show older changes', () => void this.loadOlder()));
    }
  }
}

/** Returns the same text for a transaction as long as it looks the same in the list. */
function keyOf({ transaction, undone }: Transaction): string {
  return `${transaction} ${String(undone)}`;
}

/** A transaction in the list. */
class Entry {
  readonly element: HTMLElement;
  private readonly details = el('div', { class: 'details', hidden: true });
  private readonly toggle: HTMLButtonElement;

  constructor(
    private readonly desk: Desk,
    readonly transaction: Transaction,
    private readonly undone: () => void,
  ) {
    const { label, author, at, files } = transaction;
    const [added, removed] = [sum(files, 'added'), sum(files, 'removed')];
    this.toggle = el(
      'button',
      { type: 'button', class: 'entry', 'aria-expanded': 'false', onclick: () => void this.open() },
      el('span', { class: 'entry-label' }, el('bdi', {}, firstLine(label ?? '', 300) || 'Change without a label')),
      el('span', { class: 'faint' }, el('bdi', {}, oneLine(author, 60)), ` · ${ago(at)} · ${this.paths()}`),
      el(
        'span',
        { class: 'entry-end' },
        el('b', { class: 'added' }, `+${added}`),
        el('b', { class: 'removed' }, `−${removed}`),
        transaction.undone && el('span', { class: 'state rejected' }, 'undone'),
        transaction.undoes !== undefined && el('span', { class: 'badge' }, 'an undo'),
        transaction.run !== undefined && el('span', { class: 'badge' }, 'command'),
      ),
    );
    this.element = el('li', {}, this.toggle, this.details);
  }

  private paths(): string {
    const [first] = this.transaction.files;
    const more = this.transaction.files.length - 1;
    const path = first === undefined ? '' : shortPath(first.newPath ?? first.path, this.desk.session.root);
    return more > 0 ? `${path} and ${count(more, 'more file')}` : path;
  }

  private async open(): Promise<void> {
    const isShown = this.details.hidden;
    this.details.hidden = !isShown;
    this.toggle.setAttribute('aria-expanded', String(isShown));
    if (isShown && this.details.childElementCount === 0) {
      await this.load().catch((error: unknown) => {
        this.desk.fail(error instanceof Error ? error.message : String(error));
      });
    }
  }

  private async load(): Promise<void> {
    const params = { transaction: this.transaction.transaction, diff: true };
    const { transactions } = await this.desk.session.call<{ transactions: Transaction[] }>('editd/history', params);
    const { root } = this.desk.session;
    const [detail = this.transaction] = transactions;
    const start = button('Undo…', () => void this.preview(place), {
      name: `Undo: ${firstLine(detail.label ?? '', 60)}`,
    });
    const place = el(
      'div',
      { class: 'buttons' },
      !detail.undone && start,
      el('span', { class: 'id faint' }, detail.transaction),
    );
    fill(
      this.details,
      place,
      ...(detail.paths ?? []).map(({ path, before, after }) =>
        el('p', { class: 'note' }, `${shortPath(path, root)}: ${oneLine(before)} → ${oneLine(after)}`),
      ),
      ...detail.files.map(({ path, newPath, diff }) => diffOf(this.desk, shortPath(newPath ?? path, root), diff)),
    );
  }

  /** Shows the effect of the undo, and undoes the change exactly so after a confirmation. */
  private async preview(place: HTMLElement): Promise<void> {
    const { transaction } = this.transaction;
    const { session } = this.desk;
    const failed = (error: unknown): void => {
      this.desk.fail(error instanceof Error ? error.message : String(error));
    };
    const preview = await session.call<Undone>('editd/undo', { transaction, preview: true }).catch(failed);
    if (preview === undefined) {
      return;
    }
    const undo = async (): Promise<void> => {
      await session.call<Undone>('editd/undo', { transaction, fingerprint: preview.fingerprint });
      this.desk.say('The change is undone.');
      this.undone();
    };
    const confirm = button('Undo this change', () => void undo().catch(failed), { kind: 'primary' });
    const box = el(
      'div',
      { class: 'preview', role: 'group', 'aria-label': 'Preview of the undo' },
      el('p', {}, 'The undo changes this:'),
      ...preview.files.map(({ path, newPath, diff }) =>
        diffOf(this.desk, shortPath(newPath ?? path, session.root), diff),
      ),
      el(
        'div',
        { class: 'buttons' },
        confirm,
        button('Cancel', () => {
          box.remove();
        }),
      ),
    );
    place.after(box);
    confirm.focus();
  }
}

function sum(files: readonly { added: number; removed: number }[], member: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[member], 0);
}

function diffOf(desk: Desk, path: string, diff: string | undefined): HTMLElement {
  const blocks = partsOfDiff(diff ?? '').map((part) =>
    part.type === 'plain' ? tableOf(part.rows, desk.layout(), {}) : el('div', { class: 'gap' }, '⋯'),
  );
  return el(
    'section',
    { class: 'file', 'aria-label': path },
    el('header', { class: 'file-bar' }, el('h3', {}, el('bdi', {}, path))),
    ...(blocks.length > 0 ? blocks : [el('p', { class: 'note' }, 'The diff of this file is not stored.')]),
  );
}
