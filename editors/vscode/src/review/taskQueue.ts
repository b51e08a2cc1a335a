/** Runs tasks one after another for each key, because each decision refers to the revision after the previous one. */
export class TaskQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(act, act);
    this.last.set(key, turn);
    const forget = () => {
      if (this.last.get(key) === turn) {
        this.last.delete(key);
      }
    };
    turn.then(forget, forget);
    return turn;
  }
}

/** Runs a task for a key, and once more if it was requested while it ran. */
export class CoalescingQueue<K> {
  private readonly requests = new Map<K, number>();
  private readonly running = new Map<K, Promise<void>>();

  /** Resolves once a run that started after this call has ended. */
  run(key: K, act: () => Promise<void>): Promise<void> {
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
    const running = this.running.get(key);
    if (running) {
      return running;
    }
    const done = this.repeat(key, act).finally(() => {
      this.running.delete(key);
      this.requests.delete(key);
    });
    this.running.set(key, done);
    return done;
  }

  /** The running tasks. */
  all(): Promise<void>[] {
    return [...this.running.values()];
  }

  private async repeat(key: K, act: () => Promise<void>): Promise<void> {
    let handled: number | undefined;
    do {
      handled = this.requests.get(key);
      await act();
    } while (handled !== this.requests.get(key));
  }
}
