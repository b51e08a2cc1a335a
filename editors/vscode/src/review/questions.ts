/**
 * Questions before decisions about several hunks. They never change an earlier decision without naming its hunk, and
 * never accept what was not shown without saying how much that is.
 */
import type { FileEntry, Hunk, ProposalResult } from '../daemon/wire';
import { dialog } from '../messages';
import type { Verdict } from './actions';
import { count, hunksOf, nameOf, titleOf, type Words, wordsFor } from './labels';
import { excerptOf } from './longLines';
import type { Seen } from './seen';

/** Maximum number of hunks or files that a question names. */
const NAMED = 5;

/** Returns the hunks that were decided the other way earlier. */
export function contrary(hunks: readonly Hunk[], verdict: Verdict): Hunk[] {
  return hunks.filter(({ state }) =>
    verdict === 'accept' ? state === 'rejected' : state === 'accepted' || state === 'edited',
  );
}

/**
 * Asks what a decision about a whole proposal means for hunks that were decided the other way and that it would write:
 * to `turn` them, too, or to `leave` them. Returns `none` if there are none, and undefined if the user has cancelled.
 */
export async function askAboutEarlier(
  proposal: ProposalResult,
  verdict: Verdict,
): Promise<'none' | 'turn' | 'leave' | undefined> {
  const isLanded = proposal.landed !== undefined;
  const earlier = contrary(hunksOf(proposal), verdict);
  if (earlier.length === 0 || (verdict === 'reject') === isLanded) {
    return 'none';
  }
  const words = wordsOf(proposal);
  const was = isLanded ? words.rejected : words.accepted;
  const turn = isLanded ? 'Keep All of It' : 'Reject All of It';
  const leave = `${isLanded ? 'Revert' : 'Apply'} ${earlier.length === 1 ? 'This One' : 'These'}`;
  const verbs = earlier.length === 1 ? 'change was' : 'changes were';
  const text = `${turn.split(' ')[0] ?? ''} all of "${titleOf(proposal)}"?`;
  const detail = `${earlier.length} ${verbs} ${was} before: ${placesOf(proposal, earlier)}.`;
  const choice = await dialog(text, detail, turn, leave);
  return choice === turn ? 'turn' : choice === leave ? 'leave' : undefined;
}

/** Asks whether to change the decisions about hunks that were all decided the other way. */
export async function askToTurn(proposal: ProposalResult, verdict: Verdict, hunks: readonly Hunk[]): Promise<boolean> {
  const words = wordsOf(proposal);
  const button = `${verdict === 'accept' ? words.accept : words.reject} ${hunks.length === 1 ? 'It' : 'Them'} Now`;
  const verbs = hunks.length === 1 ? 'change here was' : 'changes here were';
  const was = verdict === 'accept' ? words.rejected : words.accepted;
  const text = `${hunks.length} ${verbs} ${was} before.`;
  return (await dialog(text, placesOf(proposal, hunks), button)) === button;
}

/** Asks before hunks that were not on the screen are accepted, kept or reverted. */
export async function askAboutUnseen(
  seen: Seen,
  proposal: ProposalResult,
  verdict: Verdict,
  path?: string,
): Promise<boolean> {
  const isLanded = proposal.landed !== undefined;
  const unseen = seen.missing(proposal, path);
  // To reject a proposal changes nothing, and can be reopened.
  if (unseen.length === 0 || (verdict === 'reject' && !isLanded)) {
    return true;
  }
  const paths = new Map<string, number>();
  for (const each of unseen) {
    paths.set(each.path, (paths.get(each.path) ?? 0) + 1);
  }
  const named = [...paths].slice(0, NAMED).map(([file, hunks]) => `${nameOf(file)} (${hunks})`);
  const more = paths.size > NAMED ? ` and ${count(paths.size - NAMED, 'more file')}` : '';
  const words = wordsOf(proposal);
  const verb = verdict === 'accept' ? words.accept : words.reject;
  const button = `${verb} All`;
  const verbs = unseen.length === 1 ? 'change was' : 'changes were';
  const text = `${unseen.length} ${verbs} not shown yet. ${verb} ${unseen.length === 1 ? 'it' : 'them'}, too?`;
  return (await dialog(text, named.join(', ') + more, button)) === button;
}

/** Asks before changed text of long lines is written that no view shows completely. */
export async function askAboutLongLines(proposal: ProposalResult, hunks: readonly Hunk[]): Promise<boolean> {
  const cut = hunks.filter((hunk) => hunk.state === 'pending' && excerptOf(hunk)?.isCut === true);
  if (cut.length === 0) {
    return true;
  }
  const words = wordsOf(proposal);
  const button = proposal.landed === undefined ? words.accept : words.reject;
  const text = 'Some changed text in a very long line is not shown. Open the file in another way to read all of it.';
  const excerpts = cut.map((hunk) => excerptOf(hunk)?.new ?? '').join('\n');
  return (await dialog(text, excerpts, `${button} Anyway`)) === `${button} Anyway`;
}

/** Says that hunks stay as they were decided earlier. Returns undefined if there are none. */
export function staying(proposal: ProposalResult, verdict: Verdict, hunks: readonly Hunk[]): string | undefined {
  if (hunks.length === 0) {
    return undefined;
  }
  const words = wordsOf(proposal);
  const was = verdict === 'accept' ? words.rejected : words.accepted;
  return `${count(hunks.length, 'change')} ${hunks.length === 1 ? 'stays' : 'stay'} ${was}.`;
}

function wordsOf({ landed }: ProposalResult): Words {
  return wordsFor(landed === undefined ? {} : { isLanded: true });
}

function placesOf({ files }: ProposalResult, hunks: readonly Hunk[]): string {
  const place = ({ path }: FileEntry, { kind, oldStart }: Hunk) =>
    kind === undefined ? `${nameOf(path)}, line ${Math.max(oldStart, 1)}` : nameOf(path);
  const places = files.flatMap((file) =>
    file.hunks.filter((hunk) => hunks.includes(hunk)).map((hunk) => place(file, hunk)),
  );
  const more = places.length > NAMED ? ` and ${places.length - NAMED} more` : '';
  return places.slice(0, NAMED).join('; ') + more;
}
