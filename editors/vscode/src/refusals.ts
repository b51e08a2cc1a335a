/**
 * Messages about refusals for the user. The messages of the daemon are written for agents: they name methods and
 * parameters, and say "ask the user".
 */
import type { Refusal } from './daemon/refusal';

/** Describes what has happened and what to do next. `display` formats a path for display. */
export function describeRefusal(refusal: Refusal, display: (path: string) => string): string {
  const { path } = refusal.data;
  const file = typeof path === 'string' ? display(path) : 'The file';
  return MESSAGES[refusal.kind]?.(file, refusal.data) ?? genericMessage(refusal, display);
}

type Data = Readonly<Record<string, unknown>>;

const MESSAGES: Readonly<Record<string, (file: string, data: Data) => string>> = {
  stale: (file, { currentHash }) =>
    currentHash === null ? `${file} no longer exists.` : `${file} has changed in the meantime. Nothing was done.`,
  conflict: (file) => `The same lines of ${file} have changed in the meantime. Nothing was done.`,
  contested: (file, data) => contested(file, data),
  editor_refused: (file, data) => `${file} was not changed${because(data)}. Save or close it, and try again.`,
  verify_failed: (file, data) =>
    `${file} does not have the expected content${because(data)}. Check it before you continue.`,
  exists: (file) => `${file} already exists. Nothing was done; move or delete it first.`,
  missing: (file) => `${file} no longer exists.`,
  read_only: (file) => `${file} is read-only. Nothing was done; make it writable first.`,
  protected: (file) => `Agents may not change ${file}, and accepting the change does not permit it.`,
  outside_workspace: (file) => `${file} is outside the folders of the agent, so the agent may not change it.`,
  disk: (file, data) => `${file} could not be written${because(data)}. Nothing was changed.`,
  recovering: (file) =>
    `A change of ${file} was interrupted and is being rolled back first. Nothing is lost; "editd: Doctor" has details.`,
  busy: (_, data) => `editd is busy${because(data)}. Try again in a moment.`,
  timeout: () => 'The request took too long, so nothing was done. Try again with fewer changes at a time.',
};

function contested(file: string, { reason, editors }: Data): string {
  const where = Array.isArray(editors) ? editors.join(' and ') : 'editors';
  switch (reason) {
    case 'two_editors':
      return `${file} has different unsaved text in ${where}. Save it in one and revert it in the other.`;
    case 'buffer_and_disk':
      return `${file} has unsaved text and has since changed on disk. Save it or revert it, and try again.`;
    default:
      return `${file} has changed on disk, and ${where} still shows the old content. Revert the file there, and try again.`;
  }
}

function because({ reason }: Data): string {
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}

/** Returns the message with paths formatted for display. Omits hints for agents; keeps this window's own hint. */
function genericMessage({ kind, message, text }: Refusal, display: (path: string) => string): string {
  const shown = kind === 'not_connected' ? text : message;
  return shown.replaceAll(/`(\/[^`]*)`/g, (_, path: string) => display(path)).replaceAll('`', '');
}
