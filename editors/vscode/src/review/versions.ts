/** Both sides of files under review, as received from the daemon. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Log } from '../log';
import type { Draft } from './draftStorage';
import type { Side } from './places';
import { ready } from './ready';
import { type FileKey, isOpenDocument, keyOf, type ReviewedFile, type Version } from './reviewedFile';
import { fetchSides } from './sides';
import type { Store } from './store';
import { CoalescingQueue } from './taskQueue';
import { uriOf } from './uris';

/** Number of versions retained: a document may show an older one than the last. */
const MAX_VERSIONS = 3;

/** Maximum time between the request for a file and the opening of its document, in milliseconds. */
const OPEN_TIMEOUT = 30_000;

export class Versions implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri[]>();
  /** Fires with the URIs of changed review documents. */
  readonly onDidChange = this.changed.event;
  /** Resolves once the stored drafts are restored. */
  readonly restored: Promise<void>;
  private readonly files = new Map<string, ReviewedFile>();
  private readonly creating = new Map<string, Promise<ReviewedFile>>();
  private readonly loads = new CoalescingQueue<ReviewedFile>();
  private clock = 0;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly connection: Connection,
    private readonly store: Store,
    drafts: Promise<readonly Draft[]>,
    private readonly log: Log,
  ) {
    this.restored = drafts.then((all) => {
      all.forEach((draft) => {
        this.restore(draft);
      });
    });
    this.subscription = store.onDidChange((id) => {
      this.handleChange(id);
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  /** Files that were requested and may still be shown. */
  get all(): readonly ReviewedFile[] {
    return [...this.files.values()];
  }

  find(key: FileKey): ReviewedFile | undefined {
    return this.files.get(keyOf(key));
  }

  /** Returns a file. Rejects if there is no such file, or if the window cannot connect. */
  async file(key: FileKey): Promise<ReviewedFile> {
    await this.restored;
    const file = this.find(key) ?? (await this.created(key));
    file.requestedAt = Date.now();
    return file;
  }

  /** Fetches and returns the current version. */
  async current(key: FileKey): Promise<Version> {
    const file = await this.file(key);
    await this.load(file);
    return file.versions[0];
  }

  reload(file: ReviewedFile): Promise<void> {
    return this.loads.run(file, async () => {
      try {
        await this.load(file);
      } catch (error) {
        this.log.warn(`cannot load the proposed text of ${file.path}: ${refusalOf(error).message}`);
      }
    });
  }

  /** Drops all but the newest version, and replaces its proposed text if `proposed` is given. */
  keepNewest(file: ReviewedFile, proposed: string = file.versions[0].proposed): void {
    file.versions = [{ ...file.versions[0], proposed, mtime: this.tick() }];
  }

  remove(file: ReviewedFile): void {
    this.files.delete(keyOf(file));
  }

  /** Makes VS Code reload the documents, unless the user is editing them. */
  show(file: ReviewedFile): void {
    if (!file.pinned) {
      this.showSides(file, ['base', 'proposed']);
    }
  }

  showSides({ id, path }: FileKey, sides: readonly Side[]): void {
    this.changed.fire(sides.map((side) => uriOf(id, side, path)));
  }

  /** Returns a time for a new version, later than all previous ones. */
  tick(): number {
    this.clock = Math.max(Date.now(), this.clock + 1);
    return this.clock;
  }

  private restore({ id, path, version, text, mtime }: Draft): void {
    const draft = { text, mtime };
    this.files.set(keyOf({ id, path }), {
      id,
      path,
      versions: [version],
      requestedAt: Date.now(),
      pinned: version,
      draft,
    });
    this.clock = Math.max(this.clock, mtime, version.mtime);
  }

  private created(key: FileKey): Promise<ReviewedFile> {
    const running = this.creating.get(keyOf(key));
    if (running) {
      return running;
    }
    const created = this.create(key).finally(() => this.creating.delete(keyOf(key)));
    this.creating.set(keyOf(key), created);
    return created;
  }

  private async create({ id, path }: FileKey): Promise<ReviewedFile> {
    await ready(this.connection, this.store);
    if (!this.store.file(id, path)) {
      throw vscode.FileSystemError.FileNotFound(uriOf(id, 'proposed', path));
    }
    const sides = await fetchSides(this.connection, this.store, id, path);
    const file: ReviewedFile = { id, path, versions: [{ ...sides, mtime: this.tick() }], requestedAt: Date.now() };
    this.files.set(keyOf(file), file);
    this.show(file);
    return file;
  }

  private async load(file: ReviewedFile): Promise<void> {
    const sides = await fetchSides(this.connection, this.store, file.id, file.path);
    const [newest] = file.versions;
    if (newest.base !== sides.base || newest.proposed !== sides.proposed || newest.hash !== sides.hash) {
      file.versions = [{ ...sides, mtime: this.tick() }, ...file.versions.slice(0, MAX_VERSIONS - 1)];
      this.show(file);
    }
  }

  private handleChange(id: string | undefined): void {
    for (const file of this.files.values()) {
      if ((id !== undefined && file.id !== id) || !this.store.get(file.id)) {
        continue;
      }
      if (isOpenDocument(file)) {
        void this.reload(file);
      } else if (!file.pinned && !file.draft && file.requestedAt < Date.now() - OPEN_TIMEOUT) {
        this.remove(file);
      }
    }
  }
}
