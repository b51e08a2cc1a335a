// A real Neovim with the plugin of editd, without a screen.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { run } from './processes.ts';
import { installedEditor, repository } from './tools.ts';
import { until } from './until.ts';

const program = installedEditor('nvim');

const INIT = `
vim.o.swapfile = false
vim.opt.runtimepath:prepend([[${join(repository, 'editors/nvim')}]])
`;

/** Sends all changes to the daemon, and waits until it has processed them. */
const SETTLE = `(function()
  local done
  require('editd.client').request('editd/status', {}, function(err) done = err or true end)
  vim.wait(10000, function() return done ~= nil end, 2)
  return done == true
end)()`;

export class Neovim {
  private readonly place: Place;
  private readonly socket: string;
  private readonly process: ChildProcess;

  private constructor(place: Place, path: string) {
    this.place = place;
    const folder = mkdtempSync(join(place.folder, 'nvim-'));
    this.socket = join(folder, 'socket');
    const init = join(folder, 'init.lua');
    writeFileSync(init, INIT);
    const options = ['--headless', '--listen', this.socket, '-i', 'NONE', '-u', init, path];
    this.process = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...options], {
      env: place.env,
      cwd: place.work,
      stdio: 'ignore',
    });
  }

  /** Starts it with a file, and waits until the daemon has the file's text. */
  static async open(place: Place, path: string): Promise<Neovim> {
    const neovim = new Neovim(place, path);
    try {
      const state = (): Promise<string> => neovim.lua("require('editd.client').state()");
      await until('Neovim is connected', state, (seen) => seen === 'connected');
      await neovim.settle();
      return neovim;
    } catch (error) {
      await neovim.close();
      throw error;
    }
  }

  /** Types keys, and waits until the buffer and the daemon have the text. */
  async types(keys: string, text: string): Promise<void> {
    await this.remote('--remote-send', keys);
    await until(
      'the typed text',
      () => this.text(),
      (seen) => seen === text,
    );
    await this.settle();
  }

  /** Accepts a proposal for the buffer as soon as it is there. */
  async accepts(): Promise<void> {
    const pending = (): Promise<string> => this.lua("#require('editd.review').pending()");
    await until('a proposal', pending, (count) => Number(count) > 0);
    await this.lua("vim.cmd('%Editd accept')");
  }

  /** Returns the text of the buffer. */
  text(): Promise<string> {
    return this.lua("require('editd.document').text(0)");
  }

  async saves(): Promise<void> {
    await this.lua("vim.cmd('write')");
  }

  async close(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill();
    await ended;
  }

  private async settle(): Promise<void> {
    await until(
      'Neovim and the daemon have the same text',
      () => this.lua(SETTLE),
      (seen) => seen === 'true',
    );
  }

  private async lua(expression: string): Promise<string> {
    return this.remote('--remote-expr', `luaeval(${JSON.stringify(expression)})`);
  }

  private async remote(...command: string[]): Promise<string> {
    const { env, work: cwd } = this.place;
    const { stdout } = await run([program, '--server', this.socket, ...command], { env, cwd });
    return stdout;
  }
}
