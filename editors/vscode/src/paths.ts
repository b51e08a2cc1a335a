/** Canonical paths, as the daemon uses them, and the folders of this window. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';

/** Resolves symbolic links. The last components of the path need not exist. */
export function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(canonical(folder), basename(path));
  }
}

/** The folder of the sample proposal, which is treated as a folder of this window although it is not open in it. */
let sampleFolder: string | undefined;

export function addSampleFolder(folder: string): void {
  sampleFolder = folder;
}

/** Returns the folders of this window that are on disk, by the paths under which they were opened. */
export function windowFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** Returns a predicate that is `true` for paths in the folders of this window. */
export function insideWindow(): (path: string) => boolean {
  const roots = [...windowFolders(), ...(sampleFolder === undefined ? [] : [sampleFolder])].map(canonical);
  return (path) => roots.some((root) => path === root || root === sep || path.startsWith(root + sep));
}
