/** Normalizes line endings to LF, for comparisons: an editor displays all line endings alike. */
export function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
