// Saves screenshots of the windows and all logs of a failed test.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { out } from './tools';
import type { Window } from './window';

export async function saveFailure(name: string, windows: readonly Window[], logs: readonly string[]): Promise<void> {
  const folder = join(out, 'failures', name.replaceAll(/[^\w]+/g, '-').slice(0, 80));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, window] of windows.entries()) {
    await window.screen.shot(`window-${index + 1}`, folder).catch(() => undefined);
    writeFileSync(join(folder, `console-${index + 1}.log`), window.console.join('\n'));
  }
  for (const log of logs.filter((each) => existsSync(each))) {
    cpSync(log, join(folder, basename(log)), { recursive: true });
  }
  console.log(`"${name}" failed. Screenshots and logs are in ${folder}`);
}
