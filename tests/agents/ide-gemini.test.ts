// The diffs of Gemini CLI in its default mode.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { diffs } from './ide.ts';
import { gemini } from './native/gemini.ts';
import { installed } from './support/tools.ts';
import { until } from './support/until.ts';

const SETTINGS = '.gemini/settings.json';

diffs({
  ...gemini,
  author: 'gemini-cli',
  connected: async (place) => {
    const [file = ''] = readdirSync(join(place.home, 'gemini/ide'));
    const port = Number(/-(\d+)\.json$/.exec(file)?.[1])
      .toString(16)
      .toUpperCase()
      .padStart(4, '0');
    const established = (): boolean => new RegExp(`:${port} 01 `).test(readFileSync('/proc/net/tcp', 'utf8'));
    await until('a connection', established);
    await pause(1_000); // it asks for the tools then
  },
  configure: (place, modelUrl) => {
    const { env } = gemini.configure(place, modelUrl);
    const settings = JSON.parse(readFileSync(join(place.home, SETTINGS), 'utf8')) as object;
    place.configure(SETTINGS, JSON.stringify({ ...settings, ide: { enabled: true, hasSeenNudge: true } }));
    const mode = ['--skip-trust', '--approval-mode', 'default', '--model', 'gemini-2.5-flash'];
    return {
      command: [installed('gemini'), ...mode, '--prompt-interactive', 'Play.'],
      // The discovery file is in the folder for temporary files. In a container that is not reached by SSH, the
      // program looks for its editor on the host.
      env: { ...env, TMPDIR: place.home, SSH_CONNECTION: 'test' },
    };
  },
});
