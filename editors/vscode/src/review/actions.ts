/** What a person does about proposals. */
import type { FileEntry, Hunk, ProposalResult, ReplaceParam } from '../daemon/wire';
import { dialog } from '../messages';
import type { Decider, Part } from './decide';
import type { Diffs } from './diff';
import type { Drafts } from './drafts';
import { type Gone, isGone } from './gone';
import { ask, tellLine } from './notifications';
import { isRewritten } from './places';
import type { Store } from './store';
import type { FileSubject, HunkSubject } from './subject';
import { count, hunksOf, isOpen, nameOf, plain } from './words';

export type Verdict = 'accept' | 'reject';

export class Actions {
  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
    private readonly decider: Decider,
    private readonly diffs: Diffs,
    private readonly gone: Gone,
  ) {}

  /** Decides hunks by themselves. Those of a file that the person has rewritten cannot be. */
  async hunks(verdict: Verdict | 'take', subjects: readonly HunkSubject[]): Promise<void> {
    for (const [id, group] of byProposal(subjects)) {
      const hasDraft = ({ path }: HunkSubject) => this.drafts.written(id, path) !== undefined;
      const isSent = ({ path }: HunkSubject) => this.isSent(id, path);
      const plain = group.filter((each) => !hasDraft(each) && !isSent(each));
      if (plain.length > 0) {
        await this.decideHunks(
          verdict,
          id,
          plain.map(({ hunk }) => hunk),
        );
      }
      const drafted = group.find(hasDraft);
      if (drafted) {
        this.askAboutDraft(drafted);
      }
      for (const path of new Set(group.filter((each) => !hasDraft(each) && isSent(each)).map((each) => each.path))) {
        await this.sentAlready(verdict, { kind: 'file', id, path });
      }
    }
  }

  /** Decides what is open in files; if nothing is, all of them anew. */
  async files(verdict: Verdict, subjects: readonly FileSubject[]): Promise<void> {
    for (const subject of subjects) {
      const { id, path } = subject;
      if (this.drafts.written(id, path)) {
        await (verdict === 'accept'
          ? this.acceptDraft(subject)
          : this.rejectDrafts(id, [path], { reject: this.store.file(id, path)?.hunks.map((hunk) => hunk.id) ?? [] }));
        continue;
      }
      if (this.isSent(id, path)) {
        await this.sentAlready(verdict, subject);
        continue;
      }
      const file = this.store.file(id, path);
      const open = file?.hunks.filter(isOpen) ?? [];
      const meant = open.length > 0 ? open : (file?.hunks ?? []);
      await this.decideHunks(
        verdict,
        id,
        meant.map((hunk) => hunk.id),
      );
    }
  }

  /** Decides all that is open in a proposal. */
  async all(verdict: Verdict, id: string): Promise<void> {
    const drafted = this.store.get(id)?.files.filter(({ path }) => this.drafts.written(id, path)) ?? [];
    if (verdict === 'reject' && drafted.length > 0) {
      await this.rejectDrafts(
        id,
        drafted.map(({ path }) => path),
        { reject: 'all' },
      );
      return;
    }
    const answer = await this.send(id, async (proposal) => {
      const part: Part = { [verdict]: 'all' };
      return verdict === 'accept' ? this.withDrafts(proposal, drafted, part) : part;
    });
    if (answer?.state === 'pending') {
      this.askAboutConflicts(answer, hunksOf(answer).filter(isOpen));
    }
  }

  /** Says something to the author, with the decision or before it. */
  async comment(id: string, about: { path?: string; hunk?: string }, text: string): Promise<boolean> {
    const answer = await this.decider.send(id, () => ({ comment: [{ ...about, text }] }));
    if (answer) {
      tellLine(`${plain(answer.author)} gets your comment with the decision.`);
    }
    return answer !== undefined;
  }

  private async decideHunks(verdict: Verdict | 'take', id: string, ids: readonly string[]): Promise<void> {
    const find = (proposal: ProposalResult | undefined) =>
      proposal ? hunksOf(proposal).filter((hunk) => ids.includes(hunk.id)) : [];
    const proposal = this.store.get(id);
    const lost = verdict === 'reject' || !proposal ? [] : proposal.files.filter(isGone).flatMap(({ hunks }) => hunks);
    const isHeld = (hunk: Hunk) => (verdict === 'accept' && hunk.state === 'conflicted') || lost.includes(hunk);
    const known = find(proposal).filter(isHeld);
    const sent = ids.filter((each) => !known.some((hunk) => hunk.id === each));
    const answer = sent.length > 0 ? await this.send(id, () => ({ [verdict]: sent })) : proposal;
    if (answer?.state === 'pending') {
      this.askAboutConflicts(
        answer,
        find(answer).filter((hunk) => known.some((each) => each.id === hunk.id) || isHeld(hunk)),
      );
    }
  }

  /** Accepts a file with the text that the person has made of it. */
  private async acceptDraft({ id, path }: FileSubject): Promise<void> {
    await this.send(id, (proposal) => {
      const file = proposal.files.find((each) => each.path === path);
      return file && this.withDrafts(proposal, [file], {});
    });
  }

  /** A decision with what the person wrote in these files. Nothing if that does not go together with what is there. */
  private async withDrafts(
    proposal: ProposalResult,
    files: readonly FileEntry[],
    part: Part,
  ): Promise<Part | undefined> {
    const replace: ReplaceParam[] = [];
    const accept: string[] = [];
    const sent = new Map<string, string>();
    for (const file of files) {
      const written = this.drafts.written(proposal.id, file.path);
      const replacement = written && (await this.decider.replacement(proposal.id, file.path, written));
      if (written && !replacement) {
        this.tellTorn({ kind: 'file', id: proposal.id, path: file.path });
        return undefined;
      }
      replace.push(...(replacement ? [replacement] : []));
      sent.set(file.path, written?.text ?? '');
      // A new name is decided beside a text, and everything is where saving has made it what was proposed.
      const beside = file.hunks.filter((hunk) => isOpen(hunk) && (!replacement || hunk.kind === 'rename'));
      accept.push(...beside.map((hunk) => hunk.id));
    }
    return {
      ...part,
      ...(part.accept !== 'all' && accept.length > 0 && { accept: [...(part.accept ?? []), ...accept] }),
      ...(replace.length > 0 && { replace: [...(part.replace ?? []), ...replace], written: sent }),
    };
  }

  /** Whether a file was accepted as the person had written it. */
  private isSent(id: string, path: string): boolean {
    const file = this.store.file(id, path);
    return file !== undefined && isRewritten(file);
  }

  /** To accept the agent's side of it anew, or to reject it, would throw away what the person wrote. */
  private async sentAlready(verdict: Verdict | 'take', { id, path }: FileSubject): Promise<void> {
    if (verdict !== 'reject') {
      tellLine(`${nameOf(path)} is accepted as you have written it.`);
      return;
    }
    const ids = this.store.file(id, path)?.hunks.map((hunk) => hunk.id) ?? [];
    await ask('warning', `What you have written in ${nameOf(path)} would be discarded.`, {
      'Reject and Discard': () => this.decideHunks('reject', id, ids),
    });
  }

  /** Sends a decision. If it is the last one, what the person wrote elsewhere in the proposal and did not accept counts. */
  private send(id: string, make: (proposal: ProposalResult) => Part | undefined | Promise<Part | undefined>) {
    return this.decider.send(id, async (proposal) => {
      const part = await make(proposal);
      return part && this.withForgotten(proposal, part);
    });
  }

  private async withForgotten(proposal: ProposalResult, part: Part): Promise<Part | undefined> {
    const drafted = proposal.files.filter(
      ({ path }) => this.drafts.written(proposal.id, path) && !part.replace?.some((each) => each.path === path),
    );
    if (drafted.length === 0 || !completes(proposal, part)) {
      return part;
    }
    const names = drafted.map(({ path }) => nameOf(path)).join(', ');
    const text = `This is the last decision, and you have written something in ${names} that is not accepted.`;
    const choice = await dialog(text, '', 'Accept It as Well', 'Leave It Out');
    if (choice === 'Accept It as Well') {
      const { replace = [], written = [], ...rest } = part;
      const more = await this.withDrafts(proposal, drafted, { ...rest, replace });
      return more && { ...more, written: new Map([...written, ...(more.written ?? [])]) };
    }
    return choice === 'Leave It Out' ? part : undefined;
  }

  private tellTorn(subject: FileSubject): void {
    const text = `What you wrote in ${nameOf(subject.path)} and what was changed in the file since are about the same lines. Nothing was sent, and your text is kept. Change it so that it fits, or discard it.`;
    void ask('warning', text, { 'Open Diff': () => this.diffs.open(subject) });
  }

  private askAboutDraft({ id, path }: HunkSubject): void {
    const file: FileSubject = { kind: 'file', id, path };
    void ask('info', `You have changed what is proposed for ${nameOf(path)}, so it is decided as a whole.`, {
      'Accept File': () => this.files('accept', [file]),
      'Reject File': () => this.files('reject', [file]),
      'Open Diff': () => this.diffs.open(file),
    });
  }

  private async rejectDrafts(id: string, paths: readonly string[], part: Part): Promise<void> {
    await ask('warning', `You have written something in ${paths.map(nameOf).join(', ')}. It would be discarded.`, {
      'Reject and Discard': async () => {
        // Only what was decided is discarded.
        const answer = await this.decider.send(id, () => part);
        if (answer) {
          await Promise.all(paths.map((path) => this.drafts.drop(id, path)));
        }
      },
    });
  }

  private rejectOf(id: string, { path }: FileEntry): Promise<void> {
    return this.files('reject', [{ kind: 'file', id, path }]);
  }

  /** A message may stand for long: what is taken over is what was there when it was shown. */
  private async takeAsSeen(id: string, seen: readonly Hunk[]): Promise<void> {
    await this.store.refresh(id);
    const proposal = this.store.get(id);
    const now = proposal ? hunksOf(proposal) : [];
    const same = seen.filter((hunk) => now.some((each) => each.id === hunk.id && each.oldText === hunk.oldText));
    if (same.length === seen.length || !proposal) {
      await this.decideHunks(
        'take',
        id,
        seen.map((hunk) => hunk.id),
      );
    } else {
      this.askAboutConflicts(
        proposal,
        now.filter((hunk) => seen.some((each) => each.id === hunk.id)),
      );
    }
  }

  /** The daemon accepts nothing whose place has changed, unless the person says so knowing that. */
  private askAboutConflicts(proposal: ProposalResult, hunks: readonly Hunk[]): void {
    const isOf = (file: FileEntry) => file.hunks.some((hunk) => hunks.includes(hunk));
    for (const file of proposal.files.filter((each) => isGone(each) && isOf(each))) {
      void this.gone.tell(file, () => this.rejectOf(proposal.id, file));
    }
    const left = proposal.files.filter((file) => !isGone(file)).flatMap((file) => file.hunks);
    const conflicted = hunks.filter((hunk) => hunk.state === 'conflicted' && left.includes(hunk));
    const files = proposal.files.filter((file) => file.hunks.some((hunk) => conflicted.includes(hunk)));
    const [first] = files;
    const [hunk] = conflicted;
    if (!first || !hunk) {
      return;
    }
    const { id } = proposal;
    const ids = conflicted.map((each) => each.id);
    const names = files.map((file) => nameOf(file.path)).join(', ');
    const what = ids.length === 1 ? 'A change' : count(ids.length, 'change');
    const verb = ids.length === 1 ? 'is' : 'are';
    void ask('warning', `${what} in ${names} ${verb} in conflict with what the file says there by now.`, {
      'Keep Mine': () => this.decideHunks('reject', id, ids),
      "Take the Agent's": () => this.takeAsSeen(id, conflicted),
      'Open Diff': () => this.diffs.open({ kind: 'hunk', id, path: first.path, hunk: hunk.id }),
    });
  }
}

/** Whether nothing is left to decide after a decision. */
function completes(proposal: ProposalResult, part: Part): boolean {
  if (part.accept === 'all' || part.reject === 'all') {
    return true;
  }
  const named = new Set([...(part.accept ?? []), ...(part.reject ?? []), ...(part.take ?? [])]);
  const replaced = new Set(part.replace?.map(({ path }) => path));
  return proposal.files
    .filter(({ path }) => !replaced.has(path))
    .every((file) => file.hunks.every((hunk) => named.has(hunk.id) || !isOpen(hunk)));
}

function byProposal(subjects: readonly HunkSubject[]): Map<string, HunkSubject[]> {
  const groups = new Map<string, HunkSubject[]>();
  for (const subject of subjects) {
    groups.set(subject.id, [...(groups.get(subject.id) ?? []), subject]);
  }
  return groups;
}
