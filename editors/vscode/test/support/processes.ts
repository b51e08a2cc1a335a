// Starts programs in such a way that none of them survives the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { until } from './until';

export type Environment = Record<string, string>;

export class Program {
  private constructor(
    private readonly child: ChildProcess,
    private readonly name: string,
    private readonly log: string,
  ) {}

  /** Starts a program in a separate process group. Appends its output to the log. */
  static start(program: string, args: string[], options: { env: Environment; log: string; cwd?: string }): Program {
    const log = openSync(options.log, 'a');
    // The program also ends if the test is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', program, ...args], {
      detached: true,
      env: options.env,
      stdio: ['ignore', log, log],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    child.on('error', () => undefined); // treated as a program that is not running
    closeSync(log);
    return new Program(child, program, options.log);
  }

  get pid(): number {
    if (this.child.pid === undefined) {
      throw new Error(`${this.name} did not start`);
    }
    return this.child.pid;
  }

  get running(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until `ready` returns `true`. Fails immediately if the program ends before that. */
  async ready(what: string, ready: () => Promise<boolean>): Promise<void> {
    const end = await until(what, async () => (this.running ? (await ready()) && 'ready' : 'ended'), Boolean, {
      within: 60_000,
    });
    if (end === 'ended') {
      throw new Error(`${this.name} ended: ${readFileSync(this.log, 'utf8').slice(-2000)}`);
    }
  }

  /** Ends the program and its process group. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    signalGroup(this.child.pid, signal);
    try {
      await until(`${this.name} has ended`, () => !this.running, Boolean, { within: 5_000 });
    } finally {
      signalGroup(this.child.pid, 'SIGKILL');
    }
  }
}

/** Runs a program to completion and returns its output. */
export async function run(program: string, args: string[], env: Environment): Promise<string> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) {
    throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}: ${output}`);
  }
  return output;
}

/** Finds processes with `mark` in their environment or arguments. `line` describes the process. */
export function marked(mark: string): { pid: number; line: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .map((pid) => ({ pid, line: read(pid, 'cmdline'), environment: read(pid, 'environ') }))
    .filter(({ line, environment }) => line.includes(mark) || environment.includes(mark))
    .map(({ pid, line }) => ({ pid, line: `${pid} ${line.replaceAll('\0', ' ')}` }));
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) {
    return;
  }
  try {
    process.kill(-leader, signal);
  } catch {
    // The process group is empty.
  }
}
