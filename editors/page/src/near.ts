// Work for elements that is done when they come near the visible part of the page.

type Work = () => void;

/** Distance from the visible part at which an element is near, so that it is complete before it is visible. */
const MARGIN = '1000px';

/** Time for work between two frames. */
const SLICE = 6;

export class Near {
  private readonly waiting = new Map<Element, Work>();
  private readonly queue: Work[] = [];
  private isScheduled = false;
  private readonly observer = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
        this.arrived(target);
      }
    },
    { rootMargin: MARGIN },
  );

  /** Does the work once, when the element is near. */
  when(element: Element, work: Work): void {
    this.waiting.set(element, work);
    // An element that is observed again is reported again.
    this.observer.unobserve(element);
    this.observer.observe(element);
  }

  /** Does the work in one of the next frames, so that scrolling never waits for more than a slice of all work. */
  soon(work: Work): void {
    this.queue.push(work);
    this.schedule();
  }

  close(): void {
    this.waiting.clear();
    this.queue.length = 0;
    this.observer.disconnect();
  }

  private arrived(element: Element): void {
    const work = this.waiting.get(element);
    this.waiting.delete(element);
    this.observer.unobserve(element);
    work?.();
  }

  private schedule(): void {
    if (this.isScheduled) {
      return;
    }
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      const end = performance.now() + SLICE;
      do {
        this.queue.shift()?.();
      } while (this.queue.length > 0 && performance.now() < end);
      if (this.queue.length > 0) {
        this.schedule();
      }
    });
  }
}
