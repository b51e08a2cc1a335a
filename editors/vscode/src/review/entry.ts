/** A file under review: what is known of both its sides, and what shows it. */
import * as vscode from 'vscode';

import type { Version } from './drafts';
import { type Address, SCHEME, uriOf } from './uris';

/** A file of a proposal. */
export type FileKey = Pick<Address, 'id' | 'path'>;

export interface Entry {
  readonly id: string;
  readonly path: string;
  /** The newest last. */
  versions: Version[];
  /** What the document of the proposed side holds, while it is unchanged. */
  shown?: Version | undefined;
  /** What a person started from: as long as it is there, nothing is moved under them. */
  frozen?: Version | undefined;
  /** When it was read last: its document may be about to open. */
  read: number;
  /** Its document is being made what is proposed: what is saved meanwhile is nobody's wish. */
  isSettling?: boolean;
  draft?: { readonly text: string; readonly mtime: number } | undefined;
  /** Until unsaved text is kept. */
  timer?: NodeJS.Timeout | undefined;
}

export function keyOf({ id, path }: FileKey): string {
  return `${id}\0${path}`;
}

/** What is shown of both sides. */
export function versionOf(entry: Entry): Version {
  const version = entry.frozen ?? entry.versions.at(-1);
  if (!version) {
    throw vscode.FileSystemError.Unavailable(`${entry.path} was not loaded`);
  }
  return version;
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
