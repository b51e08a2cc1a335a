/** Code lenses above hunks, in files and in the proposed side of diffs. */
import * as vscode from 'vscode';

import { config, onDidChangeConfig } from '../config';
import type { FileEntry, ProposalResult } from '../daemon/wire';
import { asLabel } from '../escape';
import type { Drafts } from './drafts';
import { ProvidedLenses } from './providedLenses';
import { excerptOf } from './longLines';
import { errorsIn, isRewritten, type Place, placesIn, placesInFile } from './places';
import type { Store } from './store';
import type { FileSubject, HunkSubject, Subject } from './subject';
import { addressOf, SCHEME } from './uris';
import { capitalized, hunkTitle, moreLines, singleLine, wordsFor } from './labels';

/** Maximum length of the hunk title in a lens, in characters. */
const MAX_TITLE_LENGTH = 60;

/**
 * Milliseconds between a change event and the check whether editors have requested the lenses; if not, the event is
 * sent again. Editors delay the request if other providers are slow, and each event restarts the delay.
 */
const CHECK_DELAYS = [600, 1200, 2400, 4800, 9600];

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly provided = new ProvidedLenses();
  private visible = vscode.window.visibleTextEditors;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
  ) {
    const update = () => {
      this.changed.fire();
      this.scheduleCheck();
    };
    this.subscriptions = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: SCHEME }], this),
      store.onDidChange(update),
      drafts.onDidChange(update),
      onDidChangeConfig(['review.codeLens'], update),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        this.handleVisibleEditors(editors);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.provided.has(keyOf(document))) {
          this.scheduleCheck();
        }
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const lenses = this.lenses(document);
    const text = textOf(document, lenses);
    if (text !== '' || this.provided.has(keyOf(document))) {
      this.provided.record(keyOf(document), text);
    }
    return lenses;
  }

  private handleVisibleEditors(editors: readonly vscode.TextEditor[]): void {
    for (const { document } of editors.filter((editor) => !this.visible.includes(editor))) {
      this.provided.resetCount(keyOf(document));
    }
    this.visible = editors;
    this.scheduleCheck();
  }

  /**
   * Repeats the change event until each editor has requested the current lenses. Gives up at some point, as some
   * editors show no lenses.
   */
  private scheduleCheck(attempt = 0): void {
    clearTimeout(this.timer);
    const delay = CHECK_DELAYS[attempt];
    if (delay === undefined) {
      return;
    }
    this.timer = setTimeout(() => {
      if (vscode.window.visibleTextEditors.some(({ document }) => this.isOutdated(document))) {
        this.changed.fire();
        this.scheduleCheck(attempt + 1);
      }
    }, delay);
  }

  private isOutdated(document: vscode.TextDocument): boolean {
    const key = keyOf(document);
    if (!this.provided.has(key) && addressOf(document.uri) && !isInDiffs(document)) {
      return false;
    }
    const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
    return this.provided.isOutdated(key, textOf(document, this.lenses(document)), editors.length);
  }

  private lenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!config.codeLens) {
      return [];
    }
    const address = addressOf(document.uri);
    if (address) {
      return address.side === 'proposed' ? this.inProposed(document, address.id, address.path) : [];
    }
    const about = this.store.about(document.uri);
    return about.flatMap(({ proposal, file }) => {
      const author = about.length > 1 ? asLabel(singleLine(proposal.author), MAX_TITLE_LENGTH) : undefined;
      return placesInFile(file).flatMap((place) => lensesOf(document, proposal, file, place, true, author));
    });
  }

  private inProposed(document: vscode.TextDocument, id: string, path: string): vscode.CodeLens[] {
    const proposal = this.store.get(id);
    const file = this.store.file(id, path);
    const subject: FileSubject = { kind: 'file', id, path };
    if (!proposal || !file) {
      return [];
    }
    const words = wordsFor(file);
    if (this.drafts.find(id, path)) {
      return lensesAt(document, 0, [
        ['You have changed this side'],
        [`${words.accept} the File as Shown Here`, 'editd.acceptFile', subject],
        ['Discard My Changes', 'editd.discardDraft', subject],
      ]);
    }
    if (isRewritten(file)) {
      return lensesAt(document, 0, [
        [`${capitalized(words.accepted)} with your changes`],
        [`${words.reject} Instead`, 'editd.rejectFile', subject],
      ]);
    }
    return placesIn(file, 'proposed').flatMap((place) => lensesOf(document, proposal, file, place, false));
  }
}

