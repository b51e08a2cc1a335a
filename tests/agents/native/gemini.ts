// Google's Gemini CLI. Only the user's settings can name the model API, so they are added to those that a test wrote,
// unless these name it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Gemini } from '../model/gemini.ts';
import { installed } from '../support/tools.ts';
import type { NativeProgram } from './program.ts';

const program = installed('gemini');

const SETTINGS = '.gemini/settings.json';

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

export const gemini: NativeProgram = {
  name: 'Gemini CLI',
  tools: {
    read: (path) => ['read_file', { file_path: path }],
    edit: (path, oldText, newText) => [
      'replace',
      { file_path: path, instruction: 'Change it.', old_string: oldText, new_string: newText },
    ],
    write: (path, text) => ['write_file', { file_path: path, content: text }],
    shell: (command) => ['run_shell_command', { command, description: 'Run it' }],
  },
  dialect: () => new Gemini(),
  configure: (place, modelUrl) => {
    const user = join(place.home, SETTINGS);
    const written = existsSync(user) ? readFileSync(user, 'utf8') : '{}';
    if (!written.includes(settings.security.auth.selectedType)) {
      place.configure(SETTINGS, JSON.stringify({ ...(JSON.parse(written) as object), ...settings }, null, 2));
    }
    return {
      command: [program, '--skip-trust', '--approval-mode', 'yolo', '--model', 'gemini-2.5-flash', '--prompt', 'Play.'],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl },
    };
  },
};
