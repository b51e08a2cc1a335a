/** Records which hunks were on the screen: in their files, or in diffs. */
import * as vscode from 'vscode';

import type { Hunk, ProposalResult } from '../daemon/wire';
import type { Diffs } from './diff';
import { isOpen } from './labels';
import { excerptOf } from './longLines';
import type { Store } from './store';
import type { HunkSubject } from './subject';
import { placesAt } from './target';

export class Seen implements vscode.Disposable {
  private readonly shown = new Set<string>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly diffs: Diffs,
  ) {
    const note = () => {
      this.note();
    };
    this.subscription = vscode.Disposable.from(
      store.onDidChange(note),
      vscode.window.onDidChangeVisibleTextEditors(note),
      vscode.window.onDidChangeTextEditorVisibleRanges(note),
      store.onDidEnd(({ proposal }) => {
        this.forget(proposal.id);
      }),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Returns the undecided hunks of a proposal, or of one of its files, that were not on the screen. */
  missing({ id, files }: ProposalResult, path?: string): HunkSubject[] {
    this.note();
    const isShown = (hunk: Hunk) =>
      (this.diffs.showsAll(id) || this.shown.has(keyOf(id, hunk.id))) && excerptOf(hunk)?.isCut !== true;
    return files
      .filter((file) => path === undefined || file.path === path)
      .flatMap((file) =>
        file.hunks
          .filter((hunk) => isOpen(hunk) && !isShown(hunk))
          .map((hunk): HunkSubject => ({ kind: 'hunk', id, path: file.path, hunk: hunk.id })),
      );
  }

  private note(): void {
    for (const { document, visibleRanges } of vscode.window.visibleTextEditors) {
      for (const { id, places } of placesAt(this.store, document.uri)) {
        for (const { hunk, start } of places) {
          // A hunk without lines is between two lines.
          if (visibleRanges.some((range) => range.start.line <= start + 1 && start <= range.end.line + 1)) {
            this.shown.add(keyOf(id, hunk.id));
          }
        }
      }
    }
  }

  private forget(id: string): void {
    for (const key of this.shown) {
      if (key.startsWith(keyOf(id, ''))) {
        this.shown.delete(key);
      }
    }
  }
}

function keyOf(id: string, hunk: string): string {
  return `${id} ${hunk}`;
}
