// The proposal that is shown, and the decisions about it.
import { Refusal, type Session } from './session';
import { type Decision, type Proposal, isWaiting } from './wire';

/** Refusals of a decision about a proposal that is no longer as it was shown. */
const OUTDATED = ['superseded', 'stale', 'busy'];

export interface Watcher {
  changed: (proposal: Proposal) => void;
  /** A decision was refused, with the reason. */
  refused: (message: string) => void;
}

export class Review {
  private last: Promise<unknown> = Promise.resolve();
  /** Grows when the proposal was changed by others: decisions from before were made about something else. */
  private epoch = 0;
  /** Revision after the last decision of this page. */
  private own: number;

  constructor(
    private readonly session: Session,
    private current: Proposal,
    private readonly watcher: Watcher,
  ) {
    this.own = current.revision;
  }

  get proposal(): Proposal {
    return this.current;
  }

  get isLanded(): boolean {
    return this.current.landed !== undefined;
  }

  get isWaiting(): boolean {
    return isWaiting(this.current);
  }

  /** True if no one else has changed the proposal after the last decision of this page. */
  get isOwn(): boolean {
    return this.current.revision === this.own;
  }

  /** Sends a decision after all earlier ones. Returns `true` if it was recorded. */
  decide(decision: Decision): Promise<boolean> {
    // Only texts that a person began before the proposal ended still have a button.
    if (!this.isWaiting) {
      this.watcher.refused('Not recorded: this proposal has ended. Copy your text if you need it.');
      return Promise.resolve(false);
    }
    const epoch = this.epoch;
    const sent = this.last.then(() => epoch === this.epoch && this.isWaiting && this.send(decision));
    this.last = sent;
    return sent;
  }

  /** Loads the proposal again if it has another revision or state than the one that is shown. */
  async heard(revision: number, state: string): Promise<void> {
    await this.last;
    if (revision > this.current.revision || state !== this.current.state) {
      const isOthers = revision > this.own;
      await this.reload();
      if (isOthers && this.current.revision > this.own) {
        this.own = this.current.revision;
        this.watcher.refused('This proposal was changed elsewhere. You see its current state.');
      }
    }
  }

  /** Loads the proposal, whose lines may have changed. */
  async reload(): Promise<void> {
    const fresh = await this.session.call<Proposal>('editd/proposal', { id: this.current.id });
    const isOlder = fresh.revision < this.current.revision;
    if (!isOlder && JSON.stringify(fresh) !== JSON.stringify(this.current)) {
      this.epoch += 1;
      this.show(fresh);
    }
  }

  private async send(decision: Decision): Promise<boolean> {
    const { id, revision } = this.current;
    try {
      const next = await this.session.call<Proposal>('editd/decide', { id, revision, ...decision });
      this.own = next.revision;
      this.show(next);
      return true;
    } catch (error) {
      if (!(error instanceof Error)) {
        throw error;
      }
      this.watcher.refused(messageOf(error));
      if (error instanceof Refusal && OUTDATED.includes(error.kind ?? '')) {
        this.epoch += 1;
        await this.reload();
        this.own = this.current.revision;
      }
      return false;
    }
  }

  private show(proposal: Proposal): void {
    this.current = proposal;
    this.watcher.changed(proposal);
  }
}

function messageOf(error: Error): string {
  if (!(error instanceof Refusal)) {
    return error.message;
  }
  return error.kind === 'superseded'
    ? 'Not recorded: this proposal was decided or changed elsewhere. You see its current state.'
    : `Not recorded: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`;
}
