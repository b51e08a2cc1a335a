// A separate daemon for a test, with its own state, sockets and configuration.
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

  async start(): Promise<void> {
    const started = Program.start(editd, ['serve'], { env: { ...this.base, ...this.env }, log: this.log });
    this.program = started;
    await started.ready('the daemon listens', () => listens(this.agentSocket));
  }

  /** Kills the daemon, like a crash. */
  async kill(): Promise<void> {
    await this.program?.end('SIGKILL');
    this.program = undefined;
  }

  /** Runs `editd stop`, which also stops a daemon that another program has started. */
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

  /** Runs `editd` with these arguments, like a user in a terminal. */
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
