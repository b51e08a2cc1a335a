/** Positions of hunks in the texts of both sides. */
import type { FileEntry, Hunk, HunkState, ProposalResult, SyntaxEntry } from '../daemon/wire';
import type { HunkSubject } from './subject';
import { isOpen } from './labels';

export type Side = 'base' | 'proposed';

/** Lines of a hunk on one side, counted from 0. A hunk without lines on this side is before the line `start`. */
export interface Place {
  readonly hunk: Hunk;
  readonly start: number;
  readonly lines: number;
}

/** Returns `true` if a draft for the whole file was accepted: then its hunks do not match the shown text. */
export function isRewritten(file: FileEntry): boolean {
  return file.hunks.some((hunk) => hunk.state === 'edited');
}

/** Returns the side whose text is in the file. */
function currentSide({ isLanded }: FileEntry): Side {
  return isLanded ? 'proposed' : 'base';
}

/** Returns the positions of the hunks in the file itself, in order. */
export function placesInFile(file: FileEntry): Place[] {
  return placesIn(file, currentSide(file));
}

/** Returns the positions of the hunks of a file on one side, in order. */
export function placesIn(file: FileEntry, side: Side): Place[] {
  let shift = 0;
  return file.hunks.map((hunk) => {
    const [current, other] = file.isLanded ? [hunk.newLines, hunk.oldLines] : [hunk.oldLines, hunk.newLines];
    const isCurrent = side === currentSide(file);
    if (hunk.kind !== undefined) {
      const isShown = hunk.state !== withoutEffect(file) && hunk.state !== 'conflicted';
      return { hunk, start: 0, lines: isCurrent || !isShown ? current : other };
    }
    const number = file.isLanded ? hunk.newStart : hunk.oldStart;
    const start = current === 0 ? number : number - 1;
    if (isCurrent) {
      return { hunk, start, lines: current };
    }
    const isShown = hunk.state === 'pending' || hunk.state === (file.isLanded ? 'rejected' : 'accepted');
    const place = { hunk, start: start + shift, lines: isShown ? other : current };
    shift += isShown ? other - current : 0;
    return place;
  });
}

/** Returns the new syntax errors in the lines of a hunk. */
export function errorsIn({ syntax = [] }: FileEntry, { kind, newStart, newLines }: Hunk): readonly SyntaxEntry[] {
  return kind === undefined ? syntax.filter(({ line }) => line >= newStart && line < newStart + newLines) : syntax;
}

/** A new syntax error at a line of the proposed side, counted from 0. */
export interface ErrorPlace {
  readonly error: SyntaxEntry;
  readonly line: number;
}

/** Returns the new syntax errors that are shown in the proposed side, which lacks hunks in conflict. */
export function errorPlaces(file: FileEntry): ErrorPlace[] {
  const places = placesIn(file, 'proposed').filter(({ hunk }) => hunk.kind === undefined);
  const isHidden = (error: SyntaxEntry) =>
    file.hunks.some((hunk) => hunk.state === 'conflicted' && errorsIn(file, hunk).includes(error));
  return (file.syntax ?? [])
    .filter((error) => !isHidden(error))
    .map((error) => {
      const before = places.findLast(({ hunk }) => firstOf(hunk) < error.line);
      if (!before) {
        return { error, line: error.line - 1 };
      }
      const { hunk, start, lines } = before;
      const within = error.line - 1 - firstOf(hunk);
      const isWithin = within < hunk.newLines;
      return { error, line: isWithin ? start + within : start + lines + within - hunk.newLines };
    });
}

/** Returns the number of lines before a hunk in the text with all hunks that are not rejected. */
function firstOf({ newStart, newLines }: Hunk): number {
  return newLines === 0 ? newStart : newStart - 1;
}

/** Returns the state of hunks that leave the file as it is. */
function withoutEffect({ isLanded }: FileEntry): HunkState {
  return isLanded ? 'accepted' : 'rejected';
}

/**
 * Returns the hunks that the lines from `first` to `last` touch. Hunks without lines count only if there are no others.
 */
export function touched(places: readonly Place[], first: number, last: number): Place[] {
  const within = places.filter(({ start, lines }) => lines > 0 && start <= last && first < start + lines);
  if (within.length > 0) {
    return within;
  }
  const between = places.filter(({ start, lines }) => lines === 0 && start >= first && start <= last + 1);
  // A cursor is at a single hunk: the one before its line, or else the one after it.
  return first === last ? between.slice(0, 1) : between;
}

/** A hunk as a target of navigation. */
export interface Stop extends HunkSubject {
  readonly open: boolean;
  /** Line in the file itself. */
  readonly file: number;
  readonly base: number;
  readonly proposed: number;
}

export function stopsOf(proposals: readonly ProposalResult[]): Stop[] {
  return proposals.flatMap(({ id, files }) =>
    files.flatMap((file) => {
      const proposed = placesIn(file, 'proposed');
      const inFile = placesInFile(file);
      return placesIn(file, 'base').map(({ hunk, start }, index) => ({
        kind: 'hunk' as const,
        id,
        path: file.path,
        hunk: hunk.id,
        open: isOpen(hunk),
        file: inFile[index]?.start ?? start,
        base: start,
        proposed: proposed[index]?.start ?? start,
      }));
    }),
  );
}

/**
 * Position of the cursor: in one side of a file of a proposal, or in the file itself, with the hunks of all proposals.
 */
export interface Position {
  readonly id?: string;
  readonly path: string;
  readonly side: Side | 'file';
  readonly line: number;
}

/**
 * Returns the next or the previous open hunk: first in the same file, then in the other files, then from the start.
 * Skips a hunk that begins at the line of the cursor, unless it is the only one.
 */
export function nextStop(stops: readonly Stop[], from: Position | undefined, step: 1 | -1): Stop | undefined {
  const ordered = step === 1 ? stops : stops.toReversed();
  const open = ordered.filter((stop) => stop.open);
  if (!from) {
    return open[0];
  }
  const isHere = (stop: Stop) => stop.path === from.path && (from.id === undefined || stop.id === from.id);
  const line = (stop: Stop) => stop[from.side];
  const ahead = open
    .filter((stop) => isHere(stop) && (line(stop) - from.line) * step > 0)
    .sort((left, right) => (line(left) - line(right)) * step);
  if (ahead[0]) {
    return ahead[0];
  }
  const behind = ordered.findLastIndex(isHere) + 1;
  const others = [...ordered.slice(behind), ...ordered.slice(0, behind)].filter((stop) => stop.open);
  return others.find((stop) => !isHere(stop)) ?? others[0];
}
