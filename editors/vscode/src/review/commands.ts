/** The review commands. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Actions, Verdict } from './actions';
import type { Comments } from './comments';
import { activeAddress, type Diffs } from './diff';
import type { Drafts } from './drafts';
import { showMenu } from './menu';
import { isOpen } from './labels';
import { ask, showRefusal, showStatus } from './notifications';
import { nextStop, type Stop, stopsOf } from './places';
import type { Store } from './store';
import type { HunkSubject, Subject } from './subject';
import {
  fileToShow,
  targetFiles,
  hunksAtCursor,
  subjectsIn,
  position,
  targetProposal,
  targetProposals,
} from './target';
import { TaskQueue } from './taskQueue';
import type { ProposalTree } from './tree';
import { addressOf } from './uris';

const NOTHING_LEFT = 'Nothing is left to decide.';

interface Parts {
  readonly connection: Connection;
  readonly store: Store;
  readonly drafts: Drafts;
  readonly diffs: Diffs;
  readonly actions: Actions;
  readonly comments: Comments;
  readonly tree: ProposalTree;
}

/** Argument of key bindings in the proposals view: the command applies to the selection there. */
const SELECTION = 'selection';

export function commands(parts: Parts): vscode.Disposable {
  const { connection, store, diffs, comments } = parts;
  // Keys may be pressed faster than decisions are made. Each applies to the position after the previous decision.
  const queue = new TaskQueue();
  const inOrder = (act: () => Promise<void>) => queue.run('', act);
  const table: Record<string, (...args: unknown[]) => unknown> = {
    review: (...args) => review(parts, args),
    openDiff: (...args) => openDiff(parts, args),
    openAllDiffs: async (...args) => {
      await store.waitUntilCurrent(subjectsIn(args));
      const id = await targetProposal(store, args, 'Show');
      await (id === undefined ? undefined : diffs.openAll(id));
    },
    acceptHunk: (...args) => inOrder(() => decide(parts, 'accept', args)),
    rejectHunk: (...args) => inOrder(() => decide(parts, 'reject', args)),
    takeHunk: (...args) => inOrder(() => decide(parts, 'take', args)),
    acceptFile: async (...args) => {
      await decideFiles(parts, 'accept', args);
    },
    rejectFile: async (...args) => {
      await decideFiles(parts, 'reject', args);
    },
    acceptAll: (...args) => decideAll(parts, 'accept', args),
    rejectAll: (...args) => decideAll(parts, 'reject', args),
    // The decisions about changes that have been made already, under their own titles.
    keepHunk: (...args) => inOrder(() => decide(parts, 'accept', args)),
    revertHunk: (...args) => inOrder(() => decide(parts, 'reject', args)),
    restoreHunk: (...args) => inOrder(() => decide(parts, 'take', args)),
    keepFile: async (...args) => {
      await decideFiles(parts, 'accept', args);
    },
    revertFile: async (...args) => {
      await decideFiles(parts, 'reject', args);
    },
    keepAll: (...args) => decideAll(parts, 'accept', args),
    revertAll: (...args) => decideAll(parts, 'reject', args),
    reopen: () => inOrder(() => reopen(parts)),
    nextHunk: () => inOrder(() => goToNext(parts, 1)),
    previousHunk: () => inOrder(() => goToNext(parts, -1)),
    comment: (...args) => comment(parts, args),
    sendComment: (reply) => comments.send(reply as vscode.CommentReply),
    discardDraft: (...args) => discard(parts, args),
    openFile: (...args) => openFile(parts, args),
    menu: () => showMenu(connection, store),
  };
  return vscode.Disposable.from(
    ...Object.entries(table).map(([name, act]) => vscode.commands.registerCommand(`editd.${name}`, act)),
  );
}

async function decide(parts: Parts, verdict: Verdict | 'take', args: readonly unknown[]): Promise<void> {
  const { store, actions } = parts;
  if (isDisconnected(parts)) {
    return;
  }
  if (args[0] === SELECTION) {
    await decideSelection(parts, verdict);
    return;
  }
  await store.waitUntilCurrent(subjectsIn(args));
  const given = subjectsIn(args).filter((subject) => subject.kind === 'hunk');
  const subjects = given.length > 0 ? given : hunksAtCursor(store);
  const [first] = subjects;
  if (!first) {
    showStatus('There is no proposed change at the cursor.');
    return;
  }
  const from = given.length === 0 ? position() : undefined;
  await actions.hunks(verdict, subjects);
  // After a decision in a diff, the cursor moves to the next open hunk, unless the user has moved elsewhere.
  const here = position();
  const isDecided = store.file(first.id, first.path)?.hunks.some((hunk) => hunk.id === first.hunk && !isOpen(hunk));
  if (from?.id !== undefined && isDecided && here?.id === from.id && here.path === from.path) {
    const stops = stopsOf(store.pending).filter(({ id }) => id === from.id);
    await goTo(parts, nextStop(stops, here, 1));
  }
}

/** Decides the hunks, files and proposals that are selected in the view. */
async function decideSelection({ store, actions, tree }: Parts, verdict: Verdict | 'take'): Promise<void> {
  await store.waitUntilCurrent();
  const { selection } = tree;
  const hunks = selection.filter((subject) => subject.kind === 'hunk');
  await actions.hunks(verdict, hunks);
  if (verdict !== 'take') {
    const files = selection.filter((subject) => subject.kind === 'file');
    await actions.files(verdict, files);
    for (const { id } of selection.filter((subject) => subject.kind === 'proposal')) {
      await actions.all(verdict, id);
    }
  }
}

/** Returns `true` and warns the user if the window is not connected. */
function isDisconnected({ store }: Parts): boolean {
  if (!store.isReady) {
    void ask('warning', 'Not connected to editd, so nothing was decided.', {
      Doctor: () => vscode.commands.executeCommand('editd.doctor'),
    });
  }
  return !store.isReady;
}

