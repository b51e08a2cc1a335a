// Rows of a unified diff, for changes whose whole texts are not known.
import { type Line, linesOf } from './lines';
import type { Part, Row } from './rows';

/** Returns the blocks of a diff, with a gap without rows between two of them. */
export function partsOfDiff(diff: string): Part[] {
  const parts: Part[] = [];
  let [old, fresh] = [0, 0];
  let rows: Row[] | undefined;
  for (const line of linesOf(diff)) {
    const head = /^@@ -(\d+)(,0)?\S* \+(\d+)(,0)?/.exec(line.text);
    if (head !== null) {
      // A side without lines is named by the line before it.
      old = Number(head[1]) + (head[2] === undefined ? 0 : 1);
      fresh = Number(head[3]) + (head[4] === undefined ? 0 : 1);
      rows = [];
      if (parts.length > 0) {
        parts.push({ type: 'gap', rows: [] });
      }
      parts.push({ type: 'plain', rows });
    } else if (rows !== undefined && line.text.startsWith('\\')) {
      const last = rows.at(-1);
      if (last !== undefined) {
        last.line = { ...last.line, ending: '' };
      }
    } else if (rows !== undefined) {
      const row = rowOf(line, old, fresh);
      rows.push(row);
      old += row.kind === 'new' ? 0 : 1;
      fresh += row.kind === 'old' ? 0 : 1;
    }
  }
  return parts;
}

function rowOf({ text, ending }: Line, old: number, fresh: number): Row {
  const line = { start: 0, text: text.slice(1), ending };
  switch (text[0]) {
    case '-':
      return { kind: 'old', old, line };
    case '+':
      return { kind: 'new', new: fresh, line };
    default:
      return { kind: 'same', old, new: fresh, line };
  }
}

/** Returns the lines of one side of a diff. */
export function sideOfDiff(parts: readonly Part[], kind: 'old' | 'new'): string {
  const rows = parts.flatMap((part) => (part.type === 'plain' ? part.rows : []));
  return rows
    .filter((row) => row.kind === kind)
    .map(({ line }) => line.text + line.ending)
    .join('');
}
