// Starting programs so that none of them is left when a test ends.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

export type Environment = Record<string, string>;

export interface Ended {
  /** The exit code, or the signal that ended it. */
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface Options {
  env: Environment;
  cwd: string;
  input?: string;
  /** Milliseconds until it is killed, with all that it has started. */
  within?: number;
}

/** Runs a program to its end. */
export async function run(
  command: readonly string[],
  { env, cwd, input = '', within = 60_000 }: Options,
): Promise<Ended> {
  // It ends, too, if the test is killed; and it has a group of its own, which is killed as a whole.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { env, cwd, detached: true });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  child.stdin.on('error', () => undefined); // it has ended without reading all
  child.stdin.end(input);
  const timer = setTimeout(() => {
    killGroup(child.pid);
  }, within);
  try {
    const code = await new Promise<number | string>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status, signal) => {
        resolve(status ?? signal ?? 'unknown');
      });
    });
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) {
      process.kill(-leader, 'SIGKILL');
    }
  } catch {
    // Nobody is left in it.
  }
}

/** Processes that have `mark` in their environment or arguments. */
export function marked(mark: string): { pid: number; line: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .map((pid) => ({ pid, line: shown(pid, 'cmdline'), environment: shown(pid, 'environ') }))
    .filter(({ line, environment }) => line.includes(mark) || environment.includes(mark))
    .map(({ pid, line }) => ({ pid, line: line.replaceAll('\0', ' ') }));
}

function shown(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}
