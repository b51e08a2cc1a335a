// Names of paths, times and states for people.
import { oneLine } from './visible';
import type { ChangedFile, Hunk } from './wire';

/** Returns a path relative to the root, if it is below it. */
export function shortPath(path: string, root: string | null): string {
  const prefix = `${root ?? ''}/`;
  return oneLine(root !== null && path.startsWith(prefix) ? path.slice(prefix.length) : path);
}

const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
];

/** Returns the age of something, as in `5 min ago`. */
export function ago(at: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  const unit = UNITS.find(([, length]) => seconds >= length);
  return unit === undefined ? 'just now' : `${Math.floor(seconds / unit[1])} ${unit[0]} ago`;
}

/** States of changes that commands have made. */
const LANDED: Readonly<Record<string, string>> = {
  landed: 'already made',
  applied: 'kept',
  rejected: 'reverted',
  partial: 'partly reverted',
};

/** Returns the state of a proposal, as people call it. */
export function stateOf({ state, landed }: { state: string; landed?: string }): string {
  if (landed !== undefined) {
    return LANDED[state] ?? oneLine(state);
  }
  return state === 'partial' ? 'partly accepted' : oneLine(state);
}

/** Returns the state of a hunk, as people call it. */
export function hunkState({ state }: Hunk, isLanded: boolean): string {
  switch (state) {
    case 'accepted':
      return isLanded ? 'kept' : 'accepted';
    case 'rejected':
      return isLanded ? 'to be reverted' : 'rejected';
    case 'conflicted':
      return 'in conflict';
    default:
      return state;
  }
}

/** Returns what a hunk without lines does. */
export function kindOf(hunk: Hunk, file: ChangedFile, root: string | null, isLanded: boolean): string | undefined {
  switch (hunk.kind) {
    case undefined:
      return undefined;
    case 'create':
      return file.mode === undefined ? 'New file' : 'New executable file';
    case 'delete':
      return isLanded ? 'The file was deleted' : 'The file is deleted';
    case 'rename':
      return `Renamed to ${shortPath(file.newPath ?? '', root)}`;
    case 'link':
    case 'folder':
    case 'permissions':
      return `${hunk.before ?? ''} → ${hunk.after ?? ''}`;
    case 'whole':
      return 'Changed lines that are not shown';
    case 'binary':
      return 'Binary file: its bytes cannot be shown';
    default:
      return isLanded ? 'The file has another encoding' : 'The file gets another encoding';
  }
}

/** Returns the line numbers of a hunk. */
export function placeOf(hunk: Hunk): string {
  const span = (start: number, lines: number): string => (lines === 1 ? `${start}` : `${start},${lines}`);
  return `@@ −${span(hunk.oldStart, hunk.oldLines)} +${span(hunk.newStart, hunk.newLines)} @@`;
}

/** Returns a number with its noun. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
