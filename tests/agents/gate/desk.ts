// The files of a scene, in a folder of their own, and what editd knows about them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../support/place.ts';
import type { Gated } from './programs.ts';
import type { Outcome } from './scene.ts';

/** A change in the log. */
export interface Entry {
  transaction: string;
  author: string;
  label?: string;
  origin?: { turn?: string; agent?: string; model?: string; toolCall?: string };
  files: { path: string; action: string; diff?: string }[];
}

/** An edit of a file, with the text before it, and the text after it if it is made. */
export interface Edited {
  name: string;
  before: string;
  after: string;
  /** The reason that the model is shown if the edit is refused. */
  reason?: RegExp;
  encoding?: BufferEncoding;
}

const MADE_BY_EDITD = /editd has made the change itself/;

export class Desk {
  readonly place: Place;
  readonly program: Gated;
  readonly outcome: Outcome;
  private readonly folder: string;

  constructor(place: Place, program: Gated, outcome: Outcome, folder: string) {
    this.place = place;
    this.program = program;
    this.outcome = outcome;
    this.folder = folder;
  }

  path(name: string): string {
    return this.place.path(join(this.folder, name));
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  text(name: string, encoding: BufferEncoding = 'utf8'): string {
    return readFileSync(this.path(name), encoding);
  }

  /** Changes a file with another program, which does not use editd. */
  changes(name: string, text: string): void {
    this.place.write(join(this.folder, name), text);
  }

  /** Returns the changes of the scene's files, newest first. */
  async log(...options: string[]): Promise<Entry[]> {
    const { stdout } = await this.succeed('log', '--output', 'json', '--patch', ...options, this.path('.'));
    return (JSON.parse(stdout) as { transactions: Entry[] }).transactions;
  }

  /** Runs `editd`, which must succeed. */
  async succeed(...args: string[]): Promise<{ stdout: string }> {
    const ended = await this.place.editd(...args);
    assert.equal(ended.code, 0, `editd ${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
    return ended;
  }

  /** Asserts what the model was shown, the bytes on disk, and the log after the first edit of a file. */
  async ends(shown: string, edited: Edited): Promise<void> {
    const { name, before, after, encoding } = edited;
    if (this.outcome === 'refused') {
      assert.match(shown, edited.reason ?? /./);
      this.refuses(shown);
      assert.equal(this.has(name) ? this.text(name, encoding) : '', before);
      assert.deepEqual(await this.log(), []);
      return;
    }
    assert.match(shown, this.outcome === 'made by editd' ? MADE_BY_EDITD : this.program.succeeded);
    assert.equal(this.text(name, encoding), after);
    await this.records(edited);
  }

  /** Asserts that a tool did not succeed, and that editd did not make its edit either. */
  refuses(shown: string): void {
    assert.doesNotMatch(shown, this.program.succeeded);
    assert.doesNotMatch(shown, MADE_BY_EDITD);
  }

  /** Asserts that the log has one change, which is the edit. */
  async records({ name, before, after }: Edited): Promise<void> {
    const [entry, ...others] = await this.log();
    assert.ok(entry && others.length === 0, `the log has ${JSON.stringify([entry, others])}`);
    assert.equal(entry.author, this.program.author);
    assert.deepEqual(
      entry.files.map(({ path }) => path),
      [this.path(name)],
    );
    const diff = entry.files[0]?.diff ?? '';
    const added = after.split(/\r?\n/).filter((line) => !before.split(/\r?\n/).includes(line));
    for (const line of added) {
      assert.ok(diff.includes(`+${line}`), `no ${line} in: ${diff}`);
    }
  }
}
