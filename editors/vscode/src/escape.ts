/**
 * Escapes text from agents before it is displayed. Authors, labels, paths and refusals contain text from agents. VS
 * Code would render `[text](command:...)` in a message as a link that runs a command, and `$(name)` in a label as an
 * icon.
 */

/** Escapes text for a message, so that no part of it becomes a link. */
export function asMessage(text: string): string {
  return text.replaceAll('](', '] (');
}

/**
 * Escapes text for a label or the status bar, so that no part of it becomes an icon. Truncates it to `longest`
 * characters.
 */
export function asLabel(text: string, longest = Infinity): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;
  return cut.replaceAll('$(', '$ (');
}
