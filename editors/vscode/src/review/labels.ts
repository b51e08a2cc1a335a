/** Descriptions of proposals for display. */
import { dirname, relative } from 'node:path';

import type { FileAction, FileEntry, Hunk, ProposalResult, ProposalState, SyntaxEntry } from '../daemon/wire';

/** Returns `true` if the hunk is undecided. */
export function isOpen(hunk: Hunk): boolean {
  return hunk.state === 'pending' || hunk.state === 'conflicted';
}

/** Returns `true` if the user has to decide about a proposal in this state. */
export function isWaiting(state: ProposalState): boolean {
  return state === 'pending' || state === 'landed';
}

/** Words for decisions about proposals and about changes that have been made already. */
export interface Words {
  readonly accept: string;
  readonly reject: string;
  readonly take: string;
  readonly accepted: string;
  readonly rejected: string;
}

const WORDS: Words = {
  accept: 'Accept',
  reject: 'Reject',
  take: "Take the Agent's",
  accepted: 'accepted',
  rejected: 'rejected',
};

const LANDED_WORDS: Words = {
  accept: 'Keep',
  reject: 'Revert',
  take: 'Restore the Earlier Text',
  accepted: 'kept',
  rejected: 'to be reverted',
};

export function wordsFor({ isLanded }: Pick<FileEntry, 'isLanded'>): Words {
  return isLanded ? LANDED_WORDS : WORDS;
}

/** Describes a conflict of a hunk with the current text. */
export function conflictNote({ isLanded }: FileEntry): string {
  return isLanded ? 'The text here has changed again since.' : 'This text has changed since the agent read it.';
}

/** Describes a new syntax error, as in `New syntax error in line 4: sum = =`. */
export function syntaxNote({ line, excerpt }: SyntaxEntry): string {
  const text = singleLine(excerpt);
  return `New syntax error in line ${line}${text === '' ? '' : `: ${text}`}`;
}

/** Counts new syntax errors, as in `2 syntax errors`. Returns an empty string if there are none. */
export function syntaxCount(errors: readonly SyntaxEntry[] = []): string {
  return errors.length === 0 ? '' : count(errors.length, 'syntax error');
}

/** Returns a text that begins with a capital letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Puts text from agents on one line and removes control characters. */
export function singleLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
}

type Names = Pick<FileEntry, 'path' | 'newPath'>;

/** Returns the label, as in `Fix the sum`, or the file names if there is none: `cart.py`, `cart.py and 2 more`. */
export function labelOf({ label, files }: { readonly label: string | null; readonly files: readonly Names[] }): string {
  const [first, ...more] = files;
  const names = first ? `${fileTitle(first)}${more.length === 0 ? '' : ` and ${more.length} more`}` : '';
  return singleLine(label ?? '') || names;
}

/** Returns author and label, as in `ada: Fix the sum`, or author and command, as in `ada ran make fix`. */
export function titleOf(
  proposal: Pick<ProposalResult, 'author' | 'label' | 'landed'> & { readonly files: readonly Names[] },
): string {
  if (proposal.landed !== undefined) {
    return `${singleLine(proposal.author)} ran ${labelOf(proposal)}`;
  }
  return `${singleLine(proposal.author)}: ${labelOf(proposal)}`;
}

