/** The proposals that wait for a person, as the daemon tells of them. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { FileEntry, ProposalResult, ProposalState } from '../daemon/wire';
import type { Log } from '../log';
import { canonical } from '../paths';
import { Latest } from './turns';
import { concernsWindow } from './window';

/** Milliseconds without typing before the daemon is asked where the hunks are now. */
const PAUSE = 200;

export interface Ended {
  /** As it was known last. */
  readonly proposal: ProposalResult;
  readonly state: ProposalState;
  /** What became of it, if it was decided in this window. */
  readonly outcome?: ProposalResult;
}

export class Store implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<string | undefined>();
  private readonly arrived = new vscode.EventEmitter<ProposalResult>();
  private readonly ended = new vscode.EventEmitter<Ended>();
  private readonly listed = new vscode.EventEmitter<void>();
  /** A proposal is known anew, by its id; without one, all may be. */
  readonly onDidChange = this.changed.event;
  /** A proposal is known for the first time in this window. */
  readonly onDidArrive = this.arrived.event;
  readonly onDidEnd = this.ended.event;
  /** After a connection, when it is known what waits. */
  readonly onDidList = this.listed.event;

  private readonly known = new Map<string, ProposalResult>();
  private fetches = new Latest<string>();
  /** What was known by the connection before. */
  private before = new Map<string, ProposalResult>();
  private isRejected = false;
  private isListed = false;
  /** Counts connections: what was asked of one before is of no interest any more. */
  private turn = 0;
  /** Counts changes of texts under review: places that were told before the last one are wrong. */
  private typed = 0;
  /** Counts ends of proposals: one that is told to wait may have been told so before it ended. */
  private ends = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly connection: Connection,
    private readonly log: Log,
  ) {
    this.subscriptions = vscode.Disposable.from(
      connection.onNotification('editd/proposalChanged', ({ id, state }) => {
        if (state === 'pending') {
          void this.refresh(id);
        } else {
          this.end(id, state);
        }
      }),
      connection.onDidChangeState((state) => {
        this.lose();
        if (state.kind === 'connected') {
          void this.list();
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.follow(document);
        }
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        this.follow(document);
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

  /** The oldest first. */
  get pending(): readonly ProposalResult[] {
    return [...this.known.values()].sort((left, right) => (left.at < right.at ? -1 : 1));
  }

  /** Those that are about this window. */
  get here(): readonly ProposalResult[] {
    return this.pending.filter(concernsWindow);
  }

  /** Whether it is known what waits. */
  get isReady(): boolean {
    return this.isListed;
  }

  get(id: string): ProposalResult | undefined {
    return this.known.get(id);
  }

  file(id: string, path: string): FileEntry | undefined {
    return this.known.get(id)?.files.find((file) => file.path === path);
  }

  /** What waits for the file of a document. */
  about({ scheme, fsPath }: vscode.Uri): { proposal: ProposalResult; file: FileEntry }[] {
    if (scheme !== 'file' || this.known.size === 0) {
      return [];
    }
    const path = canonical(fsPath);
    return this.pending.flatMap((proposal) =>
      proposal.files.filter((file) => file.path === path).map((file) => ({ proposal, file })),
    );
  }

  /** Whether something was rejected, as far as this window knows, that can be brought back. */
  get hasRejected(): boolean {
    return this.isRejected;
  }

  /** Takes over what the person has brought back, which is no news to them; or that there is nothing. */
  broughtBack(answer: ProposalResult | undefined): void {
    if (answer) {
      this.before.set(answer.id, answer);
      this.take(answer);
      this.before.delete(answer.id);
    }
    this.isRejected &&= answer !== undefined;
    this.changed.fire(answer?.id);
  }

  /** Takes over what the daemon has answered. */
  take(answer: ProposalResult, decidedHere = false): void {
    if (answer.state !== 'pending') {
      this.end(answer.id, answer.state, decidedHere ? answer : undefined);
      return;
    }
    const before = this.known.get(answer.id);
    if (before && answer.revision < before.revision) {
      return;
    }
    this.known.set(answer.id, answer);
    this.changed.fire(answer.id);
    if (!before && !this.before.has(answer.id)) {
      this.arrived.fire(answer);
    }
  }

  /** Asks for a proposal as it is now. */
  refresh(id: string): Promise<void> {
    return this.fetches.run(id, () => this.fetch(id));
  }

  async refreshAll(): Promise<void> {
    await Promise.all([...this.known.keys()].map((id) => this.refresh(id)));
  }

  /**
   * Waits until places are those of the texts as they are now. Whoever names a proposal may have heard of it before this
   * window has: those are asked for.
   */
  async upToDate(named: readonly { readonly id: string }[] = []): Promise<void> {
    if (this.timer) {
      this.flush();
    }
    const unheard = named.filter(({ id }) => !this.known.has(id)).map(({ id }) => this.refresh(id));
    await Promise.all([...unheard, ...this.fetches.all()]);
  }

  private async fetch(id: string): Promise<void> {
    const { turn, typed, ends } = this;
    try {
      const answer = await this.connection.request('editd/proposal', { id });
      if (turn !== this.turn) {
        return;
      }
      const isKnown = this.known.has(id);
      if (answer.state === 'pending' && !isKnown && ends !== this.ends) {
        void this.refresh(id);
      } else if (typed === this.typed || !isKnown || answer.state !== 'pending') {
        this.take(answer);
      }
    } catch (error) {
      this.log.warn(`proposal ${id}: ${String(error)}`);
      if (turn === this.turn && refusalOf(error).kind === 'unknown_proposal') {
        this.end(id, 'proposed');
      }
    }
  }

  private end(id: string, state: ProposalState, outcome?: ProposalResult): void {
    this.ends += 1;
    const proposal = this.known.get(id);
    if (!proposal) {
      return;
    }
    this.known.delete(id);
    if ((state === 'rejected' || state === 'partial') && concernsWindow(proposal)) {
      this.isRejected = true;
    }
    this.ended.fire({ proposal, state, ...(outcome && { outcome }) });
    this.changed.fire(id);
  }

  /** Without a connection nothing can be decided. */
  private lose(): void {
    this.turn += 1;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.fetches = new Latest();
    if (this.isListed) {
      this.before = new Map(this.known);
    }
    this.isListed = false;
    if (this.known.size > 0) {
      this.known.clear();
      this.changed.fire(undefined);
    }
  }

  private async list(): Promise<void> {
    const turn = this.turn;
    try {
      const { proposals } = await this.connection.request('editd/proposals', { state: 'pending' });
      await Promise.all(proposals.map(({ id }) => this.refresh(id)));
    } catch (error) {
      this.log.error(`what waits is not known: ${String(error)}`);
    }
    if (turn !== this.turn) {
      return;
    }
    this.isListed = true;
    this.changed.fire(undefined);
    this.listed.fire();
    await this.tellGone(turn);
  }

  /** What was decided while there was no connection. */
  private async tellGone(turn: number): Promise<void> {
    for (const [id, proposal] of this.before) {
      if (!this.known.has(id)) {
        const now = await this.connection.request('editd/proposal', { id }).catch(() => undefined);
        if (turn === this.turn) {
          this.ended.fire({ proposal, state: now?.state ?? 'proposed' });
        }
      }
    }
    this.before.clear();
  }

  private follow(document: vscode.TextDocument): void {
    if (this.about(document.uri).length > 0) {
      this.typed += 1;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.flush();
      }, PAUSE);
    }
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.refreshAll();
  }
}
