// A situation in which an agent program uses its own tools, and its outcome with each program.
import type { Files } from '../support/place.ts';
import type { Desk } from './desk.ts';
import type { Hands } from './hands.ts';
import type { Key } from './programs.ts';
import type { Setting } from './setting.ts';

/** The outcomes in the words of the table in docs/agents.md, with their meanings. */
export const OUTCOMES = {
  made: 'the tool makes the edit as it is',
  repaired: 'the tool makes the edit, with arguments that fit',
  advised: 'the tool refuses the edit, and editd adds the arguments that fit',
  'made in part': 'the tool writes the accepted hunks only',
  corrected: 'the tool writes the text of the person',
  'made by editd': 'editd makes the edit itself, and reports that to the model',
  refused: 'nothing is written, and the model receives the reason',
  'made, with a warning': 'the tool makes the edit, and the person is warned that editd does not check it',
  named: '`editd log` and `editd undo` know the sub-agent',
  'not named': '`editd log` lists the edit under the program, without the sub-agent',
  recorded: '`editd log` lists what the command has changed with the author and the turn, and `editd undo` reverts it',
  told: 'the model receives the decision and the comment after its next command',
  restored: 'all settings have their former bytes again',
} as const;

export type Outcome = keyof typeof OUTCOMES;

/** The reason why a program cannot be in the situation. */
export interface Never {
  never: string;
}

export interface Scene {
  /** The situation, as a row of the table in docs/agents.md. */
  readonly name: string;
  readonly setting: Setting;
  readonly files: Files;
  /** The outcome with all programs that are not in `except`. */
  readonly usually: Outcome;
  readonly except?: Partial<Record<Key, Outcome | Never>>;
  /** Plays the part of the model, and asserts the outcome. */
  play(desk: Desk, model: Hands): Promise<void>;
  /** Plays the parts of sub-agents, by a word of their task. */
  readonly helpers?: Record<string, (desk: Desk, model: Hands) => Promise<void>>;
  /** Asserts what the program has written for the person, after its end. */
  written?(text: string, desk: Desk): void;
}

export function outcome(scene: Scene, key: Key): Outcome | Never {
  return scene.except?.[key] ?? scene.usually;
}
