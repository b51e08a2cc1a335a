/** New syntax errors as diagnostics in the proposed side of diffs. */
import * as vscode from 'vscode';

import type { FileEntry } from '../daemon/wire';
import type { Drafts } from './drafts';
import { errorPlaces, isRewritten } from './places';
import type { Store } from './store';
import { uriOf } from './uris';
import { syntaxNote } from './labels';

export class SyntaxErrors implements vscode.Disposable {
  private readonly diagnostics = vscode.languages.createDiagnosticCollection('editd');
  private shown = '';
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
  ) {
    const update = () => {
      this.update();
    };
    this.subscriptions = vscode.Disposable.from(
      this.diagnostics,
      store.onDidChange(update),
      drafts.onDidChange(update),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private update(): void {
    const all = this.store.here.flatMap(({ id, files }) =>
      files
        .filter((file) => file.syntax !== undefined && !isRewritten(file) && !this.drafts.find(id, file.path))
        .map((file): [vscode.Uri, vscode.Diagnostic[]] => [uriOf(id, 'proposed', file.path), diagnosticsOf(file)]),
    );
    const shown = JSON.stringify(all);
    if (shown !== this.shown) {
      this.shown = shown;
      this.diagnostics.clear();
      this.diagnostics.set(all);
    }
  }
}

function diagnosticsOf(file: FileEntry): vscode.Diagnostic[] {
  return errorPlaces(file).map(({ error, line }) => {
    // With this end, VS Code underlines the line without its indentation.
    const range = new vscode.Range(line, 0, line, Number.MAX_VALUE);
    const diagnostic = new vscode.Diagnostic(range, syntaxNote(error), vscode.DiagnosticSeverity.Warning);
    diagnostic.source = 'editd';
    return diagnostic;
  });
}