function keyOf({ uri }: vscode.TextDocument): string {
  return uri.toString();
}

/** Serializes the lenses of a document version. Returns an empty string if there are none. */
function textOf({ version }: vscode.TextDocument, lenses: readonly vscode.CodeLens[]): string {
  return lenses.length === 0 ? '' : JSON.stringify([version, lenses]);
}

/** Returns `true` if the editor shows lenses in diffs. */
function isInDiffs({ uri }: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration('diffEditor', uri).get('codeLens', false);
}

type Action = readonly [title: string, command?: string, subject?: Subject];

function lensesOf(
  document: vscode.TextDocument,
  proposal: ProposalResult,
  file: FileEntry,
  { hunk, start }: Place,
  inFile: boolean,
  author?: string,
): vscode.CodeLens[] {
  const subject: HunkSubject = { kind: 'hunk', id: proposal.id, path: file.path, hunk: hunk.id };
  const shown = [asLabel(hunkTitle(file, hunk), MAX_TITLE_LENGTH), moreLines(hunk) ?? '']
    .filter((part) => part !== '')
    .join(' ');
  const diff: Action[] = inFile ? [[`Diff: ${shown}`, 'editd.openDiff', subject]] : [];
  const errors = errorsIn(file, hunk).length;
  const long = excerptOf(hunk);
  const by: Action[] = [
    // The document shows only the beginning of a long line.
    ...(long === undefined || long.old === '' ? [] : [[`− ${asLabel(long.old)}`] as const]),
    ...(long === undefined || long.new === '' ? [] : [[`+ ${asLabel(long.new)}`] as const]),
    ...(author === undefined ? [] : [[author] as const]),
    ...(errors === 0 ? [] : [[errors === 1 ? 'New syntax error' : `${errors} new syntax errors`] as const]),
  ];
  const accept = (title: string): Action => [title, 'editd.acceptHunk', subject];
  const reject = (title: string): Action => [title, 'editd.rejectHunk', subject];
  const words = wordsFor(file);
  const accepted = capitalized(words.accepted);
  switch (hunk.state) {
    case 'pending':
      return lensesAt(document, start, [...by, accept(words.accept), reject(words.reject), ...diff]);
    case 'conflicted':
      return lensesAt(document, start, [
        ...by,
        ['In conflict'],
        file.isLanded ? accept('Keep Mine') : reject('Keep Mine'),
        [words.take, 'editd.takeHunk', subject],
        ...diff,
      ]);
    case 'accepted':
      return lensesAt(document, start, [...by, [accepted], reject(`${words.reject} Instead`), ...diff]);
    case 'rejected':
      return lensesAt(document, start, [
        ...by,
        [capitalized(words.rejected)],
        accept(`${words.accept} Instead`),
        ...diff,
      ]);
    case 'edited':
      return lensesAt(document, start, [
        ...by,
        [`${accepted} with your changes`],
        reject(`${words.reject} Instead`),
        ...diff,
      ]);
  }
}

function lensesAt(document: vscode.TextDocument, start: number, actions: readonly Action[]): vscode.CodeLens[] {
  const line = Math.min(start, document.lineCount - 1);
  const range = new vscode.Range(line, 0, line, 0);
  return actions.map(
    ([title, command, subject]) =>
      new vscode.CodeLens(range, { title, command: command ?? '', ...(subject && { arguments: [subject] }) }),
  );
}
