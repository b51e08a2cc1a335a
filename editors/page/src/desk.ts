// The things that all parts of the page share.
import type { Near } from './near';
import type { Review } from './review';
import type { Session } from './session';
import type { Layout } from './table';

export interface Desk {
  session: Session;
  near: Near;
  layout: () => Layout;
  /** Shows a message, and has screen readers say it. */
  say: (message: string) => void;
  /** Shows a message about something that failed. */
  fail: (message: string) => void;
}

/** The desk of a proposal that is shown. */
export interface ReviewDesk extends Desk {
  review: Review;
  /** Returns `true` if a hunk was on the screen, with all its changes. */
  isSeen: (id: string) => boolean;
  /** Goes to the next hunk that is open, after a decision about this one. */
  next: (after: string) => void;
}
