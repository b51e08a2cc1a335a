// The code-server of a test: VS Code with its files, settings and extensions in one folder.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Environment, Program, marked, run } from './processes';
import { codeServer, probe, vsix } from './tools';
import { until } from './until';

export interface ServerOptions {
  /** `true` if folders are trusted without a prompt. */
  trusted: boolean;
  theme: 'dark' | 'light';
  settings: Record<string, unknown>;
}

// Typed keys are inserted literally, there is no network access, and no earlier window is restored.
const quiet = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.editor.restoreEditors': false,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'json.schemaDownload.enable': false,
  'npm.fetchOnlinePackageInfo': false,
  'remote.autoForwardPorts': false,
  'files.hotExit': 'off',
  'editor.autoClosingBrackets': 'never',
  'editor.autoIndent': 'none',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
};

export class Server {
  readonly probes: string;
  readonly log: string;
  private readonly env: Environment;
  private program: Program | undefined;
  private port = 0;

  constructor(
    readonly folder: string,
    env: Environment,
    private readonly options: ServerOptions,
  ) {
    this.probes = join(folder, 'probes');
    this.log = join(folder, 'code-server.log');
    mkdirSync(this.probes);
    this.env = {
      ...env,
      EDITD_PROBES: this.probes,
      // An empty gallery prevents requests for extensions.
      EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '', itemUrl: '', resourceUrlTemplate: '' }),
    };
    this.settings(options.settings);
  }

  /** Writes the settings. Open windows apply them. */
  settings(more: Record<string, unknown>): void {
    this.write('User', {
      ...quiet,
      'security.workspace.trust.enabled': !this.options.trusted,
      'security.workspace.trust.startupPrompt': 'never',
      'workbench.colorTheme': this.options.theme === 'dark' ? 'Dark Modern' : 'Light Modern',
      ...more,
    });
    // Machine settings are read only where the extension host runs.
    this.write('Machine', Object.fromEntries(Object.entries(more).filter(([name]) => name.startsWith('editd.'))));
  }

  private write(scope: 'User' | 'Machine', settings: Record<string, unknown>): void {
    const folder = join(this.folder, 'user', scope);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings, null, 2));
  }

  /** Installs the extension as a user does, and copies the probe. */
  async install(): Promise<void> {
    cpSync(probe, join(this.folder, 'extensions/editd-tests.probe-1.0.0'), { recursive: true });
    await run(codeServer(), [...this.places(), '--install-extension', vsix()], this.env);
  }

  /** Starts code-server. After a kill, it has the same address as before. */
  async start(): Promise<void> {
    this.port ||= await freePort();
    const args = [
      ...this.places(),
      ...['--auth', 'none', '--bind-addr', `127.0.0.1:${this.port}`],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
      ...['--ignore-last-opened', '--reconnection-grace-time', '2'],
      ...(this.options.trusted ? ['--disable-workspace-trust'] : []),
    ];
    const started = Program.start(codeServer(), args, { env: this.env, log: this.log, cwd: this.folder });
    this.program = started;
    await started.ready('code-server answers', async () => (await fetch(`${this.address}/healthz`)).ok);
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Kills code-server with the extension hosts of all windows, like a crash. */
  async kill(): Promise<void> {
    await this.program?.end('SIGKILL');
    await until(
      'code-server and its extension hosts have ended',
      () => marked(this.folder).filter(({ line }) => line.includes(codeServer()) || line.includes('extensionHost')),
      (left) => left.length === 0,
    );
  }

  async close(): Promise<void> {
    await this.program?.end();
  }

  private places(): string[] {
    // Without --config, code-server would write a configuration file.
    return [
      ...['--config', '/dev/null'],
      ...['--user-data-dir', join(this.folder, 'user')],
      ...['--extensions-dir', join(this.folder, 'extensions')],
    ];
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') {
          resolve(address.port);
        } else {
          reject(new Error('there is no free port'));
        }
      });
    });
  });
}
