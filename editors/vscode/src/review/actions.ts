/** The actions of the user on proposals. */
import type { FileEntry, Hunk, ProposalResult, ReplaceParam } from '../daemon/wire';
import { dialog } from '../messages';
import type { Decider, Part } from './decide';
import type { Diffs } from './diff';
import type { Drafts } from './drafts';
import { type MissingFiles, isMissing } from './missingFiles';
import { ask, showStatus } from './notifications';
import { isRewritten } from './places';
import { askAboutEarlier, askAboutLongLines, askAboutUnseen, askToTurn, contrary, staying } from './questions';
import type { Seen } from './seen';
import type { Store } from './store';
import type { FileSubject, HunkSubject } from './subject';
import { count, hunksOf, isOpen, isWaiting, nameOf, outcomeOf, singleLine, type Words, wordsFor } from './labels';

export type Verdict = 'accept' | 'reject';

export class Actions {
  constructor(
    private readonly store: Store,
    private readonly drafts: Drafts,
    private readonly decider: Decider,
    private readonly diffs: Diffs,
    private readonly missingFiles: MissingFiles,
    private readonly seen: Seen,
  ) {}

  /** Decides single hunks. Hunks of a file with a draft cannot be decided singly. */
  async hunks(verdict: Verdict | 'take', subjects: readonly HunkSubject[]): Promise<void> {
    for (const [id, group] of byProposal(subjects)) {
      const hasDraft = ({ path }: HunkSubject) => this.drafts.find(id, path) !== undefined;
      const isAccepted = ({ path }: HunkSubject) => this.isDraftAccepted(id, path);
      const undrafted = group.filter((each) => !hasDraft(each) && !isAccepted(each));
      if (undrafted.length > 0) {
        await this.decideHunks(
          verdict,
          id,
          undrafted.map(({ hunk }) => hunk),
        );
      }
      const drafted = group.find(hasDraft);
      if (drafted) {
        this.askAboutDraft(drafted);
      }
      for (const path of new Set(
        group.filter((each) => !hasDraft(each) && isAccepted(each)).map((each) => each.path),
      )) {
        await this.decideAcceptedDraft(verdict, { kind: 'file', id, path });
      }
    }
  }

  /** Decides the open hunks of files. If a file has none, decides all its hunks again. */
  async files(verdict: Verdict, subjects: readonly FileSubject[]): Promise<void> {
    for (const subject of subjects) {
      const { id, path } = subject;
      if (this.drafts.find(id, path)) {
        await (verdict === 'accept'
          ? this.acceptDraft(subject)
          : this.rejectDrafts(id, [path], { reject: this.store.file(id, path)?.hunks.map((hunk) => hunk.id) ?? [] }));
        continue;
      }
      if (this.isDraftAccepted(id, path)) {
        await this.decideAcceptedDraft(verdict, subject);
        continue;
      }
      const shown = this.store.get(id);
      const targets = await this.targetsIn(verdict, id, path);
      if (!shown || targets.length === 0) {
        continue;
      }
      const answer = await this.decideHunks(
        verdict,
        id,
        targets.map((hunk) => hunk.id),
      );
      if (answer) {
        const hunks = answer.files.find((file) => file.path === path)?.hunks ?? [];
        showStaying(shown, verdict, answer, hunks);
      }
    }
  }

  /** Returns the open hunks of a file. If there are none, asks whether to change the earlier decisions. */
  private async targetsIn(verdict: Verdict, id: string, path: string): Promise<readonly Hunk[]> {
    const proposal = this.store.get(id);
    const hunks = proposal?.files.find((file) => file.path === path)?.hunks ?? [];
    if (!proposal) {
      return [];
    }
    const open = hunks.filter(isOpen);
    const earlier = contrary(hunks, verdict);
    if (open.length === 0) {
      return earlier.length > 0 && (await askToTurn(proposal, verdict, earlier)) ? earlier : [];
    }
    return (await askAboutUnseen(this.seen, proposal, verdict, path)) ? open : [];
  }

  /** Decides all open hunks of a proposal. */
  async all(verdict: Verdict, id: string): Promise<void> {
    const shown = this.store.get(id);
    const earlier = shown && (await askAboutEarlier(shown, verdict));
    if (!earlier || !(await askAboutUnseen(this.seen, shown, verdict))) {
      return;
    }
    const part = partForAll(shown, verdict, earlier);
    const drafted = shown.files.filter(({ path }) => this.drafts.find(id, path));
    if (verdict === 'reject' && drafted.length > 0) {
      await this.rejectDrafts(
        id,
        drafted.map(({ path }) => path),
        part,
      );
      return;
    }
    const answer = await this.send(id, async (proposal) => {
      return verdict === 'accept' ? this.withDrafts(proposal, drafted, part) : part;
    });
    if (answer && earlier === 'none') {
      showStaying(shown, verdict, answer, hunksOf(answer));
    }
    if (answer && isWaiting(answer.state)) {
      this.askAboutConflicts(answer, hunksOf(answer).filter(isOpen));
    }
  }

