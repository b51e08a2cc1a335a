/** Documents as the daemon knows them: by URI, version and the hash of their text. */
import { blake3 } from '@noble/hashes/blake3.js';
import * as vscode from 'vscode';

import type { DocumentNow, Hash } from '../daemon/wire';

/** Bytes above which a text is not hashed: that would hold up the window, and its version says enough. */
const LONGEST_HASHED = 512 * 1024;

/** An open document over a file, by the URI that the daemon was told. */
export function find(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri, true).toString();
  return vscode.workspace.textDocuments.find((document) => isTold(document) && document.uri.toString() === wanted);
}

/** Whether the daemon is told of this document. */
export function isTold(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && !document.isClosed;
}

/** The hash of a document's text as `didOpen` carries it. */
export function hashOf(document: vscode.TextDocument): Hash {
  const text = document.getText();
  if (text.length > LONGEST_HASHED) {
    return null;
  }
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length > LONGEST_HASHED ? null : `b3:${Buffer.from(blake3(bytes, { dkLen: 16 })).toString('hex')}`;
}

export function stateOf(document: vscode.TextDocument, saved = false): DocumentNow {
  const { version, isDirty } = document;
  return { uri: document.uri.toString(), version, hash: hashOf(document), dirty: isDirty, saved };
}

export function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}
