/** Reports open notebooks, which are not text documents in VS Code, and whether they have unsaved changes. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';

export function reportNotebooks(connection: Connection): vscode.Disposable {
  const reported = new Map<string, boolean>();
  const report = (notebook: vscode.NotebookDocument) => {
    const { isDirty, version } = notebook;
    const uri = notebook.uri.toString();
    if (notebook.uri.scheme !== 'file' || !connection.client || reported.get(uri) === isDirty) {
      return;
    }
    if (!reported.has(uri)) {
      const textDocument = { uri, languageId: notebook.notebookType, version, text: null };
      connection.notify('textDocument/didOpen', { textDocument });
    }
    reported.set(uri, isDirty);
    connection.notify('editd/documentState', { uri, dirty: isDirty, version });
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenNotebookDocument(report),
    vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => {
      report(notebook);
    }),
    vscode.workspace.onDidSaveNotebookDocument(report),
    vscode.workspace.onDidCloseNotebookDocument(({ uri }) => {
      if (reported.delete(uri.toString())) {
        connection.notify('textDocument/didClose', { textDocument: { uri: uri.toString() } });
      }
    }),
    connection.onDidChangeState(() => {
      reported.clear();
      vscode.workspace.notebookDocuments.forEach(report);
    }),
  );
}
