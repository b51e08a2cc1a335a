/** Applies unified diffs. The history of the daemon stores diffs for display, not whole texts. */
import { applyPatch } from 'diff';

import { withLf } from '../lineEndings';

/**
 * Applies a diff and returns the text with LF line endings, or undefined if the diff does not apply. Ignores
 * differences in line endings, because an editor displays all of them alike.
 */
export function applyDiff(text: string, diff: string): string | undefined {
  try {
    const after = applyPatch(withLf(text), withLf(diff), { autoConvertLineEndings: false });
    return after === false ? undefined : after;
  } catch {
    return undefined;
  }
}
