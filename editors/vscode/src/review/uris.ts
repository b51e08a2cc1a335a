import * as vscode from 'vscode';

import type { Side } from './places';

/** The scheme of both sides of a file under review: `editd-review:/PROPOSAL/SIDE/absolute/path`. */
export const SCHEME = 'editd-review';

export interface Address {
  readonly id: string;
  readonly side: Side;
  readonly path: string;
}

export function uriOf(id: string, side: Side, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${id}/${side}${path}` });
}

export function addressOf(uri: vscode.Uri): Address | undefined {
  const found = uri.scheme === SCHEME ? /^\/([^/]+)\/(base|proposed)(\/.+)$/.exec(uri.path) : undefined;
  const [, id, side, path] = found ?? [];
  return id !== undefined && path !== undefined && (side === 'base' || side === 'proposed')
    ? { id, side, path }
    : undefined;
}