  /** Sends a comment to the author. Returns `true` if it was sent. */
  async comment(id: string, about: { path?: string; hunk?: string }, text: string): Promise<boolean> {
    const answer = await this.decider.send(id, () => ({ comment: [{ ...about, text }] }));
    if (answer) {
      showStatus(`${singleLine(answer.author)} will receive your comment with the decision.`);
    }
    return answer !== undefined;
  }

  /** Returns the answer, or undefined if nothing was decided. */
  private async decideHunks(
    verdict: Verdict | 'take',
    id: string,
    ids: readonly string[],
  ): Promise<ProposalResult | undefined> {
    const find = (proposal: ProposalResult | undefined) =>
      proposal ? hunksOf(proposal).filter((hunk) => ids.includes(hunk.id)) : [];
    const proposal = this.store.get(id);
    const leave = proposal && leavingVerdict(proposal);
    const inMissingFiles =
      verdict === leave || !proposal ? [] : proposal.files.filter(isMissing).flatMap(({ hunks }) => hunks);
    const needsConfirmation = (hunk: Hunk) =>
      (verdict !== leave && verdict !== 'take' && hunk.state === 'conflicted') || inMissingFiles.includes(hunk);
    if (proposal && verdict !== leave && !(await askAboutLongLines(proposal, find(proposal)))) {
      return undefined;
    }
    const known = find(proposal).filter(needsConfirmation);
    const sent = ids.filter((each) => !known.some((hunk) => hunk.id === each));
    const answer = sent.length > 0 ? await this.send(id, () => ({ [verdict]: sent })) : proposal;
    if (answer && isWaiting(answer.state)) {
      this.askAboutConflicts(
        answer,
        find(answer).filter((hunk) => known.some((each) => each.id === hunk.id) || needsConfirmation(hunk)),
      );
    }
    return sent.length > 0 ? answer : undefined;
  }

  /** Accepts a file with the text of its draft. */
  private async acceptDraft({ id, path }: FileSubject): Promise<void> {
    await this.send(id, (proposal) => {
      const file = proposal.files.find((each) => each.path === path);
      return file && this.withDrafts(proposal, [file], {});
    });
  }

  /** Adds the drafts of these files to a decision. Returns undefined if a draft conflicts with the current text. */
  private async withDrafts(
    proposal: ProposalResult,
    files: readonly FileEntry[],
    part: Part,
  ): Promise<Part | undefined> {
    const replace: ReplaceParam[] = [];
    const accept: string[] = [];
    const sent = new Map<string, string>();
    for (const file of files) {
      const written = this.drafts.find(proposal.id, file.path);
      const replacement = written && (await this.decider.replacement(proposal.id, file.path, written));
      if (written && !replacement) {
        this.warnOfDraftConflict({ kind: 'file', id: proposal.id, path: file.path });
        return undefined;
      }
      replace.push(...(replacement ? [replacement] : []));
      sent.set(file.path, written?.text ?? '');
      // A rename is decided separately from the text. Without a replacement, all open hunks are accepted.
      const beside = file.hunks.filter((hunk) => isOpen(hunk) && (!replacement || hunk.kind === 'rename'));
      accept.push(...beside.map((hunk) => hunk.id));
    }
    return {
      ...part,
      ...(part.accept !== 'all' && accept.length > 0 && { accept: [...(part.accept ?? []), ...accept] }),
      ...(replace.length > 0 && { replace: [...(part.replace ?? []), ...replace], written: sent }),
    };
  }

  /** Returns `true` if the draft of a file has already been accepted. */
  private isDraftAccepted(id: string, path: string): boolean {
    const file = this.store.file(id, path);
    return file !== undefined && isRewritten(file);
  }

  /**
   * Handles a decision on a file whose draft was accepted: a rejection would discard the user's text, so it is
   * confirmed first.
   */
  private async decideAcceptedDraft(verdict: Verdict | 'take', { id, path }: FileSubject): Promise<void> {
    if (verdict !== 'reject') {
      showStatus(`${nameOf(path)} is already ${this.words(id, path).accepted} with your changes.`);
      return;
    }
    const ids = this.store.file(id, path)?.hunks.map((hunk) => hunk.id) ?? [];
    await ask('warning', `Your changes to ${nameOf(path)} would be discarded.`, {
      [`${this.words(id, path).reject} and Discard`]: () => this.decideHunks('reject', id, ids),
    });
  }

  /** Sends a decision. If it is the last one, asks about drafts in the proposal that have not been accepted. */
  private send(id: string, make: (proposal: ProposalResult) => Part | undefined | Promise<Part | undefined>) {
    return this.decider.send(id, async (proposal) => {
      const part = await make(proposal);
      return part && this.withRemainingDrafts(proposal, part);
    });
  }

