/**
 * Refusals in words for the person. The daemon's own are written for agents: they name methods and parameters, and say
 * "ask the user".
 */
import type { Refusal } from './daemon/refusal';

/** What has happened and what to do next; `shown` says how a path is written here. */
export function inWords(refusal: Refusal, shown: (path: string) => string): string {
  const { path } = refusal.data;
  const file = typeof path === 'string' ? shown(path) : 'The file';
  return WORDS[refusal.kind]?.(file, refusal.data) ?? plainly(refusal, shown);
}

type Data = Readonly<Record<string, unknown>>;

const WORDS: Readonly<Record<string, (file: string, data: Data) => string>> = {
  stale: (file, { currentHash }) =>
    currentHash === null ? `${file} is not there any more.` : `${file} has changed meanwhile. Nothing was done.`,
  conflict: (file) => `${file} has changed meanwhile in the same lines. Nothing was done.`,
  contested: (file, data) => contested(file, data),
  editor_refused: (file, data) => `${file} was not changed${because(data)}. Save it, or close it, and try again.`,
  verify_failed: (file, data) => `${file} is not what it should have become${because(data)}. Look at it first.`,
  exists: (file) => `${file} is there already. Nothing was done; move it away first.`,
  missing: (file) => `${file} is not there any more.`,
  read_only: (file) => `${file} is read-only. Nothing was done; make it writable first.`,
  protected: (file) => `Agents may not change ${file}, and to accept a change does not allow it.`,
  outside_workspace: (file) => `${file} is not in a folder of the agent, so it may not change it.`,
  disk: (file, data) => `${file} could not be written${because(data)}. Nothing was changed.`,
  recovering: (file) =>
    `A change of ${file} was interrupted, and is taken back first. Nothing is lost; "editd: Doctor" tells more.`,
  busy: (_, data) => `editd is busy${because(data)}. Try again in a moment.`,
  timeout: () => 'It took too long, so nothing was done. Try again with less at a time.',
};

function contested(file: string, { reason, editors }: Data): string {
  const where = Array.isArray(editors) ? editors.join(' and ') : 'editors';
  switch (reason) {
    case 'two_editors':
      return `${file} has different unsaved texts in ${where}. Save it in one and revert it in the other.`;
    case 'buffer_and_disk':
      return `${file} has unsaved text, and was changed on the disk since. Save it or revert it, and try again.`;
    default:
      return `${file} was changed on the disk, and ${where} still shows what it was before. Revert the file there, and try again.`;
  }
}

function because({ reason }: Data): string {
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}

/** What was said, with paths as they are written here. The hint is for agents, but for those that this window gives. */
function plainly({ kind, message, text }: Refusal, shown: (path: string) => string): string {
  const own = kind === 'not_connected' ? text : message;
  return own.replaceAll(/`(\/[^`]*)`/g, (_, path: string) => shown(path)).replaceAll('`', '');
}
