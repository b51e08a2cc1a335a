// An isolated environment for a test: an empty home, a working folder, and the daemon that is started for
// them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Ended, type Environment, marked, run } from './processes.ts';
import { editd } from './tools.ts';
import { until } from './until.ts';

export type Files = Record<string, string | Buffer>;

export class Place {
  /** A short path, because the path of a socket in it has at most about 100 bytes. */
  readonly folder = mkdtempSync('/tmp/ea-');
  readonly home = join(this.folder, 'home');
  readonly work = join(this.folder, 'work');

  constructor(files: Files) {
    for (const each of [this.home, this.work, this.state, this.bin]) {
      mkdirSync(each, { recursive: true });
    }
    this.install('editd', editd);
    for (const [name, text] of Object.entries(files)) {
      this.write(name, text);
    }
  }

  /** Contains nothing of the environment of the tests; `editd` is in the path, as it is for users. */
  get env(): Environment {
    return {
      HOME: this.home,
      PATH: `${this.bin}:/usr/local/bin:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      // The defaults for this home, because some clients do not pass the environment to servers.
      EDITD_STATE_DIR: this.state,
      EDITD_RUNTIME_DIR: this.sockets,
    };
  }

  get sockets(): string {
    return join(this.state, 'run');
  }

  get state(): string {
    return join(this.home, '.local/state/editd');
  }

  private get bin(): string {
    return join(this.folder, 'bin');
  }

  path(name: string): string {
    return join(this.work, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  write(name: string, text: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** Writes a file in the home folder, such as a client's configuration. */
  configure(name: string, text: string): void {
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Puts a program into the path. */
  install(name: string, program: string): void {
    symlinkSync(program, join(this.bin, name));
  }

  /** Runs `editd` with these arguments, as a user in the working folder does. */
  async editd(...args: string[]): Promise<Ended> {
    return run([editd, ...args], { env: this.env, cwd: this.work });
  }

  /** Stops the daemon. All other processes started here must have ended already. */
  async end(): Promise<void> {
    try {
      if (existsSync(join(this.sockets, 'agent.sock'))) {
        await this.editd('stop');
      }
      await until(
        'no process is left',
        () => marked(this.folder),
        (left) => left.length === 0,
        10_000,
      );
    } finally {
      for (const { pid } of marked(this.folder)) {
        process.kill(pid, 'SIGKILL');
      }
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** A test in its own place. */
export function scene(name: string, files: Files, body: (place: Place, context: TestContext) => Promise<void>): void {
  test(name, async (context) => {
    const place = new Place(files);
    try {
      await body(place, context);
    } finally {
      await place.end();
    }
  });
}
