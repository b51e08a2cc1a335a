// All scenes, in the order of the table in docs/agents.md.
import { formats } from './bytes.ts';
import { command, reverted } from './commands.ts';
import { connects } from './connecting.ts';
import { failsClosed, failsOpen } from './daemon.ts';
import { named, onlyRead } from './delegation.ts';
import { absent, ambiguous, exact, indentation, several, stale, unread } from './edits.ts';
import { accepted, corrected, partly, rejected } from './reviews.ts';
import type { Scene } from './scene.ts';
import { unsaved, unsavedInNeovim } from './unsaved.ts';
import { created, overRead, overUnread, secret } from './writes.ts';

export const SCENES: readonly Scene[] = [
  ...[exact, several, indentation, absent, ambiguous, unread, stale],
  ...[created, overRead, overUnread, secret],
  ...[accepted, rejected, partly, corrected],
  ...[unsaved, unsavedInNeovim],
  ...formats,
  ...[command, reverted],
  ...[onlyRead, named],
  ...[failsOpen, failsClosed],
  connects,
];
