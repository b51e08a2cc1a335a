/** Finds the program `editd` and checks its version. */
import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** Oldest version of the program that this extension works with. */
export const MIN_VERSION = '0.1.0';

/** Timeout for running the program, in milliseconds. */
const TIMEOUT = 10_000;

export type Located =
  | { readonly kind: 'found'; readonly program: string; readonly version: string }
  | { readonly kind: 'missing'; readonly searched: readonly string[] }
  | { readonly kind: 'broken'; readonly program: string; readonly reason: string }
  | { readonly kind: 'old'; readonly program: string; readonly version: string };

/**
 * Finds the program. Uses only `configured` if it is not empty; otherwise the program bundled with the extension, or
 * else the first one in PATH.
 */
export async function locate(configured: string, extensionPath: string, env: NodeJS.ProcessEnv): Promise<Located> {
  if (configured !== '' && !isAbsolute(configured)) {
    return { kind: 'broken', program: configured, reason: 'the path must begin with /, and ~ is not expanded' };
  }
  const bundled = join(extensionPath, 'bin', 'editd');
  const inPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'editd'));
  const candidates = configured === '' ? [bundled, ...inPath] : [configured];
  for (const program of candidates) {
    if (await isExecutable(program)) {
      return examine(program, env);
    }
  }
  return { kind: 'missing', searched: configured === '' ? [bundled, 'PATH'] : [configured] };
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function examine(program: string, env: NodeJS.ProcessEnv): Promise<Located> {
  try {
    const output = await run(program, ['--version'], env);
    const version = /^editd (\d+\.\d+\.\d+)/.exec(output)?.[1];
    if (version === undefined) {
      return {
        kind: 'broken',
        program,
        reason: `it is not editd: its version output is "${output.trim().slice(0, 80)}"`,
      };
    }
    return isOlder(version, MIN_VERSION) ? { kind: 'old', program, version } : { kind: 'found', program, version };
  } catch (error) {
    return { kind: 'broken', program, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs the program and returns its standard output. Rejects if its exit code is not 0. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, timeout: TIMEOUT, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error) {
        reject(new Error(stderr.trim() || error.message));
      } else {
        resolve(stdout);
      }
    });
  });
}

/** Returns `true` if `version` is older than `than`. Both have three numbers. */
function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((each) => each.split('.').map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) {
      return difference < 0;
    }
  }
  return false;
}
