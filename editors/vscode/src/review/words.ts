/** What is said of proposals. */
import { dirname, relative } from 'node:path';

import type { FileAction, FileEntry, Hunk, ProposalResult, ProposalState } from '../daemon/wire';

export function isOpen(hunk: Hunk): boolean {
  return hunk.state === 'pending' || hunk.state === 'conflicted';
}

/** Texts of agents go on one line, and control characters do not get through. */
export function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
}

type Names = Pick<FileEntry, 'path' | 'newPath'>;

/** `Fix the sum`; what has no label is called by its files: `cart.py`, `cart.py and 2 more`. */
export function labelOf({ label, files }: { readonly label: string | null; readonly files: readonly Names[] }): string {
  const [first, ...more] = files;
  const names = first ? `${fileTitle(first)}${more.length === 0 ? '' : ` and ${more.length} more`}` : '';
  return plain(label ?? '') || names;
}

/** `ada: Fix the sum`. */
export function titleOf(
  proposal: Pick<ProposalResult, 'author' | 'label'> & { readonly files: readonly Names[] },
): string {
  return `${plain(proposal.author)}: ${labelOf(proposal)}`;
}

export function nameOf(path: string): string {
  return plain(path.slice(path.lastIndexOf('/') + 1));
}

/** `cart.py`, or of a file that gets a new name, both: the new one as it is seen from the folder of the old one. */
export function fileTitle({ path, newPath }: Names): string {
  return newPath === undefined ? nameOf(path) : `${nameOf(path)} → ${newNameOf(path, newPath)}`;
}

function newNameOf(path: string, newPath: string): string {
  return plain(relative(dirname(path), newPath));
}

const ACTIONS: Record<FileAction, string> = { edit: '', create: 'new', delete: 'deleted', rename: 'renamed' };

/** What happens to the file as a whole, in a word; empty if only its text changes. */
export function actionOf(file: FileEntry): string {
  return ACTIONS[file.action];
}

/** `+2 -1`. */
export function size(added: number, removed: number): string {
  const parts = [added > 0 ? `+${added}` : '', removed > 0 ? `-${removed}` : ''];
  return parts.filter((part) => part !== '').join(' ');
}

/** `1 file`, `2 files`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

export function hunksOf(proposal: ProposalResult): Hunk[] {
  return proposal.files.flatMap((file) => file.hunks);
}

/** `2 files, 1 of 3 changes decided`. */
export function progress(proposal: ProposalResult): string {
  const hunks = hunksOf(proposal);
  const decided = hunks.filter((hunk) => !isOpen(hunk)).length;
  const changes = decided === 0 ? count(hunks.length, 'change') : `${decided} of ${hunks.length} changes decided`;
  return `${count(proposal.files.length, 'file')}, ${changes}`;
}

/** `ada wants to change cart.py: Fix the sum (2 changes).` */
export function wish(proposal: ProposalResult): string {
  const [file] = proposal.files;
  const what = proposal.files.length === 1 && file ? fileTitle(file) : count(proposal.files.length, 'file');
  const label = plain(proposal.label ?? '');
  const changes = count(hunksOf(proposal).length, 'change');
  return `${plain(proposal.author)} wants to change ${what}${label === '' ? '' : `: ${label}`} (${changes}).`;
}

/** What a hunk does, in a few words: its first new line, or of a deletion the first that goes. */
export function hunkTitle(file: FileEntry, hunk: Hunk): string {
  if (hunk.kind !== undefined) {
    if (hunk.kind === 'create' && file.mode !== undefined) {
      return 'Create the file, executable';
    }
    return hunk.kind === 'rename' ? renameTitle(file) : WHOLE[hunk.kind];
  }
  const isDeletion = hunk.newLines === 0;
  const lines = ((isDeletion ? hunk.oldText : hunk.newText) ?? '').split('\n').map((line) => plain(line));
  const first = lines.find((line) => line !== '') ?? 'Blank lines';
  return isDeletion ? `Delete: ${first}` : first;
}

/** `+1 more line`: what a title does not show of what it is about. Nothing, if it shows all. */
export function moreLines(hunk: Hunk): string | undefined {
  const more = (hunk.newLines === 0 ? hunk.oldLines : hunk.newLines) - 1;
  return hunk.kind === undefined && more > 0 ? `+${count(more, 'more line')}` : undefined;
}

function renameTitle({ path, newPath = path }: FileEntry): string {
  const isMove = dirname(path) !== dirname(newPath);
  return `${isMove ? 'Move' : 'Rename'} to ${newNameOf(path, newPath)}`;
}

const WHOLE = { create: 'Create the file', delete: 'Delete the file', encoding: 'Change the encoding' } as const;

/** The change of a hunk, as lines of a diff. */
export function hunkDiff(file: FileEntry, hunk: Hunk): string {
  if (hunk.kind !== undefined) {
    const lines = file.diff.split('\n');
    const first = lines.findIndex((line) => line.startsWith('@@')) + 1;
    return hunk.kind === 'rename' || first === 0 ? '' : lines.slice(first).join('\n').trimEnd();
  }
  return [...signed('-', hunk.oldText ?? ''), ...signed('+', hunk.newText ?? '')].join('\n');
}

function signed(sign: string, text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines.map((line) => sign + line);
}

const ENDS: Record<Exclude<ProposalState, 'pending' | 'proposed'>, string> = {
  applied: 'was applied',
  partial: 'was applied in part',
  rejected: 'was rejected',
  superseded: 'was replaced by a newer one',
  discarded: 'was taken back by its author',
  stale: 'is out of date: its files have changed',
  failed: 'could not be written, so nothing was changed',
};

/** What became of a proposal that nobody decided here. */
export function endedElsewhere(proposal: ProposalResult, state: ProposalState): string {
  const what = state === 'pending' || state === 'proposed' ? 'is not there any more' : ENDS[state];
  const where = state === 'applied' || state === 'partial' || state === 'rejected' ? ', elsewhere' : '';
  return `"${titleOf(proposal)}" ${what}${where}.`;
}

/** What has happened by the last decision, and the paths of files that were changed but not saved. */
export function outcomeOf(outcome: ProposalResult): { text: string; unsaved: string[] } {
  const title = titleOf(outcome);
  if (outcome.state === 'rejected') {
    return { text: `Rejected "${title}". Nothing was changed.`, unsaved: [] };
  }
  if (outcome.state !== 'applied' && outcome.state !== 'partial') {
    return { text: endedElsewhere(outcome, outcome.state), unsaved: [] };
  }
  const changed = outcome.files.filter((file) => file.hash !== undefined);
  const unsaved = changed.filter((file) => file.saved === false).map((file) => file.newPath ?? file.path);
  const what = changed.length === 1 && changed[0] ? fileTitle(changed[0]) : count(changed.length, 'file');
  const rest = unsaved.length === 0 ? '' : ` Not saved: ${unsaved.map(nameOf).join(', ')}.`;
  return { text: `Changed ${what} as decided on "${title}".${rest}`, unsaved };
}
