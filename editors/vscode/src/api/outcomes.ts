/** Waiting for what becomes of proposals. */
import type * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { ProposalResult } from '../daemon/wire';

/** How many questions may wait at the daemon, which has a limit for each connection. */
const AT_ONCE = 16;

/** Milliseconds that one question waits there; then it is another's turn. */
const LONG = 20_000;

export class Outcomes {
  private asking = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly connection: Connection) {}

  /** The proposal when it is not pending any more, or as it is when the time is over. */
  async of(id: string, waitMs = Infinity): Promise<ProposalResult> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const left = Math.max(0, deadline - Date.now());
      const proposal = await this.ask(id, Math.min(left, LONG));
      if (proposal && (proposal.state !== 'pending' || Date.now() >= deadline)) {
        return proposal;
      }
    }
  }

  private async ask(id: string, waitMs: number): Promise<ProposalResult | undefined> {
    await this.turn();
    try {
      await this.isConnected();
      return await this.connection.request('editd/proposal', { id, waitMs });
    } catch (error) {
      if (this.connection.state.kind !== 'connected') {
        return undefined; // Proposals outlive connections.
      }
      throw refusalOf(error);
    } finally {
      this.asking -= 1;
      this.queue.shift()?.();
    }
  }

  private async turn(): Promise<void> {
    if (this.asking >= AT_ONCE) {
      await new Promise<void>((resolve) => this.queue.push(resolve));
    }
    this.asking += 1;
  }

  private isConnected(): Promise<void> {
    if (this.connection.state.kind === 'connected') {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const subscription: vscode.Disposable = this.connection.onDidChangeState(({ kind }) => {
        if (kind === 'connected') {
          subscription.dispose();
          resolve();
        }
      });
    });
  }
}
