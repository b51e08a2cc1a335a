/**
 * The API that the extension `editd.editd` exports to other extensions:
 *
 *     const editd = vscode.extensions.getExtension<EditdApi>('editd.editd');
 *     const api = await editd?.activate();
 *
 * A refused call rejects with an `EditdRefusal`. A call that was canceled through its token rejects with
 * `vscode.CancellationError`.
 */
import type { CancellationToken, Event, Uri } from 'vscode';

export interface EditdApi {
  /** Version of this interface. Fields and methods may be added without a new version. */
  readonly version: 1;

  readonly state: EditdState;
  readonly onDidChangeState: Event<EditdState>;

  /**
   * Proposes changes, which the user then decides hunk by hunk. Resolves once the proposal exists; its `outcome`
   * resolves once it has ended. If the window is not connected yet, waits several seconds for the connection.
   */
  propose(request: ProposeRequest, token?: CancellationToken): Promise<Proposed>;

  /**
   * Changes files immediately, for changes that the user has already requested. The history lists the change, which can
   * be undone.
   */
  edit(request: ChangeRequest, token?: CancellationToken): Promise<Outcome>;

  /** Returns all pending proposals, from any author, oldest first. */
  pending(): Promise<readonly PendingProposal[]>;

  /** Fires when a proposal becomes pending, is partly decided, or ends. */
  readonly onDidChangeProposal: Event<ProposalChange>;
}

/**
 * Connection state of this window.
 *
 * - `off`: the user has disconnected this window.
 * - `connecting`, `connected`: the window is connecting or connected.
 * - `missing`, `old`: the program is missing or too old; the user has been notified.
 * - `waiting`: the connection was lost, and the window is retrying.
 */
export type EditdState = 'off' | 'connecting' | 'connected' | 'missing' | 'old' | 'waiting';

export type ChangeRequest = (OneFile | Changes) & {
  /** Author shown in the review and in the history: your extension, or the agent that it acts for. */
  author: string;
  /** Purpose of the change, in a few words. */
  label?: string;
};

export type ProposeRequest = ChangeRequest & {
  /**
   * `true`, the default: the user decides. `false`: the configuration decides whether the change waits for review or
   * is applied immediately.
   */
  review?: boolean;
  /** Milliseconds after which `outcome` resolves with the state `pending` if the proposal is still undecided. */
  waitMs?: number;
};

/** Edits to one file. */
export type OneFile = Named & Based & { edits: readonly TextReplacement[] };

/** Changes to several files. Either all of them are applied or none. */
export interface Changes {
  changes: readonly Change[];
}

export type Change = Named &
  Based &
  (
    | { kind: 'edit'; edits: readonly TextReplacement[] }
    | { kind: 'write'; content: string }
    | { kind: 'delete' }
    /** The new path is absolute or relative to the first workspace folder. */
    | { kind: 'rename'; newPath: string }
  );

/** A file on disk: a path that is absolute or relative to the first workspace folder, or a `file:` URI. */
export type Named = { path: string; uri?: never } | { uri: Uri; path?: never };

export interface Based {
  /**
   * Hash of the text that the change is based on, as reported in `Outcome`. If omitted, the change is based on the
   * current text, including unsaved text of open documents.
   */
  baseHash?: string;
}

export interface TextReplacement {
  /** Must match exactly once, unless one of the options below says otherwise. */
  oldText: string;
  newText: string;
  replaceAll?: boolean;
  expectedReplacements?: number;
}

export interface Proposed {
  readonly id: string;
  /** State when `propose` resolved. */
  readonly state: ProposalState;
  /**
   * Resolves once the proposal is decided or has ended otherwise. A rejection by the user does not reject the promise.
   */
  readonly outcome: Promise<Outcome>;
  /** Withdraws the proposal if it is still open. */
  discard(): Promise<void>;
}

export type ProposalState =
  /** Stored, but not waiting for a decision. */
  | 'proposed'
  /** Waiting for a decision by the user. */
  | 'pending'
  /** Made by a command already, and waiting for the decision of the user to keep or revert it. */
  | 'landed'
  | 'applied'
  /** The user accepted some of the changes, and those were applied. */
  | 'partial'
  | 'rejected'
  /** Replaced by another proposal. */
  | 'superseded'
  | 'discarded'
  /** The files have changed too much since the proposal was made. */
  | 'stale'
  /** The files could not be written, and nothing was changed. */
  | 'failed';

export interface Outcome {
  readonly id: string;
  readonly state: ProposalState;
  /** ID of the change in the history, if anything was changed. */
  readonly transaction?: string;
  readonly files: readonly OutcomeFile[];
  /** Corrections by the user, as unified diffs from the proposed text to the resulting text. */
  readonly userEdits: readonly { readonly path: string; readonly diff: string }[];
  readonly comments: readonly { readonly path?: string; readonly hunk?: string; readonly text: string }[];
}

export interface OutcomeFile {
  readonly uri: Uri;
  readonly action: 'edit' | 'create' | 'delete' | 'rename';
  readonly newUri?: Uri;
  /** Hash of the resulting text; null if the file was removed, undefined if it was not changed. */
  readonly hash?: string | null;
  /** False if the change is only in an open document, which the user has yet to save. */
  readonly saved?: boolean;
  /** Unified diff of the proposed change. */
  readonly diff: string;
  readonly hunks: readonly OutcomeHunk[];
}

export interface OutcomeHunk {
  readonly id: string;
  /**
   * `edited`: the user replaced the proposed text. `conflicted`: the lines have changed since the proposal was made.
   */
  readonly state: 'pending' | 'accepted' | 'rejected' | 'edited' | 'conflicted';
  /** Line numbers, starting at 1. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

export interface PendingProposal {
  readonly id: string;
  readonly author: string;
  readonly label?: string;
  /** Time of the proposal. */
  readonly at: Date;
  readonly uris: readonly Uri[];
  readonly added: number;
  readonly removed: number;
}

export interface ProposalChange {
  readonly id: string;
  readonly state: ProposalState;
}

/** An error that explains why a request was refused and what to do instead. */
export interface EditdRefusal extends Error {
  /**
   * Stable name of the refusal, such as `not_found`, `ambiguous`, `stale` or `not_connected`; see docs/protocol.md in
   * editd.
   */
  readonly kind: string;
  readonly hint: string | undefined;
  /** Additional details: close matches, differences, conflicts. */
  readonly data: Readonly<Record<string, unknown>>;
}
