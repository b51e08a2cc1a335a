/** Diffs between the current and the proposed text. */
import * as vscode from 'vscode';

import type { FileEntry, ProposalResult } from '../daemon/wire';
import type { Drafts } from './drafts';
import { placesIn } from './places';
import type { Store } from './store';
import type { FileSubject, HunkSubject } from './subject';
import { type Address, addressOf, SCHEME, uriOf } from './uris';
import { actionOf, fileTitle, titleOf } from './labels';

export class Diffs implements vscode.Disposable {
  /** Titles and files of multi-file diffs, by proposal, because such a tab does not expose its files. */
  private readonly multiDiffs = new Map<string, { readonly title: string; readonly shown: Address[] }>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
  ) {
    this.subscription = vscode.Disposable.from(
      store.onDidEnd(({ proposal }) => void this.close((id) => id === proposal.id)),
      store.onDidList(() => void this.close((id) => !store.get(id))),
      // A draft may be sent with the decision that ends its proposal, and be removed after that.
      drafts.onDidChange(() => {
        if (store.isReady) {
          void this.close((id) => !store.get(id));
        }
      }),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Opens the diff of a file, at a hunk if one is given. With `background`, takes no focus and replaces no tab. */
  async open(subject: FileSubject | HunkSubject, options: { background?: boolean } = {}): Promise<void> {
    const { id, path } = subject;
    await this.store.refresh(id);
    const proposal = this.store.get(id);
    const file = this.store.file(id, path);
    if (!proposal || !file) {
      return;
    }
    const selection = subject.kind === 'hunk' ? selectionOf(file, subject.hunk) : undefined;
    const show: vscode.TextDocumentShowOptions & { background?: boolean } = {
      ...(selection && { selection }),
      ...(options.background && { preserveFocus: true, background: true, preview: false }),
    };
    const [base, proposed] = [uriOf(id, 'base', path), uriOf(id, 'proposed', path)];
    await vscode.commands.executeCommand('vscode.diff', base, proposed, diffTitle(proposal, file), show);
  }

  /** Opens the diffs of all files of a proposal in one editor. */
  async openAll(id: string): Promise<void> {
    const proposal = this.store.get(id);
    const [first] = proposal?.files ?? [];
    if (!proposal || !first) {
      return;
    }
    if (proposal.files.length === 1) {
      await this.open({ kind: 'file', id, path: first.path });
      return;
    }
    const title = titleOf(proposal);
    this.multiDiffs.set(id, { title, shown: proposal.files.map(({ path }) => ({ id, side: 'proposed', path })) });
    const resources = proposal.files.map(({ path, action }) => [
      uriOf(id, 'proposed', path),
      action === 'create' ? undefined : uriOf(id, 'base', path),
      action === 'delete' ? undefined : uriOf(id, 'proposed', path),
    ]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Returns `true` if a tab shows the file of the proposal. */
  shows({ id, path }: Address): boolean {
    return tabs().some((tab) => this.shownIn(tab).some((shown) => shown.id === id && shown.path === path));
  }

  /** Returns `true` if a tab shows the diffs of all files of a proposal. */
  showsAll(id: string): boolean {
    const title = this.multiDiffs.get(id)?.title;
    return title !== undefined && tabs().some(({ label }) => label.startsWith(title));
  }

  /** Closes the tabs of ended proposals, except tabs with unsent drafts. */
  private async close(hasEnded: (id: string) => boolean): Promise<void> {
    const isUnsent = ({ id, path }: Address) => this.drafts.find(id, path) !== undefined;
    const done = tabs().filter((tab) => {
      const shown = this.shownIn(tab);
      return shown.some(({ id }) => hasEnded(id)) && !shown.some(isUnsent);
    });
    await vscode.window.tabGroups.close(done, true);
    for (const id of [...this.multiDiffs.keys()].filter(hasEnded)) {
      this.multiDiffs.delete(id);
    }
  }

  /** Returns the review documents in a tab. */
  private shownIn({ input, label }: vscode.Tab): Address[] {
    if (input instanceof vscode.TabInputTextDiff) {
      return addressesOf([input.modified]);
    }
    if (input instanceof vscode.TabInputText) {
      return addressesOf([input.uri]);
    }
    if (input !== undefined) {
      return addressesOf(multiDiffUris(input));
    }
    // If VS Code does not expose the documents of such a tab, it is identified by its title, which a file count
    // follows.
    return [...this.multiDiffs.values()].find(({ title }) => label.startsWith(title))?.shown ?? [];
  }
}

function addressesOf(uris: readonly (vscode.Uri | undefined)[]): Address[] {
  return uris.flatMap((uri) => (uri && addressOf(uri)) ?? []);
}

/** Returns the documents in a multi-file diff. The field is not yet part of the API of VS Code. */
function multiDiffUris(input: unknown): (vscode.Uri | undefined)[] {
  const { textDiffs } = input as { textDiffs?: { original?: vscode.Uri; modified?: vscode.Uri }[] };
  return Array.isArray(textDiffs) ? textDiffs.map(({ original, modified }) => modified ?? original) : [];
}

/** Returns the address of the active review document; in a diff, that of the proposed side. */
export function activeAddress(): Address | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME) {
    return addressOf(input.modified);
  }
  const editor = vscode.window.activeTextEditor;
  return editor && addressOf(editor.document.uri);
}

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function diffTitle(proposal: ProposalResult, file: FileEntry): string {
  const action = actionOf(file);
  const note = action === '' || action === 'renamed' ? '' : `${action}, `;
  return `${fileTitle(file)} (${note}${titleOf(proposal)})`;
}

function selectionOf(file: FileEntry, hunk: string): vscode.Range | undefined {
  const place = placesIn(file, 'proposed').find((each) => each.hunk.id === hunk);
  return place && new vscode.Range(place.start, 0, place.start, 0);
}
