// OpenAI's Codex: shows its model the structured content of a result only.
import { Responses } from '../model/responses.ts';
import { block } from '../support/page.ts';
import { installed } from '../support/tools.ts';
import type { AgentProgram } from './program.ts';

const program = installed('codex');

const withModel = (url: string): string => `
model = "gpt-5.2-codex"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
`;

export const codex: AgentProgram = {
  name: 'Codex',
  prefix: 'mcp__editd__',
  ownEditTools: ['apply_patch'],
  dialect: () => new Responses(),
  configure: (place, modelUrl) => {
    place.configure('.codex/config.toml', withModel(modelUrl) + block('Codex', 'toml'));
    return {
      command: [program, 'exec', '--skip-git-repo-check', 'Play your part.'],
      env: { FAKE_KEY: 'none' },
    };
  },
};
