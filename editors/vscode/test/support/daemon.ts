// A separate daemon for a test, with its own state, sockets and configuration.
import assert from 'node:assert/strict';
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Environment, Program, marked, run } from './processes';
import { editd } from './tools';
import { until } from './until';

export class Daemon {
  readonly state: string;
  readonly sockets: string;
  readonly log: string;
  /** The program, for the daemon and for all that connect to it. */
  program = editd;
  private readonly configuration: string;

  constructor(
    /** Folder of the daemon. Its path must be short, because a socket path has at most about 100 bytes. */
    readonly folder: string,
    private readonly base: Environment,
    configuration = '',
  ) {
    this.state = join(folder, 'state');
    this.sockets = join(folder, 'run');
    this.log = join(folder, 'daemon.log');
    this.configuration = join(folder, 'config.toml');
    for (const each of [this.state, this.sockets]) {
      mkdirSync(each, { mode: 0o700, recursive: true });
    }
    this.configure(configuration);
  }

  /** Environment variables for programs that connect to this daemon. */
  get env(): Environment {
    return { EDITD_STATE_DIR: this.state, EDITD_RUNTIME_DIR: this.sockets, EDITD_CONFIG: this.configuration };
  }

  get agentSocket(): string {
    return join(this.sockets, 'agent.sock');
  }

  get editorSocket(): string {
    return join(this.sockets, 'editor.sock');
  }

  /** Writes the configuration, which takes effect at the next start. */
  configure(toml: string): void {
    writeFileSync(this.configuration, toml);
  }

  /** Installs a copy of the program, in the place of the one that was installed before. */
  install(): void {
    this.program = join(this.folder, 'installed');
    const copy = `${this.program}.new`;
    copyFileSync(editd, copy, constants.COPYFILE_FICLONE);
    renameSync(copy, this.program);
  }

  /** Returns `true` if one daemon runs, from the program that is installed now. */
  isOfInstalled(): boolean {
    const [daemon, ...others] = this.running();
    const inode = (path: string): number => statSync(path).ino;
    return others.length === 0 && daemon !== undefined && inode(`/proc/${daemon.pid}/exe`) === inode(this.program);
  }

  async start(): Promise<void> {
    const started = Program.start(this.program, ['serve'], { env: { ...this.base, ...this.env }, log: this.log });
    await started.ready('the daemon listens', () => listens(this.agentSocket));
  }

  /** Kills the daemon, like a crash, whoever has started it. */
  async kill(): Promise<void> {
    const running = this.running();
    assert.notEqual(running.length, 0, 'a daemon runs');
    for (const { pid } of running) {
      process.kill(pid, 'SIGKILL');
    }
    await until(
      'the daemon has ended',
      () => this.running().filter(({ pid }) => running.some((it) => it.pid === pid)),
      (left) => left.length === 0,
    );
  }

  /** Stops the processor time of the daemon, or lets it go on: its answers come late. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const { pid } of this.running()) {
      process.kill(pid, signal);
    }
  }

  running(): { pid: number; line: string }[] {
    return marked(this.state).filter(({ line }) => line.includes(' serve'));
  }

  /** Runs `editd stop`, which also stops a daemon that another program has started. */
  async stop(): Promise<void> {
    if (existsSync(this.agentSocket)) {
      await this.run('stop').catch(() => undefined);
    }
    await until(
      'the daemon has ended',
      () => this.running(),
      (left) => left.length === 0,
    );
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Runs `editd` with these arguments, like a user in a terminal. */
  run(...args: string[]): Promise<string> {
    return run(this.program, args, { ...this.base, ...this.env });
  }
}

function listens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', () => {
      resolve(false);
    });
  });
}
