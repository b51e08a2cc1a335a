// The text of a file of a proposal: its rows, and the side that a person can correct.
import { linesOf } from './lines';
import { type FileRows, type HunkRows, type Part, rowsOf } from './rows';
import type { Session } from './session';
import { partsOfDiff, sideOfDiff } from './unified';
import { type ChangedFile, type Hunk, type Proposal, type SideText, isWaiting } from './wire';

/** Returns a side of a file of a proposal. */
export function sideText(session: Session, id: string, side: 'base' | 'proposed', path: string): Promise<SideText> {
  const name = path.split('/').map(encodeURIComponent).join('/');
  return session.call('workspace/textDocumentContent', { uri: `editd:///${id}/${side}${name}` });
}

/** Returns the rows of a file. If its texts are not known, these are the rows of its diff or of its hunks. */
export async function fileRows(session: Session, proposal: Proposal, file: ChangedFile): Promise<FileRows> {
  const kinds = file.hunks.filter(({ kind }) => kind !== undefined);
  if (!isWaiting(proposal)) {
    return { parts: [...kinds.map(withoutRows), ...partsOfDiff(file.diff)] };
  }
  const whole = kinds.find(({ kind }) => kind === 'create' || kind === 'delete');
  if (whole !== undefined) {
    return wholeFile(file, whole);
  }
  if (file.hunks.length === kinds.length) {
    return { parts: kinds.map(withoutRows) };
  }
  const isLanded = proposal.landed !== undefined;
  const rows = await textRows(session, proposal.id, file, isLanded).catch(() => undefined);
  const known = rows ?? { parts: file.hunks.filter(({ kind }) => kind === undefined).map(ownRows) };
  return { ...known, parts: [...kinds.map(withoutRows), ...known.parts] };
}

async function textRows(
  session: Session,
  id: string,
  file: ChangedFile,
  isLanded: boolean,
): Promise<FileRows | undefined> {
  const { text } = await sideText(session, id, isLanded ? 'proposed' : 'base', file.path);
  return rowsOf(text, file.hunks, isLanded ? 'new' : 'old');
}

function wholeFile(file: ChangedFile, hunk: Hunk): FileRows {
  const parts = partsOfDiff(file.diff);
  const kind = hunk.kind === 'create' ? 'new' : 'old';
  const text = sideOfDiff(parts, kind);
  const rows = parts.flatMap((part) => (part.type === 'plain' ? part.rows : []));
  const shown = { ...withoutRows(hunk), [kind]: rows.filter((row) => row.kind === kind) };
  const others = file.hunks.filter((other) => other !== hunk).map(withoutRows);
  return { parts: [shown, ...others], [kind]: { text, lines: linesOf(text) } };
}

function withoutRows(hunk: Hunk): HunkRows {
  return { type: 'hunk', hunk, before: [], old: [], new: [], after: [] };
}

/** Returns the lines of a hunk alone. */
function ownRows(hunk: Hunk): Part {
  const old = linesOf(hunk.oldText ?? '').map((line, at) => ({ kind: 'old' as const, old: hunk.oldStart + at, line }));
  const fresh = linesOf(hunk.newText ?? '').map((line, at) => ({
    kind: 'new' as const,
    new: hunk.newStart + at,
    line,
  }));
  return { ...withoutRows(hunk), old, new: fresh };
}
