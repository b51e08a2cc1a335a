/** Drafts: edits by the user to the proposed side of files under review. They decide nothing until they are sent. */
import * as vscode from 'vscode';

import type { DraftStorage } from './draftStorage';
import {
  documentOf,
  type FileKey,
  hasTab,
  isOpenDocument,
  type ReviewedFile,
  type Version,
  versionOf,
} from './reviewedFile';
import type { Store } from './store';
import { type Address, addressOf } from './uris';
import type { Versions } from './versions';

/** Debounce time before unsaved text is stored, in milliseconds. */
const DEBOUNCE = 300;

/** The text of a draft and the version that it is based on. */
export interface DraftText {
  readonly text: string;
  readonly version: Version;
}

export class Drafts implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when a draft is added, changed or removed. */
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly versions: Versions,
    private readonly storage: DraftStorage,
  ) {
    void versions.restored.then(() => {
      this.changed.fire();
    });
    this.subscriptions = vscode.Disposable.from(
      store.onDidList(() => void this.removeExpired()),
      vscode.workspace.onDidOpenTextDocument((document) => void this.handleDocument(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => void this.handleDocument(document)),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  /** Returns the draft of a file, saved or not. */
  find(id: string, path: string): DraftText | undefined {
    const file = this.versions.find({ id, path });
    if (!file) {
      return undefined;
    }
    const document = documentOf(file);
    const text = document?.isDirty ? document.getText() : file.draft?.text;
    const version = versionOf(file);
    return text === undefined || text === version.proposed ? undefined : { text, version };
  }

  /** Returns the drafts of ended proposals. Returns none until the pending proposals are known. */
  async ofEndedProposals(): Promise<Address[]> {
    await this.versions.restored;
    return this.store.isReady
      ? this.versions.all
          .filter(({ id, path }) => !this.store.get(id) && this.find(id, path) !== undefined)
          .map(({ id, path }) => ({ id, side: 'proposed', path }))
      : [];
  }

  /** Stores a text that the user has saved. This decides nothing. */
  async write(key: FileKey, text: string): Promise<void> {
    const file = await this.versions.file(key);
    if (file.isResetting) {
      return;
    }
    const version = file.pinned ?? file.shown ?? file.versions[0];
    if (text === version.proposed) {
      await this.removeDraft(file);
      return;
    }
    file.pinned = version;
    file.draft = { text, mtime: this.versions.tick() };
    await this.persist(file, file.draft);
    this.versions.showSides(file, ['proposed']);
    this.changed.fire();
  }

  /** Discards a draft and shows the proposed text again. */
  async discard(id: string, path: string): Promise<void> {
    const file = this.versions.find({ id, path });
    if (file) {
      await this.resetDocument(file, file.versions[0].proposed);
    }
  }

  /** Removes a draft whose text `written` was sent as `content`, the new proposed text. Keeps text typed since. */
  async markSent(id: string, path: string, content: string, written: string): Promise<void> {
    const file = this.versions.find({ id, path });
    const now = this.find(id, path)?.text ?? written;
    if (file && now === written) {
      await this.resetDocument(file, content);
    }
  }

  /**
   * Shows a text as the proposed one in a clean document, so that the tab can be closed. Changes made on save, by
   * formatters for example, are ignored.
   */
  private async resetDocument(file: ReviewedFile, text: string): Promise<void> {
    const document = documentOf(file);
    if (document?.isDirty) {
      file.isResetting = true;
      try {
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
        await vscode.workspace.applyEdit(edit);
        await document.save();
      } finally {
        file.isResetting = false;
      }
    }
    await this.removeDraft(file, text);
  }

  private async removeDraft(file: ReviewedFile, proposed?: string): Promise<void> {
    clearTimeout(file.timer);
    file.draft = undefined;
    file.pinned = undefined;
    this.versions.keepNewest(file, proposed);
    await this.storage.remove(file);
    this.versions.show(file);
    this.changed.fire();
    if (this.store.get(file.id)) {
      await this.versions.reload(file);
    }
  }

  /** Handles a review document that was opened, changed or saved. */
  private async handleDocument(document: vscode.TextDocument): Promise<void> {
    const address = addressOf(document.uri);
    const file = address?.side === 'proposed' ? this.versions.find(address) : undefined;
    if (!file) {
      return;
    }
    clearTimeout(file.timer);
    if (!document.isDirty) {
      const text = document.getText();
      file.shown = file.versions.find(({ proposed }) => proposed === text) ?? file.shown;
      await (file.draft ? this.persist(file, file.draft) : file.pinned && this.removeDraft(file));
      return;
    }
    if (!file.pinned) {
      file.pinned = file.shown ?? versionOf(file);
      this.changed.fire();
    }
    file.timer = setTimeout(() => {
      // Unsaved text keeps the time of the saved text, so that VS Code does not treat it as a newer file.
      const { mtime } = file.draft ?? versionOf(file);
      void this.persist(file, { text: document.getText(), mtime });
    }, DEBOUNCE);
  }

  private persist({ id, path, pinned }: ReviewedFile, { text, mtime }: { text: string; mtime: number }): Promise<void> {
    return pinned ? this.storage.save({ id, path, version: pinned, text, mtime }) : Promise.resolve();
  }

  private async removeExpired(): Promise<void> {
    await this.versions.restored;
    for (const file of this.versions.all) {
      const isExpired = file.draft !== undefined && this.storage.isExpired(file.draft.mtime);
      if (isExpired && !this.store.get(file.id) && !isOpenDocument(file) && !hasTab(file)) {
        this.versions.remove(file);
        await this.storage.remove(file);
      }
    }
  }
}
