/** Notes in the proposed side of diffs: decisions, and hunks that are not shown there. */
import * as vscode from 'vscode';

import { config, onDidChangeConfig } from '../config';
import type { FileEntry, HunkState } from '../daemon/wire';
import type { Drafts } from './drafts';
import { errorPlaces, isRewritten, placesIn } from './places';
import type { Store } from './store';
import { excerptOf } from './longLines';
import { type Address, addressOf } from './uris';
import { lineCounts, wordsFor } from './labels';

const ERROR_COLOR = new vscode.ThemeColor('list.warningForeground');

export class DiffNotes implements vscode.Disposable {
  private readonly type = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 3em', fontStyle: 'italic', color: new vscode.ThemeColor('editorCodeLens.foreground') },
  });
  /** The changes of long lines, before the lines, because their ends are not shown. */
  private readonly excerpts = vscode.window.createTextEditorDecorationType({
    before: { margin: '0 2em 0 0', fontStyle: 'italic', color: new vscode.ThemeColor('editorCodeLens.foreground') },
  });
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
  ) {
    const update = () => {
      vscode.window.visibleTextEditors.forEach((editor) => {
        this.show(editor);
      });
    };
    this.subscriptions = vscode.Disposable.from(
      this.type,
      this.excerpts,
      store.onDidChange(update),
      drafts.onDidChange(update),
      vscode.window.onDidChangeVisibleTextEditors(update),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (addressOf(document.uri)) {
          update();
        }
      }),
      onDidChangeConfig(['review.decorations'], update),
    );
    update();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private show(editor: vscode.TextEditor): void {
    const address = addressOf(editor.document.uri);
    if (address) {
      editor.setDecorations(this.excerpts, this.longLines(editor.document, address));
    }
    if (address?.side === 'proposed') {
      editor.setDecorations(this.type, this.notes(editor.document, address.id, address.path));
    }
  }

  /** Returns the changes of the long lines of a side. */
  private longLines(document: vscode.TextDocument, { id, path, side }: Address): vscode.DecorationOptions[] {
    const file = this.store.file(id, path);
    if (!file || this.drafts.find(id, path) || isRewritten(file)) {
      return [];
    }
    return placesIn(file, side).flatMap(({ hunk, start }) => {
      const excerpt = hunk.state === 'pending' ? excerptOf(hunk) : undefined;
      const contentText = side === 'base' ? excerpt?.old : excerpt?.new;
      if (contentText === undefined || contentText === '') {
        return [];
      }
      const { range } = document.lineAt(Math.min(start, document.lineCount - 1));
      return [{ range: new vscode.Range(range.start, range.start), renderOptions: { before: { contentText } } }];
    });
  }

  private notes(document: vscode.TextDocument, id: string, path: string): vscode.DecorationOptions[] {
    const file = this.store.file(id, path);
    if (!file || !config.decorations) {
      return [];
    }
    if (this.drafts.find(id, path)) {
      return [noteAt(document, 0, 'changed by you')];
    }
    if (isRewritten(file)) {
      return [noteAt(document, 0, `${wordsFor(file).accepted} with your changes`)];
    }
    const decisions = placesIn(file, 'proposed').flatMap(({ hunk, start }) => {
      const text = noteOn(file, hunk.state, lineCounts(hunk.newLines, hunk.oldLines));
      return text === undefined ? [] : [noteAt(document, start, text)];
    });
    const errors = errorPlaces(file).map(({ line }) => noteAt(document, line, 'new syntax error', ERROR_COLOR));
    return [...decisions, ...errors];
  }
}

function noteOn(file: FileEntry, state: HunkState, lines: string): string | undefined {
  const { accepted, rejected } = wordsFor(file);
  switch (state) {
    case 'accepted':
      return accepted;
    case 'rejected':
      return file.isLanded ? rejected : `${rejected}: ${lines}`;
    case 'conflicted':
      return `in conflict, so not shown: ${lines}`;
    case 'pending':
    case 'edited':
      return undefined;
  }
}

function noteAt(
  document: vscode.TextDocument,
  start: number,
  contentText: string,
  color?: vscode.ThemeColor,
): vscode.DecorationOptions {
  const { range } = document.lineAt(Math.min(start, document.lineCount - 1));
  return {
    range: new vscode.Range(range.end, range.end),
    renderOptions: { after: { contentText, ...(color && { color }) } },
  };
}
