/** The view "Proposals": proposals, their files and their hunks. */
import * as vscode from 'vscode';

import type { FileEntry, Hunk, HunkState, ProposalResult } from '../daemon/wire';
import { activeAddress } from './diff';
import type { Drafts } from './drafts';
import { isMissing } from './missingFiles';
import { errorsIn, placesInFile } from './places';
import type { Store } from './store';
import type { FileSubject, HunkSubject, ProposalSubject, Subject } from './subject';
import { hunksAtCursor } from './target';
import { uriOf } from './uris';
import { concernsWindow } from './window';
import {
  actionOf,
  conflictNote,
  count,
  fileTitle,
  hunkDiff,
  hunkTitle,
  isOpen,
  labelOf,
  singleLine,
  progress,
  lineCounts,
  syntaxCount,
  syntaxNote,
  titleOf,
  wordsFor,
} from './labels';

const ICONS: Record<HunkState, vscode.ThemeIcon> = {
  pending: new vscode.ThemeIcon('circle-large-outline'),
  accepted: new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')),
  rejected: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground')),
  edited: new vscode.ThemeIcon('edit', new vscode.ThemeColor('charts.blue')),
  conflicted: new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground')),
};

const PENDING_WITH_ERRORS = new vscode.ThemeIcon(
  'circle-large-outline',
  new vscode.ThemeColor('list.warningForeground'),
);

function stateOf(file: FileEntry, state: HunkState): string {
  const { accepted, rejected } = wordsFor(file);
  const states: Record<HunkState, string> = {
    pending: '',
    accepted,
    rejected,
    edited: 'yours',
    conflicted: 'in conflict',
  };
  return states[state];
}

