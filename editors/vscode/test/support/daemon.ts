// A daemon of its own for a test, with its own state, sockets and configuration.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Environment, Program, marked, run } from './processes';
import { editd } from './tools';
import { until } from './until';

export class Daemon {
  readonly state: string;
  readonly sockets: string;
  readonly log: string;
  private readonly configuration: string;
  private program: Program | undefined;

  constructor(
    /** What the folder is called must be short: the name of a socket has about 100 bytes at most. */
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

  /** What a program needs in its environment to meet this daemon. */
  get env(): Environment {
    return { EDITD_STATE_DIR: this.state, EDITD_RUNTIME_DIR: this.sockets, EDITD_CONFIG: this.configuration };
  }

  get agentSocket(): string {
    return join(this.sockets, 'agent.sock');
  }

  get editorSocket(): string {
    return join(this.sockets, 'editor.sock');
  }

  /** Holds for the next daemon that starts. */
  configure(toml: string): void {
    writeFileSync(this.configuration, toml);
  }

  async start(): Promise<void> {
    const started = Program.start(editd, ['serve'], { env: { ...this.base, ...this.env }, log: this.log });
    this.program = started;
    await started.ready('the daemon listens', () => listens(this.agentSocket));
  }

  /** As a crash ends it. */
  async kill(): Promise<void> {
    await this.program?.end('SIGKILL');
    this.program = undefined;
  }

  /** As `editd stop` does it: also a daemon that somebody else started. */
  async stop(): Promise<void> {
    if (existsSync(this.agentSocket)) {
      await this.run('stop').catch(() => undefined);
    }
    await until(
      'the daemon has ended',
      () => marked(this.state).filter(({ line }) => line.includes(' serve')),
      (left) => left.length === 0,
    );
    this.program = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Runs `editd` with these arguments, as a person on a terminal does. */
  run(...args: string[]): Promise<string> {
    return run(editd, args, { ...this.base, ...this.env });
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
