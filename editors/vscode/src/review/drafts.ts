/** What people write over the proposed side of files under review. It decides nothing until it is sent. */
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

/** Milliseconds without typing before unsaved text is kept. */
const PAUSE = 300;

/** What a person wrote, and over what. */
export interface Written {
  readonly text: string;
  readonly version: Version;
}

export class Drafts implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Other files than before have a draft, or one has another. */
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
      store.onDidList(() => void this.clean()),
      vscode.workspace.onDidOpenTextDocument((document) => void this.look(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => void this.look(document)),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  /** What a person wrote in place of what was proposed, saved or not. */
  written(id: string, path: string): Written | undefined {
    const file = this.versions.find({ id, path });
    if (!file) {
      return undefined;
    }
    const document = documentOf(file);
    const text = document?.isDirty ? document.getText() : file.draft?.text;
    const version = versionOf(file);
    return text === undefined || text === version.proposed ? undefined : { text, version };
  }

  /** What was written over proposals that are over by now. Nothing, while it is not known which are. */
  async leftOver(): Promise<Address[]> {
    await this.versions.restored;
    return this.store.isReady
      ? this.versions.all
          .filter(({ id, path }) => !this.store.get(id) && this.written(id, path) !== undefined)
          .map(({ id, path }) => ({ id, side: 'proposed', path }))
      : [];
  }

  /** Keeps what a person saved. That decides nothing. */
  async write(key: FileKey, text: string): Promise<void> {
    const file = await this.versions.file(key);
    if (file.isSettling) {
      return;
    }
    const version = file.frozen ?? file.shown ?? file.versions[0];
    if (text === version.proposed) {
      await this.forget(file);
      return;
    }
    file.frozen = version;
    file.draft = { text, mtime: this.versions.tick() };
    await this.keep(file, file.draft);
    this.versions.showSides(file, ['proposed']);
    this.changed.fire();
  }

  /** What a person wrote is not wanted any more: what is proposed is shown again. */
  async drop(id: string, path: string): Promise<void> {
    const file = this.versions.find({ id, path });
    if (file) {
      await this.settle(file, file.versions[0].proposed);
    }
  }

  /** What a person had `written` was sent as `content`, which is what is proposed now. What was typed since stays. */
  async sent(id: string, path: string, content: string, written: string): Promise<void> {
    const file = this.versions.find({ id, path });
    const now = this.written(id, path)?.text ?? written;
    if (file && now === written) {
      await this.settle(file, content);
    }
  }

  /**
   * Shows a text as the proposed one, with nothing unsaved, so that the tab can be closed. What editors do when they
   * save (formatters and the like) is not kept.
   */
  private async settle(file: ReviewedFile, text: string): Promise<void> {
    const document = documentOf(file);
    if (document?.isDirty) {
      file.isSettling = true;
      try {
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
        await vscode.workspace.applyEdit(edit);
        await document.save();
      } finally {
        file.isSettling = false;
      }
    }
    await this.forget(file, text);
  }

  private async forget(file: ReviewedFile, proposed?: string): Promise<void> {
    clearTimeout(file.timer);
    file.draft = undefined;
    file.frozen = undefined;
    this.versions.renew(file, proposed);
    await this.storage.remove(file);
    this.versions.show(file);
    this.changed.fire();
    if (this.store.get(file.id)) {
      await this.versions.reload(file);
    }
  }

  /** A document of ours was opened, or has changed, or is unsaved or saved now. */
  private async look(document: vscode.TextDocument): Promise<void> {
    const address = addressOf(document.uri);
    const file = address?.side === 'proposed' ? this.versions.find(address) : undefined;
    if (!file) {
      return;
    }
    clearTimeout(file.timer);
    if (!document.isDirty) {
      const text = document.getText();
      file.shown = file.versions.find(({ proposed }) => proposed === text) ?? file.shown;
      await (file.draft ? this.keep(file, file.draft) : file.frozen && this.forget(file));
      return;
    }
    if (!file.frozen) {
      file.frozen = file.shown ?? versionOf(file);
      this.changed.fire();
    }
    file.timer = setTimeout(() => {
      // Its time stays that of what was saved, so that the editor does not take it for a newer file.
      const { mtime } = file.draft ?? versionOf(file);
      void this.keep(file, { text: document.getText(), mtime });
    }, PAUSE);
  }

  private keep({ id, path, frozen }: ReviewedFile, { text, mtime }: { text: string; mtime: number }): Promise<void> {
    return frozen ? this.storage.save({ id, path, version: frozen, text, mtime }) : Promise.resolve();
  }

  private async clean(): Promise<void> {
    await this.versions.restored;
    for (const file of this.versions.all) {
      const isOld = file.draft !== undefined && this.storage.isOld(file.draft.mtime);
      if (isOld && !this.store.get(file.id) && !isOpenDocument(file) && !hasTab(file)) {
        this.versions.remove(file);
        await this.storage.remove(file);
      }
    }
  }
}
