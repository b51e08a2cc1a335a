// Waiting for a condition: with a deadline, and with what was seen last in the message when it passes.
import { setTimeout as pause } from 'node:timers/promises';

const EVERY = 25;

/** Looks until `accept` says yes to what is seen, and gives that. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  accept: (seen: T) => boolean = Boolean,
  within = 20_000,
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
