/** Taking a change back: shown first, then done as it was shown. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { type Refusal, refusalOf } from '../daemon/refusal';
import type { AppliedFile, FileEntry, Requests, TransactionEntry } from '../daemon/wire';
import { dialog, message, statusLine, wordsOf } from '../messages';
import { names, sums, title } from './describe';
import { diffText, type Diffs, type Sides, sidesOf, turned } from './diff';
import type { Past } from './past';

type Preview = Requests['editd/undo']['result'];

/** What a person is told of it before it happens: at most so many files by name. */
const NAMED = 12;

export class Undo {
  constructor(
    private readonly connection: Connection,
    private readonly past: Past,
    private readonly diffs: Diffs,
  ) {}

  /** Asks, and takes it back if the person says so. */
  async run(transaction: string): Promise<void> {
    try {
      let notice = '';
      let done: Preview | undefined;
      do {
        const preview = await this.connection.request('editd/undo', { transaction, preview: true });
        if (!(await this.agreed(transaction, preview, notice))) {
          return;
        }
        done = await this.asShown(transaction, preview.fingerprint ?? '');
        notice = 'The files have changed meanwhile, so it is shown once more.';
      } while (done === undefined);
      tell(done.files);
      await this.past.refresh();
    } catch (error) {
      await this.refused(refusalOf(error));
    }
  }

  /** Takes it back, or gives undefined if the files are not as they were shown any more. */
  private async asShown(transaction: string, fingerprint: string): Promise<Preview | undefined> {
    try {
      return await this.connection.request('editd/undo', { transaction, fingerprint });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.kind === 'stale') {
        return undefined;
      }
      throw refusal;
    }
  }

  /** What the transaction did to the present texts, where that can be worked out. */
  async didTo(entry: TransactionEntry): Promise<readonly Sides[]> {
    const back = entry.undoneBy ?? entry.transaction;
    const { files } = await this.connection.request('editd/undo', { transaction: back, preview: true });
    const sides = (await Promise.all(files.map(sidesOf))).filter((each) => each !== undefined);
    // Undoing the undo does again what the transaction did; undoing itself does the opposite.
    return entry.undoneBy === undefined ? sides.map(turned) : sides;
  }

  private async agreed(transaction: string, preview: Preview, notice: string): Promise<boolean> {
    const question = `Undo "${this.titleOf(transaction, preview.files)}"?`;
    const detail = [notice, ...lines(preview.files)].filter(Boolean).join('\n');
    const answer = await dialog(question, detail, 'Undo', 'Show the Diff');
    if (answer !== 'Show the Diff') {
      return answer === 'Undo';
    }
    await this.show(`Undo: ${this.titleOf(transaction, preview.files)}`, preview.files);
    return (await message('info', question, 'Undo', 'Leave It')) === 'Undo';
  }

  private async show(name: string, files: readonly FileEntry[]): Promise<void> {
    const sides = (await Promise.all(files.map(sidesOf))).filter((each) => each !== undefined);
    if (sides.length === files.length) {
      await this.diffs.show(name, sides);
    } else {
      await this.diffs.showDiff('undo', diffText(files));
    }
  }

  private titleOf(transaction: string, files: readonly FileEntry[]): string {
    const entry = this.past.find(transaction);
    return entry ? title(entry) : names(files);
  }

  private async refused(refusal: Refusal): Promise<void> {
    switch (refusal.kind) {
      case 'stale':
        await this.tellStale(refusal);
        break;
      case 'no_change':
        await this.past.refresh();
        await this.offerAgain(refusal);
        break;
      case 'missing':
        await this.past.reload();
        void message('warning', 'This change is not in the history any more.');
        break;
      default:
        void message('error', wordsOf(refusal));
    }
  }

  /** Others have changed the files since: what is in the way is shown, or the file if that is not known. */
  private async tellStale({ data }: Refusal): Promise<void> {
    const { path, diff, currentHash } = data;
    const name = typeof path === 'string' ? vscode.workspace.asRelativePath(path) : 'a file';
    if (currentHash === null) {
      void message('warning', `It cannot be undone: ${name} is not there any more.`);
    } else if (typeof diff === 'string') {
      await this.diffs.showDiff('changed-since', diff);
      void message('warning', `It cannot be undone: ${name} has changed since in the same lines, as is shown here.`);
    } else {
      await open(path);
      void message('warning', `It cannot be undone: ${name} has changed since. In which lines is not known any more.`);
    }
  }

  /** It is undone already, or there is nothing to undo. */
  private async offerAgain(refusal: Refusal): Promise<void> {
    const { undoneBy } = refusal.data;
    if (typeof undoneBy !== 'string') {
      void message('info', wordsOf(refusal));
    } else if ((await message('info', 'This is undone already.', 'Put It Back')) !== undefined) {
      await this.run(undoneBy);
    }
  }
}

async function open(path: unknown): Promise<void> {
  if (typeof path === 'string') {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path));
  }
}

function lines(files: readonly FileEntry[]): string[] {
  const named = files.slice(0, NAMED).map((file) => {
    const path = vscode.workspace.asRelativePath(file.path);
    switch (file.action) {
      case 'create':
        return `${path} comes back (${sums([file])})`;
      case 'delete':
        return `${path} is deleted (${sums([file])})`;
      case 'rename':
        return `${path} becomes ${vscode.workspace.asRelativePath(file.newPath ?? file.path)} (${sums([file])})`;
      case 'edit':
        return `${path} (${sums([file])})`;
    }
  });
  const more = files.length > NAMED ? [`and ${files.length - NAMED} more`] : [];
  const warnings = new Set(files.flatMap((file) => file.warnings));
  return [...named, ...more, ...warnings];
}

function tell(files: readonly AppliedFile[]): void {
  const unsaved = files.filter((file) => file.saved === false && file.hash !== null);
  if (unsaved.length === 0) {
    statusLine(`Undone in ${names(files)}.`, 5000);
    return;
  }
  const left = `${names(unsaved)} had unsaved text and ${unsaved.length === 1 ? 'is' : 'are'} left for you to save.`;
  void message('info', `Undone. ${left}`);
}
