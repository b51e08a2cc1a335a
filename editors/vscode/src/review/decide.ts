/** Sends decisions, for each proposal one after the other. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { NotConnected, refusalOf } from '../daemon/refusal';
import type { DecideParams, ProposalResult, ReplaceParam } from '../daemon/wire';
import type { Drafts, Written } from './drafts';
import { carry } from './merge';
import { tellLine, tellRefusal } from './notifications';
import type { Store } from './store';
import { Turns } from './turns';
import type { Versions } from './versions';
import { titleOf } from './words';

/** What a decision says, without the proposal that it is about. */
export interface Part extends Omit<DecideParams, 'id' | 'revision'> {
  /** By path, what the person wrote that is sent in `replace`, before it was carried to what the file is now. */
  readonly written?: ReadonlyMap<string, string>;
}

/** How often a decision is sent again because others decided something else in the same proposal meanwhile. */
const RETRIES = 3;

export class Decider {
  private readonly turns = new Turns();

  constructor(
    private readonly connection: Connection,
    private readonly store: Store,
    private readonly versions: Versions,
    private readonly drafts: Drafts,
  ) {}

  /**
   * Decides what `make` says of the proposal as it is when it is its turn, and gives the answer. Nothing, if nothing was
   * decided; the person then knows why.
   */
  send(
    id: string,
    make: (proposal: ProposalResult) => Part | undefined | Promise<Part | undefined>,
  ): Promise<ProposalResult | undefined> {
    return this.turns.run(id, () => this.attempt(id, make, RETRIES));
  }

  private async attempt(
    id: string,
    make: (proposal: ProposalResult) => Part | undefined | Promise<Part | undefined>,
    retries: number,
  ): Promise<ProposalResult | undefined> {
    const proposal = this.store.get(id);
    if (!proposal) {
      this.tellGone();
      return undefined;
    }
    let part: Part | undefined;
    try {
      part = await make(proposal);
      return part && (await this.decide(proposal, part));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.kind !== 'superseded') {
        tellRefusal(refusal);
        return undefined;
      }
      await this.store.refresh(id);
      const now = this.store.get(id);
      if (now && part && retries > 0 && subjectOf(now, part) === subjectOf(proposal, part)) {
        return this.attempt(id, make, retries - 1);
      }
      if (now) {
        tellLine(`"${titleOf(proposal)}" was changed elsewhere meanwhile; look at it again.`);
      }
      return undefined;
    }
  }

  /** What a person wrote in a file, over what the file is now. Nothing if both have changed the same lines. */
  async replacement(id: string, path: string, { text, version }: Written): Promise<ReplaceParam | undefined> {
    const { base, hash } = await this.versions.current({ id, path });
    const content = await carry(text, version.base, base);
    if (content === undefined) {
      return undefined;
    }
    // The editor knows one kind of line ends; the daemon gives lines those of the file.
    const isMixed = /[^\r]\n|^\n/.test(base) && base.includes('\r\n');
    return { path, baseHash: hash, content: isMixed ? content.replaceAll('\r\n', '\n') : content };
  }

  private async decide(proposal: ProposalResult, { written, ...part }: Part): Promise<ProposalResult> {
    const { id, revision } = proposal;
    const asked = this.connection.request('editd/decide', { id, revision, ...part });
    const answer = await vscode.window.withProgress({ location: { viewId: 'editd.proposals' } }, () => asked);
    // What was sent is not a draft any more, so its tab can be closed.
    const sent = (part.replace ?? []).map(({ path, content }) =>
      this.drafts.sent(id, path, content, written?.get(path) ?? content),
    );
    // First that, since tabs with something unsent stay when a proposal ends.
    await Promise.all(sent);
    this.store.take(answer, true);
    this.connection.heard('editd/proposalChanged', { id, revision: answer.revision, state: answer.state });
    return answer;
  }

  private tellGone(): void {
    if (this.store.isReady) {
      tellLine('This proposal is not waiting any more.');
    } else {
      tellRefusal(new NotConnected());
    }
  }
}

/** All that the person could see of the hunks that a decision is about. */
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
