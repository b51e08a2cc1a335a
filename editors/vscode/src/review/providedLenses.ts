/** Maximum number of documents remembered. Editors cache the lenses of as many closed documents. */
const MAX_DOCUMENTS = 20;

interface Provided {
  readonly text: string;
  /** Number of times that this text was provided. */
  count: number;
}

/**
 * Records the lenses that were last provided for each document, by a key. After a change event, an editor requests
 * lenses with a delay, and not at all if it loses the focus in that time: it then shows outdated lenses.
 */
export class ProvidedLenses {
  private readonly last = new Map<string, Provided>();

  record(key: string, text: string): void {
    const before = this.last.get(key);
    this.last.delete(key);
    if (before?.text === text) {
      this.last.set(key, { text, count: before.count + 1 });
      return;
    }
    this.last.set(key, { text, count: 1 });
    const [oldest] = this.last.keys();
    if (this.last.size > MAX_DOCUMENTS && oldest !== undefined) {
      this.last.delete(oldest);
    }
  }

  has(key: string): boolean {
    return this.last.has(key);
  }

  /** Resets the count, because another editor shows the document and all editors have to request lenses again. */
  resetCount(key: string): void {
    const last = this.last.get(key);
    if (last) {
      last.count = 0;
    }
  }

  /**
   * Returns `true` if one of `editors` editors may show other lenses than `text`. Without lenses so far, it is up to
   * date if `text` is empty.
   */
  isOutdated(key: string, text: string, editors: number): boolean {
    const last = this.last.get(key);
    return last ? last.text !== text || last.count < editors : text !== '';
  }
}
