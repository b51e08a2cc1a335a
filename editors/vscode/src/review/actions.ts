/** What a person does about proposals. */
import type { Hunk, Proposal, ProposedFile } from '../daemon/wire';
import type { Decider, Part, Replacement } from './decide';
import type { Diffs } from './diff';
import type { Store } from './store';
import type { FileSubject, HunkSubject } from './subject';
import { ask, tellLine } from './tell';
import type { Texts } from './texts';
import { count, isOpen, nameOf, plain } from './words';

export type Verdict = 'accept' | 'reject';

export class Actions {
  constructor(
    private readonly store: Store,
    private readonly texts: Texts,
    private readonly decider: Decider,
    private readonly diffs: Diffs,
  ) {}

  /** Decides hunks by themselves. Those of a file that the person has rewritten cannot be. */
  async hunks(verdict: Verdict | 'take', subjects: readonly HunkSubject[]): Promise<void> {
    for (const [id, group] of byProposal(subjects)) {
      const rewritten = group.find(({ path }) => this.texts.written(id, path));
      const ids = group.filter(({ path }) => !this.texts.written(id, path)).map(({ hunk }) => hunk);
      if (ids.length > 0) {
        await this.decideHunks(verdict, id, ids);
      }
      if (rewritten) {
        this.askAboutDraft(rewritten);
      }
    }
  }

  /** Decides what is open in files; if nothing is, all of them anew. */
  async files(verdict: Verdict, subjects: readonly FileSubject[]): Promise<void> {
    for (const subject of subjects) {
      const { id, path } = subject;
      if (this.texts.written(id, path)) {
        await (verdict === 'accept'
          ? this.acceptDraft(subject)
          : this.rejectDrafts(id, [path], () => this.files(verdict, [subject])));
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
    const drafted = this.store.get(id)?.files.filter(({ path }) => this.texts.written(id, path)) ?? [];
    if (verdict === 'reject' && drafted.length > 0) {
      await this.rejectDrafts(
        id,
        drafted.map(({ path }) => path),
        () => this.all(verdict, id),
      );
      return;
    }
    const answer = await this.decider.send(id, async (proposal) => {
      const part: Part = { [verdict]: 'all' };
      return verdict === 'accept' ? this.withDrafts(proposal, drafted, part) : part;
    });
    if (answer?.state === 'pending') {
      this.askAboutConflicts(answer, openHunks(answer));
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
    const find = (proposal: Proposal | undefined) =>
      proposal?.files.flatMap((file) => file.hunks.filter((hunk) => ids.includes(hunk.id))) ?? [];
    const isHeld = (hunk: Hunk) => verdict === 'accept' && hunk.state === 'conflicted';
    const known = find(this.store.get(id)).filter(isHeld);
    const sent = ids.filter((each) => !known.some((hunk) => hunk.id === each));
    const answer = sent.length > 0 ? await this.decider.send(id, () => ({ [verdict]: sent })) : this.store.get(id);
    if (answer?.state === 'pending') {
      this.askAboutConflicts(answer, find(answer).filter(isHeld));
    }
  }

  /** Accepts a file with the text that the person has made of it. */
  private async acceptDraft({ id, path }: FileSubject): Promise<void> {
    await this.decider.send(id, (proposal) => {
      const file = proposal.files.find((each) => each.path === path);
      return file && this.withDrafts(proposal, [file], {});
    });
  }

  /** A decision with what the person wrote in these files. Nothing if that does not go together with what is there. */
  private async withDrafts(proposal: Proposal, files: readonly ProposedFile[], part: Part): Promise<Part | undefined> {
    const replace: Replacement[] = [];
    const accept: string[] = [];
    for (const file of files) {
      await this.texts.settle(proposal.id, file.path);
      const written = this.texts.written(proposal.id, file.path);
      const replacement = written && (await this.decider.replacement(proposal.id, file.path, written));
      if (written && !replacement) {
        this.tellTorn({ kind: 'file', id: proposal.id, path: file.path });
        return undefined;
      }
      replace.push(...(replacement ? [replacement] : []));
      // A new name is decided beside a text, and everything is where saving has made it what was proposed.
      accept.push(...file.hunks.filter((hunk) => !replacement || hunk.kind === 'rename').map((hunk) => hunk.id));
    }
    return {
      ...part,
      ...(part.accept !== 'all' && accept.length > 0 && { accept }),
      ...(replace.length > 0 && { replace }),
    };
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

  private async rejectDrafts(id: string, paths: readonly string[], reject: () => Promise<void>): Promise<void> {
    await ask('warning', `You have written something in ${paths.map(nameOf).join(', ')}. It would be discarded.`, {
      'Reject and Discard': async () => {
        for (const path of paths) {
          await this.texts.settle(id, path);
          await this.texts.drop(id, path);
        }
        await reject();
      },
    });
  }

  /** The daemon accepts nothing whose place has changed, unless the person says so knowing that. */
  private askAboutConflicts(proposal: Proposal, hunks: readonly Hunk[]): void {
    const conflicted = hunks.filter((hunk) => hunk.state === 'conflicted');
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
      "Take the Agent's": () => this.decideHunks('take', id, ids),
      'Open Diff': () => this.diffs.open({ kind: 'hunk', id, path: first.path, hunk: hunk.id }),
    });
  }
}

function openHunks(proposal: Proposal): Hunk[] {
  return proposal.files.flatMap((file) => file.hunks).filter(isOpen);
}

function byProposal(subjects: readonly HunkSubject[]): Map<string, HunkSubject[]> {
  const groups = new Map<string, HunkSubject[]>();
  for (const subject of subjects) {
    groups.set(subject.id, [...(groups.get(subject.id) ?? []), subject]);
  }
  return groups;
}
