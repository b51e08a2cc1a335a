/** What our documents show: both sides of files under review, and what people wrote over the proposed one. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Log } from '../log';
import type { Drafts, Version } from './drafts';
import { documentOf, type Entry, hasTab, isOpenDocument, keyOf, type FileKey, versionOf } from './entry';
import { ready } from './ready';
import { fetchSides } from './sides';
import type { Store } from './store';
import { Latest } from './turns';
import { type Address, addressOf, uriOf } from './uris';

/** Milliseconds without typing before unsaved text is kept. */
const PAUSE = 300;
/** Versions that are kept: a document may show one that was read before the last. */
const KEPT = 3;

/** Milliseconds that a document takes to open, at most, after it was read. */
const OPENING = 30_000;

/** What a person wrote, and over what. */
export interface Written {
  readonly text: string;
  readonly version: Version;
}

export class Texts implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri[]>();
  private readonly drafted = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  readonly onDidChangeDrafts = this.drafted.event;
  private readonly entries = new Map<string, Entry>();
  private readonly loading = new Map<string, Promise<Entry>>();
  private readonly loads = new Latest<Entry>();
  private readonly restored: Promise<void>;
  private clock = 0;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly connection: Connection,
    private readonly store: Store,
    private readonly drafts: Drafts,
    private readonly log: Log,
  ) {
    this.restored = this.restore();
    this.subscriptions = vscode.Disposable.from(
      store.onDidChange((id) => {
        this.follow(id);
      }),
      store.onDidList(() => void this.clean()),
      vscode.workspace.onDidOpenTextDocument((document) => void this.look(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => void this.look(document)),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
    this.drafted.dispose();
  }

  async text(address: Address): Promise<string> {
    const entry = await this.entry(address);
    entry.read = Date.now();
    const version = versionOf(entry);
    return address.side === 'base' ? version.base : (entry.draft?.text ?? version.proposed);
  }

  async mtime(address: Address): Promise<number> {
    const entry = await this.entry(address);
    const { mtime } = versionOf(entry);
    return address.side === 'base' ? mtime : (entry.draft?.mtime ?? mtime);
  }

  /** Keeps what a person saved. That decides nothing. */
  async write(address: Address, text: string): Promise<void> {
    const entry = await this.entry(address);
    if (entry.isSettling) {
      return;
    }
    const version = entry.frozen ?? entry.shown ?? versionOf(entry);
    if (text === version.proposed) {
      await this.forget(entry);
      return;
    }
    entry.frozen = version;
    entry.draft = { text, mtime: this.tick() };
    await this.keep(entry, entry.draft);
    this.changed.fire([uriOf(entry.id, 'proposed', entry.path)]);
    this.drafted.fire();
  }

  /** What a person wrote in place of what was proposed, saved or not. */
  written(id: string, path: string): Written | undefined {
    const entry = this.entries.get(keyOf({ id, path }));
    if (!entry) {
      return undefined;
    }
    const document = documentOf(entry);
    const text = document?.isDirty ? document.getText() : entry.draft?.text;
    const version = versionOf(entry);
    return text === undefined || text === version.proposed ? undefined : { text, version };
  }

  /** What a person wrote is not wanted any more: what is proposed is shown again. */
  async drop(id: string, path: string): Promise<void> {
    const entry = this.entries.get(keyOf({ id, path }));
    if (entry) {
      await this.settle(entry, (entry.versions.at(-1) ?? versionOf(entry)).proposed);
    }
  }

  /** What a person had `written` was sent as `content`, which is what is proposed now. What was typed since stays. */
  async sent(id: string, path: string, content: string, written: string): Promise<void> {
    const entry = this.entries.get(keyOf({ id, path }));
    const now = this.written(id, path)?.text ?? written;
    if (entry && now === written) {
      await this.settle(entry, content);
    }
  }

  /**
   * Shows a text as the proposed one, with nothing unsaved, so that the tab can be closed. What editors do when they
   * save (formatters and the like) is not kept.
   */
  private async settle(entry: Entry, text: string): Promise<void> {
    const document = documentOf(entry);
    if (document?.isDirty) {
      entry.isSettling = true;
      try {
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
        await vscode.workspace.applyEdit(edit);
        await document.save();
      } finally {
        entry.isSettling = false;
      }
    }
    await this.forget(entry, text);
  }

  /** What was written over proposals that are over by now. Nothing, while it is not known which are. */
  async leftOver(): Promise<Address[]> {
    await this.restored;
    return this.store.isReady
      ? [...this.entries.values()]
          .filter(({ id, path }) => !this.store.get(id) && this.written(id, path) !== undefined)
          .map(({ id, path }) => ({ id, side: 'proposed', path }))
      : [];
  }

  /** Both sides as they are now. */
  async current(id: string, path: string): Promise<Version> {
    const entry = await this.entry({ id, path });
    await this.load(entry);
    return entry.versions.at(-1) ?? versionOf(entry);
  }

  private async restore(): Promise<void> {
    for (const { id, path, version, text, mtime } of await this.drafts.load()) {
      const draft = { text, mtime };
      this.entries.set(keyOf({ id, path }), {
        id,
        path,
        versions: [version],
        read: Date.now(),
        frozen: version,
        draft,
      });
      this.clock = Math.max(this.clock, mtime, version.mtime);
    }
    this.drafted.fire();
  }

  private async entry(address: FileKey): Promise<Entry> {
    await this.restored;
    const key = keyOf(address);
    const known = this.entries.get(key);
    if (known) {
      return known;
    }
    const running = this.loading.get(key);
    if (running) {
      return running;
    }
    const loading = this.create(address).finally(() => this.loading.delete(key));
    this.loading.set(key, loading);
    return loading;
  }

  private async create({ id, path }: FileKey): Promise<Entry> {
    await ready(this.connection, this.store);
    if (!this.store.file(id, path)) {
      throw vscode.FileSystemError.FileNotFound(uriOf(id, 'proposed', path));
    }
    const entry: Entry = { id, path, versions: [], read: Date.now() };
    await this.load(entry);
    this.entries.set(keyOf(entry), entry);
    return entry;
  }

  private async load(entry: Entry): Promise<void> {
    const sides = await fetchSides(this.connection, this.store, entry.id, entry.path);
    const last = entry.versions.at(-1);
    if (last?.base !== sides.base || last.proposed !== sides.proposed || last.hash !== sides.hash) {
      entry.versions = [...entry.versions, { ...sides, mtime: this.tick() }].slice(-KEPT);
      this.tell(entry);
    }
  }

  /** Documents that nobody writes in show what is now. */
  private tell(entry: Entry): void {
    if (!entry.frozen) {
      this.changed.fire([uriOf(entry.id, 'base', entry.path), uriOf(entry.id, 'proposed', entry.path)]);
    }
  }

  private follow(id: string | undefined): void {
    for (const entry of this.entries.values()) {
      if ((id !== undefined && entry.id !== id) || !this.store.get(entry.id)) {
        continue;
      }
      if (isOpenDocument(entry)) {
        void this.reload(entry);
      } else if (!entry.frozen && !entry.draft && entry.read < Date.now() - OPENING) {
        this.entries.delete(keyOf(entry));
      }
    }
  }

  private reload(entry: Entry): Promise<void> {
    return this.loads.run(entry, async () => {
      try {
        await this.load(entry);
      } catch (error) {
        this.log.warn(`${entry.path} as it is proposed: ${refusalOf(error).message}`);
      }
    });
  }

  /** A document of ours was opened, or has changed, or is unsaved or saved now. */
  private async look(document: vscode.TextDocument): Promise<void> {
    const address = addressOf(document.uri);
    const entry = address?.side === 'proposed' ? this.entries.get(keyOf(address)) : undefined;
    if (!entry) {
      return;
    }
    clearTimeout(entry.timer);
    if (!document.isDirty) {
      const text = document.getText();
      entry.shown = entry.versions.findLast(({ proposed }) => proposed === text) ?? entry.shown;
      await (entry.draft ? this.keep(entry, entry.draft) : entry.frozen && this.forget(entry));
      return;
    }
    if (!entry.frozen) {
      entry.frozen = entry.shown ?? versionOf(entry);
      this.drafted.fire();
    }
    entry.timer = setTimeout(() => {
      // Its time stays that of what was saved, so that the editor does not take it for a newer file.
      const { mtime } = entry.draft ?? versionOf(entry);
      void this.keep(entry, { text: document.getText(), mtime });
    }, PAUSE);
  }

  private keep({ id, path, frozen }: Entry, { text, mtime }: { text: string; mtime: number }): Promise<void> {
    return frozen ? this.drafts.save({ id, path, version: frozen, text, mtime }) : Promise.resolve();
  }

  private async forget(entry: Entry, proposed?: string): Promise<void> {
    const latest = entry.versions.at(-1) ?? versionOf(entry);
    clearTimeout(entry.timer);
    entry.draft = undefined;
    entry.frozen = undefined;
    entry.versions = [{ ...latest, ...(proposed !== undefined && { proposed }), mtime: this.tick() }];
    await this.drafts.remove(entry);
    this.tell(entry);
    this.drafted.fire();
    if (this.store.get(entry.id)) {
      await this.reload(entry);
    }
  }

  private async clean(): Promise<void> {
    await this.restored;
    for (const entry of this.entries.values()) {
      const isOld = entry.draft !== undefined && this.drafts.isOld(entry.draft.mtime);
      if (isOld && !this.store.get(entry.id) && !isOpenDocument(entry) && !hasTab(entry)) {
        this.entries.delete(keyOf(entry));
        await this.drafts.remove(entry);
      }
    }
  }

  /** A time for a new version, later than all before. */
  private tick(): number {
    this.clock = Math.max(Date.now(), this.clock + 1);
    return this.clock;
  }
}
