/** The pending proposals and the landed changes, as reported by the daemon. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { FileEntry, ProposalResult, ProposalState } from '../daemon/wire';
import type { Log } from '../log';
import { canonical } from '../paths';
import { isWaiting } from './labels';
import { CoalescingQueue } from './taskQueue';
import { concernsWindow } from './window';

/** Debounce time after typing before the positions of hunks are requested, in milliseconds. */
const DEBOUNCE = 200;

export interface Ended {
  /** Last known state of the proposal. */
  readonly proposal: ProposalResult;
  readonly state: ProposalState;
  /** Result, if the proposal was decided in this window. */
  readonly outcome?: ProposalResult;
}

export class Store implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<string | undefined>();
  private readonly arrived = new vscode.EventEmitter<ProposalResult>();
  private readonly ended = new vscode.EventEmitter<Ended>();
  private readonly listed = new vscode.EventEmitter<void>();
  /** Fires with the ID of a changed proposal, or with undefined if any of them may have changed. */
  readonly onDidChange = this.changed.event;
  /** Fires when a proposal becomes known for the first time in this window. */
  readonly onDidArrive = this.arrived.event;
  readonly onDidEnd = this.ended.event;
  /** Fires once the pending proposals are known after a connection. */
  readonly onDidList = this.listed.event;

  private readonly known = new Map<string, ProposalResult>();
  private fetches = new CoalescingQueue<string>();
  /** Proposals known on the previous connection. */
  private previous = new Map<string, ProposalResult>();
  private isRejected = false;
  private isListed = false;
  /** Counts connections. Answers to requests on earlier connections are ignored. */
  private connectionCount = 0;
  /** Counts changes of texts under review. Positions requested before the last change are outdated. */
  private textChanges = 0;
  /** Counts ended proposals. An answer that says `pending` may be older than the end of the proposal. */
  private endCount = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly connection: Connection,
    private readonly log: Log,
  ) {
    this.subscriptions = vscode.Disposable.from(
      connection.onNotification('editd/proposalChanged', ({ id, state }) => {
        if (isWaiting(state)) {
          void this.refresh(id);
        } else {
          this.end(id, state);
        }
      }),
      connection.onDidChangeState((state) => {
        this.reset();
        if (state.kind === 'connected') {
          void this.list();
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.scheduleRefresh(document);
        }
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        this.scheduleRefresh(document);
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          void this.refreshAll();
        }
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
    [this.changed, this.arrived, this.ended, this.listed].forEach((emitter) => {
      emitter.dispose();
    });
  }

  /** Pending proposals, oldest first. */
  get pending(): readonly ProposalResult[] {
    return [...this.known.values()].sort((left, right) => (left.at < right.at ? -1 : 1));
  }

  /** Pending proposals that concern this window. */
  get here(): readonly ProposalResult[] {
    return this.pending.filter(concernsWindow);
  }

  /** `true` once the pending proposals are known. */
  get isReady(): boolean {
    return this.isListed;
  }

  get(id: string): ProposalResult | undefined {
    return this.known.get(id);
  }

  file(id: string, path: string): FileEntry | undefined {
    return this.known.get(id)?.files.find((file) => file.path === path);
  }

  /** Returns the pending proposals for the file of a document. */
  about({ scheme, fsPath }: vscode.Uri): { proposal: ProposalResult; file: FileEntry }[] {
    if (scheme !== 'file' || this.known.size === 0) {
      return [];
    }
    const path = canonical(fsPath);
    return this.pending.flatMap((proposal) =>
      proposal.files.filter((file) => file.path === path).map((file) => ({ proposal, file })),
    );
  }

  /** `true` if this window knows of rejected changes that may be reopened. */
  get hasRejected(): boolean {
    return this.isRejected;
  }

  /** Records a reopened proposal without announcing it, or, if undefined, that there is nothing to reopen. */
  recordReopened(answer: ProposalResult | undefined): void {
    if (answer) {
      this.previous.set(answer.id, answer);
      this.record(answer);
      this.previous.delete(answer.id);
    }
    this.isRejected &&= answer !== undefined;
    this.changed.fire(answer?.id);
  }

  /** Records an answer of the daemon. */
  record(answer: ProposalResult, decidedHere = false): void {
    if (!isWaiting(answer.state)) {
      this.end(answer.id, answer.state, decidedHere ? answer : undefined);
      return;
    }
    const older = this.known.get(answer.id);
    if (older && answer.revision < older.revision) {
      return;
    }
    this.known.set(answer.id, withLanded(answer));
    this.changed.fire(answer.id);
    if (!older && !this.previous.has(answer.id)) {
      this.arrived.fire(answer);
    }
  }

  /** Requests the current state of a proposal. */
  refresh(id: string): Promise<void> {
    return this.fetches.run(id, () => this.fetch(id));
  }

  async refreshAll(): Promise<void> {
    await Promise.all([...this.known.keys()].map((id) => this.refresh(id)));
  }

  /**
   * Waits until the positions of hunks match the current texts. Requests `named` proposals that are unknown, because
   * the caller may have learned of them before this window has.
   */
  async waitUntilCurrent(named: readonly { readonly id: string }[] = []): Promise<void> {
    if (this.timer) {
      this.flush();
    }
    const unknown = named.filter(({ id }) => !this.known.has(id)).map(({ id }) => this.refresh(id));
    await Promise.all([...unknown, ...this.fetches.all()]);
  }

  private async fetch(id: string): Promise<void> {
    const { connectionCount, textChanges, endCount } = this;
    try {
      const answer = await this.connection.request('editd/proposal', { id });
      if (connectionCount !== this.connectionCount) {
        return;
      }
      const isKnown = this.known.has(id);
      if (isWaiting(answer.state) && !isKnown && endCount !== this.endCount) {
        void this.refresh(id);
      } else if (textChanges === this.textChanges || !isKnown || !isWaiting(answer.state)) {
        this.record(answer);
      }
    } catch (error) {
      this.log.warn(`proposal ${id}: ${String(error)}`);
      if (connectionCount === this.connectionCount && refusalOf(error).kind === 'unknown_proposal') {
        this.end(id, 'proposed');
      }
    }
  }

  private end(id: string, state: ProposalState, outcome?: ProposalResult): void {
    this.endCount += 1;
    const proposal = this.known.get(id);
    if (!proposal) {
      return;
    }
    this.known.delete(id);
    const isReopenable = (state === 'rejected' || state === 'partial') && proposal.landed === undefined;
    if (isReopenable && concernsWindow(proposal)) {
      this.isRejected = true;
    }
    this.ended.fire({ proposal, state, ...(outcome && { outcome }) });
    this.changed.fire(id);
  }

  /** Forgets all proposals when the connection is lost, because nothing can be decided without one. */
  private reset(): void {
    this.connectionCount += 1;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.fetches = new CoalescingQueue();
    if (this.isListed) {
      this.previous = new Map(this.known);
    }
    this.isListed = false;
    if (this.known.size > 0) {
      this.known.clear();
      this.changed.fire(undefined);
    }
  }

  private async list(): Promise<void> {
    const connectionNumber = this.connectionCount;
    try {
      const requests = (['pending', 'landed'] as const).map((state) =>
        this.connection.request('editd/proposals', { state }),
      );
      const lists = await Promise.all(requests);
      await Promise.all(lists.flatMap(({ proposals }) => proposals.map(({ id }) => this.refresh(id))));
    } catch (error) {
      this.log.error(`cannot list the pending proposals: ${String(error)}`);
    }
    if (connectionNumber !== this.connectionCount) {
      return;
    }
    this.isListed = true;
    this.changed.fire(undefined);
    this.listed.fire();
    await this.reportEnded(connectionNumber);
  }

  /** Reports proposals that ended while there was no connection. */
  private async reportEnded(connectionNumber: number): Promise<void> {
    for (const [id, proposal] of this.previous) {
      if (!this.known.has(id)) {
        const now = await this.connection.request('editd/proposal', { id }).catch(() => undefined);
        if (connectionNumber === this.connectionCount) {
          this.ended.fire({ proposal, state: now?.state ?? 'proposed' });
        }
      }
    }
    this.previous.clear();
  }

  private scheduleRefresh(document: vscode.TextDocument): void {
    if (this.about(document.uri).length > 0) {
      this.textChanges += 1;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.flush();
      }, DEBOUNCE);
    }
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.refreshAll();
  }
}

/** Marks the files of a change that has been made already, because their new text is the current one. */
function withLanded(proposal: ProposalResult): ProposalResult {
  return proposal.landed === undefined
    ? proposal
    : { ...proposal, files: proposal.files.map((file) => ({ ...file, isLanded: true as const })) };
}
