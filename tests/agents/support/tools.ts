// Paths of the programs that the tests run. scripts/install-agents installs them.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../..');

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const tools = process.env['EDITD_TOOLS'] ?? join(cache, 'editd-tools');

export const editd = program(
  process.env['EDITD_PROGRAM'] ?? join(repository, 'target/debug/editd'),
  'Build it with `cargo build`, or name it in EDITD_PROGRAM.',
);

/** Returns the path of a program that scripts/install-agents installs. */
export function installed(
  name: 'node' | 'claude' | 'codex' | 'gemini' | 'opencode' | 'pi' | 'mcp-inspector' | 'python',
): string {
  return program(join(tools, 'agents', name), 'Run scripts/install-agents.');
}

/** Returns the path of an editor that scripts/install-editors installs. */
export function installedEditor(name: 'nvim'): string {
  return program(join(tools, 'editors', name), 'Run scripts/install-editors.');
}

function program(path: string, advice: string): string {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`There is no program ${path}. ${advice}`);
  }
}
