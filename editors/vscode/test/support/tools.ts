// Paths of the programs that the tests use. scripts/install-editors installs them.
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the extension: the tests are bundled into out/test. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const out = join(root, 'out');

export const screenshots = process.env['EDITD_SCREENSHOTS'] ?? join(out, 'screenshots');

/** Tests without a workbench need neither this nor the package. */
export function codeServer(): string {
  return program(join(toolsFolder(), 'editors/code-server'), 'Run scripts/install-editors.');
}

export const chromium = program(
  process.env['EDITD_CHROMIUM'] ?? '/usr/bin/chromium',
  'Run scripts/install-editors, or name a Chromium in EDITD_CHROMIUM.',
);

export const editd = program(
  process.env['EDITD_PROGRAM'] ?? resolve(root, '../../target/debug/editd'),
  'Build it with `cargo build`, or name it in EDITD_PROGRAM.',
);

export function vsix(): string {
  return file(join(root, 'editd.vsix'), 'Make it with `npm run package`.');
}

export const probe = join(root, 'test/probe');

function toolsFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['EDITD_TOOLS'] ?? join(cache, 'editd-tools');
}

function program(path: string, advice: string): string {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`There is no program ${path}. ${advice}`);
  }
}

function file(path: string, advice: string): string {
  if (existsSync(path)) {
    return path;
  }
  throw new Error(`There is no ${path}. ${advice}`);
}
