/** Paths as the daemon names files, without symbolic links, and the folders of this window. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';

export function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(canonical(folder), basename(path));
  }
}

/** A folder that counts as one of this window though it is not open in it: that of the sample. */
let extra: string | undefined;

export function countAsInside(folder: string): void {
  extra = folder;
}

/** The folders of this window that are on the disk, as they were opened. */
export function windowFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** Says of paths whether they are in the folders of this window. */
export function insideWindow(): (path: string) => boolean {
  const roots = [...windowFolders(), ...(extra === undefined ? [] : [extra])].map(canonical);
  return (path) => roots.some((root) => path === root || root === sep || path.startsWith(root + sep));
}
