// A complete VS Code for a test: code-server, Chromium, and the open windows.
import type { BrowserContext } from 'playwright-core';
import { browse } from './browser';
import type { Environment } from './processes';
import { Server, type ServerOptions } from './server';
import { Window } from './window';

export class Workbench {
  readonly windows: Window[] = [];

  private constructor(
    readonly server: Server,
    private readonly browser: BrowserContext,
  ) {}

  static async start(folder: string, env: Environment, options: ServerOptions): Promise<Workbench> {
    const server = new Server(folder, env, options);
    await server.install();
    try {
      const [browser] = await Promise.all([browse(folder, env), server.start()]);
      return new Workbench(server, browser);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  async open(folder: string): Promise<Window> {
    const window = await Window.open(this.server, this.browser, folder);
    this.windows.push(window);
    return window;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.close();
  }
}
