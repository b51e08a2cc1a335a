/** Documents that are remembered: editors keep the lenses of as many that were closed. */
const KEPT = 20;

interface Last {
  readonly text: string;
  /** How often it was given since it is that text. */
  times: number;
}

/**
 * Remembers what editors were given to show for a document, by a key. An editor that is told of news asks for them a
 * moment later, and not at all if it loses the focus in that moment: then it shows what was given before.
 */
export class Given {
  private readonly last = new Map<string, Last>();

  give(key: string, text: string): void {
    const before = this.last.get(key);
    this.last.delete(key);
    if (before?.text === text) {
      this.last.set(key, { text, times: before.times + 1 });
      return;
    }
    this.last.set(key, { text, times: 1 });
    const [oldest] = this.last.keys();
    if (this.last.size > KEPT && oldest !== undefined) {
      this.last.delete(oldest);
    }
  }

  has(key: string): boolean {
    return this.last.has(key);
  }

  /** One more editor shows the document: from now on all have to ask. */
  forget(key: string): void {
    const last = this.last.get(key);
    if (last) {
      last.times = 0;
    }
  }

  /** True if one of so many editors may show something else than this. What never showed anything needs not ask. */
  isBehind(key: string, text: string, editors: number): boolean {
    const last = this.last.get(key);
    return last ? last.text !== text || last.times < editors : text !== '';
  }
}
