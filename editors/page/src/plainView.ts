// Lines without buttons: unchanged ones between two hunks, and those of a diff.
import type { Drawable } from './chunks';
import type { ReviewDesk } from './desk';
import { button, el, fill } from './dom';
import { count } from './names';
import type { Row } from './rows';
import { type Palette, tableOf } from './table';

const LINE = 20;

/** Lines that are always shown. */
export class PlainView implements Drawable {
  readonly element = el('div', { class: 'plain-lines' });
  readonly height: number;

  constructor(
    private readonly desk: ReviewDesk,
    private readonly rows: readonly Row[],
    private readonly palette: Palette,
  ) {
    this.height = rows.length * LINE;
    this.element.style.setProperty('min-block-size', `${this.height}px`);
  }

  draw(): void {
    fill(this.element, tableOf(this.rows, this.desk.layout(), this.palette));
    this.element.style.removeProperty('min-block-size');
  }
}

/** Unchanged lines, which a button shows. */
export class GapView implements Drawable {
  readonly element = el('div', { class: 'gap' });
  readonly height = 33;
  private isOpen = false;

  constructor(
    private readonly desk: ReviewDesk,
    private readonly rows: readonly Row[],
    private readonly palette: Palette,
  ) {
    if (rows.length === 0) {
      fill(this.element, '⋯');
    } else {
      const open = (): void => {
        this.isOpen = true;
        this.element.className = 'plain-lines';
        this.draw();
      };
      fill(this.element, button(`Show ${count(rows.length, 'unchanged line')}`, open));
    }
  }

  draw(): void {
    if (this.isOpen) {
      fill(this.element, tableOf(this.rows, this.desk.layout(), this.palette));
    }
  }
}
