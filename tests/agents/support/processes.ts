// Starts programs so that none of them is left when a test ends.
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
  /** Milliseconds until the program is killed, with all processes that it has started. */
  within?: number | undefined;
}

/** Runs a program until it ends. */
export async function run(
  command: readonly string[],
  { env, cwd, input = '', within = 120_000 }: Options,
): Promise<Ended> {
  // The program is killed with the test, and it has its own process group, which is killed as a whole.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { env, cwd, detached: true });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  child.stdin.on('error', () => undefined); // it may have ended before reading all input
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
    // The group has no processes left.
  }
}

/** Returns the processes with `mark` in their environment or arguments. */
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
    return ''; // it has ended in the meantime
  }
}