  private async withRemainingDrafts(proposal: ProposalResult, part: Part): Promise<Part | undefined> {
    const drafted = proposal.files.filter(
      ({ path }) => this.drafts.find(proposal.id, path) && !part.replace?.some((each) => each.path === path),
    );
    if (drafted.length === 0 || !completes(proposal, part)) {
      return part;
    }
    const names = drafted.map(({ path }) => nameOf(path)).join(', ');
    const text = `This is the last decision, and your changes to ${names} are not accepted yet.`;
    const choice = await dialog(text, '', 'Accept Them as Well', 'Leave Them Out');
    if (choice === 'Accept Them as Well') {
      const { replace = [], written = [], ...rest } = part;
      const more = await this.withDrafts(proposal, drafted, { ...rest, replace });
      return more && { ...more, written: new Map([...written, ...(more.written ?? [])]) };
    }
    return choice === 'Leave Them Out' ? part : undefined;
  }

  private warnOfDraftConflict(subject: FileSubject): void {
    const text = `Your changes to ${nameOf(subject.path)} conflict with later changes of the same lines. Nothing was sent, and your text is kept. Adapt it or discard it.`;
    void ask('warning', text, { 'Open Diff': () => this.diffs.open(subject) });
  }

  private askAboutDraft({ id, path }: HunkSubject): void {
    const file: FileSubject = { kind: 'file', id, path };
    const { accept, reject } = this.words(id, path);
    void ask('info', `You have edited the proposal for ${nameOf(path)}, so the file is decided as a whole.`, {
      [`${accept} File`]: () => this.files('accept', [file]),
      [`${reject} File`]: () => this.files('reject', [file]),
      'Open Diff': () => this.diffs.open(file),
    });
  }

  private async rejectDrafts(id: string, paths: readonly string[], part: Part): Promise<void> {
    const verb = this.words(id, paths[0] ?? '').reject;
    await ask('warning', `Your changes to ${paths.map(nameOf).join(', ')} would be discarded.`, {
      [`${verb} and Discard`]: async () => {
        // Drafts are discarded only if the decision was made.
        const answer = await this.decider.send(id, () => part);
        if (answer) {
          await Promise.all(paths.map((path) => this.drafts.discard(id, path)));
        }
      },
    });
  }

  private leaveFile(proposal: ProposalResult, { path }: FileEntry): Promise<void> {
    return this.files(leavingVerdict(proposal), [{ kind: 'file', id: proposal.id, path }]);
  }

  private words(id: string, path: string): Words {
    return wordsFor(this.store.file(id, path) ?? {});
  }

  /** Takes the other side of hunks. Asks again if they have changed since the message was shown. */
  private async takeIfUnchanged(id: string, seen: readonly Hunk[]): Promise<void> {
    await this.store.refresh(id);
    const proposal = this.store.get(id);
    const now = proposal ? hunksOf(proposal) : [];
    const isSame = (one: Hunk, other: Hunk) =>
      one.id === other.id && one.oldText === other.oldText && one.newText === other.newText;
    const same = seen.filter((hunk) => now.some((each) => isSame(each, hunk)));
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

  /** Asks about hunks in conflict. The daemon applies them only on the user's explicit request. */
  private askAboutConflicts(proposal: ProposalResult, hunks: readonly Hunk[]): void {
    const isOf = (file: FileEntry) => file.hunks.some((hunk) => hunks.includes(hunk));
    for (const file of proposal.files.filter((each) => isMissing(each) && isOf(each))) {
      void this.missingFiles.notify(file, () => this.leaveFile(proposal, file));
    }
    const left = proposal.files.filter((file) => !isMissing(file)).flatMap((file) => file.hunks);
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
    void ask('warning', `${what} in ${names} ${verb} in conflict with the current text of the file.`, {
      'Keep Mine': () => this.decideHunks(leavingVerdict(proposal), id, ids),
      [this.words(id, first.path).take]: () => this.takeIfUnchanged(id, conflicted),
      'Open Diff': () => this.diffs.open({ kind: 'hunk', id, path: first.path, hunk: hunk.id }),
    });
  }
}

/**
 * Says which of these hunks stay as they were decided before. The status bar shows one message at a time, so this one
 * repeats the outcome of the last decision.
 */
function showStaying(
  { label, author }: ProposalResult,
  verdict: Verdict,
  answer: ProposalResult,
  hunks: readonly Hunk[],
): void {
  const stays = staying(answer, verdict, contrary(hunks, verdict));
  if (stays !== undefined) {
    const outcome = isWaiting(answer.state) ? [] : [outcomeOf({ ...answer, label, author }).text];
    showStatus([...outcome, stays].join(' '));
  }
}

/** Returns the decision about a whole proposal. Hunks in conflict are not overwritten. */
function partForAll(proposal: ProposalResult, verdict: Verdict, earlier: 'none' | 'turn' | 'leave'): Part {
  if (earlier !== 'turn') {
    return { [verdict]: 'all', ...(earlier === 'leave' && { keepEarlier: true }) };
  }
  const ids = hunksOf(proposal)
    .filter(({ state }) => state !== 'conflicted' || verdict === leavingVerdict(proposal))
    .map(({ id }) => id);
  return { [verdict]: ids };
}

/** Returns the verdict that leaves the current text as it is. */
function leavingVerdict({ landed }: ProposalResult): Verdict {
  return landed === undefined ? 'reject' : 'accept';
}

/** Returns `true` if a decision leaves no open hunks. */
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
