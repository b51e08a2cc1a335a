/** The commands of the review. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { Actions, Verdict } from './actions';
import type { Comments } from './comments';
import { activeAddress, type Diffs } from './diff';
import type { Drafts } from './drafts';
import { showMenu } from './menu';
import { ask, tellLine, tellRefusal } from './notifications';
import { nextStop, type Stop, stopsOf } from './places';
import type { Store } from './store';
import type { HunkSubject, Subject } from './subject';
import { fileToShow, filesMeant, hunksAtCursor, named, position, proposalMeant, proposalsMeant } from './target';
import { Turns } from './turns';
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

/** What the keys give that belong to the view of what waits: they are about what is selected there. */
const SELECTION = 'selection';

export function commands(parts: Parts): vscode.Disposable {
  const { connection, store, diffs, comments } = parts;
  // Keys may come faster than decisions are made: each is about what is looked at once the one before is done.
  const keys = new Turns();
  const inTurn = (act: () => Promise<void>) => keys.run('', act);
  const table: Record<string, (...args: unknown[]) => unknown> = {
    review: (...args) => review(parts, args),
    openDiff: (...args) => openDiff(parts, args),
    openAllDiffs: async (...args) => {
      await store.upToDate(named(args));
      const id = await proposalMeant(store, args, 'Show');
      await (id === undefined ? undefined : diffs.openAll(id));
    },
    acceptHunk: (...args) => inTurn(() => decide(parts, 'accept', args)),
    rejectHunk: (...args) => inTurn(() => decide(parts, 'reject', args)),
    takeHunk: (...args) => inTurn(() => decide(parts, 'take', args)),
    acceptFile: async (...args) => {
      await decideFiles(parts, 'accept', args);
    },
    rejectFile: async (...args) => {
      await decideFiles(parts, 'reject', args);
    },
    acceptAll: (...args) => decideAll(parts, 'accept', args),
    rejectAll: (...args) => decideAll(parts, 'reject', args),
    reopen: () => inTurn(() => reopen(parts)),
    nextHunk: () => inTurn(() => go(parts, 1)),
    previousHunk: () => inTurn(() => go(parts, -1)),
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
  if (isAway(parts)) {
    return;
  }
  if (args[0] === SELECTION) {
    await decideSelection(parts, verdict);
    return;
  }
  await store.upToDate(named(args));
  const given = named(args).filter((subject) => subject.kind === 'hunk');
  const subjects = given.length > 0 ? given : hunksAtCursor(store);
  const [first] = subjects;
  if (!first) {
    tellLine('There is no change at the cursor.');
    return;
  }
  const from = given.length === 0 ? position() : undefined;
  await actions.hunks(verdict, subjects);
  // Whoever decides in a diff goes on to what is undecided, and whoever has gone elsewhere stays there.
  const here = position();
  const isDecided = store
    .file(first.id, first.path)
    ?.hunks.some(({ id, state }) => id === first.hunk && state !== 'pending' && state !== 'conflicted');
  if (from?.id !== undefined && isDecided && here?.id === from.id && here.path === from.path) {
    const stops = stopsOf(store.pending).filter(({ id }) => id === from.id);
    await goTo(parts, nextStop(stops, here, 1));
  }
}

/** Decides what is selected in the view: changes, files, proposals. */
async function decideSelection({ store, actions, tree }: Parts, verdict: Verdict | 'take'): Promise<void> {
  await store.upToDate();
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

/** Whether there is nobody to tell a decision to; the person is told that. */
function isAway({ store }: Parts): boolean {
  if (!store.isReady) {
    void ask('warning', 'Not connected to editd at the moment, so nothing was decided.', {
      Doctor: () => vscode.commands.executeCommand('editd.doctor'),
    });
  }
  return !store.isReady;
}

async function decideFiles(parts: Parts, verdict: Verdict, args: readonly unknown[]): Promise<void> {
  const { store, actions, tree } = parts;
  if (isAway(parts)) {
    return;
  }
  await store.upToDate(named(args));
  const given = args[0] === SELECTION ? [tree.selection[0], tree.selection] : args;
  const files = filesMeant(store, given);
  if (files.length === 0) {
    tellLine('There is no change in this file.');
  }
  await actions.files(verdict, files);
}

async function decideAll(parts: Parts, verdict: Verdict, args: readonly unknown[]): Promise<void> {
  const { store, actions } = parts;
  if (isAway(parts)) {
    return;
  }
  await store.upToDate(named(args));
  const ids = await proposalsMeant(store, args, verdict === 'accept' ? 'Accept' : 'Reject');
  for (const id of new Set(ids)) {
    await actions.all(verdict, id);
  }
}

/** What was rejected last waits again, and is shown. */
async function reopen(parts: Parts): Promise<void> {
  const { connection, store, diffs } = parts;
  if (isAway(parts)) {
    return;
  }
  await store.upToDate();
  try {
    const proposal = await connection.request('editd/reopen', {});
    store.broughtBack(proposal);
    const stop = nextStop(stopsOf([proposal]), undefined, 1);
    await (stop && diffs.open(stop));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.kind === 'unknown_proposal') {
      store.broughtBack(undefined);
    }
    tellRefusal(refusal);
  }
}

async function review(parts: Parts, args: readonly unknown[]): Promise<void> {
  const [subject] = named(args);
  await parts.store.upToDate(named(args));
  const { here, pending } = parts.store;
  const stops = subject ? stopsOf(pending).filter(({ id }) => id === subject.id) : stopsOf(here);
  const next = nextStop(stops, undefined, 1);
  if (next) {
    await parts.diffs.open(next);
  } else {
    tellLine(NOTHING_LEFT);
  }
}

async function go(parts: Parts, step: 1 | -1): Promise<void> {
  await parts.store.upToDate();
  const next = nextStop(stopsOf(parts.store.here), position(), step);
  if (next) {
    await goTo(parts, next);
  } else {
    tellLine(NOTHING_LEFT);
  }
}

/** Stays in the document that is looked at if the hunk is in it; else a diff opens. */
async function goTo({ diffs, tree }: Parts, stop: Stop | undefined): Promise<void> {
  tree.release();
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
  await store.upToDate(named(args));
  const [subject] = named(args);
  const [hunk] = subject ? [] : hunksAtCursor(store);
  const meant: Subject | undefined = subject ?? hunk ?? filesMeant(store, args)[0] ?? (await fileToShow(store));
  if (meant && meant.kind !== 'proposal') {
    await diffs.open(meant);
  } else if (meant) {
    await diffs.openAll(meant.id);
  }
}

async function comment({ store, actions }: Parts, args: readonly unknown[]): Promise<void> {
  await store.upToDate(named(args));
  const [given] = named(args);
  const [hunk]: HunkSubject[] = given ? [] : hunksAtCursor(store);
  const id = given?.id ?? hunk?.id ?? (await proposalMeant(store, args, 'Comment on'));
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
    placeHolder: 'The agent gets it with your decision',
  });
  if (text !== undefined && text.trim() !== '') {
    await actions.comment(id, subject.kind === 'hunk' ? { ...about, hunk: subject.hunk } : about, text);
  }
}

async function discard({ store, drafts }: Parts, args: readonly unknown[]): Promise<void> {
  const [file] = filesMeant(store, args);
  if (!file || !drafts.written(file.id, file.path)) {
    return;
  }
  await drafts.drop(file.id, file.path);
}

/** The file itself, at the line that is looked at in the diff. */
async function openFile({ store }: Parts, args: readonly unknown[]): Promise<void> {
  const [file] = filesMeant(store, args);
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
