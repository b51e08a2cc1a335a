/** The text that a unified diff leads to. Throws if it does not fit. */
export function applyDiff(base: string, diff: string): string {
  const from = linesOf(base);
  const to: string[] = [];
  let at = 0;
  for (const { start, lines } of blocks(diff)) {
    to.push(...from.slice(at, start));
    at = start;
    for (const line of lines) {
      const text = line.slice(1);
      if (line.startsWith('+')) {
        to.push(text);
      } else {
        if (from[at] !== text) {
          throw new Error(`the diff does not fit at line ${at + 1}`);
        }
        to.push(...(line.startsWith(' ') ? [text] : []));
        at += 1;
      }
    }
  }
  return [...to, ...from.slice(at)].join('');
}

interface Block {
  /** The line that it begins at, from 0. */
  readonly start: number;
  /** With their sign and their own line end. */
  readonly lines: string[];
}

function blocks(diff: string): Block[] {
  const found: Block[] = [];
  let left = { old: 0, new: 0 };
  for (const line of linesOf(diff)) {
    const block = found.at(-1);
    if (line.startsWith('\\')) {
      const last = block?.lines.pop() ?? '';
      block?.lines.push(last.replace(/\n$/, ''));
    } else if (left.old > 0 || left.new > 0) {
      block?.lines.push(line);
      left = { old: left.old - (line.startsWith('+') ? 0 : 1), new: left.new - (line.startsWith('-') ? 0 : 1) };
    } else {
      const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (header) {
        const [, start, oldCount = '1', newCount = '1'] = header;
        left = { old: Number(oldCount), new: Number(newCount) };
        // A side without lines names the line before it.
        found.push({ start: Number(start) - (left.old === 0 ? 0 : 1), lines: [] });
      }
    }
  }
  return found;
}

/** With their line ends; LF ends a line and nothing else does. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
