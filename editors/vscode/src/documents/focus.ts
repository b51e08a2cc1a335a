/** Reports which document is in the active editor and what is selected there, on connection and on every change. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { isShared } from './document';

/** Pause before a selection is reported, because it changes with every key and movement of the mouse. */
const SELECTION_PAUSE_MS = 100;

export function reportFocus(connection: Connection): vscode.Disposable {
  let pause: NodeJS.Timeout | undefined;
  const report = () => {
    clearTimeout(pause);
    const editor = vscode.window.activeTextEditor;
    if (editor && isShared(editor.document) && vscode.window.state.focused) {
      const { start, end } = editor.selection;
      connection.notify('editd/focus', { uri: editor.document.uri.toString(), selection: { start, end } });
    }
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(report),
    vscode.window.onDidChangeWindowState(report),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === vscode.window.activeTextEditor) {
        clearTimeout(pause);
        pause = setTimeout(report, SELECTION_PAUSE_MS);
      }
    }),
    connection.onDidChangeState(report),
    new vscode.Disposable(() => {
      clearTimeout(pause);
    }),
  );
}
