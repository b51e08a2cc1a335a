/** Stores drafts on disk, so that they survive a reload of the window. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

import type { Log } from '../log';
import type { Version } from './reviewedFile';

/** A text that the user wrote in place of the proposed text. */
export interface Draft {
  readonly id: string;
  readonly path: string;
  /** Version that the draft is based on. */
  readonly version: Version;
  readonly text: string;
  /** Time of the last save; if it was never saved, the time of the version. */
  readonly mtime: number;
}

/** Milliseconds for which drafts of ended proposals are kept. */
const RETENTION = 30 * 24 * 60 * 60 * 1000;

export class DraftStorage {
  private readonly folder: vscode.Uri;
  /** The last file operation. Operations run one after another. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    context: vscode.ExtensionContext,
    private readonly log: Log,
  ) {
    this.folder = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'drafts');
  }

  async load(): Promise<Draft[]> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.folder);
      const drafts = await Promise.all(entries.map(([name]) => this.read(name)));
      return drafts.filter((draft) => draft !== undefined);
    } catch {
      return []; // The folder does not exist yet.
    }
  }

  save(draft: Draft): Promise<void> {
    return this.enqueue(async () => {
      await vscode.workspace.fs.createDirectory(this.folder);
      await vscode.workspace.fs.writeFile(this.file(draft), Buffer.from(JSON.stringify(draft)));
    });
  }

  remove(draft: Pick<Draft, 'id' | 'path'>): Promise<void> {
    return this.enqueue(async () => {
      try {
        await vscode.workspace.fs.delete(this.file(draft));
      } catch {
        // The draft was never saved.
      }
    });
  }

  /** Returns `true` if a draft of an ended proposal is old enough to be removed. */
  isExpired(mtime: number): boolean {
    return mtime < Date.now() - RETENTION;
  }

  private enqueue(act: () => Promise<void>): Promise<void> {
    const turn = this.last.then(act);
    this.last = turn.catch((error: unknown) => {
      this.log.error(`cannot store or remove a draft: ${String(error)}`);
    });
    return turn;
  }

  private async read(name: string): Promise<Draft | undefined> {
    try {
      const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.folder, name));
      return JSON.parse(Buffer.from(bytes).toString()) as Draft;
    } catch (error) {
      this.log.warn(`the draft ${name} cannot be read: ${String(error)}`);
      return undefined;
    }
  }

  private file({ id, path }: Pick<Draft, 'id' | 'path'>): vscode.Uri {
    const name = createHash('sha256').update(`${id}\0${path}`).digest('hex').slice(0, 32);
    return vscode.Uri.joinPath(this.folder, `${name}.json`);
  }
}
