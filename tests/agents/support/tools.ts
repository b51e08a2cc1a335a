// Paths of the programs that the tests run. scripts/install-agents installs them.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../..');

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const agents = join(process.env['EDITD_TOOLS'] ?? join(cache, 'editd-tools'), 'agents');

export const editd = program(
  process.env['EDITD_PROGRAM'] ?? join(repository, 'target/debug/editd'),
  'Build it with `cargo build`, or name it in EDITD_PROGRAM.',
);

/** Returns the path of a program that scripts/install-agents installs. */
export function installed(
  name: 'node' | 'claude' | 'codex' | 'gemini' | 'opencode' | 'pi' | 'mcp-inspector' | 'python',
): string {
  return program(join(agents, name), 'Run scripts/install-agents.');
}

function program(path: string, advice: string): string {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`There is no program ${path}. ${advice}`);
  }
}
