// Where scenes are played: one real workbench and one daemon for all scenes of a test file.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Agent } from './agent';
import { Daemon } from './daemon';
import { keepFailure } from './failure';
import { Files } from './files';
import { type Environment, marked } from './processes';
import { editd } from './tools';
import { until, untilEqual } from './until';
import type { Window } from './window';
import { Workbench } from './workbench';

export interface StageOptions {
  /** Files that are there when the window opens. */
  files?: Record<string, string>;
  /** `none`: nobody has started one. */
  daemon?: 'running' | 'none';
  /** The daemon's configuration, in TOML. */
  configuration?: string;
  /** Whether the folder is trusted. It is, if nothing is said. */
  trusted?: boolean;
  theme?: 'dark' | 'light';
  /** Settings of the user beside those that lead to the daemon. */
  settings?: Record<string, unknown>;
  /** A shell script in place of the real program. */
  program?: string;
  /** The PATH of the editor. */
  path?: string;
}

/** What a scene has to play with. */
export interface Scene {
  /** The window on the folder of the files. */
  window: Window;
  files: Files;
  /** An agent whose root is the folder of the files, in a session of its own in every scene. */
  agent: Agent;
  daemon: Daemon;
  /** One more window, on the same folder if none is named. It is closed after the scene. */
  another: (folder?: string) => Promise<Window>;
  /** One more agent. It starts no daemon. */
  meet: (name: string) => Promise<Agent>;
  /** Waits until all windows and agents of the scene, and nobody else, are connected to the daemon. */
  connected: () => Promise<void>;
}

type Play = (name: string, scene: (scene: Scene) => Promise<void>) => void;

/** Sets a stage for the scenes of this test file. */
export function stage(options: StageOptions = {}): Play {
  let set: Stage;
  before(
    async () => {
      set = await Stage.set(options);
    },
    { timeout: 120_000 },
  );
  after(() => set.strike(), { timeout: 60_000 });
  return (name, scene) => {
    void test(name, { timeout: 120_000 }, () => set.play(name, scene));
  };
}

class Stage {
  private readonly files: Files;
  private readonly env: Environment;
  private readonly daemon: Daemon;
  private readonly agents: Agent[] = [];
  private workbench: Workbench | undefined;

  private constructor(
    private readonly folder: string,
    private readonly options: StageOptions,
  ) {
    const home = join(folder, 'home');
    const temporary = join(folder, 'tmp');
    for (const each of [home, temporary]) {
      mkdirSync(each);
    }
    this.env = { HOME: home, TMPDIR: temporary, PATH: options.path ?? process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
    this.files = new Files(join(folder, 'work'));
    for (const [name, content] of Object.entries(options.files ?? {})) {
      this.files.write(name, content);
    }
    this.daemon = new Daemon(folder, this.env, options.configuration);
  }

  static async set(options: StageOptions): Promise<Stage> {
    // Names of sockets are short, so this is not below a temporary folder of any name.
    const stage = new Stage(mkdtempSync('/tmp/editd-'), options);
    try {
      await stage.start();
      return stage;
    } catch (error) {
      await stage.keep('start');
      await stage.strike();
      throw error;
    }
  }

  private async start(): Promise<void> {
    if (this.options.daemon !== 'none') {
      await this.daemon.start();
    }
    this.workbench = await Workbench.start(this.folder, this.env, {
      trusted: this.options.trusted ?? true,
      theme: this.options.theme ?? 'dark',
      settings: { 'editd.path': this.program(), 'editd.env': this.daemon.env, ...this.options.settings },
    });
    await this.workbench.open(this.files.folder);
  }

  async play(name: string, scene: (scene: Scene) => Promise<void>): Promise<void> {
    const [window] = this.workbench?.windows ?? [];
    if (this.workbench === undefined || window === undefined) {
      throw new Error('there is no window');
    }
    try {
      await scene(await this.cast(window));
    } catch (error) {
      await this.keep(name);
      throw error;
    } finally {
      for (const agent of this.agents.splice(0)) {
        agent.close();
      }
      for (const other of this.workbench.windows.splice(1)) {
        await other.close();
      }
      await window.tidy();
    }
  }

  private async cast(window: Window): Promise<Scene> {
    const agent = this.options.daemon === 'none' ? undefined : await this.meet('ada');
    const connected = (): Promise<void> => this.connected();
    if (agent !== undefined && this.options.program === undefined) {
      await connected();
    }
    const another = async (folder?: string): Promise<Window> => {
      const opened = await this.open(folder);
      await connected();
      return opened;
    };
    return {
      window,
      files: this.files,
      daemon: this.daemon,
      get agent(): Agent {
        if (agent === undefined) {
          throw new Error('no daemon was running for an agent: meet one once there is one');
        }
        return agent;
      },
      meet: (name) => this.meet(name),
      another,
      connected,
    };
  }

  private open(folder = this.files.folder): Promise<Window> {
    if (this.workbench === undefined) {
      throw new Error('there is no workbench');
    }
    return this.workbench.open(folder);
  }

  private async meet(name: string): Promise<Agent> {
    const agent = await Agent.connect(this.daemon.agentSocket, name, this.files.folder);
    this.agents.push(agent);
    return agent;
  }

  private async connected(): Promise<void> {
    const agents = this.agents.filter(({ open }) => open);
    const sessions = async (): Promise<unknown> => {
      const status = await agents[0]?.call<{ sessions: number }>('editd/status');
      return status?.sessions;
    };
    await untilEqual('the number of sessions', sessions, agents.length + (this.workbench?.windows.length ?? 0));
  }

  /** Ends all that was started, and fails if something is left of it. */
  async strike(): Promise<void> {
    await this.workbench?.close();
    await this.daemon.stop();
    try {
      await until(
        'nothing is left running',
        () => marked(this.folder).map(({ line }) => line),
        (left) => left.length === 0,
      );
    } finally {
      for (const { pid } of marked(this.folder)) {
        process.kill(pid, 'SIGKILL');
      }
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private keep(name: string): Promise<void> {
    const logs = [
      this.daemon.log,
      join(this.folder, 'code-server.log'),
      join(this.daemon.state, 'logs'),
      join(this.folder, 'user/logs'),
    ];
    return keepFailure(name, this.workbench?.windows ?? [], logs);
  }

  private program(): string {
    if (this.options.program === undefined) {
      return editd;
    }
    const script = join(this.folder, 'editd');
    writeFileSync(script, this.options.program);
    chmodSync(script, 0o755);
    return script;
  }
}
