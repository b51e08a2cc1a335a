// The diffs of Gemini CLI in its default mode.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffs } from './ide.ts';
import { gemini } from './native/gemini.ts';
import { installed } from './support/tools.ts';

const SETTINGS = '.gemini/settings.json';

diffs({
  ...gemini,
  author: 'gemini-cli',
  found: 'gemini/ide',
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
