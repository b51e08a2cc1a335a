/** Diffs that show the effect of a change or of an undo. */
import { basename } from 'node:path';
import * as vscode from 'vscode';

import type { FileEntry } from '../daemon/wire';
import { applyDiff } from './patch';

export const SCHEME = 'editd-past';

/** Maximum number of texts retained for tabs that may still be open. */
const MAX_TEXTS = 200;

/** A file before and after a change. */
export interface Sides {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
}

export class Diffs implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? 'This text is no longer available. Open it again from the history.\n';
  }

  /** Opens a diff, or several of them in one editor. */
  async show(title: string, sides: readonly Sides[]): Promise<void> {
    const pairs = sides.map(({ uri, before, after }) => {
      this.count += 1;
      return { uri, before: this.store(uri.path, 'before', before), after: this.store(uri.path, 'after', after) };
    });
    const [only] = pairs;
    if (only && pairs.length === 1) {
      await vscode.commands.executeCommand('vscode.diff', only.before, only.after, title, { preview: true });
      return;
    }
    const resources = pairs.map(({ uri, before, after }) => [uri, before, after]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Opens a unified diff as text. */
  async showDiff(name: string, diff: string): Promise<void> {
    this.count += 1;
    const uri = this.store(`/${name}.diff`, 'diff', diff);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  private store(path: string, side: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, authority: side, path, query: String(this.count) });
    this.texts.set(uri.toString(), text);
    const [oldest] = this.texts.keys();
    if (oldest !== undefined && this.texts.size > MAX_TEXTS) {
      this.texts.delete(oldest);
    }
    return uri;
  }
}

/** Returns the current and the resulting text of a file; undefined if the diff does not apply to the current text. */
export async function sidesOf(file: FileEntry): Promise<Sides | undefined> {
  const uri = vscode.Uri.file(file.newPath ?? file.path);
  try {
    const before = file.action === 'create' ? '' : await presentText(vscode.Uri.file(file.path));
    const after = file.action === 'delete' ? '' : applyDiff(before, file.diff);
    return after === undefined ? undefined : { uri, before, after };
  } catch {
    return undefined; // The file is missing or not text.
  }
}

/** Swaps both sides. */
export function swapped({ uri, before, after }: Sides): Sides {
  return { uri, before: after, after: before };
}

/** Concatenates all diffs, for files that cannot be shown side by side. */
export function diffText(files: readonly FileEntry[]): string {
  return files.map(({ diff, path, action }) => diff || `${action} ${basename(path)}\n`).join('');
}

async function presentText(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open ? open.getText() : vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { uri });
}
