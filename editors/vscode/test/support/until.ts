// Waits for conditions. On timeout, the error contains the last observed value.
import { setTimeout as pause } from 'node:timers/promises';

export interface Timing {
  /** Timeout in milliseconds. */
  within?: number;
  /** Polling interval in milliseconds. */
  every?: number;
}

/** Polls `observe` until `accept` accepts the value, and returns it. A call that throws is retried. */
export async function until<T>(
  what: string,
  observe: () => T | Promise<T>,
  accept: (value: T) => boolean = Boolean,
  // Other tests keep the machine busy.
  { within = 45_000, every = 50 }: Timing = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    let last: string;
    try {
      const value = await observe();
      if (accept(value)) {
        return value;
      }
      last = shown(value);
    } catch (error) {
      last = String(error);
    }
    if (Date.now() > deadline) {
      throw new Error(`Not within ${within} ms: ${what}. Last value: ${last}`);
    }
    await pause(every);
  }
}

/** Polls `observe` until the value equals `expected`. */
export async function untilEqual<T>(
  what: string,
  observe: () => T | Promise<T>,
  expected: T,
  timing?: Timing,
): Promise<void> {
  const wanted = JSON.stringify(expected);
  await until(`${what} is ${shown(expected)}`, observe, (seen) => JSON.stringify(seen) === wanted, timing);
}

function shown(value: unknown): string {
  // For undefined, JSON.stringify returns undefined, contrary to its type.
  const text = (JSON.stringify(value) as string | undefined) ?? String(value);
  return text.length > 2000 ? `${text.slice(0, 2000)}...` : text;
}
