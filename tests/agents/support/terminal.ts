// A program on a terminal, with a person who types.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import type { Environment } from './processes.ts';
import { until } from './until.ts';

/** Escape sequences of terminals, and control characters. */
const ESCAPES = new RegExp(
  [
    String.raw`\x1b\[[0-9;?<>=]*[ -/]*[@-~]`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`,
    String.raw`\x1b[()][A-Z0-9]`,
    String.raw`\x1b[=>78]`,
    String.raw`[\x00-\x08\x0e-\x1f]`,
  ].join('|'),
  'g',
);

export class Terminal {
  private output = '';
  private code: number | string | undefined;
  private readonly child: ChildProcessWithoutNullStreams;

  /** Starts a program on a terminal of 120 columns. `script` provides the terminal. */
  constructor(command: readonly string[], env: Environment, cwd: string) {
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const line = `stty rows 50 cols 120; exec ${quoted}`;
    const args = ['--pdeathsig', 'KILL', 'script', '--quiet', '--return', '--command', line, '/dev/null'];
    this.child = spawn('setpriv', args, { env: { ...env, TERM: 'xterm-256color' }, cwd, detached: true });
    this.child.stdout.on('data', (data: Buffer) => (this.output += data.toString()));
    this.child.stderr.on('data', (data: Buffer) => (this.output += data.toString()));
    this.child.stdin.on('error', () => undefined); // it may have ended
    this.child.on('close', (status, signal) => (this.code = status ?? signal ?? 'unknown'));
  }

  /** All text that the program has written, without escape sequences and spaces. */
  get text(): string {
    return this.output.replaceAll(ESCAPES, '').replaceAll(/\s+/g, '');
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** Waits until the program has written a text. Spaces do not count, because programs move the cursor instead. */
  async shows(wanted: string): Promise<void> {
    const text = wanted.replaceAll(/\s+/g, '');
    await until(
      `the terminal shows ${wanted}`,
      () => this.text,
      (shown) => shown.includes(text),
      30_000,
    );
  }

  /** Waits until the program has ended, and returns its exit code. */
  async ended(): Promise<number | string> {
    const code = await until('the program ends', () => this.code);
    return code ?? 'unknown';
  }

  /** Kills the program and all processes that it has started. */
  kill(): void {
    for (const pid of this.child.pid === undefined ? [] : descendants(this.child.pid)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }
}

/** Returns a process and those that it has started, with theirs, except for the daemon. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().trim().split('\n');
  const pairs = rows.filter((row) => !row.includes(' serve ')).map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, its]) => (its === parent ? [child, ...below(child)] : []));
  return [pid, ...below(pid)];
}
