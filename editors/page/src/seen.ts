// Hunks that were on the screen.

/** Share of the screen's height at the bottom that does not count: a hunk whose edge shows was not read. */
const MARGIN = '0px 0px -24px 0px';

export class Seen {
  private readonly ids = new Set<string>();
  private readonly observer = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
        const id = target instanceof HTMLElement ? target.dataset['hunk'] : undefined;
        if (id !== undefined) {
          this.ids.add(id);
        }
      }
    },
    { rootMargin: MARGIN },
  );

  /** Watches the elements of hunks instead of the earlier ones. */
  watch(elements: readonly Element[]): void {
    this.observer.disconnect();
    for (const element of elements) {
      this.observer.observe(element);
    }
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }
}
