// A hunk: its lines, its state, and the buttons that decide it.
import { type Choice, choicesOf } from './choices';
import type { Drawable } from './chunks';
import { type CommentBox, commentBox, commentList } from './commentBox';
import type { ReviewDesk } from './desk';
import { button, el, fill } from './dom';
import { hunkState, kindOf, placeOf } from './names';
import type { HunkRows } from './rows';
import { type Palette, tableOf } from './table';
import { type ChangedFile, type Comment, type Hunk, isOpen } from './wire';

/** Height of a line in the style sheet, and of the parts of a hunk around its lines. */
const LINE = 20;
const AROUND = 46;

export class HunkView implements Drawable {
  readonly element: HTMLElement;
  readonly height: number;
  private readonly bar = el('header', { class: 'hunk-bar' });
  private readonly lines = el('div', { class: 'hunk-lines' });
  private readonly said = el('div');
  private readonly comment: CommentBox;
  private rows: HunkRows | undefined;
  private palette: Palette = {};

  constructor(
    private readonly desk: ReviewDesk,
    private readonly file: ChangedFile,
    private hunk: Hunk,
    /** Number of the hunk in the proposal, and of all its hunks. */
    private readonly position: { number: number; of: number },
  ) {
    this.comment = commentBox(`Comment on hunk ${position.number}`, (text) =>
      desk.review.decide({ comment: [this.commentOf(text)] }),
    );
    this.element = el(
      'article',
      { class: 'hunk', tabindex: -1, 'data-hunk': hunk.id },
      this.bar,
      this.lines,
      this.comment.element,
      this.said,
    );
    // Until the lines are drawn, they take the space that they will need.
    const height = hunk.kind === undefined ? (hunk.oldLines + hunk.newLines + 6) * LINE : 0;
    this.height = height + AROUND;
    this.lines.style.setProperty('min-block-size', `${height}px`);
    this.update(hunk, []);
  }

  get id(): string {
    return this.hunk.id;
  }

  /** False if changed text of a very long line was not shown yet. */
  get isWhole(): boolean {
    return this.lines.querySelector('.more.changed') === null;
  }

  get isOpen(): boolean {
    return isOpen(this.hunk);
  }

  /** Shows the state of the hunk, whose lines are the same as before. */
  update(hunk: Hunk, comments: readonly Comment[]): void {
    this.hunk = hunk;
    const { isLanded, isWaiting } = this.desk.review;
    const state = hunkState(hunk, isLanded);
    const kind = kindOf(hunk, this.file, this.desk.session.root, isLanded);
    const { number, of } = this.position;
    this.element.dataset['state'] = hunk.state;
    this.element.setAttribute('aria-label', `Hunk ${number} of ${of}, ${kind ?? placeOf(hunk)}, ${state}`);
    fill(
      this.bar,
      el('span', { class: 'place' }, kind ?? placeOf(hunk)),
      el('span', { class: 'faint' }, `${number} of ${of}`),
      hunk.state !== 'pending' && el('span', { class: `state ${hunk.state}` }, state),
      isWaiting && this.buttons(),
    );
    const own = comments.filter((comment) => comment.hunk === hunk.id);
    fill(this.said, commentList(own));
    if (hunk.state === 'conflicted' && isWaiting) {
      const event = isLanded ? 'made' : 'proposed';
      this.said.prepend(el('p', { class: 'notice' }, `These lines have changed since the change was ${event}.`));
    }
  }

  /** Sets the lines, which are drawn later. */
  show(rows: HunkRows, palette: Palette): void {
    this.rows = rows;
    this.palette = palette;
  }

  draw(): void {
    if (this.rows !== undefined) {
      const { before, old, new: fresh, after } = this.rows;
      const all = [...before, ...old, ...fresh, ...after];
      fill(this.lines, all.length > 0 && tableOf(all, this.desk.layout(), this.palette));
      this.lines.style.removeProperty('min-block-size');
    }
  }

  /** Decides the hunk by a key. Returns `false` if the key has no meaning for it. */
  press(key: string): boolean {
    const choice = this.desk.review.isWaiting && this.choices().find((choice) => choice.key === key);
    if (choice === false || choice === undefined) {
      return false;
    }
    void this.choose(choice);
    return true;
  }

  openComment(): void {
    this.comment.open();
  }

  /** Returns the comment that was not sent, and removes it. */
  takeComment(): string | undefined {
    return this.comment.take();
  }

  restoreComment(text: string): void {
    this.comment.restore(text);
  }

  focus(): void {
    this.draw();
    this.element.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: 'nearest' });
  }

  /** Returns `true` if the hunk is in conflict now. Its lines are shown by another view then. */
  private isConflicted(): boolean {
    const hunks = this.desk.review.proposal.files.flatMap((file) => file.hunks);
    return hunks.find(({ id }) => id === this.id)?.state === 'conflicted';
  }

  private choices(): Choice[] {
    return choicesOf(this.hunk, this.desk.review.isLanded);
  }

  private buttons(): HTMLElement {
    const { number } = this.position;
    const buttons = this.choices().map((choice) => {
      const pressed = !this.isOpen && choice.state === this.hunk.state;
      const made = button(choice.label, () => void this.choose(choice), {
        key: choice.key,
        kind: choice.as === 'reject' ? 'reject' : 'accept',
        name: `${choice.label}, hunk ${number}`,
      });
      made.setAttribute('aria-pressed', String(pressed));
      return made;
    });
    const comment = button(
      'Comment',
      () => {
        this.openComment();
      },
      { key: 'c', name: `Comment on hunk ${number}` },
    );
    return el('span', { class: 'buttons' }, ...buttons, comment);
  }

  private async choose(choice: Choice): Promise<void> {
    const text = this.comment.take();
    const comment = text === undefined ? {} : { comment: [this.commentOf(text)] };
    const hadFocus = this.element.contains(document.activeElement);
    const isRecorded = await this.desk.review.decide({ [choice.as]: [this.id], ...comment });
    if (!isRecorded && text !== undefined) {
      this.comment.restore(text);
    } else if (isRecorded && this.isConflicted()) {
      this.desk.fail('The lines have just changed. Review this hunk again.');
    } else if (isRecorded && hadFocus) {
      this.desk.next(this.id);
    }
  }

  private commentOf(text: string): Comment {
    return { path: this.file.path, hunk: this.id, text: text.trim() };
  }
}
