/** Tells of drafts that were not sent before their proposals were over. */
import * as vscode from 'vscode';

import type { Diffs } from './diff';
import type { Drafts } from './drafts';
import { ask } from './notifications';
import type { Store } from './store';
import { type Address, uriOf } from './uris';
import { nameOf } from './words';

/** Milliseconds in which proposals that end are told in one message. */
const TOGETHER = 100;

export class UnsentDrafts implements vscode.Disposable {
  /** The documents that were told of in this window. */
  private readonly told = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    store: Store,
    private readonly drafts: Drafts,
    private readonly diffs: Diffs,
  ) {
    const later = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.tell(), TOGETHER);
    };
    this.subscription = vscode.Disposable.from(store.onDidEnd(later), store.onDidList(later));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
  }

  private async tell(): Promise<void> {
    const left = (await this.drafts.leftOver()).filter((address) => !this.told.has(keyOf(address)));
    if (left.length === 0) {
      return;
    }
    left.forEach((address) => this.told.add(keyOf(address)));
    const names = [...new Set(left.map(({ path }) => nameOf(path)))].join(', ');
    const hidden = left.filter((address) => !this.diffs.shows(address));
    if (hidden.length === 0) {
      void ask('warning', `What you wrote in ${names} was not sent; it is kept in its tab.`, {});
    } else {
      void ask('warning', `What you wrote in ${names} was not sent.`, { 'Show It': () => this.show(hidden) });
    }
  }

  /** From here on it is in a document that belongs to the person, which the editor keeps until it is closed. */
  private async show(hidden: readonly Address[]): Promise<void> {
    for (const { id, path } of hidden) {
      const text = this.drafts.written(id, path)?.text;
      if (text !== undefined) {
        // Ours has the file's name, from which the editor knows the language, also where there is no such file.
        const { languageId } = await vscode.workspace.openTextDocument(uriOf(id, 'proposed', path));
        const document = await vscode.workspace.openTextDocument({ content: text, language: languageId });
        await vscode.window.showTextDocument(document, { preview: false });
        await this.drafts.drop(id, path);
      }
    }
  }
}

function keyOf({ id, side, path }: Address): string {
  return uriOf(id, side, path).toString();
}
