/** Texts that a unified diff leads to. The daemon's history keeps diffs for people, and no whole texts. */

interface Lines {
  readonly lines: readonly string[];
  /** Whether the last line is ended. */
  readonly ended: boolean;
}

/**
 * The text after the diff, with all lines ended by LF, or undefined if the diff is not about this text. Line ends are
 * not compared: an editor shows them all alike.
 */
export function patched(text: string, diff: string): string | undefined {
  const before = linesOf(text);
  const after: string[] = [];
  let ended = before.ended || before.lines.length === 0;
  let taken = 0;
  let sign: string | undefined;
  for (const line of diff.split('\n')) {
    const start = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(line);
    if (start) {
      // A hunk that takes no lines stands behind the line that it names.
      const first = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      if (first < taken || first > before.lines.length) {
        return undefined;
      }
      after.push(...before.lines.slice(taken, first));
      taken = first;
      sign = '@';
      continue;
    }
    if (sign === undefined) {
      continue;
    }
    if (line.startsWith('\\')) {
      ended = sign === '-';
      continue;
    }
    sign = line.slice(0, 1);
    const content = line.slice(1).replace(/\r$/, '');
    if (sign === ' ' || sign === '-') {
      if (before.lines[taken] !== content) {
        return undefined;
      }
      taken += 1;
    }
    if (sign === ' ' || sign === '+') {
      after.push(content);
    }
  }
  after.push(...before.lines.slice(taken));
  return after.length === 0 ? '' : after.join('\n') + (ended ? '\n' : '');
}

function linesOf(text: string): Lines {
  const lines = text.split(/\r\n|\n|\r/);
  const ended = lines.at(-1) === '';
  return { lines: ended ? lines.slice(0, -1) : lines, ended };
}
