/** Sends decisions, one after another for each proposal. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { NotConnected, refusalOf } from '../daemon/refusal';
import type { DecideParams, ProposalResult, ReplaceParam } from '../daemon/wire';
import type { Drafts, DraftText } from './drafts';
import { rebaseDraft } from './merge';
import { showStatus, showRefusal } from './notifications';
import type { Store } from './store';
import { TaskQueue } from './taskQueue';
import type { Versions } from './versions';
import { titleOf } from './labels';

/** A decision without its proposal. */
export interface Part extends Omit<DecideParams, 'id' | 'revision'> {
  /** By path, the draft texts behind `replace`, before they were rebased onto the current text of the file. */
  readonly written?: ReadonlyMap<string, string>;
}

/** Maximum number of retries if another client decides other hunks of the same proposal at the same time. */
const MAX_RETRIES = 3;

export class Decider {
  private readonly queue = new TaskQueue();

  constructor(
    private readonly connection: Connection,
    private readonly store: Store,
    private readonly versions: Versions,
    private readonly drafts: Drafts,
  ) {}

  /**
   * Sends the decision that `make` returns for the current state of the proposal, and returns the answer. Returns
   * undefined if nothing was decided; the user has then been notified of the reason.
   */
  send(
    id: string,
    make: (proposal: ProposalResult) => Part | undefined | Promise<Part | undefined>,
  ): Promise<ProposalResult | undefined> {
    return this.queue.run(id, () => this.attempt(id, make, MAX_RETRIES));
  }

  private async attempt(
    id: string,
    make: (proposal: ProposalResult) => Part | undefined | Promise<Part | undefined>,
    retries: number,
  ): Promise<ProposalResult | undefined> {
    const proposal = this.store.get(id);
    if (!proposal) {
      this.reportEnded();
      return undefined;
    }
    let part: Part | undefined;
    try {
      part = await make(proposal);
      return part && (await this.decide(proposal, part));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.kind !== 'superseded') {
        showRefusal(refusal);
        return undefined;
      }
      await this.store.refresh(id);
      const now = this.store.get(id);
      if (now && part && retries > 0 && subjectOf(now, part) === subjectOf(proposal, part)) {
        return this.attempt(id, make, retries - 1);
      }
      if (now) {
        showStatus(`"${titleOf(proposal)}" was changed elsewhere in the meantime; review it again.`);
      }
      return undefined;
    }
  }

  /** Rebases a draft onto the current text of the file. Returns undefined if both have changed the same lines. */
  async replacement(id: string, path: string, { text, version }: DraftText): Promise<ReplaceParam | undefined> {
    const { base, proposed, hash } = await this.versions.current({ id, path });
    // The draft replaces the text of the file, which is on the proposed side of a change that was made already.
    const [before, now] = this.store.file(id, path)?.isLanded ? [version.proposed, proposed] : [version.base, base];
    const content = await rebaseDraft(text, before, now);
    if (content === undefined) {
      return undefined;
    }
    // A document has one kind of line endings; the daemon restores the mixed ones of the file.
    const isMixed = /[^\r]\n|^\n/.test(now) && now.includes('\r\n');
    return { path, baseHash: hash, content: isMixed ? content.replaceAll('\r\n', '\n') : content };
  }

  private async decide(proposal: ProposalResult, { written, ...part }: Part): Promise<ProposalResult> {
    const { id, revision } = proposal;
    const request = this.connection.request('editd/decide', { id, revision, ...part });
    const answer = await vscode.window.withProgress({ location: { viewId: 'editd.proposals' } }, () => request);
    // Sent texts are no longer drafts, so their tabs can be closed.
    const sent = (part.replace ?? []).map(({ path, content }) =>
      this.drafts.markSent(id, path, content, written?.get(path) ?? content),
    );
    // This comes first, because tabs with unsent drafts stay open when a proposal ends.
    await Promise.all(sent);
    this.store.record(answer, true);
    this.connection.dispatch('editd/proposalChanged', { id, revision: answer.revision, state: answer.state });
    return answer;
  }

  private reportEnded(): void {
    if (this.store.isReady) {
      showStatus('This proposal is no longer pending.');
    } else {
      showRefusal(new NotConnected());
    }
  }
}

/** Returns a key of everything that the user sees of the hunks in a decision. */
function subjectOf({ files }: ProposalResult, { accept, reject, take, replace = [] }: Part): string {
  const names =
    (ids: readonly string[] | 'all' = []) =>
    (id: string) =>
      ids === 'all' || ids.includes(id);
  const isNamed = [names(accept), names(reject), names(take)];
  const hunks = files.flatMap(({ path, hunks }) =>
    hunks.filter(({ id }) => isNamed.some((is) => is(id)) || replace.some((each) => each.path === path)),
  );
  return JSON.stringify(hunks.map(({ id, state, oldText, newText }) => [id, state, oldText, newText]));
}
