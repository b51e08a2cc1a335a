// Lines of a text. LF, CRLF and a lone CR end a line.

export interface Line {
  /** Offset of the line in its text. */
  start: number;
  /** The line without its ending. */
  text: string;
  ending: '\n' | '\r\n' | '\r' | '';
}

/** Splits a text into lines. A text that ends with a line ending has no empty last line. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const { 0: ending, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, text: text.slice(start, index), ending: ending as Line['ending'] });
    start = index + ending.length;
  }
  if (start < text.length) {
    lines.push({ start, text: text.slice(start), ending: '' });
  }
  return lines;
}

/** Names the line endings of a text, if they are not all LF. */
export function unusualEndings(lines: readonly Line[]): string | undefined {
  const kinds = new Set(lines.map(({ ending }) => ending).filter((ending) => ending !== ''));
  if (kinds.size > 1) {
    return 'mixed line endings';
  }
  return kinds.has('\r\n') ? 'CRLF' : kinds.has('\r') ? 'CR' : undefined;
}
