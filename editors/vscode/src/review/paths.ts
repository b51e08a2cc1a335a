/** Paths as the daemon names files: without symbolic links. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';

import type { ProposalResult } from '../daemon/wire';

export function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(canonical(folder), basename(path));
  }
}

/** Whether a proposal is about this window: its folders, or what is open in it. One daemon serves all windows. */
export function concernsWindow(proposal: ProposalResult): boolean {
  const paths = proposal.files.flatMap(({ path, newPath }) => (newPath === undefined ? [path] : [path, newPath]));
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const roots = folders.map(({ uri }) => canonical(uri.fsPath));
  const isInside = (path: string) => roots.some((root) => path === root || path.startsWith(root + sep) || root === sep);
  return paths.some(isInside) || paths.some((path) => isOpen(path));
}

function isOpen(path: string): boolean {
  return vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === 'file' && canonical(uri.fsPath) === path);
}
