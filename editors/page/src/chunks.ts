// The parts of a file in chunks. A browser skips the work for a chunk that is not near, and has few of them to check.
import type { Near } from './near';
import { el } from './dom';

/** A part of a file that is drawn when it is needed. */
export interface Drawable {
  readonly element: HTMLElement;
  /** Height before it is drawn, in pixels. */
  readonly height: number;
  draw: () => void;
}

/** Number of parts in a chunk. With more, a chunk takes long to appear; with less, there are many to check. */
const SIZE = 12;

/** Puts the parts into chunks, in order. */
export function chunksOf(parts: readonly Drawable[], near: Near): HTMLElement[] {
  const chunks: HTMLElement[] = [];
  for (let at = 0; at < parts.length; at += SIZE) {
    const own = parts.slice(at, at + SIZE);
    const height = own.reduce((sum, part) => sum + part.height, 0);
    const chunk = el('div', { class: 'chunk' }, ...own.map(({ element }) => element));
    chunk.style.setProperty('contain-intrinsic-block-size', `auto ${height}px`);
    near.when(chunk, () => {
      for (const part of own) {
        near.soon(() => {
          part.draw();
        });
      }
    });
    chunks.push(chunk);
  }
  return chunks;
}
