// The list of proposals: pending ones, changes that commands have made, and decided ones.
import { button, el, fill } from './dom';
import { ago, count, shortPath, stateOf } from './names';
import type { Session } from './session';
import { firstLine, oneLine } from './visible';
import { type Summary, isWaiting } from './wire';

/** Number of decided proposals that are listed. */
const DECIDED = 20;

export class ListView {
  readonly element = el('nav', { class: 'list', 'aria-label': 'Changes' });
  private all: Summary[] = [];
  private selected: string | undefined;
  private areDecidedShown = false;

  constructor(
    private readonly session: Session,
    private readonly show: (id: string) => void,
  ) {}

  /** The proposals that wait, oldest first. */
  get waiting(): Summary[] {
    return this.all.filter((each) => isWaiting(each) && each.state !== 'proposed');
  }

  /** Loads the list. Returns the proposals that are new in it. */
  async load(): Promise<Summary[]> {
    const { proposals } = await this.session.call<{ proposals: Summary[] }>('editd/proposals');
    const known = new Set(this.waiting.map(({ id }) => id));
    this.all = proposals;
    this.draw();
    return this.waiting.filter(({ id }) => !known.has(id));
  }

  select(id: string | undefined): void {
    this.selected = id;
    this.draw();
  }

  /** Returns the proposal before or after the selected one. */
  neighbour(step: 1 | -1): string | undefined {
    const { waiting } = this;
    const at = waiting.findIndex(({ id }) => id === this.selected);
    return waiting[at < 0 ? 0 : Math.min(Math.max(at + step, 0), waiting.length - 1)]?.id;
  }

  focus(): void {
    const entry = this.element.querySelector<HTMLElement>('[aria-current]') ?? this.element.querySelector('button');
    entry?.focus();
  }

  private draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['id'];
    const { waiting } = this;
    const decided = this.all
      .filter((each) => !isWaiting(each))
      .slice(-DECIDED)
      .reverse();
    fill(
      this.element,
      el('h2', {}, waiting.length === 0 ? 'Waiting' : `Waiting (${waiting.length})`),
      waiting.length === 0
        ? el('p', { class: 'faint empty' }, 'No change waits for review.')
        : el('ul', {}, ...waiting.map((each) => el('li', {}, this.entry(each)))),
      decided.length > 0 && this.decided(decided),
    );
    if (focused !== undefined) {
      this.element.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
  }

  private decided(entries: readonly Summary[]): HTMLElement {
    const toggle = button(`Decided (${entries.length})`, () => {
      this.areDecidedShown = !this.areDecidedShown;
      this.draw();
    });
    toggle.classList.add('toggle');
    toggle.dataset['id'] = 'decided';
    toggle.setAttribute('aria-expanded', String(this.areDecidedShown));
    return el(
      'div',
      {},
      toggle,
      this.areDecidedShown && el('ul', {}, ...entries.map((each) => el('li', {}, this.entry(each)))),
    );
  }

  private entry(summary: Summary): HTMLElement {
    const { id, label, author, at, paths, added, removed } = summary;
    const [first = ''] = paths;
    const more = paths.length > 1 ? ` and ${count(paths.length - 1, 'more file')}` : '';
    return el(
      'button',
      {
        type: 'button',
        class: 'entry',
        'data-id': id,
        'aria-current': id === this.selected ? 'true' : undefined,
        onclick: () => {
          this.show(id);
        },
      },
      el('span', { class: 'entry-label' }, el('bdi', {}, firstLine(label ?? '', 200) || 'Change without a label')),
      el('span', { class: 'faint' }, el('bdi', {}, oneLine(author, 60)), ` · ${ago(at)}`),
      el('span', { class: 'entry-path' }, el('bdi', {}, shortPath(first, this.session.root)), more),
      el(
        'span',
        { class: 'entry-end' },
        el('b', { class: 'added' }, `+${added}`),
        el('b', { class: 'removed' }, `−${removed}`),
        summary.state !== 'pending' && el('span', { class: `state ${summary.state}` }, stateOf(summary)),
      ),
    );
  }
}
