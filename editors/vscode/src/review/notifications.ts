/** How the review speaks to the person: in lines that go by themselves, and in messages with buttons. */
import * as vscode from 'vscode';

import type { Refusal } from '../daemon/refusal';
import { type Kind, message, statusLine, wordsOf } from '../messages';

/** Milliseconds for which a line stays in the status bar. */
const SHOWN = 10_000;

/** In the status bar, where it is in nobody's way. */
export function tellLine(text: string): void {
  statusLine(`editd: ${text}`, SHOWN);
}

export function tellRefusal(refusal: Refusal): void {
  void ask('error', wordsOf(refusal), { 'Show Log': () => vscode.commands.executeCommand('editd.showLog') });
}

/** A message with buttons, which is in no way of anything else; what belongs to the pressed button is done. */
export async function ask(kind: Kind, text: string, choices: Readonly<Record<string, () => unknown>>): Promise<void> {
  const choice = await message(kind, text, ...Object.keys(choices));
  if (choice !== undefined) {
    await choices[choice]?.();
  }
}
