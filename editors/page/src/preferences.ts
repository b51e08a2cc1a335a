// Preferences of the person, stored in the browser.
import type { Layout } from './table';

const LAYOUT = 'editd.layout';

/** Width below which two sides have no room. */
const NARROW = window.matchMedia('(max-width: 800px)');

export class Preferences {
  private chosen: Layout = localStorage.getItem(LAYOUT) === 'unified' ? 'unified' : 'split';

  constructor(changed: () => void) {
    NARROW.addEventListener('change', changed);
  }

  get layout(): Layout {
    return NARROW.matches ? 'unified' : this.chosen;
  }

  toggleLayout(): void {
    this.chosen = this.chosen === 'split' ? 'unified' : 'split';
    localStorage.setItem(LAYOUT, this.chosen);
  }
}
