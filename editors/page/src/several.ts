// Decisions about several hunks. They never change an earlier decision without naming its hunk, and never accept what
// was not shown without saying how much that is.
import { decideAll } from './choices';
import type { ReviewDesk } from './desk';
import { count, shortPath } from './names';
import { ask } from './question';
import { type ChangedFile, type Decision, type Hunk, isOpen } from './wire';

export type Verdict = 'accept' | 'reject';

interface Words {
  verb: string;
  /** Earlier decision about the other hunks. */
  earlier: string;
  turn: string;
  stay: string;
}

/** Maximum number of hunks or files that a question names. */
const NAMED = 5;

interface Place {
  file: ChangedFile;
  hunk: Hunk;
}

/** Decides the open hunks of files, after the questions that this needs. */
export async function decideSeveral(
  desk: ReviewDesk,
  files: readonly ChangedFile[],
  as: Verdict,
  nothing: string,
): Promise<void> {
  const { review } = desk;
  if (!review.isWaiting) {
    return;
  }
  const { revision } = review.proposal;
  const places = files.flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
  const open = decideAll(
    places.map(({ hunk }) => hunk),
    as,
    review.isLanded,
  );
  const contrary = places.filter(({ hunk }) => isContrary(hunk, as));
  const isWhole = files.length === review.proposal.files.length;
  const decision = await decided(desk, { open, contrary: isWhole ? contrary : [], as });
  if (decision === 'nothing') {
    desk.say(nothing);
    return;
  }
  if (decision === undefined || !(await mayDecideUnseen(desk, places, as))) {
    return;
  }
  if (review.proposal.revision !== revision) {
    desk.fail('Not recorded: this proposal was changed in the meantime. You see its current state.');
    return;
  }
  const isRecorded = await review.decide(decision);
  const stays = contrary.filter(({ hunk }) => decision[as]?.includes(hunk.id) !== true).length;
  if (isRecorded && stays > 0) {
    desk.say(`${count(stays, 'hunk')} ${stays === 1 ? 'stays' : 'stay'} ${wordsOf(as, review.isLanded).earlier}.`);
  }
}

/** Asks about hunks that were decided the other way, if the decision about all others would write them. */
async function decided(
  desk: ReviewDesk,
  { open, contrary, as }: { open: Decision | undefined; contrary: readonly Place[]; as: Verdict },
): Promise<Decision | 'nothing' | undefined> {
  const { isLanded } = desk.review;
  const leaves = (as === 'reject') !== isLanded;
  if (contrary.length === 0 || !leaves) {
    return open ?? 'nothing';
  }
  const { verb, earlier, turn, stay } = wordsOf(as, isLanded);
  const named = contrary.slice(0, NAMED).map(({ file, hunk }) => placeOf(desk, file, hunk));
  const more = contrary.length > NAMED ? ` and ${contrary.length - NAMED} more` : '';
  const were = contrary.length === 1 ? 'was' : 'were';
  const it = contrary.length === 1 ? 'it' : 'them';
  const details = [`${count(contrary.length, 'hunk')} ${were} ${earlier} before: ${named.join(', ')}${more}.`];
  const answers = [
    { label: `${turn} ${it}, too`, key: 'y', kind: as },
    ...(open === undefined ? [] : [{ label: `${stay} ${it}`, key: 'n' }]),
  ];
  const answer = await ask(`${verb} all?`, details, answers);
  if (answer === undefined) {
    return undefined;
  }
  return answer === 0 ? { [as]: [...(open?.[as] ?? []), ...contrary.map(({ hunk }) => hunk.id)] } : open;
}

/** Asks before hunks that were not on the screen are accepted, kept or reverted. */
async function mayDecideUnseen(desk: ReviewDesk, places: readonly Place[], as: Verdict): Promise<boolean> {
  const { isLanded } = desk.review;
  const unseen = places.filter(({ hunk }) => isOpen(hunk) && !desk.isSeen(hunk.id));
  // To reject a proposal changes nothing, and can be reopened.
  if (unseen.length === 0 || (as === 'reject' && !isLanded)) {
    return true;
  }
  const { verb } = wordsOf(as, isLanded);
  const files = new Map<string, number>();
  for (const { file } of unseen) {
    const path = shortPath(file.path, desk.session.root);
    files.set(path, (files.get(path) ?? 0) + 1);
  }
  const named = [...files].slice(0, NAMED).map(([path, hunks]) => `${path} (${hunks})`);
  const more = files.size > NAMED ? ` and ${count(files.size - NAMED, 'more file')}` : '';
  const were = unseen.length === 1 ? 'was' : 'were';
  const details = [`${count(unseen.length, 'hunk')} ${were} not shown yet: ${named.join(', ')}${more}.`];
  const answer = await ask(`${verb} what was not shown?`, details, [{ label: `${verb} all`, key: 'y', kind: as }]);
  return answer === 0;
}

function isContrary({ state }: Hunk, as: Verdict): boolean {
  return as === 'accept' ? state === 'rejected' : state === 'accepted' || state === 'edited';
}

function wordsOf(as: Verdict, isLanded: boolean): Words {
  if (isLanded) {
    return as === 'accept'
      ? { verb: 'Keep', earlier: 'reverted', turn: 'Keep', stay: 'Revert' }
      : { verb: 'Revert', earlier: 'kept', turn: 'Revert', stay: 'Keep' };
  }
  return as === 'accept'
    ? { verb: 'Accept', earlier: 'rejected', turn: 'Accept', stay: 'Leave out' }
    : { verb: 'Reject', earlier: 'accepted', turn: 'Reject', stay: 'Apply' };
}

function placeOf(desk: ReviewDesk, file: ChangedFile, hunk: Hunk): string {
  const path = shortPath(file.path, desk.session.root);
  return hunk.kind === undefined ? `${path}:${Math.max(hunk.oldStart, 1)}` : path;
}
