/** What people wrote in place of what was proposed, kept so that it survives a reload of the window. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

import type { Log } from '../log';
import type { Version } from './reviewedFile';

export interface Draft {
  readonly id: string;
  readonly path: string;
  /** What the person started from. */
  readonly version: Version;
  readonly text: string;
  /** When it was saved last; of what was never saved, that of the version. */
  readonly mtime: number;
}

/** Milliseconds for which drafts are kept that belong to nothing any more. */
const KEPT = 30 * 24 * 60 * 60 * 1000;

export class DraftStorage {
  private readonly folder: vscode.Uri;
  /** Files are written one after the other. */
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
      return []; // There is no folder yet.
    }
  }

  save(draft: Draft): Promise<void> {
    return this.inTurn(async () => {
      await vscode.workspace.fs.createDirectory(this.folder);
      await vscode.workspace.fs.writeFile(this.file(draft), Buffer.from(JSON.stringify(draft)));
    });
  }

  remove(draft: Pick<Draft, 'id' | 'path'>): Promise<void> {
    return this.inTurn(async () => {
      try {
        await vscode.workspace.fs.delete(this.file(draft));
      } catch {
        // It was never saved.
      }
    });
  }

  /** Whether a draft that belongs to nothing is old enough to go. */
  isOld(mtime: number): boolean {
    return mtime < Date.now() - KEPT;
  }

  private inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.last.then(act);
    this.last = turn.catch((error: unknown) => {
      this.log.error(`a draft: ${String(error)}`);
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
