// Google's Gemini CLI: shows its model the text of a result only, and of a refusal all there is.
import assert from 'node:assert/strict';
import { Gemini } from '../model/gemini.ts';
import { block } from '../support/page.ts';
import { installed } from '../support/tools.ts';
import type { AgentProgram } from './program.ts';

const program = installed('gemini');

const quiet = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

export const gemini: AgentProgram = {
  name: 'Gemini CLI',
  prefix: 'mcp_editd_',
  triesItsOwnTools: (model) => {
    const names = model.tools.map((tool) => tool.name);
    assert.ok(names.includes('read_file'), 'its own tools have the names that they are known by');
    assert.deepEqual(
      names.filter((name) => ['replace', 'write_file', 'edit'].includes(name)),
      [],
    );
    return Promise.resolve();
  },
  adds: { wait_for_previous: true },
  dialect: () => new Gemini(),
  configure: (place, modelUrl) => {
    const settings = JSON.parse(block('Gemini CLI', 'json')) as object;
    place.configure('.gemini/settings.json', JSON.stringify({ ...settings, ...quiet }));
    place.configure('.gemini/policies/editd.toml', block('Gemini CLI', 'toml'));
    return {
      // It may use all that it has: what it is not offered, it has not.
      command: [program, '--skip-trust', '--approval-mode', 'yolo', '--model', 'gemini-2.5-flash', '--prompt', 'Play.'],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl },
    };
  },
};
