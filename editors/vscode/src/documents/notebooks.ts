/** Notebooks are no text here: the daemon is told that they are open, and whether they hold unsaved changes. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';

export function tellNotebooks(connection: Connection): vscode.Disposable {
  const told = new Map<string, boolean>();
  const tell = (notebook: vscode.NotebookDocument) => {
    const { isDirty, version } = notebook;
    const uri = notebook.uri.toString();
    if (notebook.uri.scheme !== 'file' || !connection.client || told.get(uri) === isDirty) {
      return;
    }
    if (!told.has(uri)) {
      const textDocument = { uri, languageId: notebook.notebookType, version, text: null };
      connection.notify('textDocument/didOpen', { textDocument });
    }
    told.set(uri, isDirty);
    connection.notify('editd/documentState', { uri, dirty: isDirty, version });
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenNotebookDocument(tell),
    vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => {
      tell(notebook);
    }),
    vscode.workspace.onDidSaveNotebookDocument(tell),
    vscode.workspace.onDidCloseNotebookDocument(({ uri }) => {
      if (told.delete(uri.toString())) {
        connection.notify('textDocument/didClose', { textDocument: { uri: uri.toString() } });
      }
    }),
    connection.onDidChangeState(() => {
      told.clear();
      vscode.workspace.notebookDocuments.forEach(tell);
    }),
  );
}
