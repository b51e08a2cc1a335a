/** Diffs of what is there and what is proposed. */
import * as vscode from 'vscode';

import type { FileEntry, ProposalResult } from '../daemon/wire';
import type { Drafts } from './drafts';
import { placesIn } from './places';
import type { Store } from './store';
import type { FileSubject, HunkSubject } from './subject';
import { type Address, addressOf, SCHEME, uriOf } from './uris';
import { actionOf, fileTitle, titleOf } from './words';

export class Diffs implements vscode.Disposable {
  /** Titles of the diffs of several files, by proposal: such a tab does not say what it shows. */
  private readonly many = new Map<string, { readonly title: string; readonly shown: Address[] }>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
  ) {
    this.subscription = vscode.Disposable.from(
      store.onDidEnd(({ proposal }) => void this.close((id) => id === proposal.id)),
      store.onDidList(() => void this.close((id) => !store.get(id))),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Opens the diff of a file, at a hunk if one is named. In the background it takes neither focus nor place. */
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

  /** All files of a proposal in one editor. */
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
    this.many.set(id, { title, shown: proposal.files.map(({ path }) => ({ id, side: 'proposed', path })) });
    const resources = proposal.files.map(({ path, action }) => [
      uriOf(id, 'proposed', path),
      action === 'create' ? undefined : uriOf(id, 'base', path),
      action === 'delete' ? undefined : uriOf(id, 'proposed', path),
    ]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Whether a tab shows that file of the proposal. */
  shows({ id, path }: Address): boolean {
    return tabs().some((tab) => this.shownIn(tab).some((shown) => shown.id === id && shown.path === path));
  }

  /** Closes our tabs of proposals that are over, but for those with something that a person wrote and did not send. */
  private async close(isOver: (id: string) => boolean): Promise<void> {
    const isUnsent = ({ id, path }: Address) => this.drafts.written(id, path) !== undefined;
    const done = tabs().filter((tab) => {
      const shown = this.shownIn(tab);
      return shown.some(({ id }) => isOver(id)) && !shown.some(isUnsent);
    });
    await vscode.window.tabGroups.close(done, true);
    for (const id of [...this.many.keys()].filter(isOver)) {
      this.many.delete(id);
    }
  }

  /** The documents of ours in a tab. */
  private shownIn({ input, label }: vscode.Tab): Address[] {
    if (input instanceof vscode.TabInputTextDiff) {
      return addressesOf([input.modified]);
    }
    if (input instanceof vscode.TabInputText) {
      return addressesOf([input.uri]);
    }
    if (input !== undefined) {
      return addressesOf(severalIn(input));
    }
    // Where the editor does not say what such a tab shows, its title does, with the number of files behind it.
    return [...this.many.values()].find(({ title }) => label.startsWith(title))?.shown ?? [];
  }
}

function addressesOf(uris: readonly (vscode.Uri | undefined)[]): Address[] {
  return uris.flatMap((uri) => (uri && addressOf(uri)) ?? []);
}

/** The documents in a tab with several diffs; how it tells them is not part of the editor's API yet. */
function severalIn(input: unknown): (vscode.Uri | undefined)[] {
  const { textDiffs } = input as { textDiffs?: { original?: vscode.Uri; modified?: vscode.Uri }[] };
  return Array.isArray(textDiffs) ? textDiffs.map(({ original, modified }) => modified ?? original) : [];
}

/** The document of ours that is looked at: of a diff, the proposed side. */
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
