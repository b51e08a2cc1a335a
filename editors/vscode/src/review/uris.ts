import * as vscode from 'vscode';

import type { Side } from './places';

/**
 * URI scheme of both sides of a file under review: `editd-review://PROPOSAL.SIDE/absolute/path`. The path is that of
 * the file, so that VS Code shows both sides as one file.
 */
export const SCHEME = 'editd-review';

export interface Address {
  readonly id: string;
  readonly side: Side;
  readonly path: string;
}

export function uriOf(id: string, side: Side, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, authority: `${id}.${side}`, path });
}

export function addressOf(uri: vscode.Uri): Address | undefined {
  const found = uri.scheme === SCHEME ? /^(.+)\.(base|proposed)$/.exec(uri.authority) : undefined;
  const [, id, side] = found ?? [];
  return id !== undefined && (side === 'base' || side === 'proposed') ? { id, side, path: uri.path } : undefined;
}
