/** Identifies documents for the daemon: by URI, version and text hash. */
import { blake3 } from '@noble/hashes/blake3.js';
import * as vscode from 'vscode';

import type { DocumentNow, Hash } from '../daemon/wire';

/** Maximum size of a text to hash, in bytes. Hashing more would block the window, and the version is sufficient. */
const MAX_HASHED_BYTES = 512 * 1024;

/** Finds an open document of a file by its URI. */
export function find(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri, true).toString();
  return vscode.workspace.textDocuments.find((document) => isShared(document) && document.uri.toString() === wanted);
}

/** Returns `true` if the document is shared with the daemon. */
export function isShared(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && !document.isClosed;
}

/**
 * Returns the hash of the document's text as sent in `didOpen`, or null if the text is too long. The daemon compares it
 * with the hash of its copy, so it must be computed from the document itself, here.
 */
export function hashOf(document: vscode.TextDocument): Hash {
  const text = document.getText();
  if (text.length > MAX_HASHED_BYTES) {
    return null;
  }
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length > MAX_HASHED_BYTES ? null : `b3:${Buffer.from(blake3(bytes, { dkLen: 16 })).toString('hex')}`;
}

export function stateOf(document: vscode.TextDocument, saved = false): DocumentNow {
  const { version, isDirty } = document;
  return { uri: document.uri.toString(), version, hash: hashOf(document), dirty: isDirty, saved };
}

export function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}
