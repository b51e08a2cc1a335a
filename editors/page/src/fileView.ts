// A file of a proposal: its heading, its hunks, and the unchanged lines between them.
import { type Drawable, chunksOf } from './chunks';
import { Colours } from './colours';
import { commentList } from './commentBox';
import { openCorrection } from './correction';
import type { ReviewDesk } from './desk';
import { button, el, fill } from './dom';
import { fileRows } from './fileText';
import { HunkView } from './hunkView';
import { unusualEndings } from './lines';
import { shortPath } from './names';
import { GapView, PlainView } from './plainView';
import type { FileRows } from './rows';
import type { Palette } from './table';
import { decideSeveral } from './several';
import { oneLine } from './visible';
import { type ChangedFile, type Proposal, isOpen } from './wire';

/** Tag of files such as build scripts, manifests and instructions for agents. */
const EXECUTABLE = 'executable_config';

/** Texts of a person about a file that were not sent. */
export interface Drafts {
  correction: Element | undefined;
  comments: ReadonlyMap<string, string>;
}

export class FileView {
  readonly element: HTMLElement;
  readonly hunks: HunkView[];
  private readonly heading = el('header', { class: 'file-bar' });
  private readonly notes = el('div');
  private readonly body = el('div', { class: 'file-body' });
  private palette: Palette = {};
  private rows: FileRows | undefined;
  private parts: readonly Drawable[];
  private focusCorrection: (() => void) | undefined;
  /** Comments that can no longer be sent, because the proposal has ended. */
  private unsent: { text: string }[] = [];

  constructor(
    private readonly desk: ReviewDesk,
    private file: ChangedFile,
    first: number,
    of: number,
  ) {
    this.hunks = file.hunks.map((hunk, at) => new HunkView(desk, file, hunk, { number: first + at, of }));
    this.element = el(
      'section',
      { class: 'file', tabindex: -1, 'aria-label': shortPath(file.path, desk.session.root) },
      this.heading,
      this.notes,
      this.body,
    );
    this.parts = this.hunks;
    this.arrange();
    this.update(file);
    desk.near.when(this.element, () => void this.load());
  }

  get path(): string {
    return this.file.path;
  }

  /** Returns `true` if these are the hunks and lines that are shown, so that only states have changed. */
  showsLinesOf(file: ChangedFile): boolean {
    const lines = ({ hunks, hashBefore, hashAfter, diff }: ChangedFile): string =>
      JSON.stringify([hashBefore, hashAfter, diff.length, hunks.map((hunk) => ({ ...hunk, state: '' }))]);
    return lines(file) === lines(this.file);
  }

  update(file: ChangedFile): void {
    this.file = file;
    const comments = this.desk.review.proposal.comments ?? [];
    file.hunks.forEach((hunk, at) => this.hunks[at]?.update(hunk, comments));
    this.drawHeading();
    fill(this.notes, ...this.warnings());
  }

