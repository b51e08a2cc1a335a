/** Undoes changes: shows a preview first, then applies exactly that. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { type Refusal, refusalOf } from '../daemon/refusal';
import type { AppliedFile, FileEntry, Requests, TransactionEntry } from '../daemon/wire';
import { dialog, message, statusMessage, messageOf } from '../messages';
import { names, lineCounts, title } from './describe';
import { diffText, type Diffs, type Sides, sidesOf, swapped } from './diff';
import type { Transactions } from './transactions';

type Preview = Requests['editd/undo']['result'];

/** Maximum number of files listed by name in the preview. */
const MAX_NAMED = 12;

export class Undo {
  constructor(
    private readonly connection: Connection,
    private readonly transactions: Transactions,
    private readonly diffs: Diffs,
  ) {}

  /** Asks for confirmation and undoes the transaction. */
  async run(transaction: string): Promise<void> {
    try {
      let notice = '';
      let done: Preview | undefined;
      do {
        const preview = await this.connection.request('editd/undo', { transaction, preview: true });
        if (!(await this.isConfirmed(transaction, preview, notice))) {
          return;
        }
        done = await this.undoAsPreviewed(transaction, preview.fingerprint ?? '');
        notice = 'The files have changed in the meantime, so the preview was updated.';
      } while (done === undefined);
      notifyDone(done.files);
      await this.transactions.refresh();
    } catch (error) {
      await this.explain(refusalOf(error));
    }
  }

  /** Undoes the transaction as previewed. Returns undefined if the files have changed since the preview. */
  private async undoAsPreviewed(transaction: string, fingerprint: string): Promise<Preview | undefined> {
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

  /** Computes the effect of the transaction on the current texts. Omits files for which this is not possible. */
  async effectOf(entry: TransactionEntry): Promise<readonly Sides[]> {
    const target = entry.undoneBy ?? entry.transaction;
    const { files } = await this.connection.request('editd/undo', { transaction: target, preview: true });
    const sides = (await Promise.all(files.map(sidesOf))).filter((each) => each !== undefined);
    // Undoing the undo repeats the transaction; undoing the transaction itself inverts it.
    return entry.undoneBy === undefined ? sides.map(swapped) : sides;
  }

  private async isConfirmed(transaction: string, preview: Preview, notice: string): Promise<boolean> {
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
    const entry = this.transactions.find(transaction);
    return entry ? title(entry) : names(files);
  }

  /** Shows why a change cannot be undone. */
  async explain(refusal: Refusal): Promise<void> {
    switch (refusal.kind) {
      case 'stale':
        await this.showLaterChanges(refusal);
        break;
      case 'no_change':
        await this.transactions.refresh();
        await this.offerRedo(refusal);
        break;
      case 'missing':
        await this.transactions.reload();
        void message('warning', 'This change is no longer in the history.');
        break;
      default:
        void message('error', messageOf(refusal));
    }
  }

  /** Shows the later changes that prevent the undo, or the file if those are not known. */
  private async showLaterChanges({ data }: Refusal): Promise<void> {
    const { path, diff, currentHash } = data;
    const name = typeof path === 'string' ? vscode.workspace.asRelativePath(path) : 'a file';
    if (currentHash === null) {
      void message('warning', `The change cannot be undone: ${name} no longer exists.`);
    } else if (typeof diff === 'string') {
      await this.diffs.showDiff('changed-since', diff);
      void message(
        'warning',
        `The change cannot be undone: the same lines of ${name} have changed since, as this diff shows.`,
      );
    } else {
      await open(path);
      void message(
        'warning',
        `The change cannot be undone: ${name} has changed since, but the lines are no longer known.`,
      );
    }
  }

  /** Offers to redo a change that is already undone. */
  private async offerRedo(refusal: Refusal): Promise<void> {
    const { undoneBy } = refusal.data;
    if (typeof undoneBy !== 'string') {
      void message('info', messageOf(refusal));
    } else if ((await message('info', 'This change is already undone.', 'Redo')) !== undefined) {
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
  const named = files.slice(0, MAX_NAMED).map((file) => {
    const path = vscode.workspace.asRelativePath(file.path);
    switch (file.action) {
      case 'create':
        return `${path} is restored (${lineCounts([file])})`;
      case 'delete':
        return `${path} is deleted (${lineCounts([file])})`;
      case 'rename':
        return `${path} is renamed to ${vscode.workspace.asRelativePath(file.newPath ?? file.path)} (${lineCounts([file])})`;
      case 'edit':
        return `${path} (${lineCounts([file])})`;
    }
  });
  const more = files.length > MAX_NAMED ? [`and ${files.length - MAX_NAMED} more`] : [];
  const warnings = new Set(files.flatMap((file) => file.warnings));
  return [...named, ...more, ...warnings];
}

/** Shows which files were changed by an undo, and which of them are not saved. */
export function notifyDone(files: readonly AppliedFile[]): void {
  const unsaved = files.filter((file) => file.saved === false && file.hash !== null);
  if (unsaved.length === 0) {
    statusMessage(`Undone in ${names(files)}.`, 5000);
    return;
  }
  const note = `${names(unsaved)} had unsaved text and ${unsaved.length === 1 ? 'was' : 'were'} not saved.`;
  void message('info', `Undone. ${note}`);
}
