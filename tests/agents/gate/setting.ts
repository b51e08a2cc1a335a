// The setting of a scene. All scenes with the same setting share one run of the program, because its start takes most
// of the time.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../support/place.ts';
import type { Gated } from './programs.ts';

export interface Setting {
  readonly name: string;
  /** The configuration of editd. */
  readonly config: string;
  /** Is called before the program is connected. */
  arrange?(place: Place, program: Gated): Promise<void>;
  /** `true` if the hooks of others are trusted, too, and not only those of editd. */
  readonly trustsAll?: boolean;
  /** Is called after the program was connected. */
  prepare?(place: Place): void;
}

export const usual: Setting = { name: 'by default', config: '' };

export const reviewed: Setting = { name: 'with review', config: 'review = "always"\n' };

export const delegated: Setting = { name: 'with sub-agents', config: '' };

/** Keeps the daemon from starting by a folder in the place of its socket. */
function withoutDaemon(place: Place): void {
  mkdirSync(join(place.sockets, 'agent.sock'), { recursive: true });
}

export const alone: Setting = { name: 'without a daemon', config: '', prepare: withoutDaemon };

export const aloneReviewed: Setting = {
  name: 'without a daemon, with review',
  config: reviewed.config,
  prepare: withoutDaemon,
};
