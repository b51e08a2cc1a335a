// Google's Gemini CLI, which shows its model only the text of a result, but both forms of a refusal.
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
    assert.ok(names.includes('read_file'), 'its own tools have the expected names');
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
      // All tools are allowed, so a tool that is not offered is disabled.
      command: [program, '--skip-trust', '--approval-mode', 'yolo', '--model', 'gemini-2.5-flash', '--prompt', 'Play.'],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl },
    };
  },
};
