// Messages of the daemon, as docs/protocol.md describes them.

export type HunkState = 'pending' | 'accepted' | 'rejected' | 'edited' | 'conflicted';

export interface Hunk {
  id: string;
  kind?: 'create' | 'delete' | 'rename' | 'encoding' | 'binary' | 'whole' | 'link' | 'folder' | 'permissions';
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  state: HunkState;
  oldText?: string;
  newText?: string;
  before?: string;
  after?: string;
}

export interface ChangedFile {
  path: string;
  action: 'edit' | 'create' | 'delete' | 'rename';
  mode?: string;
  newPath?: string;
  hashBefore: string | null;
  hashAfter: string | null;
  diff: string;
  added: number;
  removed: number;
  hunks: Hunk[];
  warnings: string[];
  syntax?: { line: number; excerpt: string }[];
  tags: string[];
}

export interface Comment {
  path?: string;
  hunk?: string;
  text: string;
}

interface Described {
  id: string;
  revision: number;
  state: string;
  landed?: string;
  author: string;
  label: string | null;
  at: string;
}

/** An entry of `editd/proposals`. */
export interface Summary extends Described {
  paths: string[];
  added: number;
  removed: number;
}

/** Answer of `editd/proposal`, `editd/decide` and `editd/reopen`. */
export interface Proposal extends Described {
  reason?: string;
  replacedBy?: string;
  files: ChangedFile[];
  transaction?: string;
  userEdits?: { path: string; diff: string }[];
  comments?: Comment[];
  notice?: string;
}

/** Parameters of `editd/decide` without the proposal and its revision. */
export interface Decision {
  accept?: string[];
  take?: string[];
  reject?: string[];
  replace?: { path: string; baseHash: string | null; content: string }[];
  comment?: Comment[];
}

/** Answer of `workspace/textDocumentContent`. */
export interface SideText {
  text: string;
  hash: string | null;
}

export interface Transaction {
  transaction: string;
  at: string;
  author: string;
  label: string | null;
  run?: { exitCode?: number; signal?: number; interrupted?: boolean };
  files: { path: string; newPath?: string; action: string; added: number; removed: number; diff?: string }[];
  paths?: { path: string; before: string; after: string }[];
  undone: boolean;
  undoes?: string;
  rescued?: boolean;
}

/** Answer of `editd/undo`. */
/** The part of the result of `editd/reviewers` that the page uses. */
export interface Reviewers {
  /** Changes that were made without a review while no reviewer was connected. */
  unreviewed?: { message: string };
}

export interface Undone {
  transaction?: string;
  fingerprint?: string;
  files: ChangedFile[];
}

/** Returns `true` if a person has to decide about the hunk. */
export function isOpen(hunk: Hunk): boolean {
  return hunk.state === 'pending' || hunk.state === 'conflicted';
}

/** Returns `true` if the proposal waits for decisions. */
export function isWaiting(proposal: { state: string }): boolean {
  return ['pending', 'proposed', 'landed'].includes(proposal.state);
}
