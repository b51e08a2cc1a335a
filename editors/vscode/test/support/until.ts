// Waiting for a condition: with a deadline, and with what was seen last in the message when it passes.
import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  /** Milliseconds until it fails. */
  within?: number;
  /** Milliseconds between two looks. */
  every?: number;
}

/** Looks until `accept` says yes to what is seen, and gives that. A look that throws counts as a no. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  accept: (seen: T) => boolean = Boolean,
  { within = 20_000, every = 50 }: Patience = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    let seen: string;
    try {
      const value = await look();
      if (accept(value)) {
        return value;
      }
      seen = shown(value);
    } catch (error) {
      seen = String(error);
    }
    if (Date.now() > deadline) {
      throw new Error(`Not within ${within} ms: ${what}. Seen last: ${seen}`);
    }
    await pause(every);
  }
}

/** That what is seen becomes equal to what is expected. */
export async function untilEqual<T>(
  what: string,
  look: () => T | Promise<T>,
  expected: T,
  patience?: Patience,
): Promise<void> {
  const wanted = JSON.stringify(expected);
  await until(`${what} is ${shown(expected)}`, look, (seen) => JSON.stringify(seen) === wanted, patience);
}

function shown(value: unknown): string {
  // Of undefined there is no JSON, whatever the types say.
  const text = (JSON.stringify(value) as string | undefined) ?? String(value);
  return text.length > 2000 ? `${text.slice(0, 2000)}...` : text;
}
