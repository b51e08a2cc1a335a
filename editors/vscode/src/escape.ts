/**
 * Texts of agents, made harmless for where people read them. Authors, labels, paths and refusals come from agents, and
 * the editor would make links that run commands of `[text](command:...)` in a message, and icons of `$(name)` in a label.
 */

/** Text that is shown as it is in a message: nothing of it is a link. */
export function asMessage(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Text that is shown as it is in a label or the status bar: nothing of it is an icon. It is cut where it is longer. */
export function asLabel(text: string, longest = Infinity): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;
  return cut.replaceAll('$(', '$ (');
}
