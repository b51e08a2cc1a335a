// Test fixture of the review page: one browser for a test file, and a daemon, a folder and a server for each scene.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { Agent } from '../../vscode/test/support/agent';
import { browse } from '../../vscode/test/support/browser';
import { Daemon } from '../../vscode/test/support/daemon';
import { Files } from '../../vscode/test/support/files';
import { type Environment, Program, marked } from '../../vscode/test/support/processes';
import { ReviewPage } from './reviewPage';
import { out } from '../../vscode/test/support/tools';
import { until } from '../../vscode/test/support/until';

/** The environment of a scene. */
export interface PageScene {
  /** The page, opened by the address that the command has printed. */
  page: ReviewPage;
  /** The printed address, whose token is used up. */
  address: string;
  files: Files;
  agent: Agent;
  daemon: Daemon;
  /** Opens an address in another tab. */
  open: (address: string) => Promise<ReviewPage>;
  meet: (name: string) => Promise<Agent>;
  /** Runs the command once more, and opens its address. */
  again: () => Promise<{ page: ReviewPage }>;
  /** Ends the command, as Ctrl-C does. */
  interrupt: () => Promise<void>;
  /** Kills the command, like a crash. */
  kill: () => Promise<void>;
  /** The output of the command. */
  output: () => string;
}

type Scene = (scene: PageScene) => Promise<void>;

interface SceneOptions {
  /** Installs a copy of the program for the scene, which can install another one. */
  installed?: boolean;
}

/** Starts the browser of this test file. Returns a function that defines a scene. */
export function pageStage(): (name: string, scene: Scene, options?: SceneOptions) => void {
  let browser: BrowserContext;
  const home = mkdtempSync('/tmp/editd-');
  const env: Environment = { HOME: home, TMPDIR: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
  before(
    async () => {
      browser = await browse(home, env);
    },
    { timeout: 60_000 },
  );
  after(
    async () => {
      await browser.close();
      rmSync(home, { recursive: true, force: true });
    },
    { timeout: 60_000 },
  );
  return (name, scene, options = {}) => {
    void test(name, { timeout: 120_000 }, () => play(new Stage(browser, env, options), name, scene));
  };
}

async function play(stage: Stage, name: string, scene: Scene): Promise<void> {
  try {
    await scene(await stage.start());
  } catch (error) {
    await stage.saveFailure(name);
    throw error;
  } finally {
    await stage.tearDown();
  }
}

class Stage {
  // Socket paths must be short, so the folder is directly under /tmp.
  private readonly folder = mkdtempSync('/tmp/editd-');
  private readonly daemon: Daemon;
  private readonly files = new Files(join(this.folder, 'work'));
  private readonly log = join(this.folder, 'page.log');
  private readonly agents: Agent[] = [];
  private readonly pages: ReviewPage[] = [];
  private server: Program | undefined;

  constructor(
    private readonly browser: BrowserContext,
    private readonly env: Environment,
    options: SceneOptions,
  ) {
    this.daemon = new Daemon(this.folder, env);
    if (options.installed === true) {
      this.daemon.install();
    }
  }

  async start(): Promise<PageScene> {
    const { daemon, files } = this;
    await daemon.start();
    const { page, address } = await this.serve();
    const output = (): string => readFileSync(this.log, 'utf8');
    return {
      page,
      address,
      files,
      daemon,
      output,
      agent: await this.meet('ada'),
      meet: (author) => this.meet(author),
      open: (other) => this.open(other),
      again: () => this.serve(),
      interrupt: async () => this.server?.end('SIGINT'),
      kill: async () => this.server?.end('SIGKILL'),
    };
  }

  /** Runs the command and opens its address. */
  private async serve(): Promise<{ page: ReviewPage; address: string }> {
    const env = { ...this.env, ...this.daemon.env };
    const { folder } = this.files;
    rmSync(this.log, { force: true });
    this.server = Program.start(this.daemon.program, ['review', '--web', '--no-open'], {
      env,
      log: this.log,
      cwd: folder,
    });
    const output = (): string => (existsSync(this.log) ? readFileSync(this.log, 'utf8') : '');
    const address = (await until('the command prints an address', () => /http:\S+#\S+/.exec(output())?.[0])) ?? '';
    const page = await this.open(address);
    await page.connected();
    return { page, address };
  }

  private async meet(author: string): Promise<Agent> {
    const agent = await Agent.connect(this.daemon.agentSocket, author, this.files.folder);
    this.agents.push(agent);
    return agent;
  }

  private async open(address: string): Promise<ReviewPage> {
    const page = await ReviewPage.open(this.browser, address);
    this.pages.push(page);
    return page;
  }

  /** Ends all programs, and fails if one is left running. */
  async tearDown(): Promise<void> {
    for (const agent of this.agents) {
      agent.close();
    }
    await Promise.all(this.pages.map(({ page }) => page.close({ runBeforeUnload: false })));
    await this.server?.end('SIGINT');
    await this.daemon.stop();
    const left = marked(this.folder).map(({ line }) => line);
    rmSync(this.folder, { recursive: true, force: true });
    assert.deepEqual(left, [], 'nothing is left running');
  }

  async saveFailure(name: string): Promise<void> {
    const folder = join(out, 'failures', name.replaceAll(/[^\w]+/g, '-').slice(0, 80));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [index, { page, console: lines }] of this.pages.entries()) {
      await page.screenshot({ path: join(folder, `page-${index + 1}.png`) }).catch(() => undefined);
      console.log(lines.join('\n'));
    }
    const output = existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
    console.log(`"${name}" failed. Screenshots are in ${folder}\n${output}`);
  }
}
