import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

import type { Connection } from '../daemon/connection';
import { isShared } from './document';

/** Reports which documents have unsaved text: after each `didOpen` or `didChange`, and on every change of the state. */
export class States {
  private readonly reported = new Map<string, boolean>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly connection: Connection) {
    this.subscriptions = [
      // The language client does not pass events without content changes to the middleware.
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 && this.reported.has(document.uri.toString())) {
          this.report(document);
        }
      }),
      // The client opens documents on a new connection before its state becomes `connected`.
      connection.onDidChangeState((state) => {
        this.reported.clear();
        if (state.kind === 'connected') {
          vscode.workspace.textDocuments.filter(isShared).forEach((document) => {
            this.report(document);
          });
        }
      }),
    ];
  }

  readonly middleware: Pick<Middleware, 'didOpen' | 'didChange' | 'didSave' | 'didClose'> = {
    didOpen: async (document, next) => {
      await next(document);
      this.report(document);
    },
    didChange: async (event, next) => {
      await next(event);
      this.report(event.document);
    },
    didSave: async (document, next) => {
      await next(document);
      this.report(document);
    },
    didClose: async (document, next) => {
      this.reported.delete(document.uri.toString());
      await next(document);
    },
  };

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private report(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (this.connection.client && this.reported.get(uri) !== document.isDirty) {
      this.reported.set(uri, document.isDirty);
      this.connection.notify('editd/documentState', { uri, dirty: document.isDirty, version: document.version });
    }
  }
}
