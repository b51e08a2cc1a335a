/** A file under review: its versions and the documents that show them. */
import * as vscode from 'vscode';

import type { Hash } from '../daemon/wire';
import type { Side } from './places';
import { type Address, SCHEME, uriOf } from './uris';

/** Identifies a file of a proposal. */
export type FileKey = Pick<Address, 'id' | 'path'>;

/** A consistent snapshot of both sides of a file. */
export interface Version {
  readonly base: string;
  readonly proposed: string;
  /** Hash of the file with the text `base`. */
  readonly hash: Hash;
  /** Modification time of the documents that show this version. */
  readonly mtime: number;
}

export interface ReviewedFile {
  readonly id: string;
  readonly path: string;
  /** Versions, newest first. */
  versions: readonly [Version, ...Version[]];
  /** Time of the last request: a document may be about to open. */
  requestedAt: number;
  /** Version in the document of the proposed side while the user has not edited it. */
  shown?: Version | undefined;
  /** Version that the draft is based on. While it is set, the document is not updated. */
  pinned?: Version | undefined;
  draft?: { readonly text: string; readonly mtime: number } | undefined;
  /** `true` while the document is being reset to the proposed text. Saves in that time are not by the user. */
  isResetting?: boolean;
  /** Timer until unsaved text is stored. */
  timer?: NodeJS.Timeout | undefined;
}

export function keyOf({ id, path }: FileKey): string {
  return `${id}\0${path}`;
}

/** Returns the version that is shown, apart from a draft. */
export function versionOf({ pinned, versions }: ReviewedFile): Version {
  return pinned ?? versions[0];
}

export function textOf(file: ReviewedFile, side: Side): string {
  const version = versionOf(file);
  return side === 'base' ? version.base : (file.draft?.text ?? version.proposed);
}

export function mtimeOf(file: ReviewedFile, side: Side): number {
  const { mtime } = versionOf(file);
  return side === 'base' ? mtime : (file.draft?.mtime ?? mtime);
}

/** Returns the document of the proposed side, if it is open. */
export function documentOf({ id, path }: FileKey): vscode.TextDocument | undefined {
  const wanted = uriOf(id, 'proposed', path).toString();
  return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === SCHEME && uri.toString() === wanted);
}

/** Returns `true` if the document of either side is open. */
export function isOpenDocument({ id, path }: FileKey): boolean {
  const sides = (['base', 'proposed'] as const).map((side) => uriOf(id, side, path).toString());
  return vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === SCHEME && sides.includes(uri.toString()));
}

/** Returns `true` if a tab shows the diff of the file. */
export function hasTab({ id, path }: FileKey): boolean {
  const wanted = uriOf(id, 'proposed', path).toString();
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === wanted);
}
