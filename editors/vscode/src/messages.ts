/** Messages shown to the user. */
import * as vscode from 'vscode';

import type { Refusal } from './daemon/refusal';
import { asLabel, asMessage } from './escape';
import { describeRefusal } from './refusals';

/* eslint-disable no-restricted-syntax -- the only file that may call them */

export type Kind = 'info' | 'warning' | 'error';

type Show = (text: string, options: vscode.MessageOptions, ...buttons: string[]) => Thenable<string | undefined>;

/** Shows a message and returns the pressed button. */
export function message<B extends string>(kind: Kind, text: string, ...buttons: B[]): Thenable<B | undefined> {
  return show(kind)(asMessage(text), {}, ...buttons) as Thenable<B | undefined>;
}

/** Shows a modal dialog and returns the pressed button. */
export function dialog(text: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
  return show('info')(asMessage(text), { modal: true, detail: asMessage(detail) }, ...buttons);
}

/** Shows a text in the status bar for a time. */
export function statusMessage(text: string, milliseconds: number): void {
  vscode.window.setStatusBarMessage(asLabel(text), milliseconds);
}

/** Returns the message that the user sees for a refusal. */
export function messageOf(refusal: Refusal): string {
  return describeRefusal(refusal, (path) => vscode.workspace.asRelativePath(path));
}

function show(kind: Kind): Show {
  switch (kind) {
    case 'info':
      return vscode.window.showInformationMessage;
    case 'warning':
      return vscode.window.showWarningMessage;
    case 'error':
      return vscode.window.showErrorMessage;
  }
}
