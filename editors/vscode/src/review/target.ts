/** Determines the target of a command: its arguments, or else the active editor. */
import * as vscode from 'vscode';

import type { ProposalResult } from '../daemon/wire';
import { asLabel } from '../escape';
import { canonical } from '../paths';
import { activeAddress } from './diff';
import { type Place, type Position, placesIn, placesInFile, touched } from './places';
import type { Store } from './store';
import { type FileSubject, type HunkSubject, isSubject, type Subject } from './subject';
import { addressOf } from './uris';
import { isOpen, progress, titleOf } from './labels';

/** Returns the subjects in the arguments of a tree item or a lens: the item, and all selected with it. */
export function subjectsIn(args: readonly unknown[]): Subject[] {
  const [first, selected] = args;
  if (!isSubject(first)) {
    return [];
  }
  const all = Array.isArray(selected) ? selected.filter(isSubject) : [];
  return all.length > 0 ? all : [first];
}

/** Returns the hunks that the selection of the active editor touches; only the open ones, if there are any. */
export function hunksAtCursor(store: Store): HunkSubject[] {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return [];
  }
  const { start, end } = editor.selection;
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  const hits = placesAt(store, editor.document.uri).flatMap(({ id, path, places }) =>
    touched(places, start.line, last).map(({ hunk }) => ({
      open: isOpen(hunk),
      subject: subjectOf(id, path, hunk.id),
    })),
  );
  const [best] = [...hits].sort((left, right) => Number(right.open) - Number(left.open));
  const open = hits.filter((hit) => hit.open);
  const selected = open.length > 0 ? open : hits;
  return (start.isEqual(end) ? (best ? [best] : []) : selected).map(({ subject }) => subject);
}

function subjectOf(id: string, path: string, hunk: string): HunkSubject {
  return { kind: 'hunk', id, path, hunk };
}

/** Returns the hunks in a document, by proposal. The document is a file or a review document. */
export function placesAt(store: Store, uri: vscode.Uri): { id: string; path: string; places: Place[] }[] {
  const address = addressOf(uri);
  if (address) {
    const { id, path, side } = address;
    const file = store.file(id, path);
    return file ? [{ id, path, places: placesIn(file, side) }] : [];
  }
  return store.about(uri).map(({ proposal, file }) => ({
    id: proposal.id,
    path: file.path,
    places: placesInFile(file),
  }));
}

/** Returns the position of the cursor, if it is in a file or a review document. */
export function position(): Position | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  const { line } = editor.selection.active;
  const address = addressOf(editor.document.uri);
  if (address) {
    return { ...address, line };
  }
  const { scheme, fsPath } = editor.document.uri;
  return scheme === 'file' ? { path: canonical(fsPath), side: 'file', line } : undefined;
}

/** Returns the target files: the given ones, or else the active one. */
export function targetFiles(store: Store, args: readonly unknown[]): FileSubject[] {
  const subjects = subjectsIn(args);
  if (subjects.length > 0) {
    return subjects.flatMap((subject) => filesOf(store, subject));
  }
  const [given] = args;
  const address = (given instanceof vscode.Uri ? addressOf(given) : undefined) ?? activeAddress();
  if (address) {
    return [{ kind: 'file', id: address.id, path: address.path }];
  }
  const [hunk] = hunksAtCursor(store);
  if (hunk) {
    return [{ kind: 'file', id: hunk.id, path: hunk.path }];
  }
  const uri = vscode.window.activeTextEditor?.document.uri;
  const about = uri ? store.about(uri) : [];
  return about.slice(0, 1).map(({ proposal, file }) => ({ kind: 'file', id: proposal.id, path: file.path }));
}

/** Returns a file to show if there is no active one. */
export async function fileToShow(store: Store): Promise<FileSubject | undefined> {
  const proposal = await pick(store.here, 'Show');
  return proposal && filesOf(store, { kind: 'proposal', id: proposal.id })[0];
}

function filesOf(store: Store, subject: Subject): FileSubject[] {
  const { id } = subject;
  if (subject.kind !== 'proposal') {
    return [{ kind: 'file', id, path: subject.path }];
  }
  const paths = (store.get(id)?.files ?? []).map(({ path }) => path);
  return paths.map((path) => ({ kind: 'file', id, path }));
}

/** Returns the target proposal: the given, the active or the only one. Otherwise asks the user. */
export async function targetProposal(
  store: Store,
  args: readonly unknown[],
  verb: string,
): Promise<string | undefined> {
  const [subject] = subjectsIn(args);
  if (subject) {
    return subject.id;
  }
  const address = activeAddress();
  const [hunk] = hunksAtCursor(store);
  return address?.id ?? hunk?.id ?? (await pick(ordered(store), verb))?.id;
}

/** Returns the target proposals of a decision: the given, the active or the only ones. Otherwise asks the user. */
export async function targetProposals(store: Store, args: readonly unknown[], verb: string): Promise<string[]> {
  const subjects = subjectsIn(args);
  const active = activeAddress()?.id ?? hunksAtCursor(store)[0]?.id;
  const here = ordered(store);
  if (subjects.length > 0 || active !== undefined) {
    return subjects.length > 0 ? subjects.map(({ id }) => id) : [active ?? ''];
  }
  if (here.length < 2) {
    return here.map(({ id }) => id);
  }
  const options = { title: `${verb} which proposals?`, canPickMany: true } as const;
  const chosen = await vscode.window.showQuickPick(here.map(itemOf), options);
  return (chosen ?? []).map(({ proposal }) => proposal.id);
}

/** Returns the proposals of this window. Those for the active file come first. */
function ordered(store: Store): ProposalResult[] {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const about = new Set(uri ? store.about(uri).map(({ proposal }) => proposal.id) : []);
  return [...store.here].sort((left, right) => Number(about.has(right.id)) - Number(about.has(left.id)));
}

function itemOf(proposal: ProposalResult) {
  return { label: asLabel(titleOf(proposal)), description: progress(proposal), proposal };
}

async function pick(proposals: readonly ProposalResult[], verb: string): Promise<ProposalResult | undefined> {
  if (proposals.length < 2) {
    return proposals[0];
  }
  const options = { title: `${verb} which proposal?` };
  return (await vscode.window.showQuickPick(proposals.map(itemOf), options))?.proposal;
}
