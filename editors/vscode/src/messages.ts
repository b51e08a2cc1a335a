/** Messages to the person. */
import * as vscode from 'vscode';

import type { Refusal } from './daemon/refusal';
import { asLabel, asMessage } from './escape';
import { inWords } from './refusals';

/* eslint-disable no-restricted-syntax -- this is the one place for it */

export type Kind = 'info' | 'warning' | 'error';

type Show = (text: string, options: vscode.MessageOptions, ...buttons: string[]) => Thenable<string | undefined>;

/** Shows a message, and gives the button that was pressed. */
export function message<B extends string>(kind: Kind, text: string, ...buttons: B[]): Thenable<B | undefined> {
  return show(kind)(asMessage(text), {}, ...buttons) as Thenable<B | undefined>;
}

/** Asks in a dialog, where nothing else can be done before it is answered. */
export function dialog(text: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
  return show('info')(asMessage(text), { modal: true, detail: asMessage(detail) }, ...buttons);
}

/** A line in the status bar, where it is in nobody's way. */
export function statusLine(text: string, milliseconds: number): void {
  vscode.window.setStatusBarMessage(asLabel(text), milliseconds);
}

/** What a person is told of a refusal. */
export function wordsOf(refusal: Refusal): string {
  return inWords(refusal, (path) => vscode.workspace.asRelativePath(path));
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
