/** Handles `editd/applyEdits`: edits all documents or none. */
import * as vscode from 'vscode';

import type { ApplyEditsParams, DocumentEdits, DocumentNow, ServedRequests, TextEdit } from '../daemon/wire';
import { find, hashOf, nameOf, stateOf } from './document';
import { type Original, isReadOnly, restoreTexts } from './readOnly';

/** The reason why a document cannot be edited as requested. */
class Obstacle extends Error {}

type Answer = ServedRequests['editd/applyEdits']['result'];

interface Job extends Original {
  readonly edits: readonly vscode.TextEdit[];
}

/**
 * Checks and edits all documents, or none of them. Nothing is awaited between the checks and the edit, so no code of
 * this process can run in between. If the user types in the window in that time, VS Code refuses the edit, because the
 * edit carries the checked versions. `flush` resolves once the daemon has received all texts.
 */
export async function applyEdits(params: ApplyEditsParams, flush: () => Promise<unknown>): Promise<Answer> {
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
    return { applied, reason: 'the text was changed before the edit was applied', documents: states(jobs) };
  }
  const readOnly = await readOnlyOf(jobs);
  const [first] = readOnly;
  if (first) {
    // The daemon reverts the edits of the other documents, and keeps what the user types there in the meantime.
    await restoreTexts(readOnly);
    // The daemon must receive the reverted texts before the answer.
    await flush();
    return { applied: false, reason: `${nameOf(first.document.uri.path)} is read-only here`, documents: states(jobs) };
  }
  return { applied, documents: states(jobs) };
}

async function readOnlyOf(jobs: readonly Job[]): Promise<Job[]> {
  const all = await Promise.all(jobs.map(async (job) => ({ job, isReadOnly: await isReadOnly(job.document) })));
  return all.filter(({ isReadOnly }) => isReadOnly).map(({ job }) => job);
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
    throw new Obstacle(`${name} does not have the expected text (its hash is ${hash})`);
  }
  const edits = wanted.edits.map((edit) => editOf(document, name, edit));
  return { document, edits, text: document.getText() };
}

/** Converts an edit. Throws if its range is not in the document: VS Code would move it to a valid position. */
function editOf(document: vscode.TextDocument, name: string, edit: TextEdit): vscode.TextEdit {
  const { start, end } = edit.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  if (!document.validateRange(range).isEqual(range)) {
    throw new Obstacle(
      `${name} does not have the range ${start.line + 1}:${start.character} to ${end.line + 1}:${end.character}`,
    );
  }
  return vscode.TextEdit.replace(range, edit.newText);
}