async function decideFiles(parts: Parts, verdict: Verdict, args: readonly unknown[]): Promise<void> {
  const { store, actions, tree } = parts;
  if (isDisconnected(parts)) {
    return;
  }
  await store.waitUntilCurrent(subjectsIn(args));
  const given = args[0] === SELECTION ? [tree.selection[0], tree.selection] : args;
  const files = targetFiles(store, given);
  if (files.length === 0) {
    showStatus('There are no proposed changes in this file.');
  }
  await actions.files(verdict, files);
}

async function decideAll(parts: Parts, verdict: Verdict, args: readonly unknown[]): Promise<void> {
  const { store, actions } = parts;
  if (isDisconnected(parts)) {
    return;
  }
  await store.waitUntilCurrent(subjectsIn(args));
  const ids = await targetProposals(store, args, verdict === 'accept' ? 'Accept' : 'Reject');
  for (const id of new Set(ids)) {
    await actions.all(verdict, id);
  }
}

/** Reopens the last rejected changes and shows them. */
async function reopen(parts: Parts): Promise<void> {
  const { connection, store, diffs } = parts;
  if (isDisconnected(parts)) {
    return;
  }
  await store.waitUntilCurrent();
  try {
    const proposal = await connection.request('editd/reopen', {});
    store.recordReopened(proposal);
    const stop = nextStop(stopsOf([proposal]), undefined, 1);
    await (stop && diffs.open(stop));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.kind === 'unknown_proposal') {
      store.recordReopened(undefined);
    }
    showRefusal(refusal);
  }
}

async function review(parts: Parts, args: readonly unknown[]): Promise<void> {
  const [subject] = subjectsIn(args);
  await parts.store.waitUntilCurrent(subjectsIn(args));
  const { here, pending } = parts.store;
  const stops = subject ? stopsOf(pending).filter(({ id }) => id === subject.id) : stopsOf(here);
  const next = nextStop(stops, undefined, 1);
  if (next) {
    await parts.diffs.open(next);
  } else {
    showStatus(NOTHING_LEFT);
  }
}

async function goToNext(parts: Parts, step: 1 | -1): Promise<void> {
  await parts.store.waitUntilCurrent();
  const next = nextStop(stopsOf(parts.store.here), position(), step);
  if (next) {
    await goTo(parts, next);
  } else {
    showStatus(NOTHING_LEFT);
  }
}

/** Moves the cursor to a hunk in the active document, or opens a diff if the hunk is in another document. */
async function goTo({ diffs, tree }: Parts, stop: Stop | undefined): Promise<void> {
  tree.followCursor();
  const editor = vscode.window.activeTextEditor;
  const here = position();
  if (editor && stop && here?.path === stop.path && (here.id === undefined || here.id === stop.id)) {
    const line = Math.min(stop[here.side], editor.document.lineCount - 1);
    editor.selection = new vscode.Selection(line, 0, line, 0);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  } else if (stop) {
    await diffs.open(stop);
  }
}

async function openDiff({ store, diffs }: Parts, args: readonly unknown[]): Promise<void> {
  await store.waitUntilCurrent(subjectsIn(args));
  const [subject] = subjectsIn(args);
  const [hunk] = subject ? [] : hunksAtCursor(store);
  const target: Subject | undefined = subject ?? hunk ?? targetFiles(store, args)[0] ?? (await fileToShow(store));
  if (target && target.kind !== 'proposal') {
    await diffs.open(target);
  } else if (target) {
    await diffs.openAll(target.id);
  }
}

async function comment({ store, actions }: Parts, args: readonly unknown[]): Promise<void> {
  await store.waitUntilCurrent(subjectsIn(args));
  const [given] = subjectsIn(args);
  const [hunk]: HunkSubject[] = given ? [] : hunksAtCursor(store);
  const id = given?.id ?? hunk?.id ?? (await targetProposal(store, args, 'Comment on'));
  if (id === undefined) {
    return;
  }
  const subject: Subject = given ?? hunk ?? { kind: 'proposal', id };
  const about = subject.kind === 'proposal' ? {} : { path: subject.path };
  const text = await vscode.window.showInputBox({
    prompt:
      subject.kind === 'proposal'
        ? 'Comment on the whole proposal'
        : `Comment on the ${subject.kind === 'hunk' ? 'change' : 'file'}`,
    placeHolder: 'The agent receives it with your decision',
  });
  if (text !== undefined && text.trim() !== '') {
    await actions.comment(id, subject.kind === 'hunk' ? { ...about, hunk: subject.hunk } : about, text);
  }
}

async function discard({ store, drafts }: Parts, args: readonly unknown[]): Promise<void> {
  const [file] = targetFiles(store, args);
  if (!file || !drafts.find(file.id, file.path)) {
    return;
  }
  await drafts.discard(file.id, file.path);
}

/** Opens the file itself, at the line of the cursor in the diff. */
async function openFile({ store }: Parts, args: readonly unknown[]): Promise<void> {
  const [file] = targetFiles(store, args);
  const address = activeAddress();
  const path = file?.path ?? address?.path;
  if (path === undefined) {
    return;
  }
  const hunk = hunksAtCursor(store).find((each) => each.path === path);
  const stop = stopsOf(store.pending).find((each) => each.id === hunk?.id && each.hunk === hunk.hunk);
  const editor = vscode.window.activeTextEditor;
  const line =
    stop?.base ?? (editor && addressOf(editor.document.uri)?.path === path ? editor.selection.active.line : 0);
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), {
    selection: new vscode.Range(line, 0, line, 0),
  } satisfies vscode.TextDocumentShowOptions);
}
