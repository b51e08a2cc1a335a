/** Converts requests of other extensions to parameters of the daemon. */
import type * as vscode from 'vscode';

import type { Change, ChangeRequest } from '../../api/editd';
import { Refusal } from '../daemon/refusal';

/** Returns the current hash of a file, or null if it has none. */
type HashOf = (path: string) => Promise<string | null>;

/** Returns the parameters of `editd/edit`, with a base hash for each change. */
export async function paramsOf(request: ChangeRequest, hashOf: HashOf): Promise<Record<string, unknown>> {
  const { author, label } = request;
  const wanted = 'changes' in request ? request.changes : [{ ...request, kind: 'edit' as const }];
  const changes = await Promise.all(wanted.map((change) => changeOf(change, hashOf)));
  return { changes, author, ...(label === undefined ? {} : { label }) };
}

async function changeOf(change: Change, hashOf: HashOf): Promise<Record<string, unknown>> {
  const path = change.path ?? pathOf(change.uri);
  const baseHash = change.baseHash ?? (await hashOf(path));
  return { kind: change.kind, path, ...(baseHash === null ? {} : { baseHash }), ...contentOf(change) };
}

function contentOf(change: Change): Record<string, unknown> {
  switch (change.kind) {
    case 'edit':
      return { edits: change.edits };
    case 'write':
      return { content: change.content };
    case 'rename':
      return { newPath: change.newPath };
    case 'delete':
      return {};
  }
}

function pathOf(uri: vscode.Uri): string {
  if (uri.scheme !== 'file') {
    throw new Refusal(`${uri.toString()} is not a file on disk.`, 'not_a_file', 'Save it to a file first.', {});
  }
  return uri.fsPath;
}
