/** Notifies the user of drafts that were not sent before their proposals ended. */
import * as vscode from 'vscode';

import type { Diffs } from './diff';
import type { Drafts } from './drafts';
import { ask } from './notifications';
import type { Store } from './store';
import { type Address, uriOf } from './uris';
import { nameOf } from './labels';

/** Milliseconds within which ended proposals are combined into one message. */
const DEBOUNCE = 100;

export class UnsentDrafts implements vscode.Disposable {
  /** Documents that the user was notified of in this window. */
  private readonly notified = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    store: Store,
    private readonly drafts: Drafts,
    private readonly diffs: Diffs,
  ) {
    const later = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.notify(), DEBOUNCE);
    };
    this.subscription = vscode.Disposable.from(store.onDidEnd(later), store.onDidList(later));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
  }

  private async notify(): Promise<void> {
    const drafts = (await this.drafts.ofEndedProposals()).filter((address) => !this.notified.has(keyOf(address)));
    if (drafts.length === 0) {
      return;
    }
    drafts.forEach((address) => this.notified.add(keyOf(address)));
    const names = [...new Set(drafts.map(({ path }) => nameOf(path)))].join(', ');
    const hidden = drafts.filter((address) => !this.diffs.shows(address));
    if (hidden.length === 0) {
      void ask('warning', `Your changes to ${names} were not sent; they are kept in the tab.`, {});
    } else {
      void ask('warning', `Your changes to ${names} were not sent.`, { 'Show Them': () => this.show(hidden) });
    }
  }

  /** Moves drafts to untitled documents, which VS Code keeps until the user closes them. */
  private async show(hidden: readonly Address[]): Promise<void> {
    for (const { id, path } of hidden) {
      const text = this.drafts.find(id, path)?.text;
      if (text !== undefined) {
        // VS Code detects the language by the name of the review document, even if the file does not exist.
        const { languageId } = await vscode.workspace.openTextDocument(uriOf(id, 'proposed', path));
        const document = await vscode.workspace.openTextDocument({ content: text, language: languageId });
        await vscode.window.showTextDocument(document, { preview: false });
        await this.drafts.discard(id, path);
      }
    }
  }
}

function keyOf({ id, side, path }: Address): string {
  return uriOf(id, side, path).toString();
}
