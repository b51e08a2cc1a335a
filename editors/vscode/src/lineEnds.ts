/** The text with all its lines ended by LF, to be compared with another: an editor shows all line ends alike. */
export function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
