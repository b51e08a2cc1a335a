// Text of others, in a form in which nothing is hidden: control characters, marks for the direction of text, and
// characters without a width.

/** A part of a text: characters as they are, or one that would be invisible, with its name. */
export interface Piece {
  text: string;
  hidden?: string;
}

// Besides controls, formats and spaces: fillers that look like nothing, and characters that stand for invalid bytes.
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0\u{10ff80}-\u{10ffff}]/gu;

/** First of the characters that stand for the bytes from 0x80 on that are not UTF-8. */
const INVALID = 0x10ff80;

/** Splits a text at its invisible characters. A tab is a piece with the name `tab`. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > at) {
      found.push({ text: text.slice(at, match.index) });
    }
    found.push({ text: match[0], hidden: nameOf(match[0]) });
    at = match.index + match[0].length;
  }
  if (at < text.length) {
    found.push({ text: text.slice(at) });
  }
  return found;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\t') {
    return 'tab';
  }
  if (code >= INVALID) {
    return `\\x${(code - INVALID + 0x80).toString(16).toUpperCase()}`;
  }
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns the first line of a text for a line of the page, with a mark if there are more. */
export function firstLine(text: string, longest = Infinity): string {
  const [first = '', ...rest] = text.trim().split('\n');
  const shown = oneLine(first.trimEnd(), longest);
  return rest.length > 0 ? `${shown} …` : shown;
}

/** Returns a text for a line of the page, with the names of invisible characters in their place. */
export function oneLine(text: string, longest = Infinity): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;
  return pieces(cut)
    .map(({ text, hidden }) => (hidden === undefined ? text : hidden === 'tab' ? ' ' : `⟨${hidden}⟩`))
    .join('');
}
