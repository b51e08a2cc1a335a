/** Selects the proposals that concern this window: one daemon serves all windows. */
import * as vscode from 'vscode';

import type { ProposalResult } from '../daemon/wire';
import { canonical, insideWindow } from '../paths';

/** Returns `true` if a proposal concerns the folders of this window or a document open in it. */
export function concernsWindow(proposal: ProposalResult): boolean {
  const paths = proposal.files.flatMap(({ path, newPath }) => (newPath === undefined ? [path] : [path, newPath]));
  return paths.some(insideWindow()) || paths.some(isOpen);
}

function isOpen(path: string): boolean {
  return vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === 'file' && canonical(uri.fsPath) === path);
}