export function nameOf(path: string): string {
  return singleLine(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * Returns the file name. For a rename, adds the new path relative to the folder of the old one: `a.txt → docs/b.md`.
 */
export function fileTitle({ path, newPath }: Names): string {
  return newPath === undefined ? nameOf(path) : `${nameOf(path)} → ${newNameOf(path, newPath)}`;
}

function newNameOf(path: string, newPath: string): string {
  return singleLine(relative(dirname(path), newPath));
}

const ACTIONS: Record<FileAction, string> = { edit: '', create: 'new', delete: 'deleted', rename: 'renamed' };

/** Describes the action on the file in a word. Returns an empty string if only its text changes. */
export function actionOf(file: FileEntry): string {
  return ACTIONS[file.action];
}

/** Returns line counts, as in `+2 -1`. */
export function lineCounts(added: number, removed: number): string {
  const parts = [added > 0 ? `+${added}` : '', removed > 0 ? `-${removed}` : ''];
  return parts.filter((part) => part !== '').join(' ');
}

/** Returns a count, as in `1 file` or `2 files`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

export function hunksOf(proposal: ProposalResult): Hunk[] {
  return proposal.files.flatMap((file) => file.hunks);
}

/** Returns the progress, as in `2 files, 1 of 3 changes decided`. */
export function progress(proposal: ProposalResult): string {
  const hunks = hunksOf(proposal);
  const decided = hunks.filter((hunk) => !isOpen(hunk)).length;
  const changes = decided === 0 ? count(hunks.length, 'change') : `${decided} of ${hunks.length} changes decided`;
  return `${count(proposal.files.length, 'file')}, ${changes}`;
}

/**
 * Announces a proposal, as in `ada wants to change cart.py: Fix the sum (2 changes).`, or a change that was made, as in
 * `ada has changed cart.py: make fix (2 changes).`
 */
export function announcement(proposal: ProposalResult): string {
  const [file] = proposal.files;
  const what = proposal.files.length === 1 && file ? fileTitle(file) : count(proposal.files.length, 'file');
  const label = singleLine(proposal.label ?? '');
  const changes = count(hunksOf(proposal).length, 'change');
  const verb = proposal.landed === undefined ? 'wants to change' : 'has changed';
  return `${singleLine(proposal.author)} ${verb} ${what}${label === '' ? '' : `: ${label}`} (${changes}).`;
}

/** Returns a title for a hunk: its first new line, or for a deletion, the first deleted line. */
export function hunkTitle(file: FileEntry, hunk: Hunk): string {
  if (hunk.before !== undefined && hunk.after !== undefined) {
    return `${singleLine(hunk.before)} → ${singleLine(hunk.after)}`;
  }
  if (hunk.kind !== undefined) {
    if (hunk.kind === 'create' && file.mode !== undefined) {
      return 'Create the file, executable';
    }
    return hunk.kind === 'rename' ? renameTitle(file) : wholeFileTitles(file)[hunk.kind];
  }
  const isDeletion = hunk.newLines === 0;
  const lines = ((isDeletion ? hunk.oldText : hunk.newText) ?? '').split('\n').map((line) => singleLine(line));
  const first = lines.find((line) => line !== '') ?? 'Blank lines';
  return isDeletion ? `${file.isLanded ? 'Deleted' : 'Delete'}: ${first}` : first;
}

/** Returns the number of lines that the title omits, as in `+1 more line`; undefined if it omits none. */
export function moreLines(hunk: Hunk): string | undefined {
  const more = (hunk.newLines === 0 ? hunk.oldLines : hunk.newLines) - 1;
  return hunk.kind === undefined && more > 0 ? `+${count(more, 'more line')}` : undefined;
}

function renameTitle({ path, newPath = path }: FileEntry): string {
  const isMove = dirname(path) !== dirname(newPath);
  return `${isMove ? 'Move' : 'Rename'} to ${newNameOf(path, newPath)}`;
}

const WHOLE_FILE_TITLES = {
  create: 'Create the file',
  delete: 'Delete the file',
  encoding: 'Change the encoding',
  binary: 'Change the binary file',
  whole: 'Change lines that are not shown',
  link: 'Change the link',
  folder: 'Change the folder',
  permissions: 'Change the permissions',
} as const;

const LANDED_TITLES = {
  create: 'Created the file',
  delete: 'Deleted the file',
  encoding: 'Changed the encoding',
  binary: 'Changed the binary file',
  whole: 'Changed lines that are not shown',
  link: 'Changed the link',
  folder: 'Changed the folder',
  permissions: 'Changed the permissions',
} as const;

function wholeFileTitles({ isLanded }: FileEntry) {
  return isLanded ? LANDED_TITLES : WHOLE_FILE_TITLES;
}

/** Returns the change of a hunk as lines of a diff. */
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

const OUTCOMES: Record<Exclude<ProposalState, 'pending' | 'landed' | 'proposed'>, string> = {
  applied: 'was applied',
  partial: 'was applied in part',
  rejected: 'was rejected',
  superseded: 'was replaced by a newer one',
  discarded: 'was withdrawn by its author',
  stale: 'is out of date: its files have changed',
  failed: 'could not be written, so nothing was changed',
};

const LANDED_OUTCOMES: Partial<Record<ProposalState, string>> = {
  applied: 'was kept',
  partial: 'was reverted in part',
  rejected: 'was reverted',
};

/** Describes the end of a proposal that was not decided in this window. */
export function endedElsewhere(proposal: ProposalResult, state: ProposalState): string {
  const landed = proposal.landed === undefined ? undefined : LANDED_OUTCOMES[state];
  const what =
    state === 'pending' || state === 'landed' || state === 'proposed'
      ? 'no longer exists'
      : (landed ?? OUTCOMES[state]);
  const where = state === 'applied' || state === 'partial' || state === 'rejected' ? ', elsewhere' : '';
  return `"${titleOf(proposal)}" ${what}${where}.`;
}

/** Describes the result of the last decision, and lists the paths of files that were changed but not saved. */
export function outcomeOf(outcome: ProposalResult): { text: string; unsaved: string[] } {
  const title = titleOf(outcome);
  const isLanded = outcome.landed !== undefined;
  if (isLanded && outcome.state === 'applied') {
    return { text: `Kept "${title}". Nothing was changed.`, unsaved: [] };
  }
  if (outcome.state === 'rejected' && !isLanded) {
    return { text: `Rejected "${title}". Nothing was changed.`, unsaved: [] };
  }
  if (outcome.state !== 'applied' && outcome.state !== 'partial' && outcome.state !== 'rejected') {
    return { text: endedElsewhere(outcome, outcome.state), unsaved: [] };
  }
  const changed = outcome.files.filter((file) => file.hash !== undefined);
  const unsaved = changed.filter((file) => file.saved === false).map((file) => file.newPath ?? file.path);
  const what = changed.length === 1 && changed[0] ? fileTitle(changed[0]) : count(changed.length, 'file');
  const rest = unsaved.length === 0 ? '' : ` Not saved: ${unsaved.map(nameOf).join(', ')}.`;
  const verb = isLanded && outcome.state === 'rejected' ? 'Reverted' : 'Changed';
  return { text: `${verb} ${what} as decided on "${title}".${rest}`, unsaved };
}
