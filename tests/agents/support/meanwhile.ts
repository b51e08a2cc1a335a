// An action that needs another one to end, such as an edit that waits for a person.
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that the other action has to end after the first. */
const GRACE = 5000;

/** Returns the result of `act` after both have ended. Fails with that result if only `other` does not end. */
export async function meanwhile<T>(act: Promise<T>, other: Promise<unknown>): Promise<T> {
  const late = act.then(async (result) => {
    await pause(GRACE, undefined, { ref: false });
    throw new Error(`It has ended alone: ${String(result)}`);
  });
  for (const each of [late, other]) {
    each.catch(() => undefined); // the error of the one that ends first is thrown
  }
  await Promise.race([other, late]);
  return act;
}
