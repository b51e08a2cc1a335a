// Waits for a condition until a deadline. The error message contains the last observed value.
import { setTimeout as pause } from 'node:timers/promises';

const EVERY = 25;

/** Polls until `accept` returns true for the value, and returns it. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  accept: (seen: T) => boolean = Boolean,
  // Other tests keep the machine busy.
  within = 60_000,
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    const seen = await look();
    if (accept(seen)) {
      return seen;
    }
    if (Date.now() > deadline) {
      throw new Error(`Not within ${within} ms: ${what}. Seen last: ${JSON.stringify(seen)}`);
    }
    await pause(EVERY);
  }
}
