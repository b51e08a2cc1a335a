// The page: the list, the change that is shown, and the connection to the server.
import type { Desk } from './desk';
import { button, el, fill } from './dom';
import { type Connection, listen } from './events';
import { helpDialog } from './help';
import { HistoryView } from './historyView';
import { listenToKeys } from './keys';
import { ChosenLayout } from './layout';
import { ListView } from './listView';
import { Messages } from './messages';
import { stateOf } from './names';
import { Near } from './near';
import { ProposalView } from './proposalView';
import type { Session } from './session';
import type { Proposal, Reviewers } from './wire';

const STATES: Record<Connection, string> = {
  connecting: 'Connecting…',
  connected: 'Connected',
  'no-daemon': 'The daemon has ended. Waiting for it…',
  'no-server': 'The command `editd review --web` has ended. Waiting for it…',
  ended: 'The session has ended',
};

export class App {
  private readonly messages = new Messages();
  private readonly help = helpDialog();
  private readonly main = el('main', { tabindex: -1 });
  private readonly connection = el('span', { class: 'connection connecting', role: 'status' });
  private readonly list: ListView;
  private readonly history: HistoryView;
  private readonly layout: ChosenLayout;
  private readonly layoutButton: HTMLButtonElement;
  private readonly desk: Desk;
  private view: ProposalView | undefined;
  private near = new Near();
  private refreshing: Promise<void> = Promise.resolve();

  constructor(
    private readonly session: Session,
    private readonly body: HTMLElement,
  ) {
    this.layout = new ChosenLayout(session, () => {
      this.redraw();
    });
    this.desk = this.newDesk();
    this.list = new ListView(session, (id) => void this.show(id, true));
    this.history = new HistoryView(this.desk);
    this.layoutButton = button(
      '',
      () => {
        this.toggleLayout();
      },
      { key: 'u', kind: 'layout' },
    );
  }

