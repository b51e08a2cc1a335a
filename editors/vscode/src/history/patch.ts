/** Texts that a unified diff leads to. The daemon's history keeps diffs for people, and no whole texts. */
import { applyPatch } from 'diff';

import { withLf } from '../lineEnds';

/**
 * The text after the diff, with all lines ended by LF, or undefined if the diff is not about this text. Line ends are
 * not compared: an editor shows them all alike.
 */
export function patched(text: string, diff: string): string | undefined {
  try {
    const after = applyPatch(withLf(text), withLf(diff), { autoConvertLineEndings: false });
    return after === false ? undefined : after;
  } catch {
    return undefined;
  }
}
