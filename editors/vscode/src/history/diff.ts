/** Diffs that show what a change did, or would do. */
import { basename } from 'node:path';
import * as vscode from 'vscode';

import type { FileEntry } from '../daemon/wire';
import { patched } from './patch';

export const SCHEME = 'editd-past';

/** How many texts are kept for tabs that may still be open. */
const KEPT = 200;

/** A file before and after something. */
export interface Sides {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
}

export class Diffs implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This text is gone. Open it again from the history.\n';
  }

  /** Opens one diff, or all in one editor. */
  async show(title: string, sides: readonly Sides[]): Promise<void> {
    const pairs = sides.map(({ uri, before, after }) => {
      this.count += 1;
      return { uri, before: this.keep(uri.path, 'before', before), after: this.keep(uri.path, 'after', after) };
    });
    const [only] = pairs;
    if (only && pairs.length === 1) {
      await vscode.commands.executeCommand('vscode.diff', only.before, only.after, title, { preview: true });
      return;
    }
    const resources = pairs.map(({ uri, before, after }) => [uri, before, after]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Opens a diff as the text that it is. */
  async showDiff(name: string, diff: string): Promise<void> {
    this.count += 1;
    const uri = this.keep(`/${name}.diff`, 'diff', diff);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  private keep(path: string, side: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, authority: side, path, query: String(this.count) });
    this.texts.set(uri.toString(), text);
    const [oldest] = this.texts.keys();
    if (oldest !== undefined && this.texts.size > KEPT) {
      this.texts.delete(oldest);
    }
    return uri;
  }
}

/** What files are, and what they would become; undefined for one whose diff is not about its present text. */
export async function sidesOf(file: FileEntry): Promise<Sides | undefined> {
  const uri = vscode.Uri.file(file.newPath ?? file.path);
  try {
    const before = file.action === 'create' ? '' : await presentText(vscode.Uri.file(file.path));
    const after = file.action === 'delete' ? '' : patched(before, file.diff);
    return after === undefined ? undefined : { uri, before, after };
  } catch {
    return undefined; // It has gone, or is no text.
  }
}

export function turned({ uri, before, after }: Sides): Sides {
  return { uri, before: after, after: before };
}

/** All diffs below each other, for what cannot be shown side by side. */
export function diffText(files: readonly FileEntry[]): string {
  return files.map(({ diff, path, action }) => diff || `${action} ${basename(path)}\n`).join('');
}

async function presentText(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open ? open.getText() : vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { uri });
}
