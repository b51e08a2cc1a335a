/** The view of what waits: proposals, their files, their hunks. */
import * as vscode from 'vscode';

import type { FileEntry, Hunk, HunkState, ProposalResult } from '../daemon/wire';
import { activeAddress } from './diff';
import type { Drafts } from './drafts';
import { isGone } from './gone';
import { placesIn } from './places';
import type { Store } from './store';
import type { FileSubject, HunkSubject, ProposalSubject, Subject } from './subject';
import { hunksAtCursor } from './target';
import { uriOf } from './uris';
import { concernsWindow } from './window';
import {
  actionOf,
  count,
  fileTitle,
  hunkDiff,
  hunkTitle,
  isOpen,
  labelOf,
  plain,
  progress,
  size,
  titleOf,
} from './words';

const ICONS: Record<HunkState, vscode.ThemeIcon> = {
  pending: new vscode.ThemeIcon('circle-large-outline'),
  accepted: new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')),
  rejected: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground')),
  edited: new vscode.ThemeIcon('edit', new vscode.ThemeColor('charts.blue')),
  conflicted: new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground')),
};

const STATES: Record<HunkState, string> = {
  pending: '',
  accepted: 'accepted',
  rejected: 'rejected',
  edited: 'yours',
  conflicted: 'in conflict',
};

export class ProposalTree implements vscode.TreeDataProvider<Subject>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private shown = '';
  /** The row that is being selected because the cursor is there. */
  private revealed = '';
  /** `true` from when a person selects a row until they move a cursor. */
  private isChosen = false;
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
        this.isChosen = first !== undefined && (more.length > 0 || idOf(first) !== this.revealed);
        this.revealed = '';
      }),
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        // What a row opens moves a cursor too, at any time after the click, and not to where the person wants it.
        if (
          kind === vscode.TextEditorSelectionChangeKind.Mouse ||
          kind === vscode.TextEditorSelectionChangeKind.Keyboard
        ) {
          this.isChosen = false;
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
      return fileItem(subject, file, this.drafts.written(subject.id, subject.path) !== undefined);
    }
    const hunk = file.hunks.find(({ id }) => id === subject.hunk);
    const isOfDraft = this.drafts.written(subject.id, subject.path) !== undefined;
    return hunk ? hunkItem(subject, proposal, file, hunk, isOfDraft) : new vscode.TreeItem('');
  }

  /** What is selected in the view. */
  get selection(): readonly Subject[] {
    return this.view.selection;
  }

  /** The cursor was moved by a command of the person's: the selection follows it again. */
  release(): void {
    this.isChosen = false;
  }

  /** Selects what is looked at in a diff, unless the person has selected a row since they moved a cursor. */
  private follow(): void {
    if (this.isChosen) {
      return;
    }
    const [hunk] = activeAddress() ? hunksAtCursor(this.store) : [];
    const [selected, ...more] = this.view.selection;
    const isIn = selected && idOf(hunk ?? selected).startsWith(idOf(selected));
    if (hunk && this.view.visible && more.length === 0 && !isIn) {
      this.revealed = idOf(hunk);
      // A row that has gone meanwhile cannot be selected.
      this.view.reveal(hunk, { select: true, focus: false }).then(undefined, () => undefined);
    }
  }

  private update(): void {
    const pending = this.store.isReady ? this.store.here.length : 0;
    this.view.badge =
      pending === 0 ? undefined : { value: pending, tooltip: `${count(pending, 'proposal')} to review` };
    // Rows that are made anew while somebody presses a button in one of them do not hear of it.
    const shown = JSON.stringify(this.store.pending.map((proposal) => this.shownOf(proposal)));
    if (shown !== this.shown) {
      this.shown = shown;
      this.changed.fire(undefined);
    }
  }

  /** All that rows are made of. */
  private shownOf(proposal: ProposalResult): unknown {
    const drafts = proposal.files.filter(({ path }) => this.drafts.written(proposal.id, path)).map(({ path }) => path);
    return [proposal.id, proposal.files, proposal.comments, drafts, proposal.files.map(isGone)];
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
  const about = `${plain(proposal.author)} · ${progress(proposal)}`;
  item.description = concernsWindow(proposal) ? about : `elsewhere · ${about}`;
  item.iconPath = new vscode.ThemeIcon('git-pull-request');
  item.contextValue = 'proposal';
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
  // The icon is the one of the file; the scheme of ours keeps away what others say of the file in the workspace.
  item.resourceUri = uriOf(subject.id, 'proposed', file.newPath ?? file.path);
  item.iconPath = vscode.ThemeIcon.File;
  const folder = vscode.workspace.asRelativePath(file.path).split('/').slice(0, -1).join('/');
  const gone = isGone(file) ? 'not there any more' : '';
  const notes = [gone, actionOf(file), hasDraft ? 'changed by you' : '', size(file.added, file.removed), folder];
  item.description = notes.filter((note) => note !== '').join(' · ');
  item.contextValue = hasDraft ? 'file.draft' : 'file';
  item.command = { command: 'editd.openDiff', title: 'Open the Diff', arguments: [subject] };
  const tooltip = new vscode.MarkdownString();
  tooltip.appendText([file.path, ...(file.newPath ? [`becomes ${file.newPath}`] : []), ...file.warnings].join('\n'));
  if (file.tags.includes('executable_config')) {
    tooltip.appendText('\nPrograms run what stands in this file, or obey it.');
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
  const place = placesIn(file, 'base').find((each) => each.hunk.id === hunk.id);
  const line = hunk.kind === undefined && place ? `line ${place.start + 1}` : '';
  const lines = hunk.kind === undefined ? size(hunk.newLines, hunk.oldLines) : '';
  const note = isOfDraft ? 'decided with the file' : STATES[hunk.state];
  const commented = comments.some((each) => each.hunk === hunk.id) ? 'commented' : '';
  item.description = [note, commented, line, lines].filter((part) => part !== '').join(' · ');
  item.iconPath = ICONS[hunk.state];
  item.contextValue = isOfDraft ? 'draftedHunk' : `hunk.${hunk.state}`;
  item.command = { command: 'editd.openDiff', title: 'Open the Diff', arguments: [subject] };
  const diff = hunkDiff(file, hunk);
  const tooltip = new vscode.MarkdownString();
  if (hunk.state === 'conflicted') {
    tooltip.appendText('What stands in this place is not what the agent has seen.\n');
  }
  item.tooltip =
    diff === '' ? tooltip.appendText(hunkTitle(file, hunk)) : tooltip.appendCodeblock(shortened(diff), 'diff');
  return item;
}

function shortened(diff: string): string {
  const lines = diff.split('\n');
  return lines.length > 40 ? [...lines.slice(0, 40), `… ${lines.length - 40} more lines`].join('\n') : diff;
}
