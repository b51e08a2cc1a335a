/**
 * The parts of the protocol that this extension uses. `docs/protocol.md` describes them. Types that also exist in
 * `src/protocol` of the daemon have the same names here.
 */
import type { TextEdit } from 'vscode-languageclient/node';

/** Hash of all bytes of a file: `b3:` and 32 hexadecimal digits. Null for a file that does not exist. */
export type Hash = string | null;

export type ProposalState =
  | 'proposed'
  | 'pending'
  | 'landed'
  | 'applied'
  | 'partial'
  | 'rejected'
  | 'superseded'
  | 'discarded'
  | 'stale'
  | 'failed';

export type HunkState = 'pending' | 'accepted' | 'rejected' | 'edited' | 'conflicted';

export type FileAction = 'edit' | 'create' | 'delete' | 'rename';

/** A change of a file. Lines count from 1. If a side has no lines, its start is the line before the change. */
export interface Hunk {
  readonly id: string;
  /**
   * Set if the hunk is not about lines: creation, deletion, a new name, another encoding, bytes that are no text,
   * lines that are not shown, a link, a folder, permissions.
   */
  readonly kind?: 'create' | 'delete' | 'rename' | 'encoding' | 'binary' | 'whole' | 'link' | 'folder' | 'permissions';
  readonly state: HunkState;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly oldText?: string;
  readonly newText?: string;
  /** The state of a link, a folder or permissions in words. */
  readonly before?: string;
  readonly after?: string;
}

/** A syntax error that a change adds to a file. */
export interface SyntaxEntry {
  /** Line of the text with all hunks that are not rejected, from 1. */
  readonly line: number;
  readonly excerpt: string;
}

/** The effect of a proposal on one file. */
export interface FileEntry {
  readonly uri: string;
  readonly path: string;
  readonly action: FileAction;
  /** `100755` for a new executable file. */
  readonly mode?: string;
  readonly newPath?: string;
  readonly hashBefore: Hash;
  readonly hashAfter: Hash;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  readonly warnings: readonly string[];
  /** Missing if the change adds none. */
  readonly syntax?: readonly SyntaxEntry[];
  readonly tags: readonly string[];
  /** Set by the store: the change has been made already, so that the new text is in the file. */
  readonly isLanded?: true;
}

/** The result of a change of a file. */
export interface LandedFile {
  readonly hash: Hash;
  readonly saved: boolean;
}

/** The applied change of one file. If nothing was applied, contains only the proposed change. */
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

/** The current state of a proposal. */
export interface ProposalResult {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
  /** The transaction of a change that has been made already, and is kept or reverted. */
  readonly landed?: string;
  readonly author: string;
  readonly label: string | null;
  readonly at: string;
  readonly files: readonly AppliedFile[];
  readonly transaction?: string;
  readonly userEdits?: readonly UserEdit[];
  readonly comments?: readonly CommentEntry[];
}

/** A proposal that its author has made or withdrawn. */
export interface ProposeResult {
  readonly id: string;
  readonly revision: number;
  readonly state: ProposalState;
}

/** The result of requested changes. */
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
  keepEarlier?: boolean;
  replace?: readonly ReplaceParam[];
  comment?: string | readonly CommentEntry[];
}

/** The change of one file in a transaction, without its text. */
export type TransactionFile = Omit<FileEntry, 'diff' | 'hunks' | 'warnings'>;

export interface TransactionEntry {
  readonly transaction: string;
  readonly at: string;
  readonly author: string;
  readonly origin?: { readonly turn?: string; readonly agent?: string };
  readonly label: string | null;
  readonly files: readonly TransactionFile[];
  readonly undone: boolean;
  readonly undoneBy?: string;
  readonly undoes?: string;
  readonly rescued?: boolean;
}

/** Changes that were made without a review while no editor was connected to the folders of this window. */
export interface UnreviewedChanges {
  readonly since: string;
  readonly changes: number;
  readonly files: number;
  readonly message: string;
}

/** Requests that this extension sends, with their parameters and results. */
export interface Requests {
  'editd/proposals': { params: { state?: ProposalState }; result: { proposals: readonly ProposalSummary[] } };
  'editd/proposal': { params: { id: string; waitMs?: number }; result: ProposalResult };
  'editd/decide': { params: DecideParams; result: ProposalResult };
  'editd/reopen': { params: { id?: string }; result: ProposalResult };
  'editd/discard': { params: { id: string; reason?: string }; result: ProposeResult };
  'editd/edit': { params: Record<string, unknown>; result: ApplyResult };
  'editd/read': { params: { path: string; offset?: number; limit?: number }; result: { hash: string; text: string } };
  'editd/history': {
    params: { path?: string; turn?: string; limit?: number; before?: string };
    result: { transactions: readonly TransactionEntry[] };
  };
  'editd/undo': {
    params: { transaction?: string; path?: string; preview?: boolean; fingerprint?: string };
    result: Omit<ApplyResult, 'state'> & { readonly state: ProposalState | 'preview' };
  };
  'editd/reviewers': { params: Record<string, never>; result: { unreviewed?: UnreviewedChanges } };
  'editd/status': { params: Record<string, never>; result: Record<string, unknown> };
  'workspace/textDocumentContent': { params: { uri: string }; result: { text: string; hash: Hash } };
}

/** Notifications from the daemon. */
export interface Notifications {
  'editd/fileRenamed': { uri: string; newUri: string; newPath: string };
  'editd/proposalChanged': { id: string; revision: number; state: ProposalState };
}

/** Parameters of `editd/applyEdits`, a request from the daemon to the editor. */
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
  /** Present only in answers to `editd/applyEdits`. */
  applied?: boolean;
  reason?: string;
  documents: DocumentNow[];
}

/** Parameters of `editd/rename`. */
export interface RenameParams {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
  readonly positionEncoding: string;
  readonly newName: string;
}

export interface RenameResult {
  files: { uri: string; edits: TextEdit[] }[];
  /** Reason why the edits cannot be used. */
  reason?: string;
}

export interface ServedRequests {
  'editd/applyEdits': { params: ApplyEditsParams; result: DocumentsResult & { applied: boolean } };
  'editd/save': { params: UrisParams; result: DocumentsResult };
  'editd/reload': { params: UrisParams; result: DocumentsResult };
  'editd/resync': { params: UrisParams; result: DocumentsResult };
  'editd/rename': { params: RenameParams; result: RenameResult | null };
}

export type { TextEdit };
