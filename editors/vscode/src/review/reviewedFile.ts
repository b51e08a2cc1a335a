/** A file under review: what is known of both its sides, and the documents that show them. */
import * as vscode from 'vscode';

import type { Hash } from '../daemon/wire';
import type { Side } from './places';
import { type Address, SCHEME, uriOf } from './uris';

/** A file of a proposal. */
export type FileKey = Pick<Address, 'id' | 'path'>;

/** Both sides of a file at one time. */
export interface Version {
  readonly base: string;
  readonly proposed: string;
  /** Of the file that `base` is. */
  readonly hash: Hash;
  /** Of our documents that show it. */
  readonly mtime: number;
}

export interface ReviewedFile {
  readonly id: string;
  readonly path: string;
  /** The newest first. */
  versions: readonly [Version, ...Version[]];
  /** When it was asked for last: its document may be about to open. */
  asked: number;
  /** What the document of the proposed side holds, while it is unchanged. */
  shown?: Version | undefined;
  /** What a person started from: as long as it is there, nothing is moved under them. */
  frozen?: Version | undefined;
  draft?: { readonly text: string; readonly mtime: number } | undefined;
  /** Its document is being made what is proposed: what is saved meanwhile is nobody's wish. */
  isSettling?: boolean;
  /** Until unsaved text is kept. */
  timer?: NodeJS.Timeout | undefined;
}

export function keyOf({ id, path }: FileKey): string {
  return `${id}\0${path}`;
}

/** What is shown of both sides, but for what a person wrote. */
export function versionOf({ frozen, versions }: ReviewedFile): Version {
  return frozen ?? versions[0];
}

export function textOf(file: ReviewedFile, side: Side): string {
  const version = versionOf(file);
  return side === 'base' ? version.base : (file.draft?.text ?? version.proposed);
}

export function mtimeOf(file: ReviewedFile, side: Side): number {
  const { mtime } = versionOf(file);
  return side === 'base' ? mtime : (file.draft?.mtime ?? mtime);
}

/** The document of the proposed side, where it is open. */
export function documentOf({ id, path }: FileKey): vscode.TextDocument | undefined {
  const wanted = uriOf(id, 'proposed', path).toString();
  return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === SCHEME && uri.toString() === wanted);
}

export function isOpenDocument({ id, path }: FileKey): boolean {
  const sides = (['base', 'proposed'] as const).map((side) => uriOf(id, side, path).toString());
  return vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === SCHEME && sides.includes(uri.toString()));
}

export function hasTab({ id, path }: FileKey): boolean {
  const wanted = uriOf(id, 'proposed', path).toString();
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === wanted);
}
