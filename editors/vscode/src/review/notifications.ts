/** Notifications of the review: status bar messages, and messages with buttons. */
import * as vscode from 'vscode';

import type { Refusal } from '../daemon/refusal';
import { type Kind, message, statusMessage, messageOf } from '../messages';

/** Milliseconds for which a message stays in the status bar. */
const STATUS_DURATION = 10_000;

/** Shows a message in the status bar. */
export function showStatus(text: string): void {
  statusMessage(`editd: ${text}`, STATUS_DURATION);
}

export function showRefusal(refusal: Refusal): void {
  void ask('error', messageOf(refusal), { 'Show Log': () => vscode.commands.executeCommand('editd.showLog') });
}

/** Shows a non-modal message with buttons and runs the action of the pressed button. */
export async function ask(kind: Kind, text: string, choices: Readonly<Record<string, () => unknown>>): Promise<void> {
  const choice = await message(kind, text, ...Object.keys(choices));
  if (choice !== undefined) {
    await choices[choice]?.();
  }
}
