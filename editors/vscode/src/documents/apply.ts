/** `editd/applyEdits`: all documents or none. */
import * as vscode from 'vscode';

import type { ApplyEditsParams, DocumentEdits, DocumentNow, ServedRequests, TextEdit } from '../daemon/wire';
import { find, hashOf, nameOf, stateOf } from './document';
import { type Before, isLocked, takeBack } from './locked';

/** Why a document cannot be edited as it was asked for. */
class Obstacle extends Error {}

type Answer = ServedRequests['editd/applyEdits']['result'];

interface Job extends Before {
  readonly edits: readonly vscode.TextEdit[];
}

/**
 * Between the checks and the edit nothing is awaited, so nothing of this process comes in between. What is typed
 * meanwhile in the window is refused there: the edit carries the versions that were checked. `told` ends when the daemon
 * knows all texts.
 */
export async function applyEdits(params: ApplyEditsParams, told: () => Promise<unknown>): Promise<Answer> {
  let jobs: Job[];
  try {
    jobs = params.documents.map(prepare);
  } catch (error) {
    if (error instanceof Obstacle) {
      return { applied: false, reason: error.message, documents: [] };
    }
    throw error;
  }
  const edit = new vscode.WorkspaceEdit();
  for (const { document, edits } of jobs) {
    edit.set(document.uri, [...edits]);
  }
  const applied = await vscode.workspace.applyEdit(edit);
  if (!applied) {
    return { applied, reason: 'the text was changed while the edit was on its way', documents: states(jobs) };
  }
  const locked = await lockedOf(jobs);
  const [first] = locked;
  if (first) {
    // The daemon takes back what the others hold by now, around what is typed there meanwhile.
    await takeBack(locked);
    // It has to hear of that before the answer.
    await told();
    return { applied: false, reason: `${nameOf(first.document.uri.path)} is read-only here`, documents: states(jobs) };
  }
  return { applied, documents: states(jobs) };
}

async function lockedOf(jobs: readonly Job[]): Promise<Job[]> {
  const all = await Promise.all(jobs.map(async (job) => ({ job, locked: await isLocked(job.document) })));
  return all.filter(({ locked }) => locked).map(({ job }) => job);
}

function states(jobs: readonly Job[]): DocumentNow[] {
  return jobs.map(({ document }) => stateOf(document));
}

function prepare(wanted: DocumentEdits): Job {
  const name = nameOf(wanted.uri);
  const document = find(wanted.uri);
  if (!document) {
    throw new Obstacle(`${name} is not open`);
  }
  if (document.version !== wanted.version) {
    throw new Obstacle(`${name} is at version ${document.version}, not ${wanted.version}`);
  }
  const hash = wanted.baseHash === null ? null : hashOf(document);
  if (hash !== null && hash !== wanted.baseHash) {
    throw new Obstacle(`${name} has another text than expected (${hash})`);
  }
  const edits = wanted.edits.map((edit) => editOf(document, name, edit));
  return { document, edits, text: document.getText() };
}

/** VS Code would move a place that does not exist to one that does, and the text would go there. */
function editOf(document: vscode.TextDocument, name: string, edit: TextEdit): vscode.TextEdit {
  const { start, end } = edit.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  if (!document.validateRange(range).isEqual(range)) {
    throw new Obstacle(
      `${name} has no such place: ${start.line + 1}:${start.character} to ${end.line + 1}:${end.character}`,
    );
  }
  return vscode.TextEdit.replace(range, edit.newText);
}
