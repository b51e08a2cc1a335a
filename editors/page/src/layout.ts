// The layout that the person prefers, as far as the window has room for it.
import type { Session } from './session';
import type { Layout } from './table';

/** Width below which two sides have no room. */
const NARROW = window.matchMedia('(max-width: 800px)');

export class ChosenLayout {
  constructor(
    private readonly session: Session,
    changed: () => void,
  ) {
    NARROW.addEventListener('change', changed);
  }

  get now(): Layout {
    return NARROW.matches ? 'unified' : this.session.preferences.layout;
  }

  /** Changes the layout. Returns when the change is stored. */
  toggle(): Promise<void> {
    const layout = this.session.preferences.layout === 'split' ? 'unified' : 'split';
    return this.session.prefer({ layout });
  }
}