  /** Shows the page and keeps it up to date. */
  async start(): Promise<void> {
    fill(
      this.body,
      this.header(),
      el('div', { class: 'columns' }, this.list.element, this.main),
      this.messages.element,
      this.help,
    );
    this.drawLayoutButton();
    this.listenToKeys();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') {
        this.refresh();
      }
    });
    await listen(this.session, {
      connection: (state) => {
        this.connected(state);
      },
      changed: ({ id, revision, state }) => {
        if (id === this.view?.id) {
          void this.view.review.heard(revision, state).catch(() => undefined);
        }
        this.refreshList();
      },
      ended: (message) => {
        this.messages.fail(message);
      },
    });
  }

  private newDesk(): Desk {
    return {
      session: this.session,
      near: this.near,
      layout: () => this.layout.now,
      say: (message) => {
        this.messages.say(message);
      },
      fail: (message) => {
        this.messages.fail(message);
      },
    };
  }

  private header(): HTMLElement {
    const folder = this.session.root?.split('/').at(-1) ?? '';
    return el(
      'header',
      { class: 'top' },
      el('h1', {}, 'editd', el('bdi', { class: 'faint' }, folder)),
      el(
        'nav',
        { class: 'buttons', 'aria-label': 'Page' },
        button(
          'Review',
          () => {
            this.showReview();
          },
          { key: 'r' },
        ),
        button(
          'History',
          () => {
            this.showHistory();
          },
          { key: 'h' },
        ),
        this.layoutButton,
        button(
          'Keys',
          () => {
            this.help.showModal();
          },
          { key: '?' },
        ),
      ),
      this.connection,
    );
  }

  private connected(state: Connection): void {
    this.connection.className = `connection ${state}`;
    fill(this.connection, STATES[state]);
    if (state === 'connected') {
      this.refresh();
      void this.reportUnreviewed().catch(() => undefined);
    }
  }

  /** Tells what was changed without a review while no reviewer was connected. */
  private async reportUnreviewed(): Promise<void> {
    const { unreviewed } = await this.session.call<Reviewers>('editd/reviewers');
    if (unreviewed !== undefined) {
      const show = (): void => {
        this.showHistory();
      };
      this.messages.tell(unreviewed.message, { label: 'Show the history', press: show });
    }
  }

  /** Loads the list and the shown proposal, one load at a time. */
  private refresh(): void {
    this.refreshList();
    void this.view?.review.reload().catch(() => undefined);
  }

  private refreshList(): void {
    this.refreshing = this.refreshing.then(() => this.loadList().catch(() => undefined));
  }

  private async loadList(): Promise<void> {
    const fresh = await this.list.load();
    const { waiting } = this.list;
    const [first] = waiting;
    document.title = `${waiting.length === 0 ? '' : `(${waiting.length}) `}Review · editd`;
    if (this.view === undefined && this.main.childElementCount === 0) {
      if (first === undefined) {
        this.showEmpty();
      } else {
        await this.show(first.id, false);
      }
    } else if (this.main.querySelector('.nothing') !== null && first !== undefined) {
      await this.show(first.id, false);
    } else if (fresh.length > 0) {
      this.messages.say(
        fresh.length === 1 ? 'A new change waits for review.' : `${fresh.length} new changes wait for review.`,
      );
    }
  }

  private showEmpty(): void {
    this.close();
    this.body.classList.remove('detail');
    fill(
      this.main,
      el(
        'div',
        { class: 'nothing' },
        el('h2', { tabindex: -1 }, 'No change waits for review'),
        el('p', {}, 'Changes that agents propose in this project appear here at once.'),
        el('p', { class: 'faint' }, 'While the command runs, each change waits until you have decided about it.'),
      ),
    );
  }

  private async show(id: string, focus: boolean): Promise<void> {
    const proposal = await this.session.call<Proposal>('editd/proposal', { id }).catch((error: unknown) => {
      this.messages.fail(error instanceof Error ? error.message : String(error));
      return undefined;
    });
    if (proposal === undefined) {
      return;
    }
    this.close();
    this.near = new Near();
    this.view = new ProposalView(this.newDesk(), proposal, {
      show: (other) => void this.show(other, true),
      reopen: (closed) => void this.reopen(closed),
      undo: (transaction) => void this.undo(transaction),
      decided: (decided) => {
        this.decided(decided);
      },
    });
    this.list.select(id);
    fill(this.main, this.view.element);
    this.body.classList.toggle('detail', focus || this.body.classList.contains('detail'));
    if (focus) {
      window.scrollTo(0, 0);
      this.view.element.querySelector('h2')?.focus({ preventScroll: true });
    }
  }

  private close(): void {
    this.near.close();
    this.view = undefined;
    this.list.select(undefined);
  }

  private decided(proposal: Proposal): void {
    const { transaction } = proposal;
    const [next] = this.list.waiting.filter(({ id }) => id !== proposal.id);
    const undo = transaction === undefined ? undefined : { label: 'Undo', press: () => void this.undo(transaction) };
    this.messages.say(`The change is ${stateOf(proposal)}.${next === undefined ? '' : ' J shows the next one.'}`, undo);
    this.view?.element.querySelector('h2')?.focus();
    this.refreshList();
  }

  private async reopen(id: string): Promise<void> {
    const reopened = await this.attempt(() => this.session.call<Proposal>('editd/reopen', { id }));
    if (reopened !== undefined) {
      await this.show(reopened.id, true);
      this.messages.say('The rejected hunks are open again.');
      this.refreshList();
    }
  }

  private async undo(transaction: string): Promise<void> {
    if ((await this.attempt(() => this.session.call('editd/undo', { transaction }))) !== undefined) {
      this.messages.say('The change is undone.');
      this.refresh();
    }
  }

  private async attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.messages.fail(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  private showHistory(): void {
    this.close();
    this.body.classList.add('detail');
    fill(this.main, this.history.element);
    void this.attempt(() => this.history.show());
    this.main.querySelector('h2')?.focus();
  }

  private showReview(): void {
    const [first] = this.list.waiting;
    if (this.view === undefined) {
      if (first === undefined) {
        this.showEmpty();
      } else {
        void this.show(first.id, true);
      }
    }
    this.body.classList.remove('detail');
  }

  private toggleLayout(): void {
    void this.attempt(() => this.layout.toggle());
    this.redraw();
  }

  private redraw(): void {
    this.drawLayoutButton();
    this.view?.redraw();
  }

  private drawLayoutButton(): void {
    const label = this.layout.now === 'split' ? 'Unified' : 'Side by side';
    fill(this.layoutButton, label);
  }

  private listenToKeys(): void {
    const open = (id: string | undefined): void => {
      if (id !== undefined) {
        void this.show(id, true);
      }
    };
    listenToKeys(
      {
        j: () => this.view?.move(1, 'hunk'),
        k: () => this.view?.move(-1, 'hunk'),
        ']': () => this.view?.move(1, 'file'),
        '[': () => this.view?.move(-1, 'file'),
        J: () => {
          open(this.list.neighbour(1));
        },
        K: () => {
          open(this.list.neighbour(-1));
        },
        a: () => this.view?.decideFile('accept'),
        d: () => this.view?.decideFile('reject'),
        A: () => this.view?.decideAll('accept'),
        D: () => this.view?.decideAll('reject'),
        e: () => this.view?.correct(),
        c: () => this.view?.openComment(),
        s: () => this.view?.goToOpen(),
        o: () => {
          this.reopenShown();
        },
        u: () => {
          this.toggleLayout();
        },
        h: () => {
          this.showHistory();
        },
        r: () => {
          this.showReview();
        },
        q: () => {
          this.body.classList.remove('detail');
          this.list.focus();
        },
        '?': () => {
          this.help.showModal();
        },
      },
      (key) => this.view?.press(key) ?? false,
    );
  }

  private reopenShown(): void {
    const proposal = this.view?.review.proposal;
    if (proposal !== undefined && !this.view?.review.isWaiting) {
      void this.reopen(proposal.id);
    }
  }
}
