// A proposal: its author and label, its files, and the buttons for all of them.
import { type CommentBox, commentBox, commentList } from './commentBox';
import type { Desk, ReviewDesk } from './desk';
import { button, el, fill } from './dom';
import { FileView, numbered } from './fileView';
import type { HunkView } from './hunkView';
import { isTyping } from './keys';
import { ago, count, shortPath, stateOf } from './names';
import { partsOfDiff } from './unified';
import { tableOf } from './table';
import { Review } from './review';
import { Seen } from './seen';
import { decideSeveral } from './several';
import { firstLine, oneLine } from './visible';
import { type Proposal, isOpen } from './wire';

export interface ProposalActions {
  /** Shows another proposal. */
  show: (id: string) => void;
  reopen: (id: string) => void;
  undo: (transaction: string) => void;
  /** The proposal was decided here. */
  decided: (proposal: Proposal) => void;
}

export class ProposalView {
  readonly element = el('article', { class: 'proposal' });
  readonly review: Review;
  private readonly desk: ReviewDesk;
  private readonly heading = el('header', { class: 'proposal-bar' });
  private readonly notes = el('div', { class: 'proposal-notes' });
  private readonly list = el('div', { class: 'files' });
  private readonly comment: CommentBox;
  private readonly seen = new Seen();
  private files: FileView[] = [];
  private currentId: string | undefined;
  private wasWaiting: boolean;

  constructor(
    desk: Desk,
    proposal: Proposal,
    private readonly actions: ProposalActions,
  ) {
    this.review = new Review(desk.session, proposal, {
      changed: (fresh) => {
        this.changed(fresh);
      },
      refused: (message) => {
        desk.fail(message);
      },
    });
    this.desk = {
      ...desk,
      review: this.review,
      isSeen: (id) => this.isSeen(id),
      next: (after) => {
        // The person may have begun to write while the decision was recorded.
        if (!isTyping(document.activeElement)) {
          this.goToOpen(after);
        }
      },
    };
    this.comment = commentBox('Comment on the proposal', async (text) => {
      const isSent = await this.review.decide({ comment: [{ text }] });
      if (isSent) {
        desk.say('The comment is recorded. The author receives it with the outcome.');
      }
      return isSent;
    });
    this.wasWaiting = this.review.isWaiting;
    this.element.append(this.heading, this.comment.element, this.notes, this.list);
    this.element.addEventListener('focusin', (event) => {
      const hunk = (event.target as Element).closest<HTMLElement>('.hunk');
      if (hunk !== null) {
        this.currentId = hunk.dataset['hunk'];
        this.markCurrent();
      }
    });
    this.drawFiles(proposal);
    this.drawHeading(proposal);
  }

  get id(): string {
    return this.review.proposal.id;
  }

  /** Draws all lines in the layout that was chosen. */
  redraw(): void {
    for (const file of this.files) {
      file.arrange();
    }
  }

  /** Moves to the next or the previous hunk, or to the next or previous file. */
  move(step: 1 | -1, by: 'hunk' | 'file'): void {
    const hunks = this.hunks();
    const at = hunks.findIndex(({ id }) => id === this.currentId);
    if (by === 'hunk') {
      const first = step === 1 ? 0 : hunks.length - 1;
      hunks[at < 0 ? first : Math.min(Math.max(at + step, 0), hunks.length - 1)]?.focus();
      return;
    }
    const file = this.files.findIndex((each) => each.hunks.some(({ id }) => id === this.currentId));
    const next = this.files[file < 0 ? 0 : Math.min(Math.max(file + step, 0), this.files.length - 1)];
    next?.hunks[0]?.focus();
    next?.element.scrollIntoView({ block: 'start' });
  }

  /** Decides the current hunk by a key. */
  press(key: string): boolean {
    return this.currentHunk()?.press(key) ?? false;
  }

  decideFile(as: 'accept' | 'reject'): void {
    this.currentFile()?.decide(as);
  }

  decideAll(as: 'accept' | 'reject'): void {
    void decideSeveral(this.desk, this.review.proposal.files, as, 'No open hunk can be decided in bulk.');
  }

  correct(): void {
    void this.currentFile()?.correct();
  }

  /** Opens the comment box of the current hunk, or that of the proposal. */
  openComment(): void {
    if (!this.review.isWaiting) {
      return;
    }
    const hunk = this.currentHunk();
    if (hunk === undefined) {
      this.comment.open();
    } else {
      hunk.openComment();
    }
  }

  /** Goes to the next open hunk after one, or to the first one. */
  goToOpen(after = this.currentId): void {
    const hunks = this.hunks();
    const at = hunks.findIndex(({ id }) => id === after);
    const next = [...hunks.slice(at + 1), ...hunks.slice(0, at + 1)].find(({ isOpen }) => isOpen);
    next?.focus();
  }

  /** Returns `true` if a hunk was on the screen, with all its changes. */
  private isSeen(id: string): boolean {
    return this.seen.has(id) && this.hunks().every((hunk) => hunk.id !== id || hunk.isWhole);
  }

  private hunks(): HunkView[] {
    return this.files.flatMap(({ hunks }) => hunks);
  }

  private currentHunk(): HunkView | undefined {
    return this.hunks().find(({ id }) => id === this.currentId);
  }

  private currentFile(): FileView | undefined {
    return this.files.find(({ hunks }) => hunks.some(({ id }) => id === this.currentId)) ?? this.files[0];
  }

  private markCurrent(): void {
    for (const { id, element } of this.hunks()) {
      element.classList.toggle('current', id === this.currentId);
    }
  }

