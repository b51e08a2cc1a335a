/** The API for other extensions, described by `api/editd.d.ts`. */
import * as vscode from 'vscode';

import type {
  ChangeRequest,
  EditdApi,
  EditdState,
  Outcome,
  OutcomeFile,
  PendingProposal,
  ProposalChange,
  Proposed,
  ProposeRequest,
} from '../../api/editd';
import type { Connection } from '../daemon/connection';
import { Refusal, refusalOf } from '../daemon/refusal';
import type { AppliedFile, ApplyResult, ProposalSummary } from '../daemon/wire';
import { connected } from './connected';
import { Outcomes } from './outcomes';
import { paramsOf } from './request';

export class Api implements EditdApi, vscode.Disposable {
  readonly version = 1;
  private readonly changedState = new vscode.EventEmitter<EditdState>();
  readonly onDidChangeState = this.changedState.event;
  private readonly changedProposal = new vscode.EventEmitter<ProposalChange>();
  readonly onDidChangeProposal = this.changedProposal.event;
  private readonly outcomes: Outcomes;
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly connection: Connection) {
    this.outcomes = new Outcomes(connection);
    this.subscriptions = vscode.Disposable.from(
      this.changedState,
      this.changedProposal,
      connection.onDidChangeState(({ kind }) => {
        this.changedState.fire(kind);
      }),
      connection.onNotification('editd/proposalChanged', ({ id, state }) => {
        this.changedProposal.fire({ id, state });
      }),
    );
  }

  get state(): EditdState {
    return this.connection.state.kind;
  }

  async propose(request: ProposeRequest, token?: vscode.CancellationToken): Promise<Proposed> {
    const { review = true, waitMs } = request;
    const { id, revision, state } = await this.send(request, { review }, token);
    this.connection.dispatch('editd/proposalChanged', { id, revision, state });
    const outcome = this.outcomes.of(id, waitMs).then(outcomeOf);
    // A caller may ignore the outcome; its rejection must not be reported as unhandled.
    outcome.catch(() => undefined);
    return { id, state, outcome, discard: () => this.discard(id) };
  }

  async edit(request: ChangeRequest, token?: vscode.CancellationToken): Promise<Outcome> {
    return outcomeOf(await this.send(request, {}, token));
  }

  async pending(): Promise<readonly PendingProposal[]> {
    await connected(this.connection);
    const { proposals } = await this.connection.request('editd/proposals', { state: 'pending' });
    return proposals.map(pendingOf);
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private async send(request: ChangeRequest, options: object, token?: vscode.CancellationToken): Promise<ApplyResult> {
    try {
      await connected(this.connection, token);
      const params = await paramsOf(request, (path) => this.hashOf(path, token));
      return await this.connection.request('editd/edit', { ...params, ...options }, token);
    } catch (error) {
      throw token?.isCancellationRequested === true ? new vscode.CancellationError() : refusalOf(error);
    }
  }

  /**
   * Returns the hash of a file, or null if the file is missing or binary. The daemon decides whether a hash is
   * required.
   */
  private async hashOf(path: string, token?: vscode.CancellationToken): Promise<string | null> {
    try {
      const { hash } = await this.connection.request('editd/read', { path, limit: 1 }, token);
      return hash;
    } catch (error) {
      if (error instanceof Refusal && (error.kind === 'missing' || error.kind === 'binary')) {
        return null;
      }
      throw error;
    }
  }

  private async discard(id: string): Promise<void> {
    await connected(this.connection);
    const { revision, state } = await this.connection.request('editd/discard', { id });
    this.connection.dispatch('editd/proposalChanged', { id, revision, state });
  }
}

function outcomeOf({ id, state, transaction, files, userEdits = [], comments = [] }: ApplyResult): Outcome {
  const applied = transaction === undefined ? {} : { transaction };
  return { id, state, ...applied, files: files.map(fileOf), userEdits, comments };
}

function fileOf(file: AppliedFile): OutcomeFile {
  const { path, action, newPath, hash, saved, diff, hunks } = file;
  return {
    uri: vscode.Uri.file(path),
    action,
    ...(newPath === undefined ? {} : { newUri: vscode.Uri.file(newPath) }),
    ...(hash === undefined ? {} : { hash }),
    ...(saved === undefined ? {} : { saved }),
    diff,
    hunks,
  };
}

function pendingOf({ id, author, label, at, paths, added, removed }: ProposalSummary): PendingProposal {
  const optional = label === null ? {} : { label };
  return {
    id,
    author,
    ...optional,
    at: new Date(at),
    uris: paths.map((path) => vscode.Uri.file(path)),
    added,
    removed,
  };
}
