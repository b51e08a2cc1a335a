import { diff3Merge } from 'node-diff3';

/**
 * What a person wrote over `base`, carried to `now`, which came of `base` meanwhile. Nothing if both changed the same
 * lines. Line ends are compared as one and are LF in what comes out of a merge.
 */
export function carry(written: string, base: string, now: string): string | undefined {
  if (base === now) {
    return written;
  }
  const [mine, old, theirs] = [written, base, now].map((text) => text.replace(/\r\n?/g, '\n').split('\n')) as [
    string[],
    string[],
    string[],
  ];
  const regions = diff3Merge(mine, old, theirs, { excludeFalseConflicts: true });
  const merged: string[] = [];
  for (const region of regions) {
    if (!region.ok) {
      return undefined;
    }
    merged.push(...region.ok);
  }
  return merged.join('\n');
}
