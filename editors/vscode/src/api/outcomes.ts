/** Waits for the outcome of proposals. */
import type * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { refusalOf } from '../daemon/refusal';
import type { ProposalResult } from '../daemon/wire';

/** Maximum number of requests that wait at the daemon, which limits them per connection. */
const MAX_REQUESTS = 16;

/** Milliseconds that one request waits at the daemon before the next proposal in the queue is requested. */
const REQUEST_WAIT = 20_000;

export class Outcomes {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly connection: Connection) {}

  /** Returns the proposal once it is no longer pending, or its current state after `waitMs`. */
  async of(id: string, waitMs = Infinity): Promise<ProposalResult> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const left = Math.max(0, deadline - Date.now());
      const proposal = await this.fetch(id, Math.min(left, REQUEST_WAIT));
      if (proposal && (proposal.state !== 'pending' || Date.now() >= deadline)) {
        return proposal;
      }
    }
  }

  private async fetch(id: string, waitMs: number): Promise<ProposalResult | undefined> {
    await this.acquireSlot();
    try {
      await this.untilConnected();
      return await this.connection.request('editd/proposal', { id, waitMs });
    } catch (error) {
      if (this.connection.state.kind !== 'connected') {
        return undefined; // Proposals outlive connections.
      }
      throw refusalOf(error);
    } finally {
      this.running -= 1;
      this.queue.shift()?.();
    }
  }

  private async acquireSlot(): Promise<void> {
    if (this.running >= MAX_REQUESTS) {
      await new Promise<void>((resolve) => this.queue.push(resolve));
    }
    this.running += 1;
  }

  private untilConnected(): Promise<void> {
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
