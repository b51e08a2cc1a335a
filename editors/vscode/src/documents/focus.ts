/** Reports which document is in the active editor, on connection and on every change. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { isShared } from './document';

export function reportFocus(connection: Connection): vscode.Disposable {
  const report = () => {
    const document = vscode.window.activeTextEditor?.document;
    if (document && isShared(document) && vscode.window.state.focused) {
      connection.notify('editd/focus', { uri: document.uri.toString() });
    }
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(report),
    vscode.window.onDidChangeWindowState(report),
    connection.onDidChangeState(report),
  );
}