  /** Draws the lines in chunks, also again in another layout or with other colours. */
  arrange(): void {
    const correction = this.body.querySelector('.correction') ?? undefined;
    const focused = document.activeElement;
    fill(this.body, correction, ...chunksOf(this.parts, this.desk.near));
    // An element that is moved loses the focus.
    if (focused instanceof HTMLElement && this.body.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  }

  /** Accepts or rejects the open hunks of the file. */
  decide(as: 'accept' | 'reject'): void {
    void decideSeveral(this.desk, [this.file], as, 'No hunk of this file can be decided in bulk.');
  }

  /** Opens the text of the file for a correction. */
  async correct(): Promise<void> {
    if (this.element.querySelector('.correction') !== null) {
      this.focusCorrection?.();
    } else if (this.desk.review.isWaiting) {
      this.focusCorrection = await openCorrection(this.desk, this.file, this.body);
    }
  }

  /** Returns what was not sent, for the view that replaces this one. */
  takeDrafts(): Drafts {
    const comments = this.hunks.map((hunk) => [hunk.id, hunk.takeComment()] as const);
    return {
      correction: this.body.querySelector('.correction') ?? undefined,
      comments: new Map(comments.flatMap(([id, text]) => (text === undefined ? [] : [[id, text]]))),
    };
  }

  restoreDrafts({ correction, comments }: Drafts): void {
    if (correction !== undefined) {
      this.body.prepend(correction);
    }
    for (const hunk of this.hunks) {
      const text = comments.get(hunk.id);
      if (text !== undefined) {
        hunk.restoreComment(text);
      }
    }
    // The boxes of comments are not shown then.
    if (!this.desk.review.isWaiting && comments.size > 0) {
      this.unsent = [...comments.values()].map((text) => ({ text }));
      fill(this.notes, ...this.warnings());
    }
  }

  private async load(): Promise<void> {
    const rows = await fileRows(this.desk.session, this.desk.review.proposal, this.file);
    this.rows = rows;
    this.parts = this.partsOf(rows);
    this.arrange();
    this.drawHeading();
    const { old, new: fresh } = rows;
    const colour = async (side: 'old' | 'new'): Promise<void> => {
      const text = side === 'old' ? old : fresh;
      if (text !== undefined) {
        this.palette[side] = await Colours.of(this.desk.session, this.file.newPath ?? this.file.path, text);
      }
    };
    // Without colours, the lines are complete, too.
    await Promise.all([colour('old'), colour('new')]).catch(() => undefined);
    this.arrange();
  }

  private partsOf({ parts }: FileRows): Drawable[] {
    const views = new Map(this.hunks.map((view) => [view.id, view]));
    return parts.flatMap((part): Drawable[] => {
      switch (part.type) {
        case 'gap':
          return [new GapView(this.desk, part.rows, this.palette)];
        case 'plain':
          return [new PlainView(this.desk, part.rows, this.palette)];
        default: {
          const view = views.get(part.hunk.id);
          view?.show(part, this.palette);
          return view === undefined ? [] : [view];
        }
      }
    });
  }

  private drawHeading(): void {
    const { file, desk } = this;
    const { root } = desk.session;
    const open = file.hunks.filter(isOpen).length;
    const endings = this.rows?.old ?? this.rows?.new;
    const kinds = { create: 'new', delete: 'deleted', edit: undefined, rename: undefined };
    const badges = [
      kinds[file.action],
      file.mode === undefined ? undefined : 'executable',
      endings === undefined ? undefined : unusualEndings(endings.lines),
    ].filter((badge) => badge !== undefined);
    const warnings = file.tags.map((tag) =>
      tag === EXECUTABLE ? 'programs execute or follow this file' : oneLine(tag),
    );
    const name = file.newPath === undefined ? '' : ` → ${shortPath(file.newPath, root)}`;
    fill(
      this.heading,
      el('h3', {}, el('bdi', {}, shortPath(file.path, root) + name)),
      ...badges.map((badge) => el('span', { class: 'badge' }, badge)),
      ...warnings.map((badge) => el('span', { class: 'badge warn' }, badge)),
      el(
        'span',
        { class: 'counts' },
        el('b', { class: 'added' }, `+${file.added}`),
        el('b', { class: 'removed' }, `−${file.removed}`),
      ),
      desk.review.isWaiting && el('span', { class: 'faint' }, open === 0 ? 'decided' : `${open} open`),
      desk.review.isWaiting && this.buttons(),
    );
  }

  private buttons(): HTMLElement {
    const { isLanded } = this.desk.review;
    const path = shortPath(this.file.path, this.desk.session.root);
    const decide = (label: string, key: string, as: 'accept' | 'reject'): HTMLElement =>
      button(
        label,
        () => {
          this.decide(as);
        },
        { key, kind: as, name: `${label}: ${path}` },
      );
    return el(
      'span',
      { class: 'buttons' },
      decide(isLanded ? 'Keep file' : 'Accept file', 'a', 'accept'),
      decide(isLanded ? 'Revert file' : 'Reject file', 'd', 'reject'),
      button('Edit', () => void this.correct(), { key: 'e', name: `Edit the text: ${path}` }),
    );
  }

  private warnings(): (HTMLElement | undefined)[] {
    const { warnings, syntax = [] } = this.file;
    return [
      this.unsent.length > 0 ? el('p', { class: 'notice' }, 'Not sent, because the proposal has ended:') : undefined,
      commentList(this.unsent),
      ...warnings.map((warning) => el('p', { class: 'note' }, oneLine(warning))),
      ...syntax.map(({ line, excerpt }) =>
        el('p', { class: 'notice' }, `New syntax error in line ${line}: `, el('code', {}, oneLine(excerpt))),
      ),
    ];
  }
}

/** Returns the files of a proposal with the number of their first hunk. */
export function numbered(proposal: Proposal): { file: ChangedFile; first: number; of: number }[] {
  const of = proposal.files.reduce((sum, { hunks }) => sum + hunks.length, 0);
  let first = 1;
  return proposal.files.map((file) => {
    const entry = { file, first, of };
    first += file.hunks.length;
    return entry;
  });
}
