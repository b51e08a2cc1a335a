// Patches in the form that models of OpenAI are trained on.

const patch = (body: string): string => `*** Begin Patch\n${body}*** End Patch\n`;

const lines = (sign: string, text: string): string => text.replaceAll(/^(?=.)/gms, sign);

/** Replaces whole lines, given without the last line ending. */
export function updating(path: string, oldText: string, newText: string): string {
  return patch(`*** Update File: ${path}\n@@\n${lines('-', oldText)}\n${lines('+', newText)}\n`);
}

export function adding(path: string, text: string): string {
  return patch(`*** Add File: ${path}\n${lines('+', text)}`);
}
