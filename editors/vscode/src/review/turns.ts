/** Does one thing after the other for each key: each decision names the revision that the last one led to. */
export class Turns {
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

/** Does a thing for a key, and once more if it was asked for meanwhile. */
export class Latest<K> {
  private readonly asked = new Map<K, number>();
  private readonly running = new Map<K, Promise<void>>();

  /** Until it was done at least once from now on. */
  run(key: K, act: () => Promise<void>): Promise<void> {
    this.asked.set(key, (this.asked.get(key) ?? 0) + 1);
    const running = this.running.get(key);
    if (running) {
      return running;
    }
    const done = this.repeat(key, act).finally(() => {
      this.running.delete(key);
      this.asked.delete(key);
    });
    this.running.set(key, done);
    return done;
  }

  /** What is being done now. */
  all(): Promise<void>[] {
    return [...this.running.values()];
  }

  private async repeat(key: K, act: () => Promise<void>): Promise<void> {
    let seen: number | undefined;
    do {
      seen = this.asked.get(key);
      await act();
    } while (seen !== this.asked.get(key));
  }
}
