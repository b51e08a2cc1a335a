/**
 * What the extension `editd.editd` offers to other extensions:
 *
 *     const editd = vscode.extensions.getExtension<EditdApi>('editd.editd');
 *     const api = await editd?.activate();
 *
 * Whatever is refused rejects with an `EditdRefusal`, or with `vscode.CancellationError` where a token was used.
 */
import type { CancellationToken, Event, Uri } from 'vscode';

export interface EditdApi {
  /** Of this interface. Fields and methods may be added under the same number. */
  readonly version: 1;

  readonly state: EditdState;
  readonly onDidChangeState: Event<EditdState>;

  /**
   * Proposes changes, for a person to decide hunk by hunk. Resolves as soon as the proposal is there; its `outcome`
   * is what became of it. While there is no connection yet, it is waited for some seconds.
   */
  propose(request: ProposeRequest, token?: CancellationToken): Promise<Proposed>;

  /** Changes files at once, for what the person has asked for already. It is in the history, and can be undone. */
  edit(request: ChangeRequest, token?: CancellationToken): Promise<Outcome>;

  /** What waits for a person, whoever proposed it; the oldest first. */
  pending(): Promise<readonly PendingProposal[]>;

  /** A proposal began to wait, was decided in part, or has ended. */
  readonly onDidChangeProposal: Event<ProposalChange>;
}

/**
 * - `off`: a person has disconnected this window.
 * - `connecting`, `connected`: as they say.
 * - `missing`, `old`: there is no program, or one that is too old; the person has been told.
 * - `waiting`: the connection was lost and is tried again.
 */
export type EditdState = 'off' | 'connecting' | 'connected' | 'missing' | 'old' | 'waiting';

export type ChangeRequest = (OneFile | Changes) & {
  /** Who it is by, for the person who decides and for the history: your extension, or the agent behind it. */
  author: string;
  /** What it is for, in a few words. */
  label?: string;
};

export type ProposeRequest = ChangeRequest & {
  /**
   * `true`, the default: a person decides. `false`: it is only kept as the configuration says, which may be that
   * it is applied at once.
   */
  review?: boolean;
  /** Milliseconds after which `outcome` resolves even if nobody has decided, with the state `pending`. */
  waitMs?: number;
};

/** Edits of one file. */
export type OneFile = Named & Based & { edits: readonly TextReplacement[] };

/** Changes of several files: all of them are made, or none. */
export interface Changes {
  changes: readonly Change[];
}

export type Change = Named &
  Based &
  (
    | { kind: 'edit'; edits: readonly TextReplacement[] }
    | { kind: 'write'; content: string }
    | { kind: 'delete' }
    /** An absolute path, or one in the first folder of the workspace. */
    | { kind: 'rename'; newPath: string }
  );

/** A file on the disk: a path that is absolute or in the first folder of the workspace, or a `file:` URI. */
export type Named = { path: string; uri?: never } | { uri: Uri; path?: never };

export interface Based {
  /**
   * The hash of the text that the change was made for, as `Outcome` tells it. Without it, it is made for what is
   * there now, unsaved text of open documents included.
   */
  baseHash?: string;
}

export interface TextReplacement {
  /** Must mean one place, unless one of the following says otherwise. */
  oldText: string;
  newText: string;
  replaceAll?: boolean;
  expectedReplacements?: number;
}

export interface Proposed {
  readonly id: string;
  /** As it was when `propose` resolved. */
  readonly state: ProposalState;
  /** Resolves once it is decided or has ended otherwise. It does not reject because a person said no. */
  readonly outcome: Promise<Outcome>;
  /** Takes it back, if it is still open. */
  discard(): Promise<void>;
}

export type ProposalState =
  /** It is kept, and waits for nobody. */
  | 'proposed'
  /** It waits for a person. */
  | 'pending'
  | 'applied'
  /** A person wanted some of it, and that is done. */
  | 'partial'
  | 'rejected'
  /** Another proposal replaced it. */
  | 'superseded'
  | 'discarded'
  /** The files have changed too much meanwhile. */
  | 'stale'
  /** It could not be written, and nothing was changed. */
  | 'failed';

export interface Outcome {
  readonly id: string;
  readonly state: ProposalState;
  /** What the change is called in the history, if something was changed. */
  readonly transaction?: string;
  readonly files: readonly OutcomeFile[];
  /** What the person wrote instead: unified diffs from what was proposed to what became of it. */
  readonly userEdits: readonly { readonly path: string; readonly diff: string }[];
  readonly comments: readonly { readonly path?: string; readonly hunk?: string; readonly text: string }[];
}

export interface OutcomeFile {
  readonly uri: Uri;
  readonly action: 'edit' | 'create' | 'delete' | 'rename';
  readonly newUri?: Uri;
  /** What the file holds now; null if it has gone, undefined if it was not changed. */
  readonly hash?: string | null;
  /** False if the change is only in an open document that is left for the person to save. */
  readonly saved?: boolean;
  /** A unified diff of what was proposed. */
  readonly diff: string;
  readonly hunks: readonly OutcomeHunk[];
}

export interface OutcomeHunk {
  readonly id: string;
  /** `edited`: the person wrote something else. `conflicted`: what stood there was changed meanwhile. */
  readonly state: 'pending' | 'accepted' | 'rejected' | 'edited' | 'conflicted';
  /** Lines from 1. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

export interface PendingProposal {
  readonly id: string;
  readonly author: string;
  readonly label?: string;
  /** When it was made. */
  readonly at: Date;
  readonly uris: readonly Uri[];
  readonly added: number;
  readonly removed: number;
}

export interface ProposalChange {
  readonly id: string;
  readonly state: ProposalState;
}

/** An error that says why something was not done, and what to do instead. */
export interface EditdRefusal extends Error {
  /** A stable name such as `not_found`, `ambiguous`, `stale` or `not_connected`; see docs/protocol.md of editd. */
  readonly kind: string;
  readonly hint: string | undefined;
  /** What else is known: close matches, differences, conflicts. */
  readonly data: Readonly<Record<string, unknown>>;
}