  private changed(proposal: Proposal): void {
    const views = this.files;
    const hadFocus = this.element.contains(document.activeElement);
    const isSame = views.length === proposal.files.length && this.wasWaiting === this.review.isWaiting;
    if (isSame && proposal.files.every((file, at) => views[at]?.showsLinesOf(file) === true)) {
      proposal.files.forEach((file, at) => views[at]?.update(file));
    } else {
      this.drawFiles(proposal);
    }
    this.drawHeading(proposal);
    if (this.wasWaiting && !this.review.isWaiting) {
      this.wasWaiting = false;
      if (this.review.isOwn) {
        this.actions.decided(proposal);
      } else if (hadFocus && !this.element.contains(document.activeElement)) {
        this.element.querySelector('h2')?.focus();
      }
    }
  }

  private drawFiles(proposal: Proposal): void {
    const focused = document.activeElement;
    const hadFocus = this.list.contains(focused);
    const written = isTyping(focused) ? this.hunks().find(({ element }) => element.contains(focused))?.id : undefined;
    const drafts = new Map(this.files.map((file) => [file.path, file.takeDrafts()]));
    this.files = numbered(proposal).map(({ file, first, of }) => new FileView(this.desk, file, first, of));
    fill(this.list, ...this.files.map(({ element }) => element));
    this.seen.watch(this.hunks().map(({ element }) => element));
    for (const file of this.files) {
      const own = drafts.get(file.path);
      if (own !== undefined) {
        file.restoreDrafts(own);
      }
    }
    this.markCurrent();
    if (!hadFocus || !this.review.isWaiting) {
      return;
    }
    // Whoever writes goes on in the same box: elsewhere, the letters would be commands.
    const commented = this.hunks().find(({ id }) => id === written);
    if (commented !== undefined) {
      commented.openComment();
    } else if (isTyping(focused) && focused instanceof HTMLElement && focused.isConnected) {
      focused.focus({ preventScroll: true });
    } else {
      this.currentHunk()?.focus();
    }
  }

  private drawHeading(proposal: Proposal): void {
    const hunks = proposal.files.flatMap((file) => file.hunks);
    const open = hunks.filter(isOpen).length;
    const { root } = this.desk.session;
    fill(
      this.heading,
      el(
        'div',
        { class: 'title' },
        el('h2', { tabindex: -1 }, el('bdi', {}, firstLine(proposal.label ?? '') || 'Change without a label')),
        el('span', { class: `state ${proposal.state}` }, stateOf(proposal)),
      ),
      el(
        'p',
        { class: 'faint' },
        el('bdi', { class: 'author' }, oneLine(proposal.author)),
        ` · ${ago(proposal.at)} · ${count(proposal.files.length, 'file')}, ${count(hunks.length, 'hunk')} · `,
        el('span', { class: 'id' }, proposal.id),
      ),
      this.review.isWaiting ? this.buttons(open, hunks.length) : this.closedButtons(proposal),
    );
    const general = (proposal.comments ?? []).filter(({ hunk }) => hunk === undefined);
    fill(
      this.notes,
      proposal.reason !== undefined && el('p', { class: 'note' }, oneLine(proposal.reason)),
      proposal.notice !== undefined && el('p', { class: 'notice' }, oneLine(proposal.notice)),
      commentList(general),
      ...(proposal.userEdits ?? []).map(({ path, diff }) => correctionOf(shortPath(path, root), diff)),
    );
  }

  private buttons(open: number, all: number): HTMLElement {
    const { isLanded } = this.review;
    const accept = (): void => {
      this.decideAll('accept');
    };
    const reject = (): void => {
      this.decideAll('reject');
    };
    return el(
      'div',
      { class: 'buttons' },
      button(isLanded ? 'Keep all' : 'Accept all', accept, { key: 'A', kind: 'accept' }),
      button(isLanded ? 'Revert all' : 'Reject all', reject, { key: 'D', kind: 'reject' }),
      button(
        'Comment',
        () => {
          this.comment.open();
        },
        { name: 'Comment on the proposal' },
      ),
      el('progress', { max: all, value: all - open, 'aria-label': 'Decided hunks' }),
      el('span', { class: 'faint' }, `${all - open} of ${all} decided`),
      isLanded
        ? el('span', { class: 'faint' }, 'Reverted when all hunks are decided')
        : el('span', { class: 'faint' }, 'Written when all hunks are decided'),
    );
  }

  private closedButtons(proposal: Proposal): HTMLElement {
    const { replacedBy, transaction, landed } = proposal;
    const canReopen =
      landed === undefined && ['rejected', 'partial'].includes(proposal.state) && replacedBy === undefined;
    return el(
      'div',
      { class: 'buttons' },
      canReopen &&
        button(
          'Reopen rejected hunks',
          () => {
            this.actions.reopen(proposal.id);
          },
          { key: 'o' },
        ),
      transaction !== undefined &&
        button(
          'Undo',
          () => {
            this.actions.undo(transaction);
          },
          { name: 'Undo this change' },
        ),
      replacedBy !== undefined &&
        button('Show its replacement', () => {
          this.actions.show(replacedBy);
        }),
    );
  }
}

/** Shows what a person wrote in place of the proposed text. */
function correctionOf(path: string, diff: string): HTMLElement {
  const rows = partsOfDiff(diff).flatMap((part) => (part.type === 'plain' ? part.rows : []));
  return el('details', {}, el('summary', {}, `Your correction of ${path}`), tableOf(rows, 'unified', {}));
}
