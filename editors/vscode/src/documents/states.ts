import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

import type { Connection } from '../daemon/connection';
import { isTold } from './document';

/** Tells which documents hold unsaved text: right behind what opened or changed them, and whenever that changes. */
export class States {
  private readonly told = new Map<string, boolean>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly connection: Connection) {
    this.subscriptions = [
      // Events about nothing but the state are not passed on to the middleware.
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 && this.told.has(document.uri.toString())) {
          this.tell(document);
        }
      }),
      // What is open when a connection begins is told of before it counts as connected.
      connection.onDidChangeState((state) => {
        this.told.clear();
        if (state.kind === 'connected') {
          vscode.workspace.textDocuments.filter(isTold).forEach((document) => {
            this.tell(document);
          });
        }
      }),
    ];
  }

  readonly middleware: Pick<Middleware, 'didOpen' | 'didChange' | 'didSave' | 'didClose'> = {
    didOpen: async (document, next) => {
      await next(document);
      this.tell(document);
    },
    didChange: async (event, next) => {
      await next(event);
      this.tell(event.document);
    },
    didSave: async (document, next) => {
      await next(document);
      this.tell(document);
    },
    didClose: async (document, next) => {
      this.told.delete(document.uri.toString());
      await next(document);
    },
  };

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private tell(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (this.connection.client && this.told.get(uri) !== document.isDirty) {
      this.told.set(uri, document.isDirty);
      this.connection.notify('editd/documentState', { uri, dirty: document.isDirty, version: document.version });
    }
  }
}
