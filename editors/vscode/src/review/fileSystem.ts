/** File system for the scheme `editd-review`. The base is read-only. Writing the proposed side stores a draft. */
import * as vscode from 'vscode';

import type { Drafts } from './drafts';
import { mtimeOf, textOf } from './reviewedFile';
import { type Address, addressOf } from './uris';
import type { Versions } from './versions';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export class ReviewFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly versions: Versions,
    private readonly drafts: Drafts,
  ) {
    this.subscription = versions.onDidChange((uris) => {
      this.changed.fire(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const address = requireAddress(uri);
    const file = await this.versions.file(address);
    const size = bytesOf(uri, textOf(file, address.side)).length;
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: mtimeOf(file, address.side), size };
    return address.side === 'base' ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const address = requireAddress(uri);
    return bytesOf(uri, textOf(await this.versions.file(address), address.side));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const address = requireAddress(uri);
    if (address.side === 'base') {
      throw vscode.FileSystemError.NoPermissions(uri);
    }
    await this.drafts.write(address, new TextDecoder().decode(content));
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

function requireAddress(uri: vscode.Uri): Address {
  const address = addressOf(uri);
  if (!address) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  return address;
}

/** Encodes text. Adds a byte order mark if VS Code would not decode the bytes as UTF-8 otherwise. */
function bytesOf(uri: vscode.Uri, text: string): Buffer {
  const bytes = Buffer.from(text);
  return isDecodedAsUtf8(uri) ? bytes : Buffer.concat([BYTE_ORDER_MARK, bytes]);
}

function isDecodedAsUtf8(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  return files.get<string>('encoding') === 'utf8' && !files.get('autoGuessEncoding', false);
}
