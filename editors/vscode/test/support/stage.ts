// Test fixture. A stage is one real workbench and one daemon, shared by all scenes (test cases) of a test file.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from './agent';
import { Daemon } from './daemon';
import { saveFailure } from './failure';
import { Files } from './files';
import { type Environment, marked } from './processes';
import type { Server } from './server';
import { until, untilEqual } from './until';
import type { Window } from './window';
import { Workbench } from './workbench';

export interface StageOptions {
  /** Files that exist when the window opens. */
  files?: Record<string, string>;
  /** `none`: no daemon is started. */
  daemon?: 'running' | 'none';
  /** Configuration of the daemon, in TOML. */
  configuration?: string;
  /** `true`, the default, if the folder is trusted. */
  trusted?: boolean;
  theme?: 'dark' | 'light';
  /** User settings in addition to those for the connection to the daemon. */
  settings?: Record<string, unknown>;
  /** A shell script that replaces the real program. */
  program?: string;
  /** Installs a copy of the program for the scenes, which can install another one. */
  installed?: boolean;
  /** The PATH of the editor. */
  path?: string;
}

/** The environment of a test case. */
export interface Context {
  /** The window on the folder of the files. */
  window: Window;
  files: Files;
  /** An agent whose root is the folder of the files. Every scene has a new session. */
  agent: Agent;
  daemon: Daemon;
  /** The code-server of all windows. */
  server: Server;
  /** Opens another window, by default on the same folder. It is closed after the scene. */
  another: (folder?: string) => Promise<Window>;
  /** Connects another agent. Does not start a daemon. */
  meet: (name: string) => Promise<Agent>;
  /** Waits until exactly the windows and agents of the scene are connected to the daemon. */
  connected: () => Promise<void>;
}

/** Maximum time of a scene, in milliseconds. Its failure is saved after that. */
const MAX_TIME = 120_000;

type DefineScene = (name: string, scene: (scene: Context) => Promise<void>) => void;

/** Sets up the stage for this test file. Returns a function that defines a scene. */
export function stage(options: StageOptions = {}): DefineScene {
  let current: Stage;
  before(
    async () => {
      current = await Stage.setUp(options);
    },
    { timeout: 120_000 },
  );
  after(() => current.tearDown(), { timeout: 60_000 });
  return (name, scene) => {
    void test(name, { timeout: MAX_TIME + 60_000 }, () => current.run(name, scene));
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

  static async setUp(options: StageOptions): Promise<Stage> {
    // Socket paths must be short, so the folder is directly under /tmp.
    const stage = new Stage(mkdtempSync('/tmp/editd-'), options);
    try {
      await stage.start();
      return stage;
    } catch (error) {
      await stage.saveFailure('start');
      await stage.tearDown();
      throw error;
    }
  }

  private async start(): Promise<void> {
    if (this.options.installed === true) {
      this.daemon.install();
    }
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

  async run(name: string, scene: (scene: Context) => Promise<void>): Promise<void> {
    const [window] = this.workbench?.windows ?? [];
    if (this.workbench === undefined || window === undefined) {
      throw new Error('there is no window');
    }
    const ended = new AbortController();
    const late = pause(MAX_TIME, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`The scene did not end within ${MAX_TIME} ms.`);
    });
    late.catch(() => undefined);
    try {
      const context = await this.createContext(window, this.workbench.server);
      await Promise.race([scene(context), late]);
      await this.tidy(window);
    } catch (error) {
      await this.saveFailure(name);
      await this.tidy(window);
      throw error;
    } finally {
      ended.abort();
    }
  }

  /** Closes what a scene has opened. */
  private async tidy(window: Window): Promise<void> {
    for (const agent of this.agents.splice(0)) {
      agent.close();
    }
    for (const other of this.workbench?.windows.splice(1) ?? []) {
      await other.close();
    }
    await window.tidy();
  }

  private async createContext(window: Window, server: Server): Promise<Context> {
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
      server,
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
    const windows = this.workbench?.windows.filter(({ isClosed }) => !isClosed) ?? [];
    const sessions = async (): Promise<unknown> => {
      const status = await agents[0]?.call<{ sessions: number }>('editd/status');
      return status?.sessions;
    };
    await untilEqual('the number of sessions', sessions, agents.length + windows.length);
  }

  /** Ends all programs of the stage, and fails if one is left running. */
  async tearDown(): Promise<void> {
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

  private saveFailure(name: string): Promise<void> {
    const logs = [
      this.daemon.log,
      join(this.folder, 'code-server.log'),
      join(this.daemon.state, 'logs'),
      join(this.folder, 'user/logs'),
    ];
    return saveFailure(name, this.workbench?.windows ?? [], logs);
  }

  private program(): string {
    if (this.options.program === undefined) {
      return this.daemon.program;
    }
    const script = join(this.folder, 'editd');
    writeFileSync(script, this.options.program);
    chmodSync(script, 0o755);
    return script;
  }
}
