// The decisions that are possible about a hunk.
import type { Decision, Hunk } from './wire';

export interface Choice {
  label: string;
  key: string;
  /** Member of the decision. */
  as: 'accept' | 'take' | 'reject';
  /** State of a hunk after the choice. */
  state: 'accepted' | 'rejected';
}

const PROPOSED: Choice[] = [
  { label: 'Accept', key: 'y', as: 'accept', state: 'accepted' },
  { label: 'Reject', key: 'n', as: 'reject', state: 'rejected' },
];
const PROPOSED_CONFLICT: Choice[] = [
  { label: "Take the author's side", key: 't', as: 'take', state: 'accepted' },
  { label: 'Keep the current text', key: 'n', as: 'reject', state: 'rejected' },
];
const LANDED: Choice[] = [
  { label: 'Keep', key: 'y', as: 'accept', state: 'accepted' },
  { label: 'Revert', key: 'n', as: 'reject', state: 'rejected' },
];
const LANDED_CONFLICT: Choice[] = [
  { label: 'Keep the current text', key: 'y', as: 'accept', state: 'accepted' },
  { label: 'Restore the earlier lines', key: 't', as: 'take', state: 'rejected' },
];

/** Returns the choices for a hunk. One that is in conflict is never decided over the current text by accident. */
export function choicesOf({ state }: Hunk, isLanded: boolean): Choice[] {
  if (state === 'conflicted') {
    return isLanded ? LANDED_CONFLICT : PROPOSED_CONFLICT;
  }
  return isLanded ? LANDED : PROPOSED;
}

/** Returns the decision that accepts or rejects all open hunks, as far as that overwrites no later change. */
export function decideAll(hunks: readonly Hunk[], as: 'accept' | 'reject', isLanded: boolean): Decision | undefined {
  const keepsText = (as === 'accept') === isLanded;
  const fits = ({ state }: Hunk): boolean => state === 'pending' || (keepsText && state === 'conflicted');
  const ids = hunks.filter(fits).map(({ id }) => id);
  return ids.length === 0 ? undefined : { [as]: ids };
}