export class ProposalTree implements vscode.TreeDataProvider<Subject>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private shown = '';
  /** ID of the row that is being selected to follow the cursor. */
  private revealed = '';
  /** `true` from the selection of a row by the user until the user moves a cursor. */
  private isUserSelection = false;
  private readonly view: vscode.TreeView<Subject>;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
  ) {
    this.view = vscode.window.createTreeView('editd.proposals', {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
    });
    this.subscriptions = vscode.Disposable.from(
      this.view,
      store.onDidChange(() => {
        this.update();
      }),
      drafts.onDidChange(() => {
        this.update();
      }),
      this.view.onDidChangeSelection(({ selection: [first, ...more] }) => {
        this.isUserSelection = first !== undefined && (more.length > 0 || idOf(first) !== this.revealed);
        this.revealed = '';
      }),
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        // Opening a row also moves a cursor, at any time after the click. Only moves by the user count.
        if (
          kind === vscode.TextEditorSelectionChangeKind.Mouse ||
          kind === vscode.TextEditorSelectionChangeKind.Keyboard
        ) {
          this.isUserSelection = false;
        }
        this.follow();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.follow();
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  getChildren(subject?: Subject): Subject[] {
    if (!subject) {
      const [here, elsewhere] = [this.store.here, this.store.pending.filter((each) => !concernsWindow(each))];
      return [...here, ...elsewhere].map(({ id }) => ({ kind: 'proposal', id }));
    }
    const { id } = subject;
    switch (subject.kind) {
      case 'proposal':
        return (this.store.get(id)?.files ?? []).map(({ path }) => ({ kind: 'file', id, path }));
      case 'file': {
        const { path } = subject;
        return (this.store.file(id, path)?.hunks ?? []).map((hunk) => ({ kind: 'hunk', id, path, hunk: hunk.id }));
      }
      case 'hunk':
        return [];
    }
  }

  getParent(subject: Subject): Subject | undefined {
    switch (subject.kind) {
      case 'proposal':
        return undefined;
      case 'file':
        return { kind: 'proposal', id: subject.id };
      case 'hunk':
        return { kind: 'file', id: subject.id, path: subject.path };
    }
  }

  getTreeItem(subject: Subject): vscode.TreeItem {
    const proposal = this.store.get(subject.id);
    if (!proposal) {
      return new vscode.TreeItem('');
    }
    if (subject.kind === 'proposal') {
      return proposalItem(subject, proposal);
    }
    const file = proposal.files.find(({ path }) => path === subject.path);
    if (!file) {
      return new vscode.TreeItem('');
    }
    if (subject.kind === 'file') {
      return fileItem(subject, file, this.drafts.find(subject.id, subject.path) !== undefined);
    }
    const hunk = file.hunks.find(({ id }) => id === subject.hunk);
    const isOfDraft = this.drafts.find(subject.id, subject.path) !== undefined;
    return hunk ? hunkItem(subject, proposal, file, hunk, isOfDraft) : new vscode.TreeItem('');
  }

  /** The selection in the view. */
  get selection(): readonly Subject[] {
    return this.view.selection;
  }

  /** Makes the selection follow the cursor again, after a command has moved it. */
  followCursor(): void {
    this.isUserSelection = false;
  }

  /** Selects the hunk at the cursor in a diff, unless the user has selected a row since they moved the cursor. */
  private follow(): void {
    if (this.isUserSelection) {
      return;
    }
    const [hunk] = activeAddress() ? hunksAtCursor(this.store) : [];
    const [selected, ...more] = this.view.selection;
    const isIn = selected && idOf(hunk ?? selected).startsWith(idOf(selected));
    if (hunk && this.view.visible && more.length === 0 && !isIn) {
      this.revealed = idOf(hunk);
      // The row may no longer exist.
      this.view.reveal(hunk, { select: true, focus: false }).then(undefined, () => undefined);
    }
  }

  private update(): void {
    const pending = this.store.isReady ? this.store.here.length : 0;
    this.view.badge =
      pending === 0 ? undefined : { value: pending, tooltip: `${count(pending, 'proposal')} to review` };
    // A row that is recreated while the user presses one of its buttons misses the click, so rows are updated only on
    // changes.
    const shown = JSON.stringify(this.store.pending.map((proposal) => this.shownOf(proposal)));
    if (shown !== this.shown) {
      this.shown = shown;
      this.changed.fire(undefined);
    }
  }

  /** Returns everything that the rows show. */
  private shownOf(proposal: ProposalResult): unknown {
    const drafts = proposal.files.filter(({ path }) => this.drafts.find(proposal.id, path)).map(({ path }) => path);
    return [proposal.id, proposal.files, proposal.comments, drafts, proposal.files.map(isMissing)];
  }
}

function idOf(subject: Subject): string {
  switch (subject.kind) {
    case 'proposal':
      return subject.id;
    case 'file':
      return `${subject.id}${subject.path}/`;
    case 'hunk':
      return `${subject.id}${subject.path}/${subject.hunk}`;
  }
}

function proposalItem(subject: ProposalSubject, proposal: ProposalResult): vscode.TreeItem {
  const item = new vscode.TreeItem(labelOf(proposal), vscode.TreeItemCollapsibleState.Expanded);
  item.id = idOf(subject);
  const about = `${singleLine(proposal.author)} · ${progress(proposal)}`;
  item.description = concernsWindow(proposal) ? about : `elsewhere · ${about}`;
  item.iconPath = new vscode.ThemeIcon(proposal.landed === undefined ? 'git-pull-request' : 'terminal');
  item.contextValue = proposal.landed === undefined ? 'proposal' : 'landed.proposal';
  const tooltip = new vscode.MarkdownString();
  tooltip.appendText(`${titleOf(proposal)}\n${progress(proposal)}\n${new Date(proposal.at).toLocaleString()}`);
  for (const { text } of proposal.comments ?? []) {
    tooltip.appendText(`\nYour comment: ${text}`);
  }
  item.tooltip = tooltip;
  return item;
}

function fileItem(subject: FileSubject, file: FileEntry, hasDraft: boolean): vscode.TreeItem {
  const open = file.hunks.filter(isOpen).length;
  const expanded = open > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(fileTitle(file), expanded);
  item.id = idOf(subject);
  // The URI selects the icon of the file. The scheme `editd-review` prevents decorations of other extensions for the
  // file.
  item.resourceUri = uriOf(subject.id, 'proposed', file.newPath ?? file.path);
  item.iconPath = vscode.ThemeIcon.File;
  const folder = vscode.workspace.asRelativePath(file.path).split('/').slice(0, -1).join('/');
  const missing = isMissing(file) ? 'missing' : '';
  const notes = [
    missing,
    actionOf(file),
    hasDraft ? 'changed by you' : syntaxCount(file.syntax),
    lineCounts(file.added, file.removed),
    folder,
  ];
  item.description = notes.filter((note) => note !== '').join(' · ');
  item.contextValue = `${file.isLanded ? 'landed.' : ''}${hasDraft ? 'file.draft' : 'file'}`;
  item.command = { command: 'editd.openDiff', title: 'Open the Diff', arguments: [subject] };
  const tooltip = new vscode.MarkdownString();
  const becomes = file.newPath ? [`becomes ${file.newPath}`] : [];
  const errors = (file.syntax ?? []).map(syntaxNote);
  tooltip.appendText([file.path, ...becomes, ...file.warnings, ...errors].join('\n'));
  if (file.tags.includes('executable_config')) {
    tooltip.appendText('\nOther programs execute this file or follow its instructions.');
  }
  item.tooltip = tooltip;
  return item;
}

function hunkItem(
  subject: HunkSubject,
  { comments = [] }: ProposalResult,
  file: FileEntry,
  hunk: Hunk,
  isOfDraft: boolean,
): vscode.TreeItem {
  const item = new vscode.TreeItem(hunkTitle(file, hunk), vscode.TreeItemCollapsibleState.None);
  item.id = idOf(subject);
  const place = placesInFile(file).find((each) => each.hunk.id === hunk.id);
  const line = hunk.kind === undefined && place ? `line ${place.start + 1}` : '';
  const lines = hunk.kind === undefined ? lineCounts(hunk.newLines, hunk.oldLines) : '';
  const note = isOfDraft ? 'decided with the file' : stateOf(file, hunk.state);
  const errors = isOfDraft ? [] : errorsIn(file, hunk);
  const commented = comments.some((each) => each.hunk === hunk.id) ? 'commented' : '';
  item.description = [note, syntaxCount(errors), commented, line, lines].filter((part) => part !== '').join(' · ');
  item.iconPath = hunk.state === 'pending' && errors.length > 0 ? PENDING_WITH_ERRORS : ICONS[hunk.state];
  item.contextValue = `${file.isLanded ? 'landed.' : ''}${isOfDraft ? 'draftedHunk' : `hunk.${hunk.state}`}`;
  item.command = { command: 'editd.openDiff', title: 'Open the Diff', arguments: [subject] };
  const diff = hunkDiff(file, hunk);
  const tooltip = new vscode.MarkdownString();
  if (hunk.state === 'conflicted') {
    tooltip.appendText(`${conflictNote(file)}\n`);
  }
  tooltip.appendText(errors.map((error) => `${syntaxNote(error)}\n`).join(''));
  item.tooltip =
    diff === '' ? tooltip.appendText(hunkTitle(file, hunk)) : tooltip.appendCodeblock(shortened(diff), 'diff');
  return item;
}

function shortened(diff: string): string {
  const lines = diff.split('\n');
  return lines.length > 40 ? [...lines.slice(0, 40), `… ${lines.length - 40} more lines`].join('\n') : diff;
}
