/** Tells which document a person looks at, now and whenever that changes. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { isTold } from './document';

export function tellFocus(connection: Connection): vscode.Disposable {
  const tell = () => {
    const document = vscode.window.activeTextEditor?.document;
    if (document && isTold(document) && vscode.window.state.focused) {
      connection.notify('editd/focus', { uri: document.uri.toString() });
    }
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(tell),
    vscode.window.onDidChangeWindowState(tell),
    connection.onDidChangeState(tell),
  );
}
