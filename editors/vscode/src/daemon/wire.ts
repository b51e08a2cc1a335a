/** The messages of the daemon that this extension uses. `docs/protocol.md` says what they mean. */
import type { Position, Range, TextEdit } from 'vscode-languageclient/node';

/** `b3:` and 32 hexadecimal digits over all bytes of a file; null stands for a file that does not exist. */
export type Hash = string | null;

export type ProposalState =
  'proposed' | 'pending' | 'applied' | 'partial' | 'rejected' | 'superseded' | 'discarded' | 'stale' | 'failed';

export type HunkState = 'pending' | 'accepted' | 'rejected' | 'edited' | 'conflicted';

export type FileAction = 'edit' | 'create' | 'delete' | 'rename';

/** Lines count from 1. Where a side has no lines, its start is the line before the place. */
export interface Hunk {
  readonly id: string;
  /** What is not about lines: a file that comes or goes, a new name, another encoding. */
  readonly kind?: 'create' | 'delete' | 'rename' | 'encoding';
  readonly state: HunkState;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly oldText?: string;
  readonly newText?: string;
}

export interface ProposedFile {
  readonly uri: string;
  readonly path: string;
  readonly action: FileAction;
  readonly newPath?: string;
  readonly hashBefore: Hash;
  readonly hashAfter: Hash;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  readonly warnings: readonly string[];
  readonly tags: readonly string[];
  /** Of a file that was changed: what it holds by now. */
  readonly hash?: Hash;
  readonly saved?: boolean;
}

export interface Comment {
  readonly path?: string;
  readonly hunk?: string;
  readonly text: string;
}

export interface Proposal {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
  readonly author: string;
  readonly label: string | null;
  readonly at: string;
  readonly files: readonly ProposedFile[];
  readonly transaction?: string;
  readonly userEdits?: readonly { readonly path: string; readonly diff: string }[];
  readonly comments?: readonly Comment[];
  readonly notice?: string;
}

export interface ProposalSummary {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
  readonly author: string;
  readonly label: string | null;
  readonly at: string;
  readonly paths: readonly string[];
  readonly added: number;
  readonly removed: number;
}

export interface Decision {
  id: string;
  revision: number;
  accept?: readonly string[] | 'all';
  take?: readonly string[];
  reject?: readonly string[] | 'all';
  replace?: readonly { path: string; baseHash: Hash; content: string }[];
  comment?: string | readonly Comment[];
}

export interface TransactionFile {
  readonly uri: string;
  readonly path: string;
  readonly action: FileAction;
  readonly newPath?: string;
  readonly hashBefore: Hash;
  readonly hashAfter: Hash;
  readonly added: number;
  readonly removed: number;
}

export interface Transaction {
  readonly transaction: string;
  readonly at: string;
  readonly author: string;
  readonly label: string | null;
  readonly files: readonly TransactionFile[];
  readonly undone: boolean;
  readonly undoneBy?: string;
  readonly undoes?: string;
  readonly rescued?: boolean;
}

export interface EditRequest {
  path: string;
  edits: readonly { oldText: string; newText: string; replaceAll?: boolean; expectedReplacements?: number }[];
  baseHash?: string;
  label?: string;
  author?: string;
  review?: boolean;
  waitMs?: number;
  requestId?: string;
}

/** The requests that this extension makes, with what it sends and gets. */
export interface Requests {
  'editd/proposals': { params: { state?: ProposalState }; result: { proposals: readonly ProposalSummary[] } };
  'editd/proposal': { params: { id: string; waitMs?: number }; result: Proposal };
  'editd/decide': { params: Decision; result: Proposal };
  'editd/discard': { params: { id: string; reason?: string }; result: Proposal };
  'editd/edit': { params: Record<string, unknown>; result: Proposal };
  'editd/read': { params: { path: string; offset?: number; limit?: number }; result: { hash: string; text: string } };
  'editd/history': {
    params: { path?: string; limit?: number; before?: string };
    result: { transactions: readonly Transaction[] };
  };
  'editd/undo': {
    params: { transaction?: string; path?: string; preview?: boolean; fingerprint?: string };
    result: Omit<Proposal, 'state'> & {
      state: ProposalState | 'preview';
      readonly fingerprint?: string;
      readonly undoes?: string;
    };
  };
  'editd/status': { params: Record<string, never>; result: Record<string, unknown> };
  'workspace/textDocumentContent': { params: { uri: string }; result: { text: string; hash: Hash } };
}

/** What the daemon tells without being asked. */
export interface Notifications {
  'editd/proposalChanged': { id: string; revision: number; state: ProposalState };
  'editd/fileChanged': { uri: string; path: string; hash: Hash; by: string };
}

/** What the daemon asks of an editor. */
export interface ApplyParams {
  readonly id: string;
  readonly label?: string;
  readonly documents: readonly DocumentEdits[];
}

export interface DocumentEdits {
  readonly uri: string;
  readonly version: number;
  readonly baseHash: Hash;
  readonly edits: readonly TextEdit[];
  readonly save?: boolean;
}

export interface UrisParams {
  readonly uris: readonly string[];
}

export interface DocumentState {
  uri: string;
  version: number;
  hash: Hash;
  dirty: boolean;
  saved: boolean;
}

export interface DocumentsResult {
  reason?: string;
  documents: DocumentState[];
}

export interface ApplyResult extends DocumentsResult {
  applied: boolean;
}

export interface ServedRequests {
  'editd/applyEdits': { params: ApplyParams; result: ApplyResult };
  'editd/save': { params: UrisParams; result: DocumentsResult };
  'editd/reload': { params: UrisParams; result: DocumentsResult };
  'editd/resync': { params: UrisParams; result: DocumentsResult };
}

export type { Position, Range, TextEdit };
