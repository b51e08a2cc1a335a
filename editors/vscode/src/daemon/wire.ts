/**
 * The messages of the daemon that this extension uses, and of these what it uses. `docs/protocol.md` says what they mean;
 * types that `src/protocol` of the daemon has too are named as they are there.
 */
import type { TextEdit } from 'vscode-languageclient/node';

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

/** What a proposal does to one file. */
export interface FileEntry {
  readonly uri: string;
  readonly path: string;
  readonly action: FileAction;
  /** `100755` for a new file that anybody may run. */
  readonly mode?: string;
  readonly newPath?: string;
  readonly hashBefore: Hash;
  readonly hashAfter: Hash;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  readonly warnings: readonly string[];
  readonly tags: readonly string[];
}

/** What a file is after something was done to it. */
export interface LandedFile {
  readonly hash: Hash;
  readonly saved: boolean;
}

/** What was done to one file; of one that nothing was done to, only what was proposed. */
export type AppliedFile = FileEntry & Partial<LandedFile>;

export interface CommentEntry {
  readonly path?: string;
  readonly hunk?: string;
  readonly text: string;
}

export interface UserEdit {
  readonly path: string;
  readonly diff: string;
}

/** A proposal as it stands. */
export interface ProposalResult {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
  readonly author: string;
  readonly label: string | null;
  readonly at: string;
  readonly files: readonly AppliedFile[];
  readonly transaction?: string;
  readonly userEdits?: readonly UserEdit[];
  readonly comments?: readonly CommentEntry[];
}

/** A proposal that its author has made, or taken back. */
export interface ProposeResult {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
}

/** What became of changes that were asked for. */
export interface ApplyResult {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
  readonly files: readonly AppliedFile[];
  readonly transaction?: string;
  readonly fingerprint?: string;
  readonly userEdits?: readonly UserEdit[];
  readonly comments?: readonly CommentEntry[];
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

export interface ReplaceParam {
  path: string;
  baseHash: Hash;
  content: string;
}

export interface DecideParams {
  id: string;
  revision: number;
  accept?: readonly string[] | 'all';
  take?: readonly string[];
  reject?: readonly string[] | 'all';
  replace?: readonly ReplaceParam[];
  comment?: string | readonly CommentEntry[];
}

/** What was done to one file, without its texts. */
export type TransactionFile = Omit<FileEntry, 'diff' | 'hunks' | 'warnings'>;

export interface TransactionEntry {
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

/** The requests that this extension makes, with what it sends and gets. */
export interface Requests {
  'editd/proposals': { params: { state?: ProposalState }; result: { proposals: readonly ProposalSummary[] } };
  'editd/proposal': { params: { id: string; waitMs?: number }; result: ProposalResult };
  'editd/decide': { params: DecideParams; result: ProposalResult };
  'editd/reopen': { params: { id?: string }; result: ProposalResult };
  'editd/discard': { params: { id: string; reason?: string }; result: ProposeResult };
  'editd/edit': { params: Record<string, unknown>; result: ApplyResult };
  'editd/read': { params: { path: string; offset?: number; limit?: number }; result: { hash: string; text: string } };
  'editd/history': {
    params: { path?: string; limit?: number; before?: string };
    result: { transactions: readonly TransactionEntry[] };
  };
  'editd/undo': {
    params: { transaction?: string; path?: string; preview?: boolean; fingerprint?: string };
    result: Omit<ApplyResult, 'state'> & { readonly state: ProposalState | 'preview' };
  };
  'editd/status': { params: Record<string, never>; result: Record<string, unknown> };
  'workspace/textDocumentContent': { params: { uri: string }; result: { text: string; hash: Hash } };
}

/** What the daemon tells without being asked. */
export interface Notifications {
  'editd/proposalChanged': { id: string; revision: number; state: ProposalState };
}

/** What the daemon asks of an editor. */
export interface ApplyEditsParams {
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

export interface DocumentNow {
  uri: string;
  version: number;
  hash: Hash;
  dirty: boolean;
  saved: boolean;
}

export interface DocumentsResult {
  /** Said of edits only. */
  applied?: boolean;
  reason?: string;
  documents: DocumentNow[];
}

export interface ServedRequests {
  'editd/applyEdits': { params: ApplyEditsParams; result: DocumentsResult & { applied: boolean } };
  'editd/save': { params: UrisParams; result: DocumentsResult };
  'editd/reload': { params: UrisParams; result: DocumentsResult };
  'editd/resync': { params: UrisParams; result: DocumentsResult };
}

export type { TextEdit };
